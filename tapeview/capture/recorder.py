"""The writer of a recording: a line for each thing that happens, before it goes on."""

import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import monotonic, time
from typing import NamedTuple

import msgspec
from msgspec import UNSET, Raw

from tapeview.capture.append import AppendedFile
from tapeview.capture.decode import Decoder, NotDecoded
from tapeview.capture.redact import (
    kept_reply_headers,
    safe_path,
    secrets_of,
    without,
)
from tapeview.wire.assemble import Assembler
from tapeview.wire.correlate import Correlator
from tapeview.wire.recording import (
    Call,
    Chunk,
    Failed,
    Head,
    Header,
    Line,
    Reply,
    line_of,
    stamp,
    text_of_bytes,
)

__all__ = ["RecordedCall", "Recorder", "Sent", "is_message_call", "new_path"]


MESSAGES = re.compile(r"(?:/[^?]*)?/messages(?:\?.*)?")
"""Paths of message calls; ``/v1`` is left out by clients whose base address has it already."""


def is_message_call(method: str, path: str) -> bool:
    """Whether a request is one that is recorded; ``count_tokens``, for one, is none."""
    return method == "POST" and MESSAGES.fullmatch(path) is not None


class Sent(NamedTuple):
    """A request to a model as it was sent."""

    path: str
    """Path and query."""
    headers: Mapping[str, str]
    """All of them, their names in lower case; what may not be kept is left out here."""
    body: bytes
    """Decompressed."""
    name: str = ""
    """The thread's name, where the client was given an address with one."""


class Recorder:
    """One recording that is being written. Any thread may use it.

    A write that fails ends the recording and is told once, through ``trouble``; every call of a
    method still does its part and raises nothing, so that what is recorded goes on.
    """

    def __init__(
        self, path: Path, upstream: str = "", trouble: Callable[[str], None] = print
    ) -> None:
        """Make the file. Raises ``SaveError`` where there is one already, or none can be made."""
        self._file = AppendedFile(path)
        self.path = path
        self.pid = os.getpid()  # a forked child must not write here
        self._trouble = trouble
        self._lock = threading.RLock()
        self._correlator = Correlator(os.urandom(16))
        self._calls = 0
        self.is_stopped = False
        """Whether nothing is written any more."""
        by = f"tapeview {_version()}"
        self._write(Header(at=_now(), by=by, upstream=upstream, pid=os.getpid()))

    def call(self, sent: Sent, waited: float = 0.0) -> "RecordedCall | None":
        """A request is about to go out, or went out ``waited`` seconds ago.

        None where nothing is recorded any more.
        """
        secrets = secrets_of(sent.headers, sent.path)
        with self._lock:
            if self.is_stopped:
                return None
            began, at = monotonic() - waited, stamp(time() - waited)
            filed = self._correlator.request(
                str(self._calls + 1),
                at,
                sent.body,
                sent.headers.items(),
                safe_path(sent.path),
                sent.name,
            )
            self._calls += 1
            self._write(filed, secrets)
        return RecordedCall(self, filed, secrets, began)

    def close(self) -> None:
        """Sync and close the file; calls that are still open stay without an end."""
        with self._lock:
            if not self.is_stopped:
                self.is_stopped = True
                self._file.close()

    def _write(self, line: Line, secrets: Sequence[bytes] = ()) -> None:
        with self._lock:
            if self.is_stopped:
                return
            try:
                self._file.add(without(secrets, line_of(line)))
            except OSError as error:
                self.close()
                with suppress(OSError, ValueError):  # what is recorded goes on, told or not
                    self._trouble(
                        f"{self.path}: {error.strerror or error}; the recording ends here, "
                        "and what is recorded goes on."
                    )

    def _answered(self, call: str, message: bytes, whole: bool) -> None:
        with self._lock:
            self._correlator.end(call, message or None, whole)


