"""The line one pastes a place into: nothing in it acts on the terminal."""

import pytest
from textual.app import App

from tapeview.tui.widgets.place_input import PlaceInput


@pytest.mark.parametrize(
    ("pasted", "kept"),
    [
        ("messages.4.content.1 ", "messages.4.content.1 "),
        ("héllo 漢字", "héllo 漢字"),
        ("a\tb\u2028c", "a b c"),
        ("\x1b]0;x\x07", "¤]0;x¤"),
        ("\x9b2J\u202e\u200b\ufeff", "¤2J¤¤¤"),
        ("\ud83d", "¤"),
    ],
)
async def test_what_is_pasted_is_safe_to_paint(pasted, kept):
    async with App().run_test():
        line = PlaceInput()
        line.value = pasted
        assert line.value == kept
    assert len(kept) == len(pasted)
