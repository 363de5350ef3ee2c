"""``tapeview replay``: a model call made again, its reply on standard output as it comes."""

import argparse
import asyncio
import json
import os
import sys
from contextlib import aclosing
from typing import TYPE_CHECKING

from tapeview.cli._reading import load_session
from tapeview.cli._say import print_bytes, print_lines, say
from tapeview.errors import UsageError

if TYPE_CHECKING:
    from tapeview.calls.draft import Plan
    from tapeview.calls.reply import Arrived, Reply
    from tapeview.calls.trouble import Trouble

__all__ = ["replay"]


def replay(arguments: argparse.Namespace) -> int:
    """Make the call and print what comes; exit code 1 where it failed."""
    from tapeview.calls.draft import plan_call
    from tapeview.calls.endpoints import endpoint_of
    from tapeview.calls.remembered import remember, remembered
    from tapeview.looks.replaying import before_lines

    if arguments.times is not None and arguments.times < 1:
        raise UsageError("tapeview replay: -n takes a number from 1 on.")
    if arguments.max_tokens is not None and arguments.max_tokens < 1:
        raise UsageError("tapeview replay: --max-tokens takes a number from 1 on.")
    asked: dict[str, bytes | None] = {}
    if arguments.model is not None:
        asked["model"] = json.dumps(arguments.model).encode()
    if arguments.max_tokens is not None:
        asked["max_tokens"] = b"%d" % arguments.max_tokens
    path = arguments.path
    endpoint = endpoint_of(arguments.endpoint, os.environ)
    snapshot = load_session(path).snapshot(arguments.tape)
    plan = plan_call(snapshot, arguments.turn, endpoint, asked, remembered(os.environ, path))
    remember(os.environ, path, plan.news)
    for line in before_lines(plan, arguments.times or 1):
        say(line)
    if arguments.times is not None:
        return asyncio.run(_many(plan, arguments.times, arguments.json))
    return asyncio.run(_once(plan, arguments.json))


async def _once(plan: "Plan", as_json: bool) -> int:
    from tapeview.calls.reply import Arrived, Reply
    from tapeview.calls.run import Call
    from tapeview.looks.replaying import Stream, after_lines

    call = Call(plan)
    shown = Stream(call.assembler)
    end: Arrived | Reply | Trouble | None = None
    async with aclosing(call.run()) as events:
        async for end in events:
            if isinstance(end, Arrived) and not as_json:
                _write("".join(map(shown.text_of, end.steps)))
    if not as_json:
        _write(shown.last())
    if not isinstance(end, Reply):
        say("" if end is None or isinstance(end, Arrived) else end.sentence)
        return 1
    if as_json:
        _print_json(end.message)
    for line in after_lines(plan, end):
        say(line)
    return 0


async def _many(plan: "Plan", times: int, as_json: bool) -> int:
    from tapeview.calls.many import many
    from tapeview.calls.reply import Arrived, Reply
    from tapeview.looks.replaying import tally_json, tally_lines

    done = 0

    def told(number: int, event: "Arrived | Reply | Trouble") -> None:
        nonlocal done
        if isinstance(event, Arrived):
            return
        done += 1
        said = "" if isinstance(event, Reply) else f": {event.sentence}"
        say(f"{done} of {times} done{said}")

    tally = await many(plan, times, told=told)
    if as_json:
        _print_json(tally_json(tally))
    else:
        print_lines(tally_lines(tally))
    return 1 if tally.failures else 0


def _write(text: str) -> None:
    """Text on standard output at once, in UTF-8."""
    if text:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()


def _print_json(encoded: bytes) -> None:
    from tapeview.looks.report import safe_json

    print_bytes(safe_json(encoded) if sys.stdout.isatty() else encoded)
