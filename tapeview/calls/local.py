"""The endpoint ``local``: llama.cpp's HTTP server with a small model, in a process of its own."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from tapeview.calls.endpoints import Endpoint
from tapeview.errors import CallError
from tapeview.tape.clean import clean_line

__all__ = ["running"]

SERVER = Path(__file__).with_name("local_server.py")


class _Said(msgspec.Struct):
    url: str = ""
    error: str = ""


@asynccontextmanager
async def running(endpoint: Endpoint) -> AsyncIterator[Endpoint]:
    """The endpoint at its address; the local model runs as long as the context is open.

    Other endpoints, and a local one that has its address already, are given as they are: so
    several calls share one model. Loading takes about a second.

    Raises ``CallError`` where the model cannot be run.
    """
    if endpoint.kind != "local" or endpoint.base_url:
        yield endpoint
        return
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        str(SERVER),
        endpoint.weights,
        stdin=asyncio.subprocess.PIPE,  # its end tells the server that we are gone
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield msgspec.structs.replace(endpoint, base_url=await _address(process))
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def _address(process: asyncio.subprocess.Process) -> str:
    """What the server says of itself, once it is ready."""
    assert process.stdout is not None
    async for line in process.stdout:
        try:
            said = msgspec.json.decode(line, type=_Said)
        except msgspec.DecodeError:
            continue  # llama.cpp's own talk
        if said.url:
            return said.url
        if said.error:
            raise CallError(f"the local model cannot run: {clean_line(said.error, 300)}")
    raise CallError("the local model cannot run: its server ended while it was loading.")
