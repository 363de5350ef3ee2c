"""What one asks to be edited: the editor, the lists of edits, marks."""

from collections.abc import Callable, Hashable
from functools import partial
from typing import Final

from tapeview.edit.operations import Operation
from tapeview.errors import EditError
from tapeview.looks.actions import Action, Part, actions_of, deletion_of, part_of
from tapeview.looks.block_text import copy_path
from tapeview.looks.editing import Editable, editable_of, fault_in, operation_of
from tapeview.tape.clean import printable
from tapeview.tui.editor import edit_outside
from tapeview.tui.screens.main_changing import ChangingScreen
from tapeview.tui.widgets.choice_pane import Choice
from tapeview.tui.widgets.edit_pane import EditPane
from tapeview.tui.widgets.question import Answer

__all__ = ["EditingScreen"]

LARGE: Final = 64_000
"""Bytes from which on a block is edited in the user's own editor."""


class EditingScreen(ChangingScreen):
    """Keys that edit."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: dict[Hashable, str] = {}
        """What was typed and not applied, by block."""
        self._key: Hashable = None
        self._apply: Callable[[str], bool] | None = None

    @property
    def edit_pane(self) -> EditPane:
        """The editor."""
        return self.query_one("#edit", EditPane)

    @property
    def is_typing(self) -> bool:
        """Whether keys go into the editor."""
        return self.edit_pane.is_open and self.edit_pane.area.has_focus

    # -- the editor ----------------------------------------------------------------------------

    def do_edit(self) -> None:
        """Edit what the cursor is on; a large block in the user's own editor."""
        editable = self._editable()
        if editable is None:
            return
        if len(editable.text.encode("utf-8", "replace")) > LARGE:
            self._edit_outside(editable)
            return
        self._edit_inside(editable)

    def do_edit_outside(self) -> None:
        """Edit what the cursor is on in the user's own editor."""
        editable = self._editable()
        if editable is not None:
            self._edit_outside(editable)

    def _editable(self) -> Editable | None:
        row = self.row
        if not self.may_edit() or row is None:
            return None
        try:
            return editable_of(self.snapshot, row)
        except EditError as error:
            self.say(printable(str(error)), "warn")
            return None

    def _edit_outside(self, editable: Editable) -> None:
        typed, trouble = edit_outside(self.app, editable.text, editable.suffix)
        if trouble:
            self.say(printable(trouble), "warn")
        elif fault_in(editable, typed) is not None:
            # It is not lost: here it can be put right.
            self._edit_inside(editable, typed)
        else:
            self._take_edited(editable, typed)

    def _edit_inside(self, editable: Editable, typed: str | None = None) -> None:
        row = self.row
        key = (row.block or row.kind) if row is not None else None
        take = partial(self._take_edited, editable)
        self.type_value(f"edit {editable.title}", editable, key, take, typed)

    def type_value(
        self,
        words: str,
        editable: Editable,
        key: Hashable,
        take: Callable[[str], bool],
        typed: str | None = None,
        is_offered: bool = False,
    ) -> None:
        """Let a value be typed; ``take`` gets it, and says whether it is taken.

        What was typed before and not taken is kept under ``key``, or is ``typed``.
        """
        self._leave_typed()
        self.edit_pane.begin(
            words,
            editable.text,
            partial(_fault_words, editable),
            is_json=editable.is_json,
            is_escaped=editable.is_escaped,
            typed=self._kept.get(key) if typed is None else typed,
            is_offered=is_offered,
        )
        self._key, self._apply = key, take
        self.open_side(self.edit_pane)

    def _take_edited(self, editable: Editable, typed: str) -> bool:
        try:
            operation = operation_of(editable, typed)
        except EditError as error:
            self.say(printable(str(error)), "warn")
            return False
        if operation is None:
            self.say("nothing was changed")
            return True
        return self.perform(operation)

    def do_apply(self) -> None:
        """Take what stands in the editor, once all keys are in it that were typed before."""
        self.edit_pane.area.call_later(self._apply_typed)

    def _apply_typed(self) -> None:
        pane, apply = self.edit_pane, self._apply
        if not pane.is_open or apply is None:
            self.say("nothing is being edited", "warn")
        elif pane.fault:
            self.say(pane.fault, "warn")
        elif apply(pane.typed) and self._apply is apply:
            self._kept.pop(self._key, None)
            if self.side is pane:
                self.close_side("timeline")

    def leave_editor(self) -> None:
        """Leave the editor; where something was typed that is asked first."""
        self.edit_pane.area.call_later(self._leave_editor)

    def _leave_editor(self) -> None:
        pane = self.edit_pane
        if not pane.is_changed:
            self._kept.pop(self._key, None)
            self.close_side("timeline")
            return
        self.ask(
            "what was typed is kept for the next time",
            [
                Answer("enter", "leave", self._keep_typed),
                Answer("d", "drop it", self._drop_typed),
            ],
            escape="type on",
            leave=partial(self.open_side, pane),
        )

    def _keep_typed(self) -> None:
        self._leave_typed()
        self.close_side("timeline")

    def _drop_typed(self) -> None:
        self._kept.pop(self._key, None)
        self.close_side("timeline")

    def _leave_typed(self) -> None:
        """Keep what stands in the editor, which something else takes."""
        if self.edit_pane.is_open and self.edit_pane.is_changed:
            self._kept[self._key] = self.edit_pane.typed

    # -- lists of edits ------------------------------------------------------------------------

    def do_actions(self) -> None:
        """List all edits that fit the row."""
        self._offer("edit actions", "")

    def do_insert(self) -> None:
        """List what can be put in here."""
        self._offer("insert", "insert")

    def do_compact(self) -> None:
        """List what makes the tape shorter here."""
        self._offer("compact or cut", "compact")

    def do_move(self) -> None:
        """List where what is marked can go; without a mark this row is marked."""
        if self.marked is not None:
            self._offer("move", "move")
        elif self.do_mark():
            self.say("marked: go to its new place and press m again")

    def _offer(self, words: str, part: Part) -> None:
        row = self.row
        if not self.may_edit() or row is None:
            return
        found = part_of(actions_of(self.snapshot, row, self.marked), part)
        if not found:
            self.say("no edit fits this row", "warn")
            return
        cut = self.glyphs.cut
        listed = [Choice(a.title, partial(self.choose, a), cut if a.asks else "") for a in found]
        place = copy_path(self.snapshot, row)
        self.choices.offer(words, listed, right=printable(place))
        self.open_side(self.choices)

    def choose(self, action: Action) -> None:
        """Do an action, once what it needs is typed."""
        self.close_side("timeline")
        if action.asks == "edit":
            self.do_edit()
        elif action.asks == "word":
            self.ask_word(action.title, action.start, partial(self._take_words, action))
        elif action.asks:
            key = (self.row and self.row.block, action.id)
            self._leave_typed()
            self.edit_pane.begin(
                action.title,
                action.start,
                partial(_why_not, action),
                is_json=action.asks == "json",
                typed=self._kept.get(key),
                is_offered=action.asks == "text",
            )
            self._key, self._apply = key, partial(self._take_words, action)
            self.open_side(self.edit_pane)
        else:
            self._take_words(action, "")

    def _take_words(self, action: Action, words: str) -> bool:
        try:
            operation = action.make(words)
        except EditError as error:
            self.say(printable(str(error)), "warn")
            return False
        self.propose(operation)
        return True

    def do_delete(self) -> None:
        """Delete the block or turn; with a mark the range up to it."""
        row = self.row
        if not self.may_edit() or row is None:
            return
        operation: Operation | None = deletion_of(self.snapshot, row, self.marked)
        if operation is None:
            self.say("nothing to delete here", "warn")
            return
        self.propose(operation)

    def do_mark(self) -> bool:
        """Mark the row, or take the mark off; whether it is marked."""
        row, at = self.row, self.timeline.at
        if not self.may_edit() or row is None:
            return False
        off = self.marked == row
        self.marked, self.timeline.mark_at = (None, -1) if off else (row, at)
        self.timeline.forget_strips()
        self.timeline.refresh()
        if not off:
            self.say("marked: d deletes up to here, x compacts, m moves it")
        return not off


def _fault_words(editable: Editable, typed: str) -> str:
    fault = fault_in(editable, typed)
    return fault.words if fault is not None else ""


def _why_not(action: Action, typed: str) -> str:
    if not typed:
        return ""
    try:
        action.make(typed)
    except EditError as error:
        return str(error)
    return ""
