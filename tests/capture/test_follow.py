"""What a watcher sees of files that others write."""

import os

import pytest

from tapeview.capture.follow import Beside, Watch
from tapeview.formats._source import FileSource, stamp_of


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"a":1}\n' * 20)
    return path


def append(path, text=b'{"b":2}\n'):
    with path.open("ab") as out:
        out.write(text)


def replace(path, text=b'{"a":1}\n' * 30):
    other = path.with_name("other")
    other.write_bytes(text)
    other.replace(path)


def rotate(path):
    path.rename(path.with_name("x.jsonl.1"))
    path.write_bytes(b'{"c":3}\n')


def write_over(path, text):
    with path.open("r+b") as out:
        out.write(text)
        out.truncate()


def touch(path):
    later = path.stat().st_mtime_ns + 1_000_000
    os.utime(path, ns=(later, later))


STEPS = [
    (append, ["grew", ""]),
    (lambda path: os.truncate(path, 40), ["shrank", ""]),
    (lambda path: os.truncate(path, 0), ["shrank", ""]),
    (replace, ["replaced", ""]),
    (rotate, ["replaced", ""]),
    (lambda path: path.unlink(), ["gone", "", ""]),
    (lambda path: write_over(path, b'{"z":9}\n' * 40), ["rewritten", ""]),
    (lambda path: write_over(path, b'{"a":1}\n' * 19 + b'{"z":9}\n' * 9), ["rewritten", ""]),
    # It may be the beginning of more; what comes next tells.
    (touch, ["", "rewritten", ""]),
]


@pytest.mark.parametrize(("act", "seen"), STEPS)
def test_what_became_of_a_file(act, seen, file):
    watch = Watch(FileSource(str(file)))
    assert watch.look() == ""
    act(file)
    assert [watch.look() for _ in seen] == seen
    assert watch.seen == stamp_of(file)


def test_a_file_that_is_touched_and_then_longer_has_grown(file):
    watch = Watch(FileSource(str(file)))
    touch(file)
    assert watch.look() == ""
    append(file)
    assert [watch.look(), watch.look()] == ["grew", ""]


def test_a_file_that_comes_back(file):
    watch = Watch(FileSource(str(file)))
    file.unlink()
    assert watch.look() == "gone"
    assert watch.seen is None
    file.write_bytes(b'{"a":1}\n')
    assert [watch.look(), watch.look()] == ["back", ""]
    append(file)
    assert watch.look() == "grew"


def test_what_happened_since_the_source_was_opened_is_seen_first(file):
    source = FileSource(str(file))
    append(file)
    assert Watch(source).look() == "grew"


def test_steps_one_after_another(file):
    watch = Watch(FileSource(str(file)))
    seen = []
    for act in (append, append, replace, append, rotate, append):
        act(file)
        seen.append(watch.look())
    assert seen == ["grew", "grew", "replaced", "grew", "replaced", "grew"]


def test_a_short_file_is_known_by_all_of_it(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"ab")
    watch = Watch(FileSource(str(path)))
    write_over(path, b"abc")
    assert watch.look() == "grew"
    write_over(path, b"axcd")
    assert watch.look() == "rewritten"
    write_over(path, b"")
    assert watch.look() == "shrank"
    append(path, b"new")
    assert watch.look() == "grew"


def test_files_and_folders_beside(tmp_path):
    file, folder = tmp_path / "a", tmp_path / "folder"
    file.write_bytes(b"1")
    known = {str(file): stamp_of(file)}
    beside = Beside([str(file), str(folder)], known)
    assert not beside.look()
    append(file)
    assert beside.look()
    assert not beside.look()
    folder.mkdir()
    assert beside.look()
    (folder / "b").write_bytes(b"")
    assert beside.look()
    file.unlink()
    assert beside.look()
    assert not beside.look()


def test_what_came_since_it_was_last_known_is_seen_at_the_first_look(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    assert Beside([str(folder)], {}).look()
