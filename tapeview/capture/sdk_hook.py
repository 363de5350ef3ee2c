"""Recording inside a Python client, without a proxy.

    with tapeview.record(client) as recording:
        client.messages.create(...)

    client = Anthropic(middleware=[tapeview.recorder("run.tape.jsonl")])

Each attempt is a call, so retries are seen. The client, ``Anthropic`` or ``AsyncAnthropic``, sends
and gives back what it would without it. Source: anthropic 2.14, whose client sends each attempt by
``send`` of an ``httpx2`` client, and runs its middleware once for each.
"""

import logging
import sys
from collections.abc import AsyncIterator, Iterator
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

    Without ``path`` the file is ``PROGRAM-TIME.tape.jsonl`` in the current folder. Raises
    ``SaveError`` where there is such a file already, or it cannot be made.
    """
    with _recorder_at(path) as recording, watched(client, recording):
        yield recording


def recorder(path: str | Path) -> Middleware:
    """Middleware for a client; put it last, nearest to what is sent.

    A request is written together with the head of its answer: middleware does not see what is sent
    before it is. Raises ``SaveError`` where there is such a file already, or it cannot be made.
    """
    return _Recording(Recorder(Path(path), trouble=_log))


@contextmanager
def watched(client: Anthropic | AsyncAnthropic, recording: Recorder) -> Iterator[None]:
    """Record the calls of a client in a recording that is there already."""
    # Public names reach the client's transport only while the client is made.
    http: Any = client._client
    before = vars(http).get("send")
    send = http.send
    if isinstance(client, AsyncAnthropic):

        async def sending(request: httpx2.Request, **settings: Any) -> httpx2.Response:  # noqa: ANN401
            with _attempt(recording, request) as call:
                response: httpx2.Response = await send(request, **settings)
            _watch(call, response)
            return response

        http.send = sending
    else:

        def sending_now(request: httpx2.Request, **settings: Any) -> httpx2.Response:  # noqa: ANN401
            with _attempt(recording, request) as call:
                response: httpx2.Response = send(request, **settings)
            _watch(call, response)
            return response

        http.send = sending_now
    try:
        yield
    finally:
        if before is None:
            del http.send
        else:
            http.send = before


@contextmanager
def _attempt(recording: Recorder, request: httpx2.Request) -> Iterator[RecordedCall | None]:
    """One attempt; that it failed, or was cancelled, is recorded before the client sees it."""
    call = _begun(recording, request)
    try:
        yield call
    except BaseException as error:
        _fail(call, error)
        raise


class _Recording(Middleware):
    def __init__(self, recording: Recorder) -> None:
        self._recording = recording

    def handle(self, request: APIRequest, call_next: CallNext) -> APIResponse[Any]:
        began = monotonic()
        try:
            response = call_next(request)
        except APIConnectionError as error:
            self._failed(error, began)
            raise
        _watch(_begun(self._recording, response.http_request, began), response.http_response)
        return response

    async def handle_async(
        self, request: APIRequest, call_next: AsyncCallNext
    ) -> AsyncAPIResponse[Any]:
        began = monotonic()
        try:
            response = await call_next(request)
        except APIConnectionError as error:
            self._failed(error, began)
            raise
        _watch(_begun(self._recording, response.http_request, began), response.http_response)
        return response

    def _failed(self, error: APIConnectionError, began: float) -> None:
        _fail(_begun(self._recording, error.request, began), error.__cause__ or error)


@contextmanager
def _recorder_at(path: str | Path | None) -> Iterator[Recorder]:
    program = Path(sys.argv[0] if sys.argv else "").stem or "python"
    made = Recorder(new_path(program, Path()) if path is None else Path(path), trouble=_log)
    try:
        yield made
    finally:
        made.close()


def _log(words: str) -> None:
    logging.getLogger("tapeview").warning("%s", words)


def _begun(
    recording: Recorder, request: httpx2.Request, began: float | None = None
) -> RecordedCall | None:
    path = request.url.raw_path.decode("ascii", "replace")
    if not is_message_call(request.method, path):
        return None
    try:
        body = request.content
    except httpx2.RequestNotRead:
        return None
    waited = 0.0 if began is None else monotonic() - began
    return recording.call(Sent(path, dict(request.headers), body), waited)


def _fail(call: RecordedCall | None, error: BaseException) -> None:
    if call is None:
        return
    if isinstance(error, httpx2.TransportError):
        call.fail(f"not reached: {error or type(error).__name__}")
    else:
        call.leave()


def _watch(call: RecordedCall | None, response: httpx2.Response) -> None:
    """Record the head now, and the body as it is read; one that was read is there at once."""
    if call is None:
        return
    headers = dict(response.headers)
    if response.is_stream_consumed or response.is_closed:
        # What was read was decompressed too.
        call.head(response.status_code, headers | {"content-encoding": ""})
        call.chunk(response.content)
        call.end()
        return
    call.head(response.status_code, headers)
    stream = response.stream
    if isinstance(stream, httpx2.SyncByteStream):
        response.stream = _Tee(stream, call)
    elif isinstance(stream, httpx2.AsyncByteStream):
        response.stream = _AsyncTee(stream, call)


class _Tee(httpx2.SyncByteStream):
    """A stream that is recorded as it is read. What else it has, it has still."""

    def __init__(self, inner: httpx2.SyncByteStream, call: RecordedCall) -> None:
        self._inner = inner
        self._call = call

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    def __iter__(self) -> Iterator[bytes]:
        try:
            for data in self._inner:
                self._call.chunk(data)
                yield data
        except httpx2.TransportError:
            self._call.fail("upstream reset")
            raise
        self._call.end()

    def close(self) -> None:
        self._inner.close()
        self._call.leave()


class _AsyncTee(httpx2.AsyncByteStream):
    """The same for an asynchronous client."""

    def __init__(self, inner: httpx2.AsyncByteStream, call: RecordedCall) -> None:
        self._inner = inner
        self._call = call

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for data in self._inner:
                self._call.chunk(data)
                yield data
        except httpx2.TransportError:
            self._call.fail("upstream reset")
            raise
        self._call.end()

    async def aclose(self) -> None:
        await self._inner.aclose()
        self._call.leave()
