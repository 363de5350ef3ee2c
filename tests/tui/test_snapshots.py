"""Whole screens, as pictures: what a change of one cell moves is seen here."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tapeview.open_session import load
from tapeview.tui.app import TapeviewApp
from tapeview.tui.screens.main import MainScreen
from tests.paced import Paced

ROOT = Path(__file__).parents[2]
TO_DANGLING = ("colon", *"messages.17.content.3", "enter")

Compare = Callable[..., bool]

SETTLING = 40
"""Rounds of the event loop in which a block is surely read."""


def pressing(*keys: str) -> Callable[[Pilot[None]], Awaitable[None]]:
    """Press keys, then wait until the screen stands: block read, theme applied, all painted."""

    async def press(pilot: Pilot[None]) -> None:
        await pilot.pause()
        for key in keys:
            await pilot.press(key)
        await pilot.wait_for_scheduled_animations()
        for _ in range(SETTLING):
            await pilot.pause()
            screen = pilot.app.screen
            if not isinstance(screen, MainScreen) or _stands(screen):
                break
        await pilot.pause()

    return press


def _stands(screen: MainScreen) -> bool:
    """Whether what stands beside the timeline is read, or counted."""
    if screen.tapes.display:
        return screen.tapes.is_counted
    return not screen.block.display or screen.block.body.complete


def app_of(sample: str, **environ: str) -> TapeviewApp:
    return TapeviewApp(
        load(f"sample_sessions/{sample}"), environ={"HOME": os.environ["HOME"]} | environ
    )


@pytest.fixture(autouse=True)
def in_project(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths on the screen are as the README's commands give them."""
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize(
    ("name", "size", "keys"),
    [
        ("narrow", (80, 24), TO_DANGLING),
        ("narrow-block", (80, 24), (*TO_DANGLING, "enter")),
        ("narrow-problems", (80, 24), (*TO_DANGLING, "tab", "tab")),
        ("wide", (120, 40), TO_DANGLING),
        ("widest", (200, 60), (*TO_DANGLING, "t")),
        ("tiny", (40, 10), TO_DANGLING),
        ("turn-rule", (120, 40), ("n", "n", "n", "n", "n", "n")),
        ("folded", (80, 24), ("z",)),
        ("go-to", (120, 40), ("colon", *"messages.13")),
        ("help", (120, 40), ("question_mark",)),
        ("help-narrow", (80, 24), ("question_mark",)),
        ("palette", (80, 24), ("ctrl+p",)),
    ],
)
def test_a_broken_session(
    name: str, size: tuple[int, int], keys: tuple[str, ...], snap_compare: Compare
) -> None:
    assert snap_compare(app_of("crash.jsonl"), run_before=pressing(*keys), terminal_size=size), name


def test_the_light_theme(snap_compare: Compare) -> None:
    press = (*TO_DANGLING, "ctrl+t")
    assert snap_compare(app_of("crash.jsonl"), run_before=pressing(*press), terminal_size=(120, 40))


def test_without_colour(snap_compare: Compare) -> None:
    app = app_of("crash.jsonl", NO_COLOR="1")
    assert snap_compare(app, run_before=pressing(*TO_DANGLING), terminal_size=(120, 40))


def test_in_ascii(snap_compare: Compare) -> None:
    app = app_of("crash.jsonl", TERM="linux")
    assert snap_compare(app, run_before=pressing(*TO_DANGLING), terminal_size=(120, 40))


@pytest.mark.parametrize(
    ("name", "size"), [("narrow", (80, 24)), ("wide", (120, 40)), ("widest", (200, 60))]
)
@pytest.mark.parametrize("sample", ["crash.jsonl", "compacted.jsonl"])
def test_the_tapes(sample: str, name: str, size: tuple[int, int], snap_compare: Compare) -> None:
    keys = ("b", "down")
    assert snap_compare(app_of(sample), run_before=pressing(*keys), terminal_size=size), name


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["narrow", "wide"])
def test_a_sub_agent(size: tuple[int, int], snap_compare: Compare) -> None:
    keys = ("b", "down", "enter")
    assert snap_compare(app_of("crash.jsonl"), run_before=pressing(*keys), terminal_size=size)


@pytest.mark.parametrize(
    ("sample", "keys"),
    [
        ("release-check.json", ("n", "n", "down")),
        ("hostile.json", ("n", "down", "down", "down", "down", "down", "enter")),
        ("server-tools.json", ("right_square_bracket",)),
        ("refund.json", ("right_square_bracket",)),
        ("swapped.json", ("n", "down", "down")),
        ("lines.jsonl", ("end",)),
    ],
)
def test_other_sessions(sample: str, keys: tuple[str, ...], snap_compare: Compare) -> None:
    assert snap_compare(app_of(sample), run_before=pressing(*keys), terminal_size=(120, 40))


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_a_session_that_is_being_read(size: tuple[int, int], snap_compare: Compare) -> None:
    loading = Paced("sample_sessions/crash.jsonl")
    app = TapeviewApp(loading, environ={"HOME": os.environ["HOME"]})
    press = pressing("down", "down", "down")
    assert snap_compare(app, run_before=press, terminal_size=size)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_a_session_without_messages(
    size: tuple[int, int], snap_compare: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = b'{"type":"summary","summary":"x","leafUuid":"u"}\n'
    (tmp_path / "notes.jsonl").write_bytes(note * 3)
    monkeypatch.chdir(tmp_path)
    app = TapeviewApp(load("notes.jsonl"), environ={"HOME": os.environ["HOME"]})
    assert snap_compare(app, run_before=pressing("down"), terminal_size=size)


def test_every_snapshot_hides_this_machine() -> None:
    pictures = list((Path(__file__).parent / "__snapshots__").rglob("*.raw"))
    pictures += list((Path(__file__).parent / "__snapshots__").rglob("*.svg"))
    for picture in pictures:
        text: Any = picture.read_text(encoding="utf-8")
        assert str(ROOT) not in text
