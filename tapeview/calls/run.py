"""One call to a model, streamed, over the official SDK."""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from time import perf_counter
from typing import TYPE_CHECKING, Final

import msgspec

from tapeview.calls.draft import Plan
from tapeview.calls.endpoints import DEFAULT_URL, Endpoint, Secrets, secrets_of
from tapeview.calls.local import running
from tapeview.calls.own_reply import own_stream
from tapeview.calls.price import price_of
from tapeview.calls.reply import Arrived, Reply
from tapeview.calls.tokens import count_body
from tapeview.calls.trouble import Answer, Trouble, of_answer, of_end, of_event, of_network
from tapeview.errors import CallError
from tapeview.wire.assemble import Assembler, Step

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic, Omit, RequestOptions

__all__ = ["STALL", "Call", "Stream", "count_tokens", "load_client"]

STALL: Final = 600.0
"""Seconds without a byte after which a call is given up, as the SDK has it."""
CONNECT: Final = 10.0
"""Seconds for a connection to come about."""
MOST_ERROR: Final = 100_000
"""Bytes of an answer that is an error."""

Stream = Callable[[Plan], AsyncIterator[bytes]]
"""Answers a plan with the bytes of a stream of events; may raise ``CallError``."""

TOKENS: Final = ("text", "thinking", "input")
"""Steps that bring some of the model's own words."""


class Call:
    """One call. ``run`` makes it; what has arrived can be looked at all the while.

    To cancel it, cancel the task that runs it or close the generator: the connection is closed at
    once, and ``so_far`` has what came, marked as cut.
    """

    def __init__(
        self,
        plan: Plan,
        environ: Mapping[str, str] = os.environ,
        recording: Stream = own_stream,
        stall: float = STALL,
    ) -> None:
        self.plan = plan
        self.assembler = Assembler()
        """The reply as it grows."""
        self._environ = environ
        self._recording = recording
        self._stall = stall
        self._started = 0.0
        self._ended: float | None = None
        self._first: float | None = None
        self._request_id = ""
        self._secrets = Secrets("", {})

    async def run(self) -> AsyncGenerator[Arrived | Reply | Trouble, None]:
        """Make the call: what arrives, as it arrives, then the reply or what went wrong.

        Raises ``CallError`` before anything is sent, where it cannot be.
        """
        self._started = perf_counter()
        trouble: Trouble | None = None
        try:
            async with aclosing(self._chunks()) as chunks:
                async for chunk in chunks:
                    steps = tuple(self.assembler.feed(chunk))
                    self._note(steps)
                    if steps:
                        yield Arrived(self.seconds, steps)
                    if self.assembler.is_ended or self._trouble_inside() is not None:
                        break
        except _Failed as failed:
            trouble = failed.trouble
        finally:
            self._ended = perf_counter()
        yield self._outcome(trouble)

    @property
    def seconds(self) -> float:
        """How long the call has been going on, or took."""
        return (self._ended or perf_counter()) - self._started

    @property
    def first_token_seconds(self) -> float | None:
        """How long the first token took; None while none came."""
        return self._first

    def so_far(self) -> Reply:
        """What has arrived. It is marked as cut until it is whole."""
        assembler = self.assembler
        is_api = self.plan.endpoint.kind == "api"
        return Reply(
            message=assembler.message(),
            model=assembler.model,
            stop_reason=assembler.stop_reason,
            usage=dict(assembler.usage),
            first_token_seconds=self._first,
            seconds=self.seconds,
            price=price_of(assembler.model, assembler.usage) if is_api else None,
            is_cut=not assembler.is_whole,
            request_id=self._request_id,
        )

    def _note(self, steps: tuple[Step, ...]) -> None:
        """When the first token came; of a block without words its end."""
        if self._first is None and any(
            (s.piece and s.kind in TOKENS) or s.kind == "stop" for s in steps
        ):
            self._first = self.seconds

    def _trouble_inside(self) -> Trouble | None:
        assembler = self.assembler
        if assembler.error:
            return of_event(assembler.error, self.plan)
        if assembler.garbage:
            return of_end(self.plan, assembler.garbage, assembler.has_begun)
        return None

    def _outcome(self, trouble: Trouble | None) -> Reply | Trouble:
        assembler = self.assembler
        inside = self._trouble_inside()
        if assembler.is_whole and inside is None:
            return self.so_far()  # whatever the connection did then
        trouble = inside or trouble or of_end(self.plan, "", assembler.has_begun)
        reply = self.so_far() if assembler.has_begun else None
        if reply is not None:
            reply = msgspec.structs.replace(reply, is_cut=True)
        return msgspec.structs.replace(
            trouble,
            sentence=self._secrets.hidden_in(trouble.sentence),
            reply=reply,
            request_id=trouble.request_id or self._request_id,
        )

    async def _chunks(self) -> AsyncGenerator[bytes, None]:
        endpoint = self.plan.endpoint
        if endpoint.kind == "recording":
            async for chunk in self._recording(self.plan):
                yield chunk
            return
        async with running(endpoint) as there, aclosing(self._sent(there)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def _sent(self, endpoint: Endpoint) -> AsyncGenerator[bytes, None]:
        """The answer's bytes. Raises ``CallError`` before, ``_Failed`` after it has left."""
        plan = self.plan
        if not plan.model:
            raise CallError("the file does not say which model was called: name one.")
        self._secrets = secrets_of(endpoint, self._environ)
        if endpoint.base_url == DEFAULT_URL and not self._secrets.key and not endpoint.headers:
            raise CallError(
                f"endpoint {endpoint.name}: there is no key for {DEFAULT_URL}; set "
                "ANTHROPIC_API_KEY, or name another endpoint."
            )
        await load_client()
        import anthropic
        import httpx2

        self._started = perf_counter()
        try:
            async with _client(endpoint, self._secrets, self._stall) as client:
                stream = await client.post(
                    "/v1/messages",
                    cast_to=object,
                    content=plan.body,
                    options=_options(endpoint, plan.headers),
                    stream=True,
                    stream_cls=anthropic.AsyncStream[object],
                )
                answer = stream.response
                self._request_id = answer.headers.get("request-id", "")
                if "text/event-stream" not in answer.headers.get("content-type", "").lower():
                    body = await _beginning(answer.aiter_bytes())
                    raise _Failed(_answered(answer.status_code, answer.headers, body, plan))
                async for chunk in answer.aiter_bytes():
                    yield chunk
        except anthropic.APIStatusError as error:
            answer = error.response
            body = answer.content[:MOST_ERROR]
            raise _Failed(_answered(answer.status_code, answer.headers, body, plan)) from None
        except (
            anthropic.AnthropicError,
            httpx2.HTTPError,
            httpx2.InvalidURL,
            httpx2.StreamError,
            OSError,
        ) as error:
            late = isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException)
            connecting = isinstance(error.__cause__, httpx2.ConnectTimeout)
            limit = min(self._stall, CONNECT) if connecting else self._stall
            begun = self.assembler.has_begun
            raise _Failed(of_network(error, plan, late, begun, limit)) from None


