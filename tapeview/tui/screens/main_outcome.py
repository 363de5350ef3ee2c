"""What becomes of a reply: kept, put in place of the recorded one, appended; and run on from."""

from functools import partial

from msgspec import Raw

from tapeview.calls.keeping import branch_body
from tapeview.calls.results import answers, interrupted, open_calls, recorded_results
from tapeview.calls.run_on import RunOn, played_stream, tape_of_edit
from tapeview.edit.operations import AppendReply, Branch, Operation, ReplaceReply
from tapeview.errors import EditError, TapeviewError
from tapeview.looks.actions import Action
from tapeview.looks.by_hand import Written, unwritten
from tapeview.looks.call_sheet import CallSheet
from tapeview.looks.saving import copy_name
from tapeview.looks.tapes import first_row
from tapeview.tape.clean import printable
from tapeview.tape.sizes import count
from tapeview.tui.screens.main_many import ManyScreen
from tapeview.tui.widgets.question import Answer

__all__ = ["OutcomeScreen"]


class OutcomeScreen(ManyScreen):
    """Keys for a reply that has come. All they do are edits, with undo."""

    def endings(self) -> tuple[tuple[str, str], ...]:
        """What can be done with what came; the footer's words for it."""
        pane, sheet = self.replay_pane, self.sheet
        pane.acts = {"back": self.leave_replay, "replay": self.show_sheet_again}
        again = (("esc", "leave"), ("r", "again"))
        if self.tally is not None and self.reply is None and self.tally.choices:
            pane.acts["open"] = self.choose_reply
            return (("enter", "look at one"), *again)
        if self.reply is None or sheet is None:
            return again
        if self.tally is not None:
            pane.acts["back"] = self.show_all
            again = (("esc", "all"), ("r", "again"))
        pane.acts |= {
            "actions": self._append,
            "compact": self.discard,
            "run_on": self._run_on,
        }
        keeps = (("x", "discard"), *again, ("R", "run on"))
        if sheet.turn is None:
            pane.acts["open"] = self._append
            return (("enter", "append"), *keeps)
        pane.acts |= {"open": self._keep, "replace": self._replace}
        return (("enter", "keep as branch"), ("c", "replace"), ("a", "append"), *keeps)

    @property
    def _tape(self) -> str:
        """The tape that the call belongs to."""
        return self.sheet.plan.snapshot.tape.id if self.sheet is not None else "main"

    def _message(self) -> Raw | None:
        return Raw(self.reply.message) if self.reply is not None else None

    def _keep(self) -> None:
        """Keep the reply beside the recorded one; where the file can hold no branch, in another."""
        operation = self._branch()
        if operation is None or not self.may_edit():
            return
        try:
            edit = self.opened.plan(operation)
        except EditError:
            name = copy_name(self.opened.session.path, "branch")
            words = "this file can hold no branch; write it to a file of its own"
            self.ask_word(words, name, self._save_branch)
            return
        if self.perform_planned(operation, edit):
            self.discard()
            self._ask_results(tape_of_edit(self.opened.session.tapes, edit))

    def _save_branch(self, path: str) -> bool:
        """Write the request of the turn, and the reply behind it, to a file of their own."""
        sheet, reply, keeper = self.sheet, self.reply, self.keeper
        if sheet is None or reply is None or sheet.turn is None or keeper is None:
            return True
        line = sheet.plan.snapshot
        try:
            body = branch_body(line, line.own_turn(sheet.turn), reply.message).body
        except TapeviewError as error:
            self.say(printable(str(error)), "warn")
            return False
        if not self.write(path, lambda to, force: keeper.save_request(to, body, force)):
            return False
        self.discard()
        return True

    def _branch(self) -> Branch | None:
        turn, message = self.sheet.turn if self.sheet is not None else None, self._message()
        if turn is None or message is None:
            return None
        return Branch(turn=turn, message=message, tape=self._tape)

    def _replace(self) -> None:
        """Put the reply in the recorded one's place."""
        turn, message = self.sheet.turn if self.sheet is not None else None, self._message()
        if turn is None or message is None:
            return
        if self._take(ReplaceReply(turn=turn, message=message, tape=self._tape)):
            self.discard()

    def _append(self) -> None:
        """Put the reply at the end of the tape, then ask what its calls are answered with."""
        message = self._message()
        if message is None:
            return
        tape = self._tape
        if self._take(AppendReply(message=message, tape=tape)):
            self.discard()
            self._ask_results(tape)

    def _put(self, operation: Operation) -> None:
        self._take(operation)

    def _take(self, operation: Operation) -> bool:
        return self.may_edit() and self.perform(operation)

    # -- results -------------------------------------------------------------------------------

    def choose(self, action: Action) -> None:
        """Do an action, once what it needs is typed or asked."""
        row = self.row
        if action.asks != "calls" or row is None:
            super().choose(action)
            return
        self.close_side("timeline")
        self._ask_results(self.snapshot.of(row).tape.id)

    def _ask_results(self, tape: str) -> None:
        """Ask what the open calls at the end of the tape are answered with."""
        if not tape:
            return
        snapshot = self.opened.snapshot(tape)
        calls = open_calls(snapshot)
        if not calls:
            return
        turn = snapshot.index.turns[-1].number
        found = recorded_results(snapshot, calls, turn)
        written = Written(tape, tuple(map(unwritten, calls, found)))
        fit = [each.result for each in found if each is not None]
        cut_off = [each for each, result in zip(calls, found, strict=True) if result is None]
        listed = [Answer("h", "by hand", partial(self._by_hand, written))]
        if fit:
            words = "recorded results" if not cut_off else f"{len(fit)} recorded, rest interrupted"
            both = [*fit, *interrupted(cut_off)]
            listed.append(Answer("c", words, partial(self._put, answers(both, tape))))
        all_cut = answers(interrupted(calls), tape)
        listed.append(Answer("i", "interrupted", partial(self._put, all_cut)))
        self.ask(f"{count(len(calls), 'call')} to answer", listed, escape="later")

    def _by_hand(self, written: Written) -> None:
        """Write the next result; once all are written they are one edit."""
        one = written.next
        if one is None:
            return
        block = one.call.block
        if block is not None and block in self.snapshot.row_of:
            self.timeline.go(self.snapshot.row_of[block])
        take = partial(self._take_result, written)
        self.type_value(written.title, one.editable, (block, "answer"), take, is_offered=True)

    def _take_result(self, written: Written, typed: str) -> bool:
        try:
            more = written.with_next(typed)
        except EditError as error:
            self.say(printable(str(error)), "warn")
            return False
        if more.next is None:
            return self._take(answers(more.results, more.tape))
        self._by_hand(more)
        return True

    # -- running on ----------------------------------------------------------------------------

    def do_run_on(self) -> None:
        """Run on from the end of the tape, with recorded results, as long as there are some."""
        if not self.may_edit() or self.is_calling:
            return
        row = self.row
        line = self.snapshot.of(row) if row is not None else self.snapshot
        turns = line.index.turns
        if not open_calls(line):
            self.say("no call waits at the end of this line: nothing to run on from", "warn")
            return
        self._begin_run(line.tape.id, turns[-1].number)

    def _run_on(self) -> None:
        """Keep the reply as its own line, and run on from it."""
        sheet, message = self.sheet, self._message()
        if sheet is None or message is None or not self.may_edit():
            return
        turn = sheet.turn
        if turn is None:
            if self._take(AppendReply(message=message, tape=self._tape)):
                self._begin_run(self._tape, self.opened.snapshot(self._tape).index.turns[-1].number)
            return
        operation = self._branch()
        if operation is None:
            return
        try:
            edit = self.opened.plan(operation)
        except EditError:
            self.say("this file can hold no branch: a appends the reply, then R runs on", "warn")
            return
        if not self.perform_planned(operation, edit):
            return
        tape = tape_of_edit(self.opened.session.tapes, edit)
        self._begin_run(tape or self._tape, turn)

    def _begin_run(self, tape: str, turn: int) -> None:
        run = RunOn(self.opened.snapshot(), turn)
        self.start_work(self._run_calls(tape, run))

    async def _run_calls(self, tape: str, run: RunOn) -> None:
        """Results, call, reply, until something stops it."""
        made, recording = 0, played_stream(self.opened)
        while True:
            try:
                step = run.next(self.opened.snapshot(tape))
                if step.operation is None:
                    break
                if not self.perform(step.operation):
                    return
                sheet = CallSheet(self.opened.snapshot(tape), None, self.environ)
            except TapeviewError as error:
                self.say(printable(str(error)), "warn")
                return
            self.show_call(sheet)
            reply = await self.make(sheet.plan, recording)
            if reply is None or not self.perform(
                AppendReply(message=Raw(reply.message), tape=tape)
            ):
                return
            made += 1
        self.discard()
        row = first_row(self.snapshot, tape) if tape != self.snapshot.tape.id else -1
        self.timeline.go(row if row >= 0 else len(self.snapshot.rows) - 1)
        # A cursor that moves takes the footer's old message away.
        words = f"ran on for {count(made, 'call')}. {step.stops}"
        self.call_after_refresh(self.say, printable(words))
