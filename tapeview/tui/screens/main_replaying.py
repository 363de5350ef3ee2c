"""How a model call is made again on the screen of a session: sheet, reply, what becomes of it."""

import sys
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from typing import Final

from msgspec import Raw
from textual.timer import Timer
from textual.worker import Worker

from tapeview.calls.reply import Arrived, Reply
from tapeview.calls.run import Call, count_tokens
from tapeview.calls.trouble import Trouble
from tapeview.edit.operations import AppendReply, Branch, Operation, ReplaceReply
from tapeview.errors import TapeviewError
from tapeview.looks.block_text import json_lines
from tapeview.looks.call_sheet import CallSheet, turn_of_call
from tapeview.looks.goto import resolve
from tapeview.looks.knew import Knew
from tapeview.looks.reply import GrowingLines
from tapeview.looks.sheet import SheetField
from tapeview.tape.clean import printable
from tapeview.tui.background import in_background
from tapeview.tui.editor import edit_outside
from tapeview.tui.screens.main_saving import SavingScreen
from tapeview.tui.widgets.bars import Parts
from tapeview.tui.widgets.replay_pane import ReplayPane

__all__ = ["ReplayingScreen"]

FRAME: Final = 1 / 20
"""Seconds between two looks at a reply that grows: tokens come faster than anybody reads."""
LONG: Final = 120
"""Bytes of a value from which on it is changed in the editor, not on a line."""


