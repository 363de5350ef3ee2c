"""Calls that are made again, as pictures: the sheet, the request, the reply."""

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tapeview.open_session import load
from tapeview.tui.app import TapeviewApp
from tests.tui.test_main import SAMPLES, screen_of
from tests.tui.test_snapshots import pressing

Compare = Callable[..., bool]
SIZES = pytest.mark.parametrize(
    ("name", "size"),
    [("narrow", (80, 24)), ("wide", (120, 40)), ("widest", (200, 60))],
    ids=["narrow", "wide", "widest"],
)


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TapeviewApp:
    """A copy without a key: the recording answers, and in no time at all."""
    shutil.copy(SAMPLES / "crash.jsonl", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tapeview.calls.run.perf_counter", lambda: 0.0)
    return TapeviewApp(load("crash.jsonl"), turn=3, environ={"HOME": os.environ["HOME"]})


def answered(*keys: str) -> Callable[[Pilot[None]], Awaitable[None]]:
    """Press these keys, and wait until the reply is whole."""

    async def run(pilot: Pilot[None]) -> None:
        await pressing(*keys)(pilot)
        async with asyncio.timeout(30):
            while screen_of(pilot.app).replay_pane.state != "done":
                await pilot.pause(0.01)
        await pilot.pause()

    return run


@SIZES
@pytest.mark.parametrize(
    "keys", [pytest.param(("r",), id="sheet"), pytest.param(("r", "w"), id="request")]
)
def test_before_it_leaves(
    app: TapeviewApp,
    keys: tuple[str, ...],
    name: str,
    size: tuple[int, int],
    snap_compare: Compare,
) -> None:
    assert snap_compare(app, run_before=pressing(*keys), terminal_size=size), name


@SIZES
def test_a_reply(app: TapeviewApp, name: str, size: tuple[int, int], snap_compare: Compare) -> None:
    assert snap_compare(app, run_before=answered("r", "enter"), terminal_size=size), name
