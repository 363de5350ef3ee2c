"""How many tokens a request holds: an estimate, and the body that asks an endpoint."""

import re
from typing import Final

from tapeview.tape.json_text import members

__all__ = ["count_body", "estimate"]

BYTES_A_TOKEN: Final = 3.8
"""Of JSON with prose and code in it; other scripts have fewer."""
TOKENS_A_PICTURE: Final = 1600
"""What the API's documentation says of one that is as large as it takes them."""

COUNTED: Final = (
    "cache_control",
    "context_management",
    "mcp_servers",
    "messages",
    "model",
    "output_config",
    "speed",
    "system",
    "thinking",
    "tool_choice",
    "tools",
)
"""Members that ``/v1/messages/count_tokens`` takes (anthropic SDK 2.14)."""

_data = re.compile(rb'"data"\s*:\s*"[A-Za-z0-9+/=]{400,}"')


def estimate(body: bytes) -> int:
    """About how many tokens a body is; pictures count by their number, not by their bytes."""
    pictures = sum(1 for _ in _data.finditer(body))
    size = len(_data.sub(b"", body)) if pictures else len(body)
    return round(size / BYTES_A_TOKEN) + pictures * TOKENS_A_PICTURE


def count_body(body: bytes) -> bytes:
    """The request that asks how many tokens ``body`` is: of it what that route takes."""
    found = dict(members(body, 0))
    pairs = (
        b'"%s":%s' % (name.encode(), body[start:end])
        for name, (start, end) in found.items()
        if name in COUNTED
    )
    return b"{" + b",".join(pairs) + b"}"
