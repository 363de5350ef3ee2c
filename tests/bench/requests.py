"""What it costs to tell what is new in a request, and how much of it is written.

    python tests/bench/requests.py

An agent's session grows to requests of two megabytes. Each figure is the median over its last
calls, in CPU time, beside ``json.loads`` of the same body in the same run.
"""

import json
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tapeview.wire.correlate import Correlator  # noqa: E402
from tapeview.wire.recording import line_of  # noqa: E402

CALLS = 400
RESULTS = (4_300, 900)
"""Characters of a result: the last request has two megabytes; all have a hundred together."""


def messages(calls, size):
    """An array that grows by a call and its result each time."""
    found = [{"role": "user", "content": "go"}]
    yield list(found)
    for number in range(1, calls):
        block = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": "ls"}}
        found.append({"role": "assistant", "content": [{"type": "text", "text": "I look"}, block]})
        text = f"{number}: " + 'a line "quoted"\n' * (size // 18)
        answer = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}
        found.append({"role": "user", "content": [answer]})
        yield list(found)


def marked(array):
    """The array with the mark of the cache on its last message, where clients put it."""
    last = array[-1]
    if isinstance(last["content"], str):
        return array
    block = {**last["content"][-1], "cache_control": {"type": "ephemeral"}}
    return [*array[:-1], {**last, "content": [*last["content"][:-1], block]}]


def timed(work):
    start = time.process_time()
    made = work()
    return time.process_time() - start, made


def main() -> None:
    for size in RESULTS:
        session(size)


def session(size) -> None:
    tools = [{"name": f"tool{k}", "description": "x" * 2000} for k in range(30)]
    correlator = Correlator(b"salt")
    ours, loads, sent, written, largest = [], [], 0, 0, 0
    distinct: set[str] = set()
    for number, array in enumerate(messages(CALLS, size)):
        body = json.dumps(
            {"model": "m", "max_tokens": 9, "tools": tools, "messages": marked(array)},
            separators=(",", ":"),
        ).encode()
        spent, call = timed(lambda n=number, b=body: correlator.request(str(n), "", b))
        ours.append(spent)
        loads.append(timed(lambda b=body: json.loads(b))[0])
        if number + 1 < CALLS:
            block = {"type": "tool_use", "id": f"t{number + 1}", "name": "Bash"}
            block["input"] = {"command": "ls"}
            reply = {"role": "assistant", "content": [{"type": "text", "text": "I look"}, block]}
            correlator.end(str(number), json.dumps(reply).encode(), True)
        sent, largest = sent + len(body), len(body)
        written += len(line_of(call))
        distinct.update(json.dumps(message) for message in array[-2:])
    last = slice(-20, None)
    mine, base = statistics.median(ours[last]), statistics.median(loads[last])
    print(f"a request of {largest / 1e6:.1f} MB: {mine * 1e3:.1f} ms,", end=" ")
    print(f"{mine / base:.2f} of json.loads of it ({base * 1e3:.1f} ms)")
    content = sum(map(len, distinct)) + len(json.dumps(tools))
    print(f"{CALLS} calls, {sent / 1e6:.0f} MB sent, {content / 1e6:.1f} MB of distinct content:")
    print(f"{written / 1e6:.1f} MB written, {(written - content) / 1e6:.1f} MB more than that")


if __name__ == "__main__":
    main()
