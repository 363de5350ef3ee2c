"""The line one types or pastes a place into."""

from textual.widgets import Input

from tapeview.tape.clean import CONTROL, printable

__all__ = ["PlaceInput"]


class PlaceInput(Input):
    """Textual's own input, but what is pasted cannot act on the terminal either."""

    def validate_value(self, value: str) -> str:
        """The same text, one sign for each, those that are not safe to paint replaced."""
        if value.isascii() and value.isprintable():
            return value
        return "".join(_safe(sign) for sign in value)


def _safe(sign: str) -> str:
    if printable(sign) == sign:
        return sign
    return " " if sign.isspace() else CONTROL
