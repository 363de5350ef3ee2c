"""What is said of a turn: its tools, how much was sent, how long it took."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from tapeview.tape.message import Message
from tapeview.tape.turn import Turn

__all__ = ["TurnFacts", "facts_of"]

TOOLS: Final = ("tool_use", "server_tool_use", "mcp_tool_use")
AGENT_TOOLS: Final = frozenset({"Task", "Agent"})


class TurnFacts(NamedTuple):
    """What a turn rule says."""

    tools: int
    agents: int
    sent: int
    """Bytes of system, tools and messages that the call was sent."""
    seconds: float | None
    """How long the reply took, where the file has times."""


def facts_of(messages: Sequence[Message], turn: Turn, sent: int) -> TurnFacts:
    """The facts of a turn whose call was sent so many bytes."""
    tools = agents = 0
    for message in messages[turn.start : turn.stop]:
        for block in message.blocks:
            if block.kind in TOOLS:
                tools += 1
                agents += block.name in AGENT_TOOLS
    return TurnFacts(tools, agents, sent, _seconds(messages, turn))


def _seconds(messages: Sequence[Message], turn: Turn) -> float | None:
    if turn.start == 0:
        return None
    before = messages[turn.start - 1].records[-1].time
    after = messages[turn.stop - 1].records[-1].time
    try:
        passed = datetime.fromisoformat(after) - datetime.fromisoformat(before)
    except (ValueError, TypeError):
        return None
    return passed.total_seconds() if passed.total_seconds() >= 0 else None