class RecordedCall:
    """One call that is being recorded; ended by ``end`` or ``fail``, whichever comes first."""

    def __init__(
        self, recorder: Recorder, filed: Call, secrets: tuple[bytes, ...], began: float
    ) -> None:
        self.filed = filed
        """The line that was written for the request."""
        self.status = 0
        """Of the answer; 0 until there is one."""
        self.outcome = ""
        """Why the model stopped, or why the call failed; ``""`` until it has ended."""
        self.is_whole = False
        """Whether the answer came whole."""
        self._recorder = recorder
        self._secrets = secrets
        self._began = began
        self._first: float | None = None
        self._decoder = Decoder("")
        self._undecoded = ""
        self._stream: Assembler | None = None
        self._body: list[bytes] = []

    @property
    def id(self) -> str:
        """The call's number in the recording, from 1."""
        return self.filed.call

    @property
    def ms(self) -> float:
        """Milliseconds since the call."""
        return round((monotonic() - self._began) * 1000, 1)

    def head(self, status: int, headers: Mapping[str, str]) -> None:
        """The head of the answer came; names of headers in lower case."""
        self.status = status
        self._write(
            Head(
                head=self.id,
                t=self.ms,
                status=status,
                request_id=headers.get("request-id", ""),
                headers=kept_reply_headers(headers),
            )
        )
        if headers.get("content-type", "").startswith("text/event-stream"):
            self._stream = Assembler()
        try:
            self._decoder = Decoder(headers.get("content-encoding", ""))
        except NotDecoded as fault:
            self._undecoded = str(fault)

    def chunk(self, raw: bytes) -> None:
        """Bytes of the answer came, as they are on the wire."""
        if self._undecoded or self.outcome:
            return
        try:
            data = without(self._secrets, self._decoder.feed(raw))
        except NotDecoded as fault:
            self._undecoded = str(fault)
            return
        if not data:
            return
        t = self.ms
        if self._first is None:
            self._first = t
        self._write(Chunk(chunk=self.id, t=t, data=text_of_bytes(data)))
        if self._stream is not None:
            self._stream.feed(data)
        else:
            self._body.append(data)

    def end(self) -> None:
        """The answer ended as its server meant it to end."""
        if self.status >= 400:
            self.fail(f"status {self.status}")
        elif self._undecoded:
            self.fail(f"not decoded: {self._undecoded}")
        elif self._stream is None:
            message = b"".join(self._body)
            facts = _facts(message)
            if self.status == 200 and facts is not None:
                stop = facts.stop_reason
                self._reply(message, stop if isinstance(stop, str) else None)
            else:
                self.fail("no message" if self.status == 200 else f"status {self.status}")
        elif self._stream.error:
            facts = _facts(self._stream.error)
            error = facts.error if facts is not None else None
            kind = error.get("type") if isinstance(error, dict) else None
            self.fail(f"error event {kind}" if isinstance(kind, str) else "error event")
        elif self._stream.is_whole:
            self._reply(self._stream.message(), self._stream.stop_reason)
        else:
            self.fail("cut")

    def _reply(self, message: bytes, stop: str | None) -> None:
        if self.outcome:
            return
        self.outcome, self.is_whole = stop or "end", True
        first = UNSET if self._first is None else self._first
        self._recorder._answered(self.id, message, True)
        self._write(
            Reply(
                reply=self.id, at=_now(), t=self.ms, first=first, message=Raw(message), stop=stop
            ),
        )

    def leave(self, why: str = "client gone") -> None:
        """The client went away; after the last event, an error event or an error's head it may."""
        stream = self._stream
        if self.status >= 400 or (stream is not None and (stream.is_ended or stream.error)):
            self.end()
        else:
            self.fail(why)

    def fail(self, why: str) -> None:
        """The call got no whole answer. Without effect once the call has ended."""
        if self.outcome:
            return
        self.outcome = why
        stream = self._stream
        message = stream.message() if stream is not None and stream.has_begun else b""
        error = stream.error if stream is not None else b"".join(self._body)
        self._recorder._answered(self.id, message, False)
        self._write(
            Failed(
                failed=self.id,
                at=_now(),
                t=self.ms,
                why=why,
                first=UNSET if self._first is None else self._first,
                status=self.status or UNSET,
                error=Raw(error) if _facts(error) is not None else UNSET,
                message=Raw(message) if message else UNSET,
            ),
        )

    def _write(self, line: Line) -> None:
        self._recorder._write(line, self._secrets)


def new_path(name: str, folder: Path) -> Path:
    """``NAME-TIME.tape.jsonl`` in a folder, a name that is not taken yet."""
    from datetime import datetime

    time_of_day = datetime.now().strftime("%Y-%m-%d-%H%M%S")
    words = [f"{name}-{time_of_day}", *(f"{name}-{time_of_day}-{n}" for n in range(2, 100))]
    paths = [folder / f"{word}.tape.jsonl" for word in words]
    return next((path for path in paths if not path.exists()), paths[-1])


class _Facts(msgspec.Struct):
    """What is asked of an answer's JSON."""

    stop_reason: object = None
    error: object = None


def _facts(raw: bytes) -> _Facts | None:
    """None for what is no JSON object."""
    try:
        return msgspec.json.decode(raw, type=_Facts)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _now() -> str:
    return stamp(time())


def _version() -> str:
    try:
        return version("tapeview")
    except PackageNotFoundError:
        return "(not installed)"
