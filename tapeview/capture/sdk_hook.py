"""Recording inside a Python client, without a proxy.

    with tapeview.record(client) as recording:
        client.messages.create(...)

    client = Anthropic(middleware=[tapeview.recorder("run.tape.jsonl")])

Each attempt is a call, so retries are seen. The client, ``Anthropic`` or ``AsyncAnthropic``, sends
and gives back what it would without it. Source: anthropic 2.14, whose client sends each attempt by
``send`` of an ``httpx2`` client, and runs its middleware once for each.
"""

import logging
import os
import sys
import threading
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import httpx2
from anthropic import (
    Anthropic,
    APIConnectionError,
    APIRequest,
    APIResponse,
    AsyncAnthropic,
    AsyncAPIResponse,
    AsyncCallNext,
    CallNext,
    Middleware,
)

from tapeview.capture.recorder import RecordedCall, Recorder, Sent, is_message_call, new_path

__all__ = ["record", "recorder", "watched"]


@contextmanager
def record(
    client: Anthropic | AsyncAnthropic, path: str | Path | None = None
) -> Iterator[Recorder]:
    """Record all message calls of a client; ``recording.path`` is the file.

    Recordings of one client may overlap as they like: each has the calls that began in its block.
    What is open at its end is recorded as stopped. A forked child's calls are not recorded.

    Without ``path`` the file is ``PROGRAM-TIME.tape.jsonl`` in the current folder. Raises
    ``SaveError`` where there is such a file already, or it cannot be made.
    """
    with _recorder_at(path) as recording, watched(client, recording):
        yield recording


def recorder(path: str | Path) -> Middleware:
    """Middleware for a client; put it last, nearest to what is sent.

    A request is written together with the head of its answer, or with its end where it gets none:
    middleware does not see what is sent before it is. A forked child's calls are not recorded.
    Raises ``SaveError`` where there is such a file already, or it cannot be made.
    """
    return _Recording(Recorder(Path(path), trouble=_log))


@contextmanager
def watched(client: Anthropic | AsyncAnthropic, recording: Recorder) -> Iterator[None]:
    """Record the calls of a client in a recording that is there already."""
    # Public names reach the client's transport only while the client is made.
    http: Any = client._client
    with _CHANGING:
        hook = _Hook.of(http)
        hook.calls.recordings.append(recording)
    try:
        yield
    finally:
        with _CHANGING:
            hook.calls.recordings.remove(recording)
            if not hook.calls.recordings:
                hook.withdraw()
        hook.calls.stop(recording)


_CHANGING = threading.RLock()
"""Held while a recording comes or goes: that must not meet a hook that is put in or taken out."""


class _Hook:
    """What stands in the place of a transport's ``send``: one, however many recordings there are.

    Were there one for each, the recording that ends first would take away those that began later.
    """

    def __init__(self, http: Any) -> None:  # noqa: ANN401
        self.calls = _Calls()
        self._http = http
        self._before = vars(http).get("send")
        self._send = http.send
        http.send = self.send_async if isinstance(http, httpx2.AsyncClient) else self.send

    @classmethod
    def of(cls, http: Any) -> "_Hook":  # noqa: ANN401
        """The hook of a transport; put in where there is none, or another's stands before it."""
        return _hook_in(http) or cls(http)

    def withdraw(self) -> None:
        """Leave the transport as it was; where another's hook stands before it, let all pass."""
        if _hook_in(self._http) is not self:
            return
        if self._before is None:
            del self._http.send
        else:
            self._http.send = self._before

    def send(self, request: httpx2.Request, **settings: Any) -> httpx2.Response:  # noqa: ANN401
        with self._attempt(request) as attempt:
            response: httpx2.Response = self._send(request, **settings)
        _watch(attempt, response)
        return response

    async def send_async(
        self,
        request: httpx2.Request,
        **settings: Any,  # noqa: ANN401
    ) -> httpx2.Response:
        with self._attempt(request) as attempt:
            response: httpx2.Response = await self._send(request, **settings)
        _watch(attempt, response)
        return response

    @contextmanager
    def _attempt(self, request: httpx2.Request) -> Iterator["_Attempt | None"]:
        """That it failed, or was cancelled, is recorded before the client sees it."""
        attempt = self.calls.begin(request)
        try:
            yield attempt
        except BaseException as error:
            _fail(attempt, error)
            raise


