"""Claude Code sessions of all kinds, each told by a number."""

import json
import random

from tests.formats.claude import line, reply, system, user


class _Writer:
    """A harness at work: it appends lines, rewinds, compacts, and is killed now and then."""

    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.tip = None
        self.second = 0.0
        self.count = 0
        self.spoken = []

    def name(self, kind):
        self.count += 1
        return f"{kind}{self.count}"

    def add(self, item, spoken=True):
        self.second += self.rng.choice([0.0, 0.001, 0.4, 1, 1, 2, 7, 60])
        minutes, seconds = divmod(self.second, 60)
        item["timestamp"] = f"2026-01-01T10:{int(minutes):02}:{seconds:06.3f}Z"
        self.lines.append(item)
        if spoken:
            self.spoken.append(item["uuid"])
            self.tip = item["uuid"]

    def prompt(self):
        uuid = self.name("u")
        self.add(user(uuid, self.tip, f"ask {uuid}"))

    def answer(self):
        identity = self.name("m")
        for kind in self.rng.choice([("text",), ("thinking", "text"), ("text", "text")]):
            uuid = self.name("a")
            word = kind if kind == "thinking" else f"say {uuid}"
            self.add(reply(uuid, self.tip, identity, word))

    def calls(self):
        """Parallel calls: each call below the one before, each result below its own call."""
        identity, rng = self.name("m"), self.rng
        held = []
        if rng.random() < 0.4:
            self.add(reply(self.name("a"), self.tip, identity, "I look"))
        for _ in range(rng.choice([1, 1, 2, 3])):
            uuid, call = self.name("a"), self.name("t")
            self.add(reply(uuid, self.tip, identity, f"call:{call}"))
            held.append((uuid, call))
            if rng.random() < 0.3:
                self.progress()
            if rng.random() < 0.2:
                self.result(*held.pop())
        if held and rng.random() < 0.15:
            held.pop(rng.randrange(len(held)))  # nothing answers it
        rng.shuffle(held)
        for uuid, call in held:
            self.result(uuid if rng.random() < 0.7 else self.tip, call)

    def result(self, parent, call):
        made = user(self.name("r"), parent, f"result:{call}")
        made["toolUseResult"] = {"stdout": "ok", "stderr": ""}
        self.add(made)

    def progress(self):
        uuid = self.name("p")
        self.add(line("progress", uuid, self.tip, data={"type": "hook_progress"}), spoken=False)
        self.tip = uuid

    def note(self):
        uuid = self.name("n")
        kind = self.rng.choice(["attachment", "system"])
        made = line(kind, uuid, self.tip)
        made |= {"attachment": {"type": "file"}} if kind == "attachment" else {"subtype": "info"}
        self.add(made, spoken=False)
        self.tip = uuid

    def rewind(self):
        if self.spoken:
            self.tip = self.rng.choice(self.spoken[-8:])
            self.prompt()

    def compact(self):
        if not self.spoken:
            return
        boundary, summary = self.name("b"), self.name("s")
        about = {"trigger": "auto"}
        by_uuid = {item["uuid"]: item for item in self.lines if "uuid" in item}
        tail = self.tip
        if tail in self.spoken and self.rng.random() < 0.5:
            head, steps = tail, self.rng.randrange(3)
            while steps and (above := by_uuid[head]["parentUuid"]) in self.spoken:
                head, steps = above, steps - 1
            about["preservedSegment"] = {
                "headUuid": head,
                "anchorUuid": summary,
                "tailUuid": tail,
            }
        made = system(boundary, None, "compact_boundary", logicalParentUuid=self.tip)
        self.add(made | {"compactMetadata": about}, spoken=False)
        self.spoken = []
        self.add(user(summary, boundary, f"summary {summary}", isCompactSummary=True))

    def lost_parent(self):
        self.tip = self.name("gone")
        self.prompt()

    def again(self):
        """A line is written twice, as syncing tools do."""
        if self.lines:
            self.lines.append(dict(self.rng.choice(self.lines[-6:])))

    def helper(self):
        """A sub-agent of older versions, whose lines stand among the others."""
        uuid, call = self.name("a"), self.name("t")
        made = reply(uuid, self.tip, self.name("m"), f"call:{call}")
        made["message"]["content"][0] |= {"name": "Task", "input": {"prompt": f"help {call}"}}
        self.add(made)
        first, last = self.name("u"), self.name("a")
        self.add(user(first, None, f"help {call}", isSidechain=True), spoken=False)
        self.add(reply(last, first, self.name("m"), "helped", isSidechain=True), spoken=False)
        self.result(uuid, call)

    def side_line(self):
        self.lines.append({"type": "summary", "summary": "title", "leafUuid": self.tip})


COMMON = ["prompt", "answer", "calls", "calls", "answer"]
RARE = ["note", "rewind", "compact", "lost_parent", "again", "helper", "side_line", "progress"]


def session_lines(seed, strange=True):
    """The lines of a session as values."""
    rng = random.Random(seed)
    writer = _Writer(rng)
    writer.prompt()
    for _ in range(rng.randrange(2, 9)):
        rare = strange and rng.random() < 0.35
        getattr(writer, rng.choice(RARE if rare else COMMON))()
    return writer.lines


def session_file(seed, strange=True):
    """A session file as bytes: line ends, blank lines, comments, torn tails and all."""
    rng = random.Random(~seed)
    texts = [
        json.dumps(item, separators=rng.choice([(",", ":"), (", ", ": ")])).encode()
        for item in session_lines(seed, strange)
    ]
    if not strange or rng.random() < 0.5:
        return b"\n".join(texts) + b"\n"
    end = rng.choice([b"\n", b"\n", b"\r\n"])
    pieces = [rng.choice([b"", b"\xef\xbb\xbf", b"\n", b"// a note" + end])]
    for text in texts:
        pieces += [
            text,
            rng.choice([end, end, end, end + end, b" " + end, b"", end + b"{bad}" + end]),
        ]
    if rng.random() < 0.3:
        pieces[-1] = rng.choice([b"", end + texts[0][:20]])
    return b"".join(pieces)
