"""What recording costs, against a direct connection in the same run.

    python tests/bench/proxy.py

Upstream, proxy and clients run in three processes on loopback. Times to the first byte are by the
clock, direct and through the proxy in turns; CPU is the proxy's own, user and system.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TextIO

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.capture.program import started  # noqa: E402 - the folder is known only now
from tests.capture.raw_http import chunked  # noqa: E402
from tests.capture.replies import sse_head, stream_of  # noqa: E402

MESSAGES = "/v1/messages"
CALLS = 200
STREAMS = 50
ROUNDS = 5
EVENTS = 40
SECONDS = 0.05
"""Between two events of a stream."""
SESSION = 400
MEGABYTES = 100
BIG = 2 << 20
REPEATS = 50
TICKS = os.sysconf("SC_CLK_TCK")

UPSTREAM = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from tests.bench.proxy import serve
asyncio.run(serve())
"""


async def serve() -> None:
    """Answer each message call by a stream; one that asks for it slowly."""
    server = await asyncio.start_server(_serve_one, "127.0.0.1", 0, limit=1 << 26, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def _serve_one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
            await reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()
            return
        writer.write(sse_head())
        if b"x-hold: 1" in head.lower():
            writer.write(chunked(stream_of("held")[:4]))
            await reader.read()
            print(time.perf_counter(), flush=True)
            writer.close()
            return
        events = stream_of(*(f"piece {k} " for k in range(EVENTS)))
        if b"x-slow: 1" in head.lower():
            for data in events:
                writer.write(chunked([data]))
                await writer.drain()
                await asyncio.sleep(SECONDS)
        else:
            writer.write(chunked(events[:3] + events[-3:]))
        writer.write(b"0\r\n\r\n")
        await writer.drain()


async def ask(port: int, body: bytes, path: str = MESSAGES, *headers: str) -> tuple[float, int]:
    """Seconds until the first byte of the answer's body, and its events."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}"]
    began = time.perf_counter()
    writer.write("\r\n".join([*lines, *headers]).encode() + b"\r\n\r\n" + body)
    await reader.readuntil(b"\r\n\r\n")
    raw = bytearray(await reader.read(1 << 16))
    first = time.perf_counter() - began
    while not raw.endswith(b"0\r\n\r\n"):
        raw += await reader.read(1 << 16)
    writer.close()
    return first, raw.count(b"event: ")


def body_of(messages: list[dict[str, str]]) -> bytes:
    """A request with these messages."""
    made = {"model": "m", "max_tokens": 9, "messages": messages, "stream": True}
    return json.dumps(made, separators=(",", ":")).encode()


def talk(count: int, size: int) -> list[dict[str, str]]:
    """Messages of so many bytes each."""
    roles = ("user", "assistant")
    texts = ((f"message {k} " * (size // 8))[: size - 32] for k in range(count))
    return [{"role": roles[k % 2], "content": text} for k, text in enumerate(texts)]


async def first_bytes(direct: int, proxy: int) -> tuple[list[float], list[float]]:
    """Of single calls with 20 kB, in turns."""
    took: tuple[list[float], list[float]] = ([], [])
    messages = talk(20, 1000)
    for number in range(CALLS):
        body = body_of([*messages, {"role": "user", "content": f"call {number}"}])
        for port, times in zip((direct, proxy), took, strict=True):
            times.append((await ask(port, body))[0])
    return took


async def at_once(port: int) -> tuple[float, int]:
    """Many slow streams: the median time to the first byte, and all events that came."""
    bodies = [
        body_of([*talk(20, 1000), {"role": "user", "content": str(k)}]) for k in range(STREAMS)
    ]
    got = await asyncio.gather(*(ask(port, b, MESSAGES, "X-Slow: 1") for b in bodies))
    return statistics.median(first for first, _ in got), sum(events for _, events in got)


async def leave(port: int, ended: TextIO) -> float:
    """Median seconds from a client's leaving in mid-stream to the end of its call upstream."""
    took = []
    for _ in range(20):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        lines = [f"POST {MESSAGES} HTTP/1.1", "Host: 127.0.0.1", "X-Hold: 1", "Content-Length: 15"]
        writer.write("\r\n".join(lines).encode() + b'\r\n\r\n{"messages":[]}')
        await reader.readuntil(b"held")
        went = time.perf_counter()
        writer.close()
        # The clock is the machine's, the same in both processes.
        took.append(float(await asyncio.to_thread(ended.readline)) - went)
    return statistics.median(took)


async def session(port: int) -> tuple[int, int]:
    """A talk that grows with each call: bytes that were sent, and those that were new."""
    size = MEGABYTES * 1_000_000 // (SESSION * (SESSION + 1) // 2)
    messages = talk(SESSION, size)
    sent = 0
    for count in range(1, SESSION + 1):
        body = body_of(messages[:count])
        sent += len(body)
        await ask(port, body)
    return sent, len(body_of(messages))


def cpu_of(pid: int) -> float:
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


async def cpu(port: int, pid: int, path: str) -> float:
    """The proxy's CPU for a request of 2 MB that goes on by one message, the first left out."""
    messages = talk(1000, BIG // 1000)
    await ask(port, body_of(messages), path)
    before = cpu_of(pid)
    for number in range(REPEATS):
        messages.append({"role": "user", "content": f"more {number}"})
        await ask(port, body_of(messages), path)
    return (cpu_of(pid) - before) / REPEATS


def rows(direct: int, proxy: int, pid: int, file: Path, ended: TextIO) -> list[tuple[str, ...]]:
    """The table."""
    bare, through = map(statistics.median, asyncio.run(first_bytes(direct, proxy)))
    later = (through - bare) * 1000
    rounds = [[asyncio.run(at_once(port)) for port in (direct, proxy)] for _ in range(ROUNDS)]
    slow, slow_through = (
        statistics.median(first for first, _ in r) for r in zip(*rounds, strict=True)
    )
    events, got = (sum(count for _, count in r) for r in zip(*rounds, strict=True))
    lost = "none lost" if got == events else f"{events - got} LOST"
    gone, gone_through = (asyncio.run(leave(port, ended)) for port in (direct, proxy))
    before = file.stat().st_size
    sent, new = asyncio.run(session(proxy))
    over = file.stat().st_size - before - new
    unrecorded = asyncio.run(cpu(proxy, pid, "/v1/files"))
    recorded = asyncio.run(cpu(proxy, pid, "/v1/messages"))
    return [
        ("what", "direct", "through", "figure", "aim"),
        ("---",) * 5,
        (
            "first byte of one stream",
            f"{bare * 1000:.2f} ms",
            f"{through * 1000:.2f} ms",
            f"{later:.2f} ms later",
            "3 ms",
        ),
        (
            f"first byte of {STREAMS} streams at once",
            f"{slow * 1000:.1f} ms",
            f"{slow_through * 1000:.1f} ms",
            f"{slow_through / slow:.1f} times, {lost}",
            "5 times",
        ),
        (
            "end of a call whose client leaves",
            f"{gone * 1000:.1f} ms",
            f"{gone_through * 1000:.1f} ms",
            f"{(gone_through - gone) * 1000:.1f} ms later",
            "300 ms",
        ),
        (
            f"recording of {SESSION} calls, {sent / 1e6:.0f} MB of requests",
            f"{new / 1e6:.2f} MB new",
            f"{(over + new) / 1e6:.2f} MB",
            f"{over / 1e6:.2f} MB over",
            "2 MB",
        ),
        (
            "CPU for a request of 2 MB after the first",
            f"{unrecorded * 1000:.1f} ms unrecorded",
            f"{recorded * 1000:.1f} ms",
            f"{recorded * 1000:.1f} ms",
            "10 ms",
        ),
    ]


def main() -> None:
    """Print the table."""
    command = [sys.executable, "-c", UPSTREAM, str(ROOT)]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as upstream,
    ):
        assert upstream.stdout is not None
        try:
            direct = int(upstream.stdout.readline())
            path = Path(folder) / "a.tape.jsonl"
            words = ("--upstream", f"http://127.0.0.1:{direct}", "-o", str(path))
            with started(*words) as (process, said):
                proxy = int(said[2].rpartition(":")[2])
                # What it tells must not fill the pipe.
                threading.Thread(target=process.communicate, daemon=True).start()
                for row in rows(direct, proxy, process.pid, path, upstream.stdout):
                    print("| " + " | ".join(row) + " |")
        finally:
            upstream.kill()


if __name__ == "__main__":
    main()
