"""How a session is changed on its screen: an edit is proposed, looked at, done, undone."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Self

from textual import on

from tapeview.edit.edit import Edit
from tapeview.edit.operations import Operation
from tapeview.errors import EditError, PairSplit, PlaceError
from tapeview.keep.keeper import Keeper
from tapeview.looks.actions import pair_choices
from tapeview.looks.changes import Changes, moved_rows, steps_between
from tapeview.looks.consequences import cache_from, consequence_lines, consequences_of
from tapeview.looks.diff import edit_diff
from tapeview.looks.knew import Knew
from tapeview.tape.clean import printable
from tapeview.tape.rows import Row
from tapeview.tui.screens.main_lines import LinesScreen
from tapeview.tui.widgets.choice_pane import Choice, ChoicePane
from tapeview.tui.widgets.diff_pane import view_lines
from tapeview.tui.widgets.line_list import LineList
from tapeview.tui.widgets.question import Answer
from tapeview.unsettled import Growing

__all__ = ["ChangingScreen"]


class ChangingScreen(LinesScreen):
    """A session's screen whose session can be edited."""

    keeper: Keeper | None = None
    """What edits go through, on all screens of the session; None until it is settled."""
    environ: Mapping[str, str] = os.environ
    marked: Row | None = None
    """The row that is one end of a range, or what is to be moved."""

    @property
    def choices(self) -> ChoicePane:
        """The list of choices, and the preview."""
        return self.query_one("#choices", ChoicePane)

    def may_edit(self) -> bool:
        """Whether the session can be edited here and now; if not the footer says why."""
        if isinstance(self.snapshot, Knew):
            self.say("what the model knew is only looked at: w shows the tape", "warn")
            return False
        snapshot = self.snapshot
        new = isinstance(snapshot, Growing) and self.timeline.at >= snapshot.first_new
        if self.keeper is None or new:
            self.say("still reading", "warn")
            return False
        return True

    @on(LineList.Clicked, "ChoiceList")
    def _choice_clicked(self, event: LineList.Clicked) -> None:
        if event.times == 2:
            self.choices.enter()

    # -- proposing and doing -------------------------------------------------------------------

    def propose(self, operation: Operation) -> None:
        """Show what an edit would do; enter does it."""
        edit = self._planned(operation)
        if edit is None:
            return
        consequences = consequences_of(self.opened, edit, operation.tape)
        first = consequences.cache_from
        self.choices.preview(
            edit.label,
            consequence_lines(consequences),
            view_lines(edit_diff(self.opened.session, edit), self.glyphs),
            partial(self._confirmed, operation, first, edit, self.opened.revision),
        )
        self.open_side(self.choices)

    def _confirmed(self, operation: Operation, first: int, edit: Edit, revision: int) -> None:
        self.close_side("timeline")
        still = edit if self.opened.revision == revision else None
        self._do(operation, first, still)

    def perform(self, operation: Operation) -> bool:
        """Do an edit at once; whether it was done."""
        edit = self._planned(operation)
        return edit is not None and self.perform_planned(operation, edit)

    def perform_planned(self, operation: Operation, edit: Edit) -> bool:
        """The same with an edit that was planned just now."""
        return self._do(operation, cache_from(self.opened, edit, operation.tape), edit)

    def _planned(self, operation: Operation) -> Edit | None:
        """The edit; None where somebody has to be asked or told first."""
        try:
            return self.opened.plan(operation)
        except PairSplit as split:
            self._ask_pairs(operation, split)
            return None
        except EditError as error:
            self.say(printable(str(error)), "warn")
            return None

    def _do(self, operation: Operation, first: int, planned: Edit | None) -> bool:
        """Do it; the cache is lost from message ``first`` on, where that is not -1."""
        keeper = self.keeper
        if keeper is None:
            return False
        try:
            edit = keeper.apply(operation, planned)
        except EditError as error:
            self.say(printable(str(error)), "warn")
            return False
        self.follow([edit])
        cache = f" · cache lost from messages.{first} on" if first >= 0 else ""
        self._tell(edit.label + cache)
        return True

    def _tell(self, words: str) -> None:
        trouble = self.keeper.trouble if self.keeper is not None else ""
        words = words.replace("·", self.glyphs.separator)
        self.say(printable(trouble or words), "warn" if trouble else "fg")

    # -- following an edit ---------------------------------------------------------------------

    def follow(self, edits: Sequence[Edit], seek: bool = False) -> None:
        """All screens of the session show what it has become; with ``seek`` what has changed."""
        self.on_all_screens(lambda screen: screen.renew(edits, seek and screen is self))

    def on_all_screens(self, show: Callable[[Self], bool]) -> None:
        """Do something on all screens of the session; those that have no tape any more go."""
        screens = [s for s in self.app.screen_stack if isinstance(s, type(self))]
        kept = [show(screen) for screen in screens]
        gone = screens[kept.index(False)] if False in kept else None
        while gone is not None and gone in self.app.screen_stack:
            self.app.pop_screen()

    def renew(self, edits: Sequence[Edit], seek: bool = False) -> bool:
        """Show the session after these edits; False where its tape is gone."""
        if isinstance(self.snapshot, Knew):
            self.leave_knew()
        before = self.snapshot
        try:
            after = self.opened.snapshot(self.trail[-1])
        except PlaceError:
            return False
        timeline = self.timeline
        moved = moved_rows(before, after, edits, timeline.at, timeline.folded, seek)
        self.snapshot, self.marked = after, None
        self.__dict__.pop("origin", None)
        timeline.changes = Changes(after.session)
        with timeline.prevent(LineList.CursorMoved):
            timeline.show(after, at=moved.at, folded=moved.folded)
            if not timeline.in_view(timeline.cursor):
                timeline.move_to(timeline.cursor, at=timeline.size.height // 3)
        self.problems.show(after)
        self.search_line.again()
        taken = self.rows_below
        self.lay_out()
        timeline.lose(self.rows_below - taken)
        self.show_block()
        return True

    # -- calls and results that would be parted ------------------------------------------------

    def _ask_pairs(self, operation: Operation, split: PairSplit) -> None:
        line = next(
            (each for each in self.snapshot.lines if each.tape.id == operation.tape), self.snapshot
        )
        choices = pair_choices(operation, line, split.places)
        if not choices:
            self.say(printable(str(split)), "warn")
            return
        self._show_places(split.places)
        one = len(split.places) == 1
        words = f"{', '.join(split.places[:2])}{' ...' if len(split.places) > 2 else ''} "
        words += "would stay alone" if one else "would stay alone each"
        answers = [Answer(c.key, c.words, partial(self.propose, c.operation)) for c in choices]
        self.ask(words, answers)

    def _show_places(self, places: Iterable[str]) -> None:
        """Scroll so that the first of these places is in view, the cursor where it is."""
        if not self.side_by_side:
            self.show_pane("timeline")
        index = self.snapshot.index
        wanted = set(places)
        for block, place in index.places.items():
            if index.path(place) in wanted and block in self.snapshot.row_of:
                self.timeline.bring(self.snapshot.row_of[block])
                return

    # -- undoing -------------------------------------------------------------------------------

    def do_undo(self) -> None:
        """Take the last edit back."""
        self._step(back=True)

    def do_redo(self) -> None:
        """Do again what was undone last."""
        self._step(back=False)

    def _step(self, back: bool) -> None:
        keeper = self.keeper
        if not self.may_edit() or keeper is None:
            return
        edit = keeper.undo() if back else keeper.redo()
        if edit is None:
            self.say("nothing to undo" if back else "nothing to redo", "warn")
            return
        self.follow([edit], seek=True)
        self._tell(f"{'undid' if back else 'did again'}: {edit.label}")

    def do_history(self) -> None:
        """List all edits; enter goes to the state after one."""
        if not self.may_edit():
            return
        log = self.opened.log
        labels = ["as the file was opened", *(entry.edit.label for entry in log.entries)]
        listed = []
        for state, label in enumerate(labels):
            notes = ["now"] if state == log.state else []
            notes += ["saved"] if state == log.saved else []
            style = "fg" if state <= log.state else "muted"
            go = partial(self._go_to_state, state)
            listed.append(Choice(printable(label), go, ", ".join(notes), style))
        self.choices.offer("history of edits", listed, log.state)
        self.open_side(self.choices)

    def _go_to_state(self, state: int) -> None:
        self.close_side("timeline")
        if self.keeper is None:
            return
        edits = steps_between(self.opened.log, state)
        self.keeper.go_to(state)
        self.follow(edits, seek=True)
        done = len(self.opened.log.done)
        self._tell(f"{done} of {len(self.opened.log.entries)} edits are done")
