"""What edits cost: from asking for one to everything that a screen shows of it, and saving.

    python tests/bench/edits.py KIND SESSION

prints CPU seconds: ``texts`` the 95th percentile of 50 changed texts at random places, ``deletes``
that of 50 deleted messages, ``save`` writing the file with 20 edits, ``dump`` reading all its lines
and dumping them again with orjson.
"""

import gc
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from msgspec import Raw

from tapeview.edit.operations import Delete, Operation, Set
from tapeview.errors import EditError
from tapeview.keep.keeper import Keeper
from tapeview.open_session import OpenSession, load
from tapeview.snapshot import Snapshot

EDITS = 50
SAVED = 20
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


def edits(path: str, make: Callable[[Snapshot, random.Random], Operation]) -> float:
    """The 95th percentile of so many edits, in CPU seconds."""
    opened, draw = load(path), random.Random(1)
    snapshot = shown(opened)
    gc.freeze()  # as the screen does it
    spent: list[float] = []
    while len(spent) < EDITS:
        operation = make(snapshot, draw)
        start = time.process_time()
        try:
            opened.apply(operation)
        except EditError:
            continue
        snapshot = shown(opened)
        spent.append(time.process_time() - start)
    return sorted(spent)[int(EDITS * 0.95)]


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
    measure: dict[str, Callable[[], float]] = {
        "texts": lambda: edits(path, change_of_text),
        "deletes": lambda: edits(path, deletion),
        "save": lambda: save(path),
        "dump": lambda: dump(path),
    }
    print(measure[kind]())


if __name__ == "__main__":
    main()
