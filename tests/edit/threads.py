"""Claude Code sessions of one thread, each told by a number: line below line, few things beside."""

import json
import random

from tests.edit.generated import _Writer
from tests.formats.claude import reply, user


class _Threader(_Writer):
    def __init__(self, rng):
        super().__init__(rng)
        self.forks = rng.random() < 0.5

    def result(self, parent, call):
        """Results hang below the line before, as those of a call alone do, or below their calls."""
        super().result(parent if self.forks and parent is not None else self.tip, call)

    def bundle(self):
        """Calls in one line, and all their results in another, with words behind them or not."""
        identity, rng = self.name("m"), self.rng
        calls = [self.name("t") for _ in range(rng.choice([1, 2, 3]))]
        self.add(reply(self.name("a"), self.tip, identity, *(f"call:{call}" for call in calls)))
        words = [f"result:{call}" for call in calls]
        if rng.random() < 0.15:
            rng.shuffle(words)
        if rng.random() < 0.1:
            words.insert(0, "first this")
        if rng.random() < 0.2:
            words.append("and go on")
        self.add(user(self.name("r"), self.tip, *words))

    def answered_late(self):
        """A prompt stands between a call and its result."""
        call = self.name("t")
        self.add(reply(self.name("a"), self.tip, self.name("m"), f"call:{call}"))
        self.prompt()
        self.answer()
        self.result(None, call)

    def orphan(self):
        self.result(None, self.name("t"))

    def same_id(self):
        """An id is used for a second call."""
        for _ in range(2):
            self.add(reply(self.name("a"), self.tip, self.name("m"), "call:same"))
            self.result(None, "same")

    def failure(self):
        made = reply(self.name("a"), self.tip, self.name("m"), "API Error")
        self.add(made | {"isApiErrorMessage": True})

    def blank(self):
        self.add(reply(self.name("a"), self.tip, self.name("m"), "blank"))

    def shown_only(self):
        made = user(self.name("u"), self.tip, "only shown")
        self.add(made | {"isVisibleInTranscriptOnly": True})

    def dead_end(self):
        """A note that nothing hangs below."""
        tip = self.tip
        self.note()
        self.tip = tip

    def notes(self):
        """A prompt with attachments below it, which the reply hangs below."""
        self.prompt()
        for _ in range(self.rng.choice([1, 2, 3])):
            self.note()

    def snapshot(self):
        self.lines.append({"type": "file-history-snapshot", "messageId": self.tip})


COMMON = ["prompt", "answer", "calls", "bundle", "answer", "bundle", "calls", "notes"]
FAULTS = ["answered_late", "orphan", "same_id", "failure", "blank", "shown_only", "calls"]
BESIDE = ["snapshot", "note", "side_line", "helper", "progress", "again", "dead_end", "note"]


def thread_lines(seed):
    """The lines of a session as values."""
    rng = random.Random(seed)
    writer = _Threader(rng)
    writer.prompt()
    faults, beside = rng.choice([0, 0.1, 0.3]), rng.choice([0, 0.1, 0.2])
    for _ in range(rng.randrange(6, 24)):
        kinds = COMMON
        if rng.random() < faults:
            kinds = FAULTS
        elif rng.random() < beside:
            kinds = BESIDE
        getattr(writer, rng.choice(kinds))()
    return writer.lines


def thread_file(seed):
    """A session file as bytes."""
    return b"\n".join(json.dumps(item).encode() for item in thread_lines(seed)) + b"\n"
