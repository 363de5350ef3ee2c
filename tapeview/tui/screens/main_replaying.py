"""How a model call is made again on the screen of a session: sheet, reply, what becomes of it."""

import sys
from abc import abstractmethod
from collections.abc import Coroutine
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from typing import Final

from msgspec import Raw
from textual.timer import Timer
from textual.worker import Worker

from tapeview.calls.draft import Plan
from tapeview.calls.many import Tally
from tapeview.calls.own_reply import own_reply
from tapeview.calls.reply import Arrived, Reply
from tapeview.calls.run import Call, Stream, count_tokens
from tapeview.calls.run_on import played_stream
from tapeview.calls.trouble import Trouble
from tapeview.errors import TapeviewError
from tapeview.looks.beside import beside_lines, recorded_lines
from tapeview.looks.block_text import json_lines
from tapeview.looks.call_sheet import CallSheet, row_of_refusal, turn_of_call
from tapeview.looks.knew import Knew
from tapeview.looks.replaying import dollars
from tapeview.looks.reply import GrowingLines
from tapeview.looks.sheet import SheetField
from tapeview.tape.clean import printable
from tapeview.tui.background import in_background
from tapeview.tui.editor import edit_outside
from tapeview.tui.glyphs import Glyphs
from tapeview.tui.screens.main_saving import SavingScreen
from tapeview.tui.widgets.bars import Parts
from tapeview.tui.widgets.question import Answer
from tapeview.tui.widgets.replay_pane import ReplayPane

__all__ = ["ReplayingScreen", "figures_of", "load_prices"]

FRAME: Final = 1 / 20
"""Seconds between two looks at a reply that grows: tokens come faster than anybody reads."""
LONG: Final = 120
"""Bytes of a value from which on it is changed in the editor, not on a line."""


