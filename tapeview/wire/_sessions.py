"""Whose request it is: what clients send that tells one conversation from another."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Final, NamedTuple

from tapeview.shapes.fields import fields_of, text_of
from tapeview.tape.json_text import JsonFault

__all__ = ["SessionKey", "session_key"]

SESSION: Final = "x-claude-code-session-id"
AGENT: Final = "x-claude-code-agent-id"


class SessionKey(NamedTuple):
    """What a request says about whose it is; keys of different strength never meet."""

    session: str
    agent: str = ""
    """The sub-agent's id, where the client names it."""
    is_weak: bool = False
    """Only the client is known: two runs of the same program have the same key."""
    is_harness: bool = False
    """The client names its session, so that its calls without tools stand beside a conversation."""


def session_key(
    headers: Mapping[str, str], metadata: bytes, name: str, salt: bytes = b""
) -> SessionKey:
    """The strongest key that there is: header, ``metadata.user_id``, own address, the client.

    Header names are in lower case. Keys and tokens enter as a salted hash alone.
    """
    agent = headers.get(AGENT, "")
    if session := headers.get(SESSION):
        return SessionKey(f"session {session}", agent, is_harness=True)
    if user := _user(metadata):
        is_session = user.startswith("session ")
        return SessionKey(f"user {user}", agent, not is_session, is_session)
    if name:
        return SessionKey(f"name {name}", agent)
    secret = headers.get("x-api-key") or headers.get("authorization") or ""
    hidden = blake2b(salt + secret.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return SessionKey(f"client {hidden} {headers.get('user-agent', '')}", agent, is_weak=True)


def _user(metadata: bytes) -> str:
    """The user or session that ``metadata`` names; Claude Code puts JSON in a string there."""
    try:
        user = text_of(fields_of(metadata).get("user_id"))
        if user[:1] == "{":
            session = text_of(fields_of(user.encode("utf-8", "surrogatepass")).get("session_id"))
            return f"session {session}" if session else user
    except JsonFault:
        return ""
    return user
