"""Files are written whole or not at all."""

import errno
import os
import stat

import pytest

from tapeview.errors import SaveError
from tapeview.formats._source import stamp_of
from tapeview.keep.files import fingerprint_of, write_whole


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"before")
    return path


def only(path):
    """The folder holds nothing but the file: no temporary one is left."""
    return [found.name for found in path.parent.iterdir()] == [path.name]


def test_pieces_become_the_file(file):
    found = write_whole(file, [b"one ", b"two"])
    assert file.read_bytes() == b"one two"
    assert found == fingerprint_of(file)
    assert found.size == 7
    assert only(file)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o755])
def test_the_mode_stays(file, mode):
    file.chmod(mode)
    write_whole(file, [b"after"], file)
    assert stat.S_IMODE(file.stat().st_mode) == mode


def test_a_new_file_is_for_its_owner_alone(tmp_path):
    write_whole(tmp_path / "new", [b"x"], tmp_path / "nothing")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600


def failing(error):
    yield b"half"
    raise error


ERRORS = [
    OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
    PermissionError(errno.EACCES, os.strerror(errno.EACCES)),
    OSError("the file is shorter than when it was opened"),
]


@pytest.mark.parametrize("error", ERRORS, ids=str)
def test_what_fails_half_way_leaves_the_file_as_it_was(file, error):
    with pytest.raises(SaveError) as caught:
        write_whole(file, failing(error), file)
    words = str(caught.value)
    assert words.startswith(f"{file}: cannot be saved: ")
    assert words.endswith("; the file is as it was.")
    assert "\n" not in words
    assert file.read_bytes() == b"before"
    assert only(file)


@pytest.mark.parametrize("call", ["fsync", "fchmod"])
def test_a_disk_that_fails_late_leaves_the_file_as_it_was(file, monkeypatch, call):
    def fail(*_):
        raise OSError(errno.EIO, "input/output error")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(SaveError, match="input/output error"):
        write_whole(file, [b"after"], file)
    assert file.read_bytes() == b"before"
    assert only(file)


def test_whatever_else_goes_wrong_leaves_no_file_behind(file):
    with pytest.raises(KeyboardInterrupt):
        write_whole(file, failing(KeyboardInterrupt()), file)
    assert file.read_bytes() == b"before"
    assert only(file)


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "no-folder").write_bytes(b"")
    with pytest.raises(SaveError, match="cannot be saved"):
        write_whole(tmp_path / "no-folder" / "s.jsonl", [b"x"])


def test_who_may_replace_is_asked_last(file):
    with pytest.raises(SaveError, match="changed while it was being saved"):
        write_whole(file, [b"after"], file, lambda: False)
    assert file.read_bytes() == b"before"
    assert only(file)


def test_a_link_stays_and_its_file_is_written(file, tmp_path):
    link = tmp_path / "link.jsonl"
    link.symlink_to(file)
    write_whole(link, [b"after"], link)
    assert link.is_symlink()
    assert file.read_bytes() == b"after"


def test_a_long_name_in_many_bytes(tmp_path):
    path = tmp_path / ("é" * 120)
    write_whole(path, [b"x"])
    assert path.read_bytes() == b"x"


def test_a_stamp_tells_whether_somebody_wrote(file):
    before = stamp_of(file)
    assert stamp_of(file) == before
    write_whole(file, [b"before"])
    assert stamp_of(file) != before
    file.unlink()
    assert stamp_of(file) is None
    assert fingerprint_of(file) is None
