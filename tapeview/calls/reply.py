"""What came back from a call, whole or in part."""

from collections.abc import Mapping
from decimal import Decimal

import msgspec

from tapeview.tape.json_text import loads
from tapeview.wire.assemble import Step

__all__ = ["Arrived", "Reply"]


class Arrived(msgspec.Struct, frozen=True):
    """Some of the reply has come."""

    seconds: float
    """Since the call left."""
    steps: tuple[Step, ...]


class Reply(msgspec.Struct, frozen=True):
    """A reply as it stands when the call is over, or is given up."""

    message: bytes
    """The message as the API answers it, JSON. A cut call has the string that came as its input."""
    model: str
    stop_reason: str | None
    usage: Mapping[str, object]
    first_token_seconds: float | None
    """None where nothing of an answer came."""
    seconds: float
    price: Decimal | None
    """US dollars by its usage; None for a model without a known price. A lower bound when cut."""
    is_cut: bool
    request_id: str = ""
    """The API's own name for the call; "" where it gave none."""

    @property
    def content(self) -> list[dict[str, object]]:
        """The blocks of the message, decoded."""
        message = loads(self.message)
        content = message.get("content") if isinstance(message, dict) else None
        return content if isinstance(content, list) else []
