"""Makes a big, healthy, invented Claude Code session for the benchmarks.

    python tests/bench/make_session.py --mb 40 --seed 1 -o big.jsonl

The same size and seed give the same bytes on every machine: all chance comes from
`random.Random.random`, whose sequence Python keeps from version to version.
"""

import argparse
import random
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

Json = dict[str, Any]

CWD = "/home/sam/src/quarry"
MS = timedelta(milliseconds=1)
ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
LARGEST_TEXT = 170_000  # a Read adds line numbers and comes close to 200 kB
VERBS = ["read", "load", "merge", "split", "check", "render", "store", "fetch", "drain", "seal"]
NOUNS = ["block", "layer", "shard", "batch", "cursor", "packet", "window", "frame", "column"]


class Maker:
    """One session being written; every method gives finished lines, newline included."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed).random
        self.clock = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
        self.session = self.uuid()
        self.parent: str | None = None
        self.prompt_id = ""
        self.source = "\n".join(self.code_line() for _ in range(9_000))
        self.prose = " ".join(self.sentence() for _ in range(1_500))

    def below(self, n: int) -> int:
        return int(self.chance() * n)

    def pick(self, items: list[str]) -> str:
        return items[self.below(len(items))]

    def uuid(self) -> str:
        h = f"{self.below(1 << 53):014x}{self.below(1 << 53):014x}{self.below(1 << 16):04x}"
        return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"

    def ident(self, prefix: str, length: int) -> str:
        return prefix + "".join(ALPHABET[self.below(58)] for _ in range(length))

    def code_line(self) -> str:
        verb, noun, other = self.pick(VERBS), self.pick(NOUNS), self.pick(NOUNS)
        match self.below(6):
            case 0:
                return f"def {verb}_{noun}(self, {other}: {other.title()}) -> int:"
            case 1:
                return f'        raise ValueError(f"no {noun} in {{{other}!r}} → {verb} it first")'
            case 2:
                return f"    for {noun} in self.{other}s[{self.below(40)}:]:\t# {verb}"
            case 3:
                return ""
        return f"    {noun} = {verb}({other}, limit={self.below(4096)}, name={noun + other!r})"

    def sentence(self) -> str:
        verb, noun, other = self.pick(VERBS), self.pick(NOUNS), self.pick(NOUNS)
        return f"Then {verb} {noun} {self.below(10_000)} of the {other} and compare both."

    def cut(self, text: str, size: int) -> str:
        """`size` characters of `text` from some place in it, never blank."""
        start = self.below(max(1, len(text) - size))
        return f"{self.below(100_000)}: " + text[start : start + size].strip()

    def result_text(self) -> str:
        """Source of Pareto-spread length: the median is 0.5 kB, one in a thousand 80 kB."""
        size = int(290 / (1.0 - self.chance()) ** 0.8)
        return self.cut(self.source, min(LARGEST_TEXT, size))

    def stamp(self, least_ms: int) -> str:
        self.clock += (least_ms + self.below(4 * least_ms)) * MS
        return self.clock.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.clock.microsecond // 1000:03d}Z"

    def side(self, kind: str, **record: object) -> bytes:
        return orjson.dumps({"type": kind} | record) + b"\n"

    def tree(self, parent: str | None, head: Json, tail: Json, ms: int) -> bytes:
        """A line of the tree below `parent`; it becomes the parent of the next one."""
        self.parent = self.uuid()
        record = {"parentUuid": parent, "isSidechain": False} | head
        record |= {"uuid": self.parent, "timestamp": self.stamp(ms)} | tail
        record |= {"userType": "external", "entrypoint": "cli", "cwd": CWD}
        record |= {"sessionId": self.session, "version": "2.1.197", "gitBranch": "main"}
        return orjson.dumps(record) + b"\n"

    def prompt(self) -> Iterator[bytes]:
        if self.chance() < 0.3:
            for operation in ("enqueue", "dequeue"):
                at: Json = {"timestamp": self.stamp(2), "sessionId": self.session}
                yield self.side("queue-operation", operation=operation, **at)
        self.prompt_id = self.uuid()
        message = {"role": "user", "content": self.cut(self.prose, 40 + self.below(200))}
        head = {"promptId": self.prompt_id, "type": "user", "message": message}
        yield self.tree(self.parent, head, {}, ms=20_000)
        of: Json = {"messageId": self.parent}
        snapshot = of | {"trackedFileBackups": {}, "timestamp": self.stamp(1)}
        yield self.side("file-history-snapshot", **of, snapshot=snapshot, isSnapshotUpdate=False)

    def reply(self, calls: int) -> Iterator[bytes]:
        """One reply of the model, a block a line, then the results of its calls.

        Parallel calls hang below one another and each result below its own call, as Claude
        Code writes them: this is the fork that a reader has to heal.
        """
        blocks: list[Json] = []
        if self.chance() < 0.3:
            thought = self.cut(self.prose, 120 + self.below(1_200))
            signature = self.ident("Eq", 300)
            blocks.append({"type": "thinking", "thinking": thought, "signature": signature})
        if not calls or self.chance() < 0.4:
            blocks.append({"type": "text", "text": self.cut(self.prose, 60 + self.below(500))})
        tools = [self.tool() for _ in range(calls)]
        blocks += [call for call, _, _ in tools]
        usage = {"input_tokens": 4, "cache_creation_input_tokens": 200 + self.below(3_000)}
        usage |= {"cache_read_input_tokens": 14_000, "output_tokens": 40 + self.below(900)}
        start = {"model": "claude-opus-4-5-20251101", "id": self.ident("msg_01", 22)}
        start |= {"type": "message", "role": "assistant"}
        end = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
        request_id = self.ident("req_011C", 20)
        parents: list[str | None] = []
        for block in blocks:
            message = start | {"content": [block]} | end | {"usage": usage}
            head = {"message": message, "requestId": request_id, "type": "assistant"}
            yield self.tree(self.parent, head, {}, ms=300)
            parents.append(self.parent)
        for (call, text, mirror), parent in zip(tools, parents[len(blocks) - calls :], strict=True):
            result = {"tool_use_id": call["id"], "type": "tool_result", "content": text}
            message = {"role": "user", "content": [result]}
            tail = {"toolUseResult": mirror, "sourceToolAssistantUUID": parent}
            head = {"promptId": self.prompt_id, "type": "user", "message": message}
            yield self.tree(parent, head, tail, ms=40)

    def tool(self) -> tuple[Json, str, Json]:
        """A call, the text of its result, and the harness's own copy of that result."""
        verb, noun = self.pick(VERBS), self.pick(NOUNS)
        path = f"{CWD}/src/{noun}/{verb}_{self.below(5_000)}.py"
        text, kind = self.result_text(), self.chance()
        mirror: Json
        if kind < 0.4:
            name, given = "Read", {"file_path": path}
            mirror = {"type": "text", "file": {"filePath": path, "content": text}}
            text = "\n".join(f"{n:>6}→{line}" for n, line in enumerate(text.split("\n"), 1))
        elif kind < 0.7:
            name, given = "Bash", {"command": f"pytest -q {path}", "description": f"Test {noun}"}
            mirror = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
        elif kind < 0.9:
            name, given = "Grep", {"pattern": f"{verb}_{noun}", "path": path}
            mirror = {"mode": "content", "numFiles": 0, "filenames": [], "content": text}
        else:
            old, new = self.cut(self.source, 150), self.cut(self.source, 240)
            name, given = "Edit", {"file_path": path, "old_string": old, "new_string": new}
            mirror = {"filePath": path, "oldString": old, "newString": new, "originalFile": text}
            text = f"The file {path} has been updated successfully."
        call = {"type": "tool_use", "id": self.ident("toolu_01", 22), "name": name, "input": given}
        return call, text, mirror


def make_session(target_bytes: int, seed: int) -> Iterator[bytes]:
    """The lines of one session, newline included; together a little over `target_bytes`."""
    maker = Maker(seed)
    yield (first := maker.side("summary", summary=maker.sentence(), leafUuid=maker.uuid()))
    done = len(first)
    while done < target_bytes:
        began = maker.clock
        lines = list(maker.prompt())
        for _ in range(2 + maker.below(14)):
            lines += maker.reply(1 if maker.chance() < 0.6 else 2 + maker.below(2))
        lines += maker.reply(0)
        took: Json = {"durationMs": (maker.clock - began) // MS}
        head = {"type": "system", "subtype": "turn_duration"} | took
        lines.append(maker.tree(maker.parent, head, {"isMeta": False}, ms=5))
        done += sum(map(len, lines))
        yield from lines


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes a big invented Claude Code session.")
    parser.add_argument("--mb", type=float, default=40, help="size in millions of bytes (40)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--out", type=Path, required=True)
    args = parser.parse_args()
    with args.out.open("wb") as out:
        out.writelines(make_session(int(args.mb * 1_000_000), args.seed))
    print(f"{args.out}: {args.out.stat().st_size:,} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
