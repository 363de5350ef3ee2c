"""What of a request may be kept: no key, token, cookie or password ever is.

Headers are kept by name, all others are dropped. A credential can also stand in
the query, in a body's ``mcp_servers``, or be said again by a server that refuses it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import unquote_plus

from tapeview.wire.recording import KEPT_REPLY_HEADERS

__all__ = [
    "REMOVED",
    "kept_reply_headers",
    "safe_path",
    "secrets_of",
    "without",
]

REMOVED = "[removed]"

SECRET_NAME = re.compile(r"key|token|secret|password|auth|cookie|credential|signature", re.I)
"""Names, of headers and of parts of a query, whose values are credentials."""

SHORTEST = 12
"""Characters of a credential that is looked for elsewhere; a shorter one is a word of any text."""

TOKEN_MEMBER = re.compile(rb'("authorization_token"\s*:\s*")(?:[^"\\]|\\.)*(?=")')
TOKEN_QUOTED = re.compile(rb'(\\+"authorization_token\\+"\s*:\s*\\+")[^"\\]*')
"""A credential of a remote server, in a member that the Messages API has for it; also in JSON that
stands in a string."""

SERVER_URL = re.compile(rb'("url"\s*:\s*")((?:[^"\\]|\\.)*)(?=")')
"""Where a remote server is: its user and its query may be a credential."""

USER_INFO = re.compile(rb"(?<=//)[^/@?#\s\"]+@")
QUERY = re.compile(rb"([?&][^=&#\"]+=)[^&#\"]*")
ESCAPED = re.compile(rb"\\u00([0-7][0-9a-fA-F])")


def kept_reply_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers of an answer that are recorded; names come in lower case."""
    return {
        name: value
        for name, value in headers.items()
        if any(
            name == kept or (kept[-1] == "-" and name.startswith(kept))
            for kept in KEPT_REPLY_HEADERS
        )
    }


def secrets_of(headers: Mapping[str, str], path: str) -> tuple[bytes, ...]:
    """The credentials that a request carries, as they could be repeated in a body."""
    found: set[str] = set()
    for name, value in headers.items():
        if SECRET_NAME.search(name):
            found.update(re.split(r"[\s;,=]+", value))
            found.add(value)
    found.update(unquote_plus(value) for _, value in _secret_parts(path))
    return tuple(sorted((s.encode() for s in found if len(s) >= SHORTEST), key=len, reverse=True))


def without(secrets: Sequence[bytes], data: bytes) -> bytes:
    """A copy in which none of these credentials stands, nor a remote server's token."""
    if secrets and (b"\\u00" in data or b"\\/" in data):
        plain = ESCAPED.sub(_unescaped, data).replace(b"\\/", b"/")
        if any(secret in plain for secret in secrets):
            data = plain
    for secret in secrets:
        if secret in data:
            data = data.replace(secret, REMOVED.encode())
    before, servers, behind = data.partition(b'"mcp_servers"')
    if servers:
        data = before + servers + SERVER_URL.sub(_safe_url, behind)
    if b'"authorization_token' in data:
        for pattern in (TOKEN_MEMBER, TOKEN_QUOTED):
            data = pattern.sub(rb"\1" + REMOVED.encode(), data)
    return data


def _unescaped(match: re.Match[bytes]) -> bytes:
    """A sign that needs no escape as it is; others stay as they are spelled."""
    sign = bytes([int(match[1], 16)])
    return sign if sign >= b" " and sign not in (b'"', b"\\", b"\x7f") else match[0]


def _safe_url(match: re.Match[bytes]) -> bytes:
    url = USER_INFO.sub(REMOVED.encode() + b"@", match[2])
    return match[1] + QUERY.sub(rb"\1" + REMOVED.encode(), url)


def safe_path(path: str) -> str:
    """Path and query as they are recorded."""
    for part, value in _secret_parts(path):
        path = path.replace(part, part.removesuffix(value) + REMOVED)
    return path


def _secret_parts(path: str) -> Iterable[tuple[str, str]]:
    """``NAME=VALUE`` of a query, and the value, where the name is one of a credential."""
    for part in path.partition("?")[2].split("&"):
        name, _, value = part.partition("=")
        if value and SECRET_NAME.search(unquote_plus(name)):
            yield part, value
