"""``tapeview play``: a tape stands in for the model until ctrl+c."""

import argparse
import asyncio

from tapeview.cli._reading import say_waiting
from tapeview.cli._talk import Talk
from tapeview.errors import UsageError

__all__ = ["play"]


def play(arguments: argparse.Namespace) -> int:
    """Serve a tape, and say what is asked and answered."""
    # A terminal that is held, or whose reader has gone, must not hold the server.
    talk = Talk()
    try:
        _play(arguments, talk)
    finally:
        talk.end()
    return 0


def _play(arguments: argparse.Namespace, talk: Talk) -> None:
    from tapeview.calls.background import player_of
    from tapeview.calls.serve import Address, serving

    address = Address(*_address(arguments.listen)) if arguments.listen else Address()
    path, say = arguments.path, talk.say
    player = player_of(
        path, say, tape=arguments.tape, strict=arguments.strict, waits=lambda: say_waiting(path)
    )

    async def serve() -> None:
        async with serving(
            player, address, say, recorded_speed=arguments.recorded_speed
        ) as listening:
            say(f"{path} answers at {listening.url} until ctrl+c")
            say(f"export ANTHROPIC_BASE_URL={listening.url}")
            await asyncio.Event().wait()

    asyncio.run(serve())


def _address(words: str) -> tuple[str, int]:
    """``HOST:PORT``, ``PORT`` alone or ``[::1]:PORT``. Raises ``UsageError``."""
    host, _, port = words.rpartition(":")
    if not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise UsageError(f"tapeview play: --listen {words}: HOST:PORT is wanted, 127.0.0.1:8080.")
    return host.strip("[]") or "127.0.0.1", int(port)