def _hook_in(http: Any) -> _Hook | None:  # noqa: ANN401
    owner = getattr(vars(http).get("send"), "__self__", None)
    return owner if isinstance(owner, _Hook) else None


class _Calls:
    """Recordings that the same calls go to, and those calls that are open."""

    def __init__(self, *recordings: Recorder) -> None:
        self.recordings = [*recordings]
        """One may be there twice; a call goes to it once."""
        self.open: set[_Attempt] = set()

    def begin(self, request: httpx2.Request, began: float | None = None) -> "_Attempt | None":
        """An attempt is made; None where no recording wants it."""
        attempt = _Attempt(self)
        # Open before it looks at the recordings: whoever takes one away then looks here, so that
        # one of both finds the other.
        self.open.add(attempt)
        for recording in dict.fromkeys(tuple(self.recordings)):
            attempt.begin(recording, request, began)
        if not attempt.is_recorded:
            self.open.discard(attempt)
            return None
        return attempt

    def stop(self, recording: Recorder) -> None:
        """A recording went away: its calls end here, whatever is still to come of them."""
        if recording not in self.recordings:
            for attempt in tuple(self.open):
                attempt.stop(recording)


class _Attempt:
    """One attempt as a call in each recording that was there when it began.

    A lock, because the thread that reads an answer is not always the one that ends a recording.
    In a forked child nothing happens to it: the parent goes on with the same call.
    """

    def __init__(self, among: _Calls) -> None:
        self._among = among
        self._calls: dict[Recorder, RecordedCall] = {}
        self._lock = threading.RLock()
        self._process = os.getpid()

    @property
    def is_recorded(self) -> bool:
        return bool(self._calls)

    def begin(self, recording: Recorder, request: httpx2.Request, began: float | None) -> None:
        with self._lock:
            if recording in self._among.recordings:
                call = _begun(recording, request, began)
                if call is not None:
                    self._calls[recording] = call

    def each(self, happens: Callable[[RecordedCall], None]) -> None:
        """Something happens to the call, in all recordings."""
        with self._own() as calls:
            for call in calls.values():
                happens(call)

    def end(self, how: Callable[[RecordedCall], None] = RecordedCall.end) -> None:
        """The last thing that happens; without effect once it has."""
        with self._own() as calls:
            self.each(how)
            calls.clear()
        self._among.open.discard(self)

    def stop(self, recording: Recorder) -> None:
        """What comes from now on is not for this recording."""
        with self._own() as calls:
            call = calls.pop(recording, None)
            if call is not None:
                call.leave("stopped")
        if not self._calls:
            self._among.open.discard(self)

    @contextmanager
    def _own(self) -> Iterator[dict[Recorder, RecordedCall]]:
        """The calls, where they are this process's own."""
        if self._process != os.getpid():
            # No lock: a thread that held it when the child was forked is not there to give it back.
            yield {}
            return
        with self._lock:
            yield self._calls


class _Recording(Middleware):
    def __init__(self, recording: Recorder) -> None:
        self._calls = _Calls(recording)

    def handle(self, request: APIRequest, call_next: CallNext) -> APIResponse[Any]:
        began = monotonic()
        try:
            response = call_next(request)
        except BaseException as error:
            self._failed(error, began)
            raise
        _watch(self._calls.begin(response.http_request, began), response.http_response)
        return response

    async def handle_async(
        self, request: APIRequest, call_next: AsyncCallNext
    ) -> AsyncAPIResponse[Any]:
        began = monotonic()
        try:
            response = await call_next(request)
        except BaseException as error:
            self._failed(error, began)
            raise
        _watch(self._calls.begin(response.http_request, began), response.http_response)
        return response

    def _failed(self, error: BaseException, began: float) -> None:
        request = _sent_before(error)
        if request is not None:
            told = isinstance(error, APIConnectionError)
            _fail(self._calls.begin(request, began), (error.__cause__ if told else None) or error)