class _Failed(Exception):  # noqa: N818 - carries the trouble out of the stream
    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.kind)
        self.trouble = trouble


def _answered(status: int, headers: Mapping[str, str], body: bytes, plan: Plan) -> Trouble:
    known = {name.lower(): value for name, value in headers.items()}
    return of_answer(Answer(status, known, body.decode("utf-8", "replace")), plan)


async def load_client() -> None:
    """Import what a call needs, two seconds of work, in a thread: a screen goes on meanwhile.

    The first call does it; whoever knows that one will come may do it before.
    """

    def load() -> None:
        import anthropic
        import httpx2

        del anthropic, httpx2
        price_of("none", {})

    await asyncio.to_thread(load)


async def _beginning(chunks: AsyncIterator[bytes]) -> bytes:
    found = b""
    async for chunk in chunks:
        found += chunk
        if len(found) > MOST_ERROR:
            break
    return found[:MOST_ERROR]


def _client(endpoint: Endpoint, secrets: Secrets, stall: float) -> "AsyncAnthropic":
    """The SDK's client for one call: it tries once, and looks for no key of its own.

    Headers with secrets are the client's defaults, for the SDK logs those of a request.
    """
    import anthropic
    import httpx2

    return anthropic.AsyncAnthropic(
        api_key=secrets.key or "none",
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=httpx2.Timeout(stall, connect=min(stall, CONNECT)),
        default_headers=dict(secrets.headers),
    )


def _options(endpoint: Endpoint, recorded: Mapping[str, str]) -> "RequestOptions":
    """Headers and query of a call: version and betas, and no key where there is none.

    What the endpoint does not say is said as it was ``recorded``.

    The SDK adds the headers of ``ANTHROPIC_CUSTOM_HEADERS`` to all it sends; they belong to the
    endpoint of the environment, and go nowhere else.
    """
    from anthropic import omit

    own = {name.lower() for name, _ in endpoint.headers}
    lines = os.environ.get("ANTHROPIC_CUSTOM_HEADERS", "").split("\n")
    custom = {line.partition(":")[0].strip().lower() for line in lines if ":" in line}
    headers: dict[str, str | Omit] = dict(recorded)
    if endpoint.name == "environment":
        own |= custom
    else:
        headers |= dict.fromkeys(custom - own, omit)
    if not endpoint.key and "authorization" not in own:
        headers["authorization"] = omit
    if endpoint.version:
        headers["anthropic-version"] = endpoint.version
    if endpoint.betas:
        headers["anthropic-beta"] = ",".join(endpoint.betas)
    return {
        "headers": headers,
        "params": {"beta": "true"} if "anthropic-beta" in headers else {},
        "follow_redirects": False,  # what is sent is meant for this address alone
    }


async def count_tokens(
    plan: Plan, environ: Mapping[str, str] = os.environ, stall: float = 30.0
) -> int | None:
    """How many tokens the endpoint says the plan's input has; None where it does not say.

    Raises ``CallError`` where its key is not there.
    """
    endpoint = plan.endpoint
    if endpoint.kind != "api" or not plan.model:
        return None
    secrets = secrets_of(endpoint, environ)
    await load_client()
    import anthropic
    import httpx2

    try:
        async with _client(endpoint, secrets, stall) as client:
            counted = await client.post(
                "/v1/messages/count_tokens",
                cast_to=dict[str, object],
                content=count_body(plan.body),
                options=_options(endpoint, plan.headers),
            )
    except (anthropic.AnthropicError, httpx2.HTTPError, OSError, ValueError):
        return None
    found = counted.get("input_tokens") if isinstance(counted, dict) else None
    return found if isinstance(found, int) else None
