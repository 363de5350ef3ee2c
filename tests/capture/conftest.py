"""A recording proxy for a test, and what it recorded."""

import json
import queue
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from tapeview.capture.running import recording_proxy

PATIENCE = 20


class Proxied:
    """A proxy that runs, what it told, and the lines of its recording."""

    def __init__(self, running, told):
        self.url, self.path = running
        self.port = urlsplit(self.url).port
        self._told = told

    def told(self, what):
        """The next thing of a kind that the proxy tells."""
        while True:
            seen = self._told.get(timeout=PATIENCE)
            if seen.what == what:
                return seen.words

    @property
    def lines(self):
        """The recording as it is now."""
        return [json.loads(line) for line in self.path.read_bytes().splitlines()]

    def of(self, name):
        """The lines of one kind."""
        return [line for line in self.lines if name in line]


@pytest.fixture
def proxied(tmp_path):
    """``with proxied(upstream) as proxy``."""

    @contextmanager
    def start(upstream, name="run.tape.jsonl", **settings):
        told = queue.SimpleQueue()
        with recording_proxy(tmp_path / name, upstream, told.put, **settings) as running:
            yield Proxied(running, told)

    return start
