"""A player behind a port of this machine, and a client of it."""

from contextlib import asynccontextmanager

import aiohttp

from tapeview.calls.serve import Address, serving
from tests.calls.tapes import answered, asks, call, player, result, said, says

__all__ = ["TAPE", "served"]

TAPE = (
    asks("list"),
    says({"type": "text", "text": "I look. " * 9}, call("toolu_a", path=".")),
    said(result("toolu_a", "a.txt")),
    answered("One file."),
)


@asynccontextmanager
async def served(one=None, address=None, **options):
    """A client of a player, and the lines of its log."""
    lines = []
    async with (
        serving(one or player(*TAPE), address or Address(), lines.append, **options) as at,
        aiohttp.ClientSession(at.url) as client,
    ):
        yield client, lines
