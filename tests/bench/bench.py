"""What tapeview costs, as ratios to a baseline that is measured in the same run.

    python tests/bench/bench.py

Every figure is the median of five pairs; each pair runs the baseline and tapeview after one
another, each in a process of its own, and counts CPU time (user and system), not the clock; the
longest time for which the screen does not answer is by the clock, and so wants a quiet machine.
Memory is what a process holds for itself alone (USS) at its peak, over the bare program.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAIRS = 5
MEGABYTES = 40
BIG = 100
"""Megabytes of the session that is opened on the screen."""

BASELINE = """
import sys, time, orjson
start = time.process_time()
with open(sys.argv[1], "rb") as file:
    for line in file:
        orjson.loads(line)
print(time.process_time() - start)
"""

INDEX = """
import sys, time
from tapeview.open_session import load
start = time.process_time()
load(sys.argv[1]).snapshot().index.links
print(time.process_time() - start)
"""

CHECK = """
import sys, time
from tapeview.open_session import load
from tapeview.looks.report import Report, report_of
from tapeview.rules._registry import all_rules
all_rules()
start = time.process_time()
Report([report_of(load(sys.argv[1]))]).to_json()
print(time.process_time() - start)
"""


def inner(code: str, *words: str) -> float:
    """CPU seconds that the code says it has used, without its start."""
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1])


def whole(*words: str) -> float:
    """CPU seconds of a whole process, its start included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def pairs(baseline: Callable[[], float], ours: Callable[[], float]) -> tuple[float, float, float]:
    """Medians of the baseline, of ours, and of the ratio of each pair."""
    ours()  # warms the file cache and the compiled modules
    found = [(baseline(), ours()) for _ in range(PAIRS)]
    ratios = [mine / base for base, mine in found]
    return (
        statistics.median(base for base, _ in found),
        statistics.median(mine for _, mine in found),
        statistics.median(ratios),
    )


def row(what: str, baseline: str, ours: str, figure: str, aim: str) -> str:
    """One line of the table."""
    return f"| {what} | {baseline} | {ours} | {figure} | {aim} |"


def on_screen(mode: str, session: str) -> float:
    """A figure that ``screen.py`` takes in the running app."""
    code = "from tests.bench.screen import main; main()"
    return inner(code, mode, session)


def screen_figures(session: str) -> list[str]:
    """What a big session costs on the screen, line by line."""
    name = f"a session of {BIG} MB"
    base, mine, ratio = pairs(
        lambda: on_screen("bare", session), lambda: on_screen("first", session)
    )
    start = row(
        f"first rows of {name}", f"{base:.2f} s", f"{mine:.2f} s", f"{ratio:.1f} times", "2"
    )
    whole_wait, longest, share = pairs(
        lambda: on_screen("at-once", session), lambda: on_screen("settle", session)
    )
    stall = row(
        f"longest stall while {name} settles",
        f"{whole_wait * 1000:.0f} ms at once",
        f"{longest * 1000:.0f} ms",
        f"{share * 100:.0f} %",
        "10 %",
    )
    return [start, stall]


def of_following(mode: str, session: str) -> float:
    """A figure that ``follow.py`` takes."""
    return inner("from tests.bench.follow import main; main()", mode, session)


def follow_figures(small: str, big: str) -> list[str]:
    """What following a session costs, small and big, line by line."""
    lines = []
    for size, session in (("a small session", small), (f"{BIG} MB", big)):
        used = of_following("idle", session) * 100
        lines.append(
            row(f"following {size}, nothing new", "", f"{used:.1f} %", f"{used:.1f} % CPU", "1 %")
        )
        shown = of_following("shown", session) * 1000
        words = f"from writing a line of {size} to its row"
        lines.append(row(words, "", f"{shown:.0f} ms", f"{shown:.0f} ms", "200 ms"))
    return lines


def of_edits(kind: str, session: str) -> float:
    """A figure that ``edits.py`` takes."""
    return inner("from tests.bench.edits import main; main()", kind, session)


def edit_figures(session: str) -> list[str]:
    """What edits of a big session cost, line by line."""
    lines = []
    for kind, what, aim in (
        ("texts", "a changed text", "50 ms"),
        ("deletes", "a deletion", "50 ms"),
        ("mix", "an edit of any kind", "50 ms"),
        ("keys", "the same up to the painted screen", "50 ms"),
    ):
        taken = of_edits(kind, session)
        words = f"{what} in {BIG} MB, 95th percentile of 50"
        lines.append(row(words, "", f"{taken * 1000:.0f} ms", f"{taken * 1000:.0f} ms", aim))
    base, mine, ratio = pairs(lambda: of_edits("dump", session), lambda: of_edits("save", session))
    words = f"saving {BIG} MB with 20 edits"
    return [*lines, row(words, f"{base:.2f} s", f"{mine:.2f} s", f"{ratio:.2f} times", "0.5")]


def figures(session: str) -> list[str]:
    """The table, line by line."""
    lines = [
        row("what", "baseline", "tapeview", "figure", "aim"),
        row("---", "---", "---", "---", "---"),
    ]
    for what, code, aim in (
        (f"index a session of {MEGABYTES} MB", INDEX, "2"),
        (f"check a session of {MEGABYTES} MB", CHECK, "4"),
    ):
        base, mine, ratio = pairs(
            lambda: inner(BASELINE, session), lambda code=code: inner(code, session)
        )
        lines.append(row(what, f"{base:.2f} s", f"{mine:.2f} s", f"{ratio:.1f} times", aim))
    base, mine, _ = pairs(lambda: whole("-c", "pass"), lambda: whole("-m", "tapeview", "--help"))
    over = f"{(mine - base) * 1000:.0f} ms over"
    lines.append(
        row("`tapeview --help`", f"{base * 1000:.0f} ms", f"{mine * 1000:.0f} ms", over, "80 ms")
    )
    return lines


def make(folder: str, megabytes: int) -> str:
    """A session of that size in ``folder``."""
    path = Path(folder) / f"{megabytes}.jsonl"
    maker = [sys.executable, str(ROOT / "tests" / "bench" / "make_session.py")]
    subprocess.run([*maker, "--mb", str(megabytes), "-o", str(path)], check=True)
    return os.fspath(path)


def main() -> None:
    """Make the sessions, measure, print."""
    parser = argparse.ArgumentParser(description="Prints what tapeview costs.")
    parser.add_argument("--session", type=Path, help="measure this file instead of making one")
    given = parser.parse_args().session
    with tempfile.TemporaryDirectory() as folder:
        print(*figures(os.fspath(given or make(folder, MEGABYTES))), sep="\n")
        big = os.fspath(given or make(folder, BIG))
        print(*screen_figures(big), sep="\n")
        print(*edit_figures(big), sep="\n")
        small = ROOT / "sample_sessions" / "crash.jsonl"
        print(*follow_figures(os.fspath(small), big), sep="\n")


if __name__ == "__main__":
    main()