class ReplayingScreen(SavingScreen):
    """Keys that make calls again."""

    _sheet: CallSheet | None = None
    _call: Call | None = None
    _growing: GrowingLines | None = None
    _worker: Worker[None] | None = None
    _frames: Timer | None = None
    _reply: Reply | None = None

    @property
    def replay_pane(self) -> ReplayPane:
        """The sheet, and the reply."""
        return self.query_one("#replay", ReplayPane)

    # -- the sheet -----------------------------------------------------------------------------

    def do_replay(self) -> None:
        """Show what the call of this turn would send; again, send it."""
        row = self.row
        if row is None or isinstance(self.snapshot, Knew):
            self.say("no call is made from here", "warn")
            return
        if self._worker is not None:
            self.open_side(self.replay_pane)
            return
        line = self.snapshot.of(row)
        try:
            turn = turn_of_call(line, row)
            self._sheet = CallSheet(self.snapshot, turn, self.environ)
        except TapeviewError as error:
            self.say(printable(str(error)), "warn")
            return
        self._show_sheet()
        self.open_side(self.replay_pane)

    @property
    def _replay_words(self) -> str:
        turn = self._sheet.turn if self._sheet is not None else None
        sign = self.glyphs.inside
        return f"{sign} replay turn {turn}" if turn is not None else f"{sign} replay the next call"

    def _show_sheet(self) -> None:
        sheet, pane = self._sheet, self.replay_pane
        if sheet is None:
            return
        pane.acts = {
            "open": self._send,
            "edit": self._change_field,
            "knew": self._show_request,
            "back": self._leave_replay,
        }
        self._show_fields(sheet)
        if sheet.endpoint.kind == "api":
            self.run_worker(self._count(sheet), name="count", group="count", exclusive=True)

    def _show_fields(self, sheet: CallSheet) -> None:
        price = sheet.price() if "genai_prices" in sys.modules else None
        facts = sheet.facts(datetime.now(UTC), price)
        self.replay_pane.show_sheet(self._replay_words, sheet.fields(), facts, "nothing sent yet")

    async def _count(self, sheet: CallSheet) -> None:
        """Ask the endpoint how many tokens it is, and look up what they cost."""
        plan = sheet.plan
        await in_background(_load)
        try:
            sheet.count(plan, await count_tokens(plan, self.environ))
        except TapeviewError:
            return  # sending says what is wrong
        if self._sheet is sheet and self.replay_pane.state == "sheet":
            self._show_fields(sheet)

    def _show_request(self) -> None:
        if self._sheet is not None:
            self.replay_pane.acts = {"back": self._show_sheet_again, "knew": self._show_sheet_again}
            self.replay_pane.show_request(json_lines(self._sheet.plan.body))
            self.set_focus(self.replay_pane.target)

    def _show_sheet_again(self) -> None:
        self._show_sheet()
        self.set_focus(self.replay_pane.target)

    def _change_field(self) -> None:
        field, sheet = self.replay_pane.list.field, self._sheet
        if field is None or sheet is None:
            return
        if field.kind == "endpoint":
            self._set_field(field, sheet.next_endpoint())
        elif len(field.value) > LONG:
            self._change_outside(field)
        else:
            value = field.value.decode("utf-8", "replace") if field.value else field.words
            self.ask_word(f"{field.name}:", value, partial(self._set_field, field))

    def _change_outside(self, field: SheetField) -> None:
        typed, trouble = edit_outside(self.app, field.value.decode("utf-8", "replace"), ".json")
        if trouble:
            self.say(printable(trouble), "warn")
        else:
            self._set_field(field, typed)

    def _set_field(self, field: SheetField, typed: str) -> bool:
        if self._sheet is None:
            return True
        try:
            self._sheet.change(field, typed)
        except TapeviewError as error:
            self.say(printable(str(error)), "warn")
            return False
        self._show_sheet()
        return True

    def _leave_replay(self) -> None:
        self._sheet = self._reply = None
        self.close_side("timeline")

    # -- the call ------------------------------------------------------------------------------

    def _send(self) -> None:
        sheet = self._sheet
        if sheet is None:
            return
        call = Call(sheet.leave(), self.environ)
        self._call, self._growing, self._reply = call, GrowingLines(call.assembler), None
        pane = self.replay_pane
        is_recording = call.plan.endpoint.kind == "recording"
        who = f"{call.plan.model or 'no model'} {self.glyphs.separator} "
        who += call.plan.endpoint.about if is_recording else f"endpoint {call.plan.endpoint.name}"
        pane.begin_reply(self._replay_words, who)
        pane.acts = {"back": self._stop}
        self.set_focus(pane.target)
        self._frames = self.set_interval(FRAME, self._grow)
        self._worker = self.run_worker(
            self._make(call), name="replay", group="replay", exclusive=True
        )

    async def _make(self, call: Call) -> None:
        if call.plan.endpoint.kind != "recording":
            await in_background(_load)
        self._frames = self.set_interval(FRAME, self._grow)
        outcome: Reply | Trouble | None = None
        try:
            async for news in call.run():
                if not isinstance(news, Arrived):
                    outcome = news
        except TapeviewError as error:
            self._ended(None, str(error))
            return
        if isinstance(outcome, Trouble):
            self._ended(outcome.reply, outcome.sentence, outcome.path)
        else:
            self._ended(outcome, "")

    def _stop(self) -> None:
        """Cancel the call; what came is kept, marked as cut."""
        worker, call = self._worker, self._call
        if worker is None or call is None:
            return
        reply = call.so_far() if call.assembler.has_begun else None
        worker.cancel()
        self._ended(reply, "stopped")

    def _ended(self, reply: Reply | None, sentence: str, path: str = "") -> None:
        if self._frames is not None:
            self._frames.stop()
        self._worker = self._frames = None
        self._reply = reply
        self._grow()
        pane = self.replay_pane
        if reply is None:
            words = "no reply"
        else:
            words = "cut" if reply.is_cut else reply.stop_reason or "whole"
        pane.end_reply("done", words, self._endings(pane))
        self.refresh_bars()
        if sentence:
            self.say(printable(sentence), "warn")
        if path:
            target = resolve(self.snapshot, f"{path}: {sentence}")
            if target.row >= 0:
                self.timeline.go(target.row)

    def _endings(self, pane: ReplayPane) -> tuple[tuple[str, str], ...]:
        """What can be done with what came; the footer's words for it."""
        pane.acts = {"back": self._leave_replay, "replay": self._show_sheet_again}
        again = (("r", "again"), ("esc", "leave"))
        if self._reply is None:
            return again
        pane.acts |= {"actions": self._append, "compact": self._leave_replay}
        keeps = (("a", "append"), ("x", "discard"), *again)
        if self._sheet is None or self._sheet.turn is None:
            pane.acts["open"] = self._append
            return (("enter", "append"), *keeps[1:])
        pane.acts |= {"open": self._keep, "replace": self._replace}
        return (("enter", "keep as branch"), ("c", "replace"), *keeps)

    # -- what becomes of it --------------------------------------------------------------------

    def _keep(self) -> None:
        """Keep the reply beside the recorded one."""
        sheet, reply = self._sheet, self._reply
        if sheet is not None and reply is not None and sheet.turn is not None:
            message = Raw(reply.message)
            self._take(Branch(turn=sheet.turn, message=message, tape=sheet.plan.snapshot.tape.id))

    def _replace(self) -> None:
        """Put the reply in the recorded one's place."""
        sheet, reply = self._sheet, self._reply
        if sheet is not None and reply is not None and sheet.turn is not None:
            tape = sheet.plan.snapshot.tape.id
            self._take(ReplaceReply(turn=sheet.turn, message=Raw(reply.message), tape=tape))

    def _append(self) -> None:
        """Put the reply at the end of the tape."""
        sheet, reply = self._sheet, self._reply
        if sheet is not None and reply is not None:
            self._take(AppendReply(message=Raw(reply.message), tape=self.snapshot.tape.id))

    def _take(self, operation: Operation) -> None:
        if self.may_edit() and self.perform(operation):
            self._leave_replay()

    def _grow(self) -> None:
        call, growing = self._call, self._growing
        if call is None or growing is None:
            return
        keep, lines = growing.news()
        arriving = f"arriving {call.seconds:.1f} s" if self._worker is not None else ""
        self.replay_pane.grow(keep, lines, _how(call.so_far()), arriving)


def _load() -> None:
    """Import what takes seconds, away from the screen."""
    import_module("anthropic")
    import_module("genai_prices")


def _how(reply: Reply) -> Parts:
    """``first token 0.9 s  out 214  at 64/s  $0.31``."""
    parts: Parts = []

    def say(name: str, value: str) -> None:
        parts.extend([(f"{name} ", "muted"), (f"{value}  ", "fg")])

    if reply.first_token_seconds is not None:
        say("first token", f"{reply.first_token_seconds:.1f} s")
    out = reply.usage.get("output_tokens")
    if isinstance(out, int) and out > 0:
        say("out", f"{out:,}")
        flowed = reply.seconds - (reply.first_token_seconds or 0.0)
        if flowed > 0.2:
            say("at", f"{out / flowed:.0f}/s")
    if reply.price is not None:
        parts.append((f"${reply.price:.2f}", "fg"))
    return parts
