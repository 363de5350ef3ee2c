"""A recording proxy that runs beside the program, in a thread with an event loop of its own."""

import asyncio
import importlib
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from tapeview.capture.held_signals import signals_held
from tapeview.capture.proxy import Proxy
from tapeview.capture.recorder import Recorder
from tapeview.capture.seen import Seen
from tapeview.errors import UsageError

__all__ = [
    "DEFAULT_UPSTREAM",
    "LOOPBACK",
    "Listen",
    "Running",
    "listen_of",
    "recording_proxy",
    "upstream_of",
]

DEFAULT_UPSTREAM = "https://api.anthropic.com"

BACKLOG = 512


class Listen(NamedTuple):
    """Where to take connections; port 0 is any free one."""

    host: str = "127.0.0.1"
    port: int = 0


LOOPBACK: Final = Listen()


class Running(NamedTuple):
    """A proxy that runs."""

    url: str
    """The base address for clients, without ``/v1``."""
    path: Path
    """The recording."""


def listen_of(words: str) -> Listen:
    """``HOST:PORT``, ``HOST`` or ``:PORT``. Raises ``UsageError``."""
    try:
        parts = urlsplit(f"//{words}")
        return Listen(parts.hostname or LOOPBACK.host, parts.port or 0)
    except ValueError:
        raise UsageError(f"{words} is no HOST:PORT.") from None


def upstream_of(words: str) -> str:
    """The address of a server. Raises ``UsageError`` for what is none, or has a password in it."""
    try:
        parts = urlsplit(words)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits = False
    if not fits or parts.query or parts.fragment or "@" in parts.netloc:
        raise UsageError(f"--upstream is no address such as {DEFAULT_UPSTREAM}.")
    return words.rstrip("/")


@contextmanager
def recording_proxy(
    path: Path, upstream: str, seen: Callable[[Seen], None], listen: Listen = LOOPBACK
) -> Iterator[Running]:
    """Run a proxy that records what goes to ``upstream`` in a new file.

    ``seen`` is called in the proxy's thread and must return at once. At the end open connections
    are closed, and their calls are recorded as stopped. Raises ``SaveError`` where the file cannot
    be made, ``UsageError`` where the address cannot be listened on.
    """
    with _socket_of(listen) as taken:
        recorder = Recorder(path, upstream, lambda words: seen(Seen("trouble", "", words)))
        serving = _Serving(taken, lambda: Proxy(upstream, recorder, seen, listen.host))
        try:
            serving.begin()
            yield Running(_url_of(taken, listen), path)
        finally:
            with signals_held():
                serving.end()
                recorder.close()


def _socket_of(listen: Listen) -> socket.socket:
    family = socket.AF_INET6 if ":" in listen.host else socket.AF_INET
    try:
        return socket.create_server(tuple(listen), family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        words = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{listen.host}:{listen.port} cannot be listened on: {words}.") from None


def _url_of(taken: socket.socket, listen: Listen) -> str:
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(listen.host, listen.host)
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{taken.getsockname()[1]}"


def _new_loop() -> asyncio.AbstractEventLoop:
    if sys.platform == "win32":
        return asyncio.new_event_loop()
    loop: asyncio.AbstractEventLoop = importlib.import_module("uvloop").new_event_loop()
    return loop


class _Serving:
    """The thread that a proxy runs in."""

    def __init__(self, taken: socket.socket, make: Callable[[], Proxy]) -> None:
        self._taken = taken
        self._make = make
        self._loop = _new_loop()
        self._stop = asyncio.Event()
        self._ready = threading.Event()
        self._over = threading.Event()
        self._fault: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="tapeview-proxy")

    def begin(self) -> None:
        """Serve from now on. Raises what kept it from that."""
        self._thread.start()
        self._ready.wait()
        if self._fault is not None:
            raise self._fault

    def end(self) -> None:
        """Close all connections; their calls have an end when this returns."""
        if self._thread.ident is None or self._over.is_set():
            return
        self._loop.call_soon_threadsafe(self._stop.set)
        # Not ``join``: once interrupted, CPython 3.11 takes the thread for ended.
        self._over.wait()

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._until_stopped())
        except (OSError, RuntimeError) as error:
            self._fault = error
        finally:
            self._ready.set()
            self._over.set()

    async def _until_stopped(self) -> None:
        proxy = self._make()
        handlers = proxy.server()
        listening = await asyncio.get_running_loop().create_server(
            handlers, sock=self._taken, backlog=BACKLOG
        )
        self._ready.set()
        await self._stop.wait()
        listening.close()
        await proxy.close(handlers)
