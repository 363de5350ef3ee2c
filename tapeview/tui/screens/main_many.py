"""A call that is made several times: how often each decision comes, and one of the replies."""

from functools import partial

from tapeview.calls.draft import Plan
from tapeview.calls.many import Choice, Tally, many, tally_of
from tapeview.calls.reply import Arrived, Reply
from tapeview.calls.trouble import Trouble
from tapeview.errors import TapeviewError
from tapeview.looks.beside import tally_lines
from tapeview.looks.reply import GrowingLines
from tapeview.tape.clean import printable
from tapeview.tui.screens.main_replaying import ReplayingScreen, figures_of, load_prices
from tapeview.tui.widgets import choice_pane
from tapeview.wire.assemble import Assembler
from tapeview.wire.unroll import unroll

__all__ = ["ManyScreen"]


class ManyScreen(ReplayingScreen):
    """Counts decisions; the first reply of each can be looked at, and kept as any other."""

    async def make_many(self, plan: Plan, times: int) -> None:
        """Make a call several times, and count what the model decides."""
        self._call = None
        if plan.endpoint.kind != "recording":
            await load_prices()
        ends: list[Reply | Trouble] = []

        def told(_: int, event: Arrived | Reply | Trouble) -> None:
            if not isinstance(event, Arrived):
                ends.append(event)
                self._show_tally(tally_of(plan, ends), times)

        try:
            self.tally = await many(plan, times, self.environ, told=told)
        except TapeviewError as error:
            self.say(printable(str(error)), "warn")
        self.show_all()

    def show_all(self) -> None:
        """Show how often each decision came."""
        tally, pane = self.tally, self.replay_pane
        self.reply = None
        if tally is not None:
            self._show_tally(tally, tally.times)
        pane.end_reply("many", f"{tally.times if tally else 0} made", self.endings())
        self.compare()
        self.open_side(pane)
        self.refresh_bars()

    def _show_tally(self, tally: Tally, times: int) -> None:
        self.replay_pane.grow(0, list(tally_lines(tally, times)), [], f"{tally.times} of {times}")

    def choose_reply(self) -> None:
        """Ask which of the decisions is to be looked at."""
        tally = self.tally
        if tally is None:
            return
        listed = [
            choice_pane.Choice(_words_of(choice, tally.times), partial(self._show_one, choice))
            for choice in tally.choices
        ]
        self.choices.offer("look at a reply", listed)
        self.open_side(self.choices)

    def _show_one(self, choice: Choice) -> None:
        """Show the first reply that decided so, as one that came by itself."""
        reply, pane = choice.example, self.replay_pane
        self.reply = reply
        assembler = Assembler()
        for event in unroll(reply.message):
            assembler.take(event)
        _, lines = GrowingLines(assembler).news()
        pane.grow(0, lines, figures_of(reply), "")
        pane.end_reply("done", reply.stop_reason or "whole", self.endings())
        self.compare()
        self.open_side(pane)


def _words_of(choice: Choice, times: int) -> str:
    """``2 of 3  Bash {"command":"ls"}``."""
    decision = choice.decision
    calls = ", ".join(f"{name} {given}" for name, given in decision.calls)
    return printable(f"{choice.count} of {times}  {calls or decision.text or '(nothing said)'}")
