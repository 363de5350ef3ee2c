"""What edits cost: from asking for one to everything that a screen shows of it, and saving.

    python tests/bench/edits.py KIND SESSION

prints CPU seconds: ``texts`` the 95th percentile of 50 changed texts at random places, ``deletes``
that of 50 deleted messages, ``mix`` the median and the 95th percentile of 50 edits of all kinds,
``keys`` the same from asking for the edit to the painted screen, ``save`` writing the file with 20
edits, ``dump`` reading all its lines and dumping them again with orjson.
"""

import asyncio
import gc
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Raw

from tapeview.edit.operations import (
    Answer,
    Delete,
    DeleteTurn,
    Duplicate,
    Insert,
    InsertBlock,
    Merge,
    Move,
    Operation,
    Pairs,
    Set,
    Split,
)
from tapeview.errors import EditError, PairSplit
from tapeview.keep.keeper import Keeper
from tapeview.open_session import OpenSession, load
from tapeview.snapshot import Snapshot

EDITS = 50
SAVED = 20
SOON = 0.2
"""Seconds after which all is painted."""
MEMBERS = {"text": "text", "thinking": "text", "tool_result": "content"}


def shown(opened: OpenSession) -> Snapshot:
    """The tape with all that painting a screen asks for."""
    snapshot = opened.snapshot()
    snapshot.gutters(4)
    for known in (
        snapshot.findings_by_rank,
        snapshot.findings_of,
        snapshot.row_of,
        snapshot.turn_row_of,
        snapshot.turn_facts,
        snapshot.verdict,
        snapshot.index.link_of,
    ):
        del known
    return snapshot


def change_of_text(snapshot: Snapshot, draw: random.Random) -> Operation:
    """Another text for a block."""
    while True:
        message = draw.randrange(len(snapshot.tape.messages))
        number = draw.randrange(len(snapshot.tape.messages[message].blocks))
        block = snapshot.tape.messages[message].blocks[number]
        member = MEMBERS.get(block.kind)
        if member:
            value = Raw(json.dumps(f"changed {draw.random()}").encode())
            return Set(at=f"messages.{message}.content.{number}", member=member, value=value)


def deletion(snapshot: Snapshot, draw: random.Random) -> Operation:
    """A message less, and with it the other ends of its links."""
    at = f"messages.{draw.randrange(len(snapshot.tape.messages))}"
    return Delete(at=(at,), pairs="both")


def any_edit(snapshot: Snapshot, draw: random.Random) -> Operation:
    """One of all kinds, in turns as they come in a long day's work."""
    messages = snapshot.tape.messages
    number = draw.randrange(1, len(messages) - 1)
    at, block = f"messages.{number}", f"messages.{number}.content.0"
    pairs: Pairs = draw.choice(["both", "keep", "answer"])
    value = Raw(json.dumps(f"put in {draw.random()}").encode())
    calls = [b for b in messages[number].blocks if b.kind == "tool_use"]
    kinds: list[Callable[[], Operation]] = [
        lambda: change_of_text(snapshot, draw),
        lambda: Delete(at=(block,), pairs=pairs),
        lambda: Delete(at=(at,), pairs=pairs),
        lambda: DeleteTurn(turn=draw.choice(snapshot.turn_numbers), pairs="both"),
        lambda: Insert(role=draw.choice(["user", "assistant"]), content=value, after=at),
        lambda: InsertBlock(block=Raw(b'{"type":"text","text":"more"}'), after=block),
        lambda: Duplicate(at=at),
        lambda: Duplicate(at=block),
        lambda: Move(at=at, after=f"messages.{max(0, number - 4)}", pairs="both"),
        lambda: Split(at=f"messages.{number}.content.1", pairs="keep"),
        lambda: Merge(at=at),
        lambda: (
            Answer(at=f"{at}.content.{messages[number].blocks.index(calls[0])}", text="done")
            if calls
            else Delete(at=(f"messages.{number + 1}",), pairs="keep")
        ),
    ]
    return draw.choice(kinds)()


def spent_on(path: str, make: Callable[[Snapshot, random.Random], Operation]) -> list[float]:
    """CPU seconds of so many edits, in order of size."""
    opened, draw = load(path), random.Random(1)
    snapshot = shown(opened)
    gc.freeze()  # as the screen does it
    spent: list[float] = []
    while len(spent) < EDITS:
        operation = make(snapshot, draw)
        start = time.process_time()
        try:
            opened.apply(operation)
        except (EditError, PairSplit):
            continue
        snapshot = shown(opened)
        spent.append(time.process_time() - start)
    return sorted(spent)


def edits(path: str, make: Callable[[Snapshot, random.Random], Operation]) -> float:
    """The 95th percentile of so many edits, in CPU seconds."""
    return spent_on(path, make)[int(EDITS * 0.95)]


def typical(spent: Sequence[float]) -> str:
    """The median, and the 95th percentile."""
    return f"{spent[len(spent) // 2]} {spent[int(len(spent) * 0.95)]}"


async def keys(path: str) -> Sequence[float]:
    """CPU seconds from asking for an edit to the last paint that shows it, at rest before each."""
    from tapeview.tui.app import TapeviewApp
    from tapeview.tui.collecting import WORTH_IT, seldom_collected

    class Painted(TapeviewApp):
        at = 0.0

        def _display(self, *painted: Any) -> None:
            super()._display(*painted)
            self.at = time.process_time()

    spent: list[float] = []
    with tempfile.TemporaryDirectory() as folder, seldom_collected():
        os.environ["XDG_STATE_HOME"] = folder
        app = Painted(load(path))
        async with app.run_test(size=(120, 40)) as pilot:
            screen, draw = app.screen, random.Random(1)
            shown(screen.opened)
            gc.freeze()
            while len(spent) < EDITS:
                operation = any_edit(screen.snapshot, draw)
                row = screen.snapshot.turn_row_of[draw.choice(screen.snapshot.turn_numbers)]
                screen.timeline.go(row)
                await pilot.pause()
                while gc.get_count()[0] >= WORTH_IT:
                    await asyncio.sleep(0.1)
                start = time.process_time()
                done = screen.perform(operation)
                await asyncio.sleep(SOON)
                if done:
                    spent.append(app.at - start)
    return sorted(spent)


def save(path: str) -> float:
    """Writing a copy of the file with 20 edits: asked, written, synced."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.jsonl"
        copy.write_bytes(Path(path).read_bytes())
        keeper = Keeper(load(str(copy)), {"XDG_STATE_HOME": folder})
        draw = random.Random(1)
        for _ in range(SAVED):
            keeper.apply(change_of_text(keeper.opened.snapshot(), draw))
        start = time.process_time()
        keeper.save()
        return time.process_time() - start


def dump(path: str) -> float:
    """Reading all lines and dumping them again."""
    import orjson

    with tempfile.TemporaryFile() as out:
        start = time.process_time()
        with Path(path).open("rb") as file:
            for line in file:
                out.write(orjson.dumps(orjson.loads(line)) + b"\n")
        out.flush()
        os.fsync(out.fileno())
        return time.process_time() - start


def main() -> None:
    """Measure what is named."""
    kind, path = sys.argv[1:]
    measure: dict[str, Callable[[], float | str]] = {
        "texts": lambda: edits(path, change_of_text),
        "deletes": lambda: edits(path, deletion),
        "mix": lambda: typical(spent_on(path, any_edit)),
        "keys": lambda: typical(asyncio.run(keys(path))),
        "save": lambda: save(path),
        "dump": lambda: dump(path),
    }
    print(measure[kind]())


if __name__ == "__main__":
    main()
