"""Editing as pictures: the editor, the list, the preview, the question, the diff, the history."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tapeview.open_session import load
from tapeview.tui.app import TapeviewApp
from tests.tui.test_snapshots import pressing

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
Compare = Callable[..., bool]

CALL = ("colon", *"messages.17.content.1", "enter")
TEXT = ("colon", *"messages.19.content.0", "enter")
EDITED = (*TEXT, "e", *"No: ", "ctrl+s")
SIZES = pytest.mark.parametrize(
    ("name", "size"), [("narrow", (80, 24)), ("wide", (120, 40))], ids=["narrow", "wide"]
)


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TapeviewApp:
    """A copy, so that its journal is its own; its path is never on the screen."""
    shutil.copy(SAMPLES / "crash.jsonl", tmp_path)
    monkeypatch.chdir(tmp_path)
    return TapeviewApp(load("crash.jsonl"), environ={"HOME": os.environ["HOME"]})


@SIZES
@pytest.mark.parametrize(
    "keys",
    [
        pytest.param((*TEXT, "e"), id="editor"),
        pytest.param((*CALL, "e", *"x"), id="fault"),
        pytest.param((*CALL, "a"), id="actions"),
        pytest.param((*CALL, "d"), id="pair"),
        pytest.param((*CALL, "d", "b"), id="preview"),
        pytest.param((*EDITED, "equals_sign"), id="diff"),
        pytest.param((*EDITED, "equals_sign", "equals_sign"), id="diff-all"),
        pytest.param((*EDITED, *CALL, "d", "b", "enter", "u", "H"), id="history"),
        pytest.param((*EDITED, "q"), id="quit"),
    ],
)
def test_editing(
    app: TapeviewApp,
    keys: tuple[str, ...],
    name: str,
    size: tuple[int, int],
    snap_compare: Compare,
) -> None:
    assert snap_compare(app, run_before=pressing(*keys), terminal_size=size), name
