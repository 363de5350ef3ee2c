"""Small ways into the package that many tests take."""

import json

from tapeview.formats._registry import detect
from tapeview.open_session import OpenSession
from tapeview.rules._engine import Purpose
from tapeview.snapshot import Snapshot
from tapeview.tape.index import Index
from tapeview.tape.session import Session
from tapeview.tape.source import MemorySource


def session_of(body: object) -> Session:
    """A body, a bare array or raw bytes, opened by the format that claims it."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    source = MemorySource(raw, "memory")
    format_, head = detect(source, "memory")
    store = format_.open(head, "memory")
    return store.session(list(store.records()))


def snapshot_of(body: object, purpose: Purpose | None = None) -> Snapshot:
    """The main tape of a body."""
    return OpenSession(session_of(body), purpose).snapshot()


def index_of(body: object) -> Index:
    """The stored chain of a body's main tape."""
    return snapshot_of(body).index


def open_bytes(raw: bytes, name: str = "memory") -> OpenSession:
    """A file's bytes, open and ready to be edited."""
    source = MemorySource(raw, name)
    format_, head = detect(source, name)
    store = format_.open(head, name)
    return OpenSession(store.session(list(store.records())), None, store)
