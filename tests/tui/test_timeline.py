"""The timeline's rows, cell by cell, and how it moves."""

import pytest
from textual.app import App, ComposeResult

from tapeview.snapshot import Snapshot
from tapeview.tui.glyphs import UNICODE, Glyphs
from tapeview.tui.theme import DEFAULT_THEME, themes, variable_defaults
from tapeview.tui.widgets.timeline import Timeline
from tests.helpers import snapshot_of


class TimelineApp(App[None]):
    def __init__(self, snapshot: Snapshot, glyphs: Glyphs = UNICODE) -> None:
        super().__init__()
        self.snapshot = snapshot
        self.glyphs = glyphs
        for theme in themes():
            self.register_theme(theme)
        self.theme = DEFAULT_THEME

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return variable_defaults(self.current_theme)

    def compose(self) -> ComposeResult:
        yield Timeline(self.snapshot, glyphs=self.glyphs)

    @property
    def timeline(self) -> Timeline:
        return self.query_one(Timeline)

    def text(self) -> list[str]:
        timeline = self.timeline
        lines = (
            "".join(s.text for s in timeline.render_line(y)) for y in range(timeline.size.height)
        )
        return [line.rstrip() for line in lines]


def call(identity: str, words: str, name: str = "Bash") -> dict[str, object]:
    return {"type": "tool_use", "id": identity, "name": name, "input": {"command": words}}


def result(identity: str, words: str, error: bool = False) -> dict[str, object]:
    block = {"type": "tool_result", "tool_use_id": identity, "content": words}
    return block | {"is_error": True} if error else block


def model(*blocks: object) -> dict[str, object]:
    return {"role": "assistant", "content": list(blocks)}


def user(*blocks: object) -> dict[str, object]:
    return {"role": "user", "content": list(blocks)}


ASK = {"role": "user", "content": "go"}

PARALLEL = (
    [
        ASK,
        model(call("a", "call a"), call("b", "call b"), call("c", "call c")),
        user(result("a", "result a"), result("b", "result b"), result("c", "result c")),
        model({"type": "text", "text": "done"}),
    ],
    """\
▌        > go                                                       2
  ────── turn 1 · 3 tools · 2 B sent ────────────────────────────────
   ╭─────● Bash    call a                                          21
   │ ╭───● Bash    call b                                          21
   │ │ ╭─● Bash    call c                                          21
   ╰─│─│─► Bash    result a                                         8
     ╰─│─► Bash    result b                                         8
       ╰─► Bash    result c                                         8
  ────── turn 2 · 89 B sent ─────────────────────────────────────────
         • done                                                     4""",
)

SWAPPED = (
    [
        ASK,
        model(call("d", "call d"), call("e", "call e")),
        user(result("e", "result e"), result("d", "result d")),
    ],
    """\
▌      > go                                                         2
  ──── turn 1 · 2 tools · 2 B sent ──────────────────────────────────
   ╭───● Bash    call d                                            21
   │ ╭─● Bash    call e                                            21
   │ ╰╳► Bash    result e                               swapped     8
   ╰──╳► Bash    result d                               swapped     8""",
)

DOUBLED_AND_DANGLING = (
    [
        ASK,
        model(call("f", "call f")),
        user(result("f", "result f"), result("f", "result f again")),
        model(call("g", "call g"), call("h", "call h"), call("i", "call i")),
        user(result("g", "result g"), result("i", "result i")),
        model({"type": "text", "text": "so"}),
    ],
    """\
▌      > go                                                         2
  ──── turn 1 · 1 tool · 2 B sent ───────────────────────────────────
   ╭───● Bash    call f                                            21
   ├───► Bash    result f                                           8
 ! ╰──►► Bash    result f again                        doubled     14
  ──── turn 2 · 3 tools · 45 B sent ─────────────────────────────────
   ╭───● Bash    call g                                            21
 ! │ ○─● Bash    call h                               dangling     21
   │ ╭─● Bash    call i                                            21
   ╰─│─► Bash    result g                                           8
     ╰─► Bash    result i                                           8
  ──── turn 3 · 124 B sent ──────────────────────────────────────────
       • so                                                         2""",
)

LATE_ORPHAN_PENDING = (
    [
        ASK,
        model(call("k", "call k")),
        user({"type": "text", "text": "wait"}),
        model(call("l", "call l")),
        user(
            result("l", "exit 127", error=True), result("k", "result k"), result("z", "left over")
        ),
        model(call("p", "call p")),
    ],
    """\
▌      > go                                                         2
  ──── turn 1 · 1 tool · 2 B sent ───────────────────────────────────
 ! ╭┄┄┄● Bash    call k                           late: turn 2     21
   ┊   > wait                                                       4
  ─┼── turn 2 · 1 tool · 27 B sent ──────────────────────────────────
   ┊ ╭─● Bash    call l                                            21
   ┊ ╰─× Bash    exit 127                                 error     8
 ! ╰┄┄┄► Bash    result k                    late: from turn 1      8
 ! ○───► result  left over                              orphan      9
  ──── turn 3 · 1 tool · 73 B sent ──────────────────────────────────
 ! ╭┄┄┄● Bash    call p                               dangling     21
   ╰┄┄┄… the tape ends here: 1 call waits for its result""",
)


@pytest.mark.parametrize(
    ("body", "picture"),
    [PARALLEL, SWAPPED, DOUBLED_AND_DANGLING, LATE_ORPHAN_PENDING],
    ids=["parallel", "swapped", "doubled-dangling", "late-orphan-pending"],
)
async def test_links_are_drawn_as_lanes(body: list[object], picture: str) -> None:
    app = TimelineApp(snapshot_of(body))
    async with app.run_test(size=(71, 16)):
        shown = "\n".join(app.text()).rstrip()
    assert shown == picture
