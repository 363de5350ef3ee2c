"""The words and names of saving."""

import json
from datetime import UTC, datetime

import pytest

from tapeview.keep.keeper import Left
from tapeview.looks.saving import copy_name, left_words, request_body, resume_command
from tests.helpers import snapshot_of

NOW = datetime(2026, 1, 2, 15, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (Left(3, "2026-01-02T14:02:00+00:00", True), "3 unsaved edits of 14:02"),
        (Left(1, "2026-01-01T09:30:00+00:00", True), "1 unsaved edit of 2026-01-01 09:30"),
        (
            Left(2, "2026-01-02T14:02:00+00:00", False),
            "2 unsaved edits of 14:02, and the file has changed since",
        ),
        (Left(2, "some day", True), "2 unsaved edits of 15:00"),
    ],
)
def test_what_was_left_behind(left, words):
    assert left_words(left, NOW) == words


@pytest.mark.parametrize(
    ("path", "kind", "name"),
    [
        ("/a/s.jsonl", "copy", "/a/s-copy.jsonl"),
        ("/a/s.jsonl", "request", "/a/s-request.json"),
        ("-", "copy", "session-copy.json"),
    ],
)
def test_a_name_beside_the_file(path, kind, name):
    assert copy_name(path, kind) == name


@pytest.mark.parametrize(
    ("folder", "command"),
    [
        ("/home/ana/src", "cd /home/ana/src && claude --resume ID"),
        ("/home/ana/my src", "cd '/home/ana/my src' && claude --resume ID"),
        ("", "claude --resume ID"),
    ],
)
def test_how_a_session_is_resumed(folder, command):
    assert resume_command(folder, "ID") == command


def test_the_body_of_the_next_call():
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    assert json.loads(request_body(snapshot_of(body))) == body
