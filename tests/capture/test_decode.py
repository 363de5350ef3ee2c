"""A copy is decompressed, whichever way it came, cut anywhere."""

import gzip
import zlib

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapeview.capture.decode import Decoder, NotDecoded, decoded

try:
    from compression import zstd
except ImportError:
    from backports import zstd


def raw_deflate(data):
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


WAYS = [
    ("", lambda data: data),
    ("identity", lambda data: data),
    ("gzip", gzip.compress),
    ("x-gzip", gzip.compress),
    ("GZIP ", gzip.compress),
    ("deflate", zlib.compress),
    ("deflate", raw_deflate),
    ("br", brotli.compress),
    ("zstd", zstd.compress),
    ("gzip", lambda data: gzip.compress(data[:9]) + gzip.compress(data[9:])),
    ("zstd", lambda data: zstd.compress(data[:9]) + zstd.compress(data[9:])),
    ("gzip, br", lambda data: brotli.compress(gzip.compress(data))),
    ("zstd,identity,gzip", lambda data: gzip.compress(zstd.compress(data))),
]


@pytest.mark.parametrize(("coding", "pack"), WAYS, ids=[f"{k} {w[0]}" for k, w in enumerate(WAYS)])
@given(data=st.binary(max_size=3000), size=st.integers(1, 40))
def test_what_is_packed_is_unpacked(coding, pack, data, size):
    packed = pack(data)
    decoder = Decoder(coding)
    pieces = [packed[k : k + size] for k in range(0, len(packed), size)]
    assert b"".join(map(decoder.feed, pieces)) == data
    assert decoded(coding, packed) == data


FLUSHED = [
    ("gzip", lambda: zlib.compressobj(wbits=zlib.MAX_WBITS | 16), zlib.Z_SYNC_FLUSH),
    ("zstd", zstd.ZstdCompressor, zstd.ZstdCompressor.FLUSH_BLOCK),
]


@pytest.mark.parametrize(("coding", "make", "mode"), FLUSHED, ids=[way[0] for way in FLUSHED])
def test_an_event_that_was_flushed_is_there_at_once(coding, make, mode):
    packer, decoder = make(), Decoder(coding)
    for event in (b"data: one\n\n", b"data: two\n\n"):
        sent = packer.compress(event) + packer.flush(mode)
        assert decoder.feed(sent) == event


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_what_is_not_packed_is_refused(coding):
    with pytest.raises(NotDecoded):
        decoded(coding, b"data: not packed at all, and long enough to tell")


def test_a_coding_that_is_not_known_is_refused():
    with pytest.raises(NotDecoded, match="the coding odd is not known"):
        Decoder("gzip, odd")
