"""Bytes in memory, read by position."""

from tapeview.tape.source import MemorySource


def test_it_is_read_by_position():
    source = MemorySource(b"0123456789", "some")
    assert (source.name, source.size) == ("some", 10)
    assert source.read(0, 10) == b"0123456789"
    assert source.read(2, 3) == b"234"
    assert source.read(8, 9) == b"89"
    assert source.read(10, 1) == b""
    assert source.read(1, 99) == b"123456789"


def test_it_is_standard_input_unless_told():
    assert MemorySource(b"").name == "-"
