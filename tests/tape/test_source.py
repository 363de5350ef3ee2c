"""Bytes in memory, read by position."""

from tapeview.tape.source import LastRead, MemorySource


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


class Counted(MemorySource):
    """Bytes that say how often they were read."""

    def __init__(self, data):
        super().__init__(data, "some")
        self.reads = []

    def read(self, start, length):
        self.reads.append((start, length))
        return super().read(start, length)


def test_what_was_read_last_is_not_read_again():
    counted = Counted(b"0123456789")
    source = LastRead(counted)
    assert (source.name, source.size) == ("some", 10)
    first = source.read(2, 3)
    assert first == b"234"
    assert source.read(2, 3) is first
    assert source.read(0, 2) == b"01"
    assert source.read(2, 3) == b"234"
    assert counted.reads == [(2, 3), (0, 2), (2, 3)]
    assert source.read(0, 0) == b""
