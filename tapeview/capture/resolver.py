"""Looking up a server's address without holding up the end of the program.

uvloop looks names up in threads that it waits for when it closes, and a resolver that does not
answer takes its time. Here each lookup has a thread that nobody waits for.
"""

import asyncio
import socket
import threading
from contextlib import suppress

from aiohttp.abc import AbstractResolver, ResolveResult

__all__ = ["Resolver"]

Found = list[tuple[socket.AddressFamily, socket.SocketKind, int, str, tuple[str, int]]]


class Resolver(AbstractResolver):
    """``getaddrinfo`` in a daemon thread."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """All addresses of a host. Raises ``OSError``."""
        loop = asyncio.get_running_loop()
        found: asyncio.Future[Found] = loop.create_future()

        def look() -> None:
            try:
                infos = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM)
            except OSError as error:
                settle(error)
            except UnicodeError as error:  # a name that is too long, for one
                settle(OSError(str(error)))
            else:
                settle(infos)

        def settle(outcome: object) -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(_settle, found, outcome)

        threading.Thread(target=look, name="tapeview-lookup", daemon=True).start()
        return [
            ResolveResult(
                hostname=host,
                host=address[0],
                port=address[1],
                family=kind,
                proto=proto,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for kind, _, proto, _, address in await found
        ]

    async def close(self) -> None:
        """Nothing is held."""


def _settle(found: "asyncio.Future[Found]", outcome: object) -> None:
    if found.done():
        return
    if isinstance(outcome, OSError):
        found.set_exception(outcome)
    else:
        found.set_result(outcome)  # type: ignore[arg-type]
