"""Opening files and standard input."""

import errno
import io
import os
import sys
import threading

import pytest

from tapeview.errors import OpenError
from tapeview.formats._source import FileSource, change_of, open_source, stamp_of
from tapeview.tape.source import MemorySource


def fault(path):
    with pytest.raises(OpenError) as caught:
        open_source(str(path))
    return str(caught.value)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "some.json"
    path.write_bytes(b"0123456789")
    return path


def test_a_file_is_read_by_position(file):
    source = open_source(str(file))
    assert source.name == str(file)
    assert source.size == 10
    assert source.read(0, 10) == b"0123456789"
    assert source.read(3, 4) == b"3456"
    assert source.read(8, 100) == b"89"
    assert source.read(10, 5) == b""
    assert source.read(2, 0) == b""


def test_a_file_stays_readable_when_it_is_moved_away(file):
    source = open_source(str(file))
    file.rename(file.with_name("other"))
    assert source.read(0, 3) == b"012"


def test_a_short_read_is_continued(file, monkeypatch):
    source = open_source(str(file))
    whole = os.pread
    monkeypatch.setattr(os, "pread", lambda fd, length, start: whole(fd, min(3, length), start))
    assert source.read(1, 8) == b"12345678"


def test_the_descriptor_is_closed_with_the_source(file):
    source = FileSource(str(file))
    descriptor = source._descriptor
    del source
    with pytest.raises(OSError):
        os.fstat(descriptor)


def grow(file):
    with file.open("ab") as more:
        more.write(b"more")


def replace(file):
    other = file.with_name("other")
    other.write_bytes(file.read_bytes())
    other.replace(file)


def write_over(file):
    file.write_bytes(b"9876543210")
    os.utime(file, ns=(1, 1))


@pytest.mark.parametrize(
    "act, change",
    [
        (lambda file: None, ""),
        (lambda file: file.touch(), "rewritten"),
        (write_over, "rewritten"),
        (grow, "grown"),
        (lambda file: os.truncate(file, 4), "shorter"),
        (lambda file: file.unlink(), "gone"),
        (lambda file: file.rename(file.with_name("moved")), "gone"),
        (replace, "replaced"),
    ],
)
def test_what_became_of_a_file(act, change, file):
    os.utime(file, ns=(0, 0))
    source = open_source(str(file))
    act(file)
    assert change_of(source) == change


def test_what_is_in_memory_does_not_change():
    assert change_of(MemorySource(b"[]")) == ""


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[]")))
    source = open_source("-")
    assert (source.name, source.size, source.read(0, 9)) == ("-", 2, b"[]")


def test_a_pipe_is_read_whole():
    reader, writer = os.pipe()
    os.write(writer, b"[1]")
    os.close(writer)
    source = open_source(f"/dev/fd/{reader}")
    os.close(reader)
    assert source.read(0, 9) == b"[1]"


@pytest.fixture
def pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def test_whoever_waits_for_a_named_pipe_is_told(pipe, monkeypatch):
    monkeypatch.setattr("tapeview.formats._source.PATIENCE", 0.0)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"[1]",), daemon=True)
    source = open_source(str(pipe), writer.start)
    assert source.read(0, 9) == b"[1]"
    writer.join()


def test_nobody_is_told_of_a_pipe_that_comes_in_time(pipe, monkeypatch):
    monkeypatch.setattr("tapeview.formats._source.PATIENCE", 600.0)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"[1]",), daemon=True)
    writer.start()
    told = []
    assert open_source(str(pipe), lambda: told.append(1)).read(0, 9) == b"[1]"
    writer.join()
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join()  # it was told not to wait any longer
    assert told == []


def test_a_missing_path(tmp_path):
    path = tmp_path / "nowhere.json"
    assert fault(path) == f"{path}: there is no such file."


def test_a_link_to_nowhere(tmp_path):
    path = tmp_path / "link.json"
    path.symlink_to(tmp_path / "gone")
    assert fault(path) == f"{path}: there is no such file."


def test_a_folder(tmp_path):
    assert fault(tmp_path) == f"{tmp_path}: this is a folder; name a session file in it."


def test_no_permission(file, monkeypatch):
    def refuse(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    assert fault(file) == f"{file}: no permission to read it; check its mode and owner."


def test_a_disk_that_fails(file, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "open", refuse)
    assert fault(file) == f"{file}: cannot be read: Input/output error."


def test_a_path_that_no_file_can_have():
    assert fault("a\0b") == "a\0b: cannot be read: embedded null byte."


def test_a_name_that_is_too_long(tmp_path):
    assert "cannot be read: File name too long." in fault(tmp_path / ("x" * 5000))


def test_what_is_written_behind_the_end_belongs_to_the_source_of_then(file):
    source = FileSource(str(file))
    size = source.size
    grow(file)
    assert (source.size, len(source.read(0, 1_000)), source.read(size, 4)) == (size, size, b"")
    longer = source.grown()
    assert (longer.size, longer.read(size, 4)) == (size + 4, b"more")
    assert longer.stamp == stamp_of(file)
    assert source.stamp != longer.stamp


def test_a_source_stays_with_its_file_wherever_that_goes(file):
    source = FileSource(str(file))
    file.rename(file.with_name("moved"))
    grow(file.with_name("moved"))
    assert source.grown().size == source.size + 4
    assert stamp_of(file) is None
