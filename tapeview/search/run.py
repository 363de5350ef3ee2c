"""One search from beginning to end: a timeline's rows, then the tapes that it does not show."""

from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import NamedTuple

from tapeview.open_session import OpenSession
from tapeview.search.find import Found, Query, Search, search
from tapeview.snapshot import Snapshot
from tapeview.tape.block import Block
from tapeview.tape.clean import printable
from tapeview.tape.sizes import count
from tapeview.tape.tape import Tape

__all__ = ["Beyond", "SearchRun", "tapes_beyond"]


class Beyond(NamedTuple):
    """A sub-agent's tape, and the row of the timeline from which one comes to it; -1 for none."""

    snapshot: Snapshot
    row: int


def tapes_beyond(opened: OpenSession, snapshot: Snapshot) -> tuple[Beyond, ...]:
    """Tapes that the timeline of a snapshot does not show: those of sub-agents.

    From main all of them, from a sub-agent those that it started.
    """
    return tuple(_tapes_beyond(opened, snapshot))


def _tapes_beyond(opened: OpenSession, snapshot: Snapshot) -> Iterator[Beyond]:
    agents = [tape for tape in opened.session.tapes if tape.kind == "agent"]
    owners = {
        block: tape
        for tape in agents
        for message in tape.messages
        for block in message.blocks
        if block.id
    }
    for tape in agents:
        row = _row_of_call(snapshot, tape, owners)
        if tape.id != snapshot.tape.id and (row >= 0 or snapshot.tape.kind == "main"):
            yield Beyond(opened.snapshot(tape.id), row)


def _row_of_call(snapshot: Snapshot, tape: Tape, owners: dict[Block, Tape]) -> int:
    """The row of the call that started it, or that which started the agent that started it."""
    passed: set[str] = set()
    owner: Tape | None = tape
    while owner is not None and owner.caller is not None and owner.id not in passed:
        if owner.caller in snapshot.row_of:
            return snapshot.row_of[owner.caller]
        passed.add(owner.id)
        owner = owners.get(owner.caller)
    return -1


class SearchRun:
    """A search that goes on for as long as it is given.

    What is found in a tape that the timeline does not show is counted, and the call that leads
    there is found, unless rows are chosen by filter words alone.
    """

    def __init__(
        self, snapshot: Snapshot, query: Query, start: int = 0, beyond: Sequence[Beyond] = ()
    ) -> None:
        self.snapshot = snapshot
        self.query = query
        self.found = Found(max(0, start))
        self.first = -1
        """The row that was found first."""
        self.slow = 0
        """Blocks that were given up."""
        self.lines: set[int] = set()
        """Lines of the timeline in which something was found, as ``Row.tape``."""
        self._counts: dict[str, int] = {}
        self._left = list(reversed(beyond))
        self._tape: Beyond | None = None
        self._search: Search | None = search(snapshot, query, start)

    @property
    def is_done(self) -> bool:
        """Whether everything was looked at."""
        return self._search is None

    @property
    def is_done_here(self) -> bool:
        """Whether all rows of the timeline were looked at."""
        return self._search is None or self._tape is not None

    @property
    def progress(self) -> str:
        """How far it is: ``61 % read``, ``reading agent:a91``; empty at the end."""
        if self._search is None:
            return ""
        if self._tape is not None:
            return f"reading {printable(self._tape.snapshot.tape.id)}"
        return f"{int(self._search.share * 100)} % read"

    @property
    def more(self) -> str:
        """What was found in tapes that are not shown: ``3 in agent:a91``."""
        if not self._counts:
            return ""
        names = [printable(name) for name in self._counts]
        where = names[0] if len(names) == 1 else count(len(names), "agent")
        return f"{sum(self._counts.values())} in {where}"

    def go_on(self, until: float) -> bool:
        """Search up to that time of ``perf_counter``; whether a row was found."""
        before = len(self.found)
        while self._search is not None:
            for at in self._search:
                if at is not None:
                    self._take(at)
                if perf_counter() >= until:
                    return len(self.found) != before
            self.slow += self._search.slow
            self._tape = self._left.pop() if self._left else None
            self._search = search(self._tape.snapshot, self.query) if self._tape else None
        return len(self.found) != before

    def _take(self, at: int) -> None:
        if self._tape is None:
            self.found.add(at)
            self.lines.add(self.snapshot.rows[at].tape)
        else:
            name = self._tape.snapshot.tape.id
            self._counts[name] = self._counts.get(name, 0) + 1
            at = self._tape.row
            if at < 0 or self.query.only_filters:
                return
            self.found.insert(at)
        if self.first < 0:
            self.first = at
