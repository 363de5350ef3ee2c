"""Looking up addresses: nobody waits for a resolver that does not answer."""

import asyncio
import socket
import threading

import pytest

from tapeview.capture.resolver import Resolver
from tests.capture.raw_http import PATIENCE, connect, request
from tests.capture.replies import BODY


async def test_addresses_of_a_host():
    found = await Resolver().resolve("localhost", 80, socket.AF_UNSPEC)
    assert ("127.0.0.1", 80, socket.AF_INET) in [
        (each["host"], each["port"], each["family"]) for each in found
    ]


async def test_a_host_that_is_none():
    with pytest.raises(OSError, match=r"not known|resolution|nodename|service"):
        await Resolver().resolve("nothing.invalid", 80)


@pytest.mark.parametrize("host", ["a" * 64 + ".example", "a..example", "\udc80"])
async def test_a_name_that_can_be_none(host):
    with pytest.raises(OSError, match=r"label|codec|not known|resolution"):
        await Resolver().resolve(host, 80)


@pytest.fixture
def silent(monkeypatch):
    """A host whose address is known at the end of the test; set once somebody asks for it."""
    asked, answers, known = threading.Event(), threading.Event(), socket.getaddrinfo

    def getaddrinfo(host, *more):
        if host != "dead.example":
            return known(host, *more)
        asked.set()
        answers.wait(PATIENCE)
        raise socket.gaierror(socket.EAI_NONAME, "not known")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    yield asked
    answers.set()


async def test_a_lookup_is_cancelled(silent):
    lookup = asyncio.create_task(Resolver().resolve("dead.example", 80))
    await asyncio.to_thread(silent.wait, PATIENCE)
    lookup.cancel()
    with pytest.raises(asyncio.CancelledError):
        await lookup


def test_a_proxy_ends_while_a_name_is_looked_up(silent, proxied):
    with proxied("http://dead.example") as proxy:
        client = connect(proxy.port)
        client.sendall(request("POST", "/v1/messages", BODY))
        assert silent.wait(PATIENCE)
    with client:
        (failed,) = proxy.of("failed")
        assert failed["why"] == "stopped"