class ReplayingScreen(SavingScreen):
    """The sheet, and the call."""

    sheet: CallSheet | None = None
    """The call that the pane shows."""
    _call: Call | None = None
    _growing: GrowingLines | None = None
    _worker: Worker[object] | None = None
    _frames: Timer | None = None
    reply: Reply | None = None
    """What came of it, whole or cut."""
    tally: Tally | None = None
    """What came of a call that was made several times."""

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
        turn = turn_of_call(self.snapshot.of(row), row)
        came = self.reply is not None or self.tally is not None
        if came and self.sheet is not None and self.sheet.turn == turn:
            self.open_side(self.replay_pane)  # it came, and nobody has said what becomes of it
            return
        try:
            self.sheet = CallSheet(self.snapshot, turn, self.environ)
        except TapeviewError as error:
            self.say(printable(str(error)), "warn")
            return
        self.reply = self.tally = None
        self._show_sheet()
        self.open_side(self.replay_pane)

    @property
    def _replay_words(self) -> str:
        turn = self.sheet.turn if self.sheet is not None else None
        sign = self.glyphs.inside
        return f"{sign} replay turn {turn}" if turn is not None else f"{sign} replay the next call"

    def _show_sheet(self) -> None:
        sheet, pane = self.sheet, self.replay_pane
        if sheet is None:
            return
        pane.acts = {
            "open": self._send,
            "edit": self._change_field,
            "knew": self._show_request,
            "back": self.leave_replay,
        }
        self._show_fields(sheet)
        if sheet.endpoint.kind == "api":
            self.run_worker(self._count(sheet), name="count", group="count", exclusive=True)

    def _show_fields(self, sheet: CallSheet) -> None:
        facts = sheet.facts(datetime.now(UTC), is_priced="genai_prices" in sys.modules)
        self.replay_pane.show_sheet(self._replay_words, sheet.fields(), facts, "nothing sent yet")

    async def _count(self, sheet: CallSheet) -> None:
        """Ask the endpoint how many tokens it is, and look up what they cost."""
        plan = sheet.plan
        await load_prices()
        try:
            sheet.count(plan, await count_tokens(plan, self.environ))
        except TapeviewError:
            return  # sending says what is wrong
        if self.sheet is sheet and self.replay_pane.state == "sheet":
            self._show_fields(sheet)

    def _show_request(self) -> None:
        if self.sheet is not None:
            self.replay_pane.acts = {"back": self.show_sheet_again, "knew": self.show_sheet_again}
            self.replay_pane.show_request(json_lines(self.sheet.plan.body))
            self.set_focus(self.replay_pane.target)

    def show_sheet_again(self) -> None:
        """Show what a call would send once more."""
        self._show_sheet()
        self.set_focus(self.replay_pane.target)

    def _change_field(self) -> None:
        field, sheet = self.replay_pane.list.field, self.sheet
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
        if self.sheet is None:
            return True
        try:
            self.sheet.change(field, typed)
        except TapeviewError as error:
            self.say(printable(str(error)), "warn")
            return False
        self._show_sheet()
        return True

    def leave_replay(self) -> None:
        """Give the block pane its place back; a reply that came is there at the next ``r``."""
        self.close_side("timeline")

    def discard(self) -> None:
        """Leave the call and what came of it."""
        self.sheet = self.reply = self.tally = None
        self.close_side("timeline")

    @property
    def is_unkept(self) -> bool:
        """Whether a model's reply came, and no edit has it."""
        if self.reply is None or self.sheet is None or self.sheet.endpoint.kind == "recording":
            return False
        message = Raw(self.reply.message)
        return all(
            getattr(entry.operation, "message", None) != message for entry in self.opened.log.done
        )

    def do_quit(self) -> None:
        """End the program; a reply that nobody kept, or that still arrives, is asked about."""
        if not self.is_calling and not self.is_unkept:
            super().do_quit()
            return
        words = "a reply is arriving" if self.is_calling else "the model's reply is not kept"
        self.ask(words, [Answer("q", "quit without it", super().do_quit)], escape="stay")

    # -- the call ------------------------------------------------------------------------------

    def _send(self) -> None:
        sheet = self.sheet
        if sheet is None:
            return
        self.show_call(sheet)
        plan = sheet.leave()
        is_one = sheet.times == 1
        self.start_work(self.make(plan) if is_one else self.make_many(plan, sheet.times))

    def show_call(self, sheet: CallSheet) -> None:
        """Show that a call leaves now."""
        self.sheet, self.reply, self.tally = sheet, None, None
        pane = self.replay_pane
        pane.begin_reply(self._replay_words, _who(sheet.plan, self.glyphs))
        self.compare()
        pane.acts = {"back": self._stop}
        self.open_side(pane)

    def start_work(self, work: Coroutine[None, None, object]) -> None:
        """Do something that makes calls; escape stops it."""
        self._worker = self.run_worker(
            self._until_done(work), name="replay", group="replay", exclusive=True
        )

    async def _until_done(self, work: Coroutine[None, None, object]) -> None:
        await work
        self._worker = None
        self.refresh_bars()

    @property
    def is_calling(self) -> bool:
        """Whether a call is under way."""
        return self._worker is not None

    @property
    def recorded(self) -> bytes | None:
        """The recorded reply of the turn; None for the next call."""
        sheet = self.sheet
        if sheet is None or sheet.turn is None:
            return None
        return own_reply(sheet.plan.snapshot, sheet.turn)

    @property
    def folder(self) -> str:
        """Where the agent worked: paths are shown from there."""
        return self.snapshot.session.folder

    async def make(self, plan: Plan, recording: Stream | None = None) -> Reply | None:
        """Make one call and show what comes; the reply where it is whole."""
        call = Call(plan, self.environ, recording or played_stream(self.opened))
        self._call, self._growing = call, GrowingLines(call.assembler)
        if plan.endpoint.kind != "recording":
            await load_prices()
        self._frames = self._frames or self.set_interval(FRAME, self._show_growth)
        outcome: Reply | Trouble | None = None
        try:
            async for news in call.run():
                if not isinstance(news, Arrived):
                    outcome = news
        except TapeviewError as error:
            self.ended(None, str(error))
            return None
        if isinstance(outcome, Trouble):
            self.ended(outcome.reply, outcome.sentence, outcome.path)
            return None
        self.ended(outcome, "")
        return outcome

    @abstractmethod
    async def make_many(self, plan: Plan, times: int) -> None:
        """Make a call several times, and count what the model decides."""

    def _stop(self) -> None:
        """Cancel the call; what came is kept, marked as cut."""
        worker, call = self._worker, self._call
        if worker is None:
            return
        reply = call.so_far() if call is not None and call.assembler.has_begun else None
        worker.cancel()
        self._worker = None
        self.ended(reply, "stopped")

    def ended(self, reply: Reply | None, sentence: str, path: str = "") -> None:
        """A call is over: ``reply`` is what came of it, ``sentence`` what went wrong."""
        if self._frames is not None:
            self._frames.stop()
        self._frames = None
        self.reply = reply
        self._show_growth()
        pane = self.replay_pane
        words = "no reply" if reply is None else reply.stop_reason or "whole"
        pane.end_reply(
            "done", "cut" if reply is not None and reply.is_cut else words, self.endings()
        )
        self.compare()
        self.refresh_bars()
        if sentence:
            pane.show_trouble(sentence)
            # A cursor that moves takes the footer's old message away.
            self.call_after_refresh(self.say, printable(sentence), "warn")
        if path and self.sheet is not None:
            row = row_of_refusal(self.sheet.plan, self.snapshot, path)
            if row >= 0:
                self.timeline.go(row, line=self.app.size.height // 3)

    def compare(self) -> None:
        """Show the recorded reply, against the one that came."""
        if self.reply is None:
            lines = recorded_lines(self.recorded, self.folder)
        else:
            lines = beside_lines(self.recorded, self.reply.message, self.folder)
        self.replay_pane.show_beside(lines)

    @abstractmethod
    def endings(self) -> tuple[tuple[str, str], ...]:
        """What can be done with what came; the footer's words for it."""

    def _show_growth(self) -> None:
        call, growing = self._call, self._growing
        if call is None or growing is None:
            return
        goes_on = growing.is_open and self._frames is not None
        keep, lines = growing.news()
        arriving = f"arriving {call.seconds:.1f} s" if self._frames is not None else ""
        self.replay_pane.grow(keep, lines, _how(call, self.reply), arriving, goes_on)


def _who(plan: Plan, glyphs: Glyphs) -> str:
    """``claude-opus-4-5 · endpoint work``."""
    there = plan.endpoint
    about = there.about if there.kind != "api" else f"endpoint {there.name}"
    return f"{plan.model or 'no model'} {glyphs.separator} {about}"


async def load_prices() -> None:
    """What a reply cost is asked for at its end: the library is there then."""
    await in_background(partial(import_module, "genai_prices"))


def _how(call: Call, reply: Reply | None) -> Parts:
    """The figures of a call: while it runs, how long its first token took."""
    return figures_of(reply) if reply is not None else _first_token(call.first_token_seconds)


def figures_of(reply: Reply) -> Parts:
    """``first token 0.9 s  out 214  at 64/s  $0.31``."""
    parts = _first_token(reply.first_token_seconds)
    out = reply.usage.get("output_tokens")
    if isinstance(out, int) and reply.stop_reason is not None:
        parts += _figure("out", f"{out:,}")
        flowed = reply.seconds - (reply.first_token_seconds or 0.0)
        if flowed > 0.2:
            parts += _figure("at", f"{out / flowed:.0f}/s")
    if reply.price is not None:
        parts.append((dollars(reply.price), "fg"))
    return parts


def _first_token(seconds: float | None) -> Parts:
    return [] if seconds is None else _figure("first token", f"{seconds:.1f} s")


def _figure(name: str, value: str) -> Parts:
    return [(f"{name} ", "muted"), (f"{value}  ", "fg")]
