"""Sizes, counts and times as people read them. Decimal units: 1 kB is 1000 bytes."""

__all__ = ["count", "duration", "size_long", "size_short", "thousands"]

_UNITS = "kMGTPE"


def size_short(size: int) -> str:
    """``size`` bytes in at most 5 characters: ``84``, ``1.1k``, ``88k``, ``1.2M``."""
    number, unit = _scaled(size)
    return number + unit


def size_long(size: int) -> str:
    """``size`` bytes with its unit: ``121 B``, ``9.4 kB``, ``1.4 MB``."""
    number, unit = _scaled(size)
    return f"{number} {unit}B"


def _scaled(size: int) -> tuple[str, str]:
    """The number, one decimal below 10, and the prefix of its unit; halves are rounded up."""
    if size < 1000:
        return str(size), ""
    number, unit = "", ""
    scale = 1
    for unit in _UNITS:
        scale *= 1000
        tenths = (size * 10 + scale // 2) // scale
        if tenths < 100:
            return f"{tenths // 10}.{tenths % 10}", unit
        whole = (size + scale // 2) // scale
        number = str(whole)
        if whole < 1000:
            break
    return number, unit


def count(number: int, noun: str, plural: str | None = None) -> str:
    """``1 turn``, ``9 turns``, ``1,204 turns``; ``plural`` where an ``s`` does not make it."""
    return f"{thousands(number)} {noun if number == 1 else plural or noun + 's'}"


def thousands(number: int) -> str:
    """``66,412``."""
    return f"{number:,}"


def duration(seconds: float) -> str:
    """``0.8 s``, ``41.0 s``, ``3 min``, ``24 min``, ``2 h``; from two days on ``3 days``."""
    if seconds < 0:
        return "-" + duration(-seconds)
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes = int(seconds / 60 + 0.5)
    if minutes < 60:
        return f"{minutes} min"
    hours = int(seconds / 3600 + 0.5)
    return f"{hours} h" if hours < 48 else count(int(seconds / 86_400 + 0.5), "day")