def _sent_before(error: BaseException) -> httpx2.Request | None:
    """The request that was under way as an error came; None where there was none yet.

    The client names it in its own errors alone. An interrupt or a cancellation passes through the
    frame that made it; the middleware's own request lacks the headers, and with them the key that
    must not be written.
    """
    if isinstance(error, APIConnectionError):
        return error.request
    for frame, _ in traceback.walk_tb(error.__traceback__):
        for value in frame.f_locals.values():
            if isinstance(value, httpx2.Request):
                return value
    return None


@contextmanager
def _recorder_at(path: str | Path | None) -> Iterator[Recorder]:
    program = Path(sys.argv[0] if sys.argv else "").stem or "python"
    made = Recorder(new_path(program, Path()) if path is None else Path(path), trouble=_log)
    try:
        yield made
    finally:
        # A forked child may leave the block too; the file is its parent's.
        if made.pid == os.getpid():
            made.close()


def _log(words: str) -> None:
    logging.getLogger("tapeview").warning("%s", words)


def _begun(
    recording: Recorder, request: httpx2.Request, began: float | None = None
) -> RecordedCall | None:
    path = request.url.raw_path.decode("ascii", "replace")
    # A forked child has its own count of the calls: both would write the same numbers.
    if recording.pid != os.getpid() or not is_message_call(request.method, path):
        return None
    try:
        body = request.content
    except httpx2.RequestNotRead:
        return None
    waited = 0.0 if began is None else monotonic() - began
    return recording.call(Sent(path, dict(request.headers), body), waited)


def _fail(attempt: _Attempt | None, error: BaseException) -> None:
    if attempt is None:
        return
    if isinstance(error, httpx2.TransportError):
        why = f"not reached: {str(error) or type(error).__name__}"
        attempt.end(lambda call: call.fail(why))
    else:
        attempt.end(RecordedCall.leave)


def _watch(attempt: _Attempt | None, response: httpx2.Response) -> None:
    """Record the head now, and the body as it is read; one that was read is there at once."""
    if attempt is None:
        return
    status, headers = response.status_code, dict(response.headers)
    if response.is_stream_consumed or response.is_closed:
        # What was read was decompressed too.
        attempt.each(lambda call: call.head(status, headers | {"content-encoding": ""}))
        attempt.each(lambda call: call.chunk(response.content))
        attempt.end()
        return
    attempt.each(lambda call: call.head(status, headers))
    stream = response.stream
    if isinstance(stream, httpx2.SyncByteStream):
        response.stream = _Tee(stream, attempt)
    elif isinstance(stream, httpx2.AsyncByteStream):
        response.stream = _AsyncTee(stream, attempt)


def _told(attempt: _Attempt, data: bytes) -> bytes:
    attempt.each(lambda call: call.chunk(data))
    return data


def _broke_off(call: RecordedCall) -> None:
    call.fail("upstream reset")


class _Tee(httpx2.SyncByteStream):
    """A stream that is recorded as it is read. What else it has, it has still."""

    def __init__(self, inner: httpx2.SyncByteStream, attempt: _Attempt) -> None:
        self._inner = inner
        self._attempt = attempt

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    def __iter__(self) -> Iterator[bytes]:
        try:
            for data in self._inner:
                yield _told(self._attempt, data)
        except httpx2.TransportError:
            self._attempt.end(_broke_off)
            raise
        self._attempt.end()

    def close(self) -> None:
        self._inner.close()
        self._attempt.end(RecordedCall.leave)


class _AsyncTee(httpx2.AsyncByteStream):
    """The same for an asynchronous client."""

    def __init__(self, inner: httpx2.AsyncByteStream, attempt: _Attempt) -> None:
        self._inner = inner
        self._attempt = attempt

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for data in self._inner:
                yield _told(self._attempt, data)
        except httpx2.TransportError:
            self._attempt.end(_broke_off)
            raise
        self._attempt.end()

    async def aclose(self) -> None:
        await self._inner.aclose()
        self._attempt.end(RecordedCall.leave)
