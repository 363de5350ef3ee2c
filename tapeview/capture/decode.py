"""A decompressed copy of what passes; the bytes that pass are never touched."""

import importlib
import sys
import zlib
from collections.abc import Callable
from typing import Protocol

__all__ = ["Decoder", "NotDecoded", "decoded"]


class NotDecoded(ValueError):  # noqa: N818 - reads as the sentence it becomes
    """Bytes that are not compressed as their header says, or in a way that is not known here."""


class _Inflater(Protocol):
    def decompress(self, data: bytes, /) -> bytes: ...


class _Plain:
    def decompress(self, data: bytes, /) -> bytes:
        return data


class _Framed(_Inflater, Protocol):
    """An inflater of one frame: it may end before the data does."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...


class _Frames:
    """Frame after frame, as gzip and zstd may come."""

    def __init__(self, make: Callable[[], _Framed]) -> None:
        self._make = make
        self._inner = make()

    def decompress(self, data: bytes, /) -> bytes:
        plain: list[bytes] = []
        while data:
            if self._inner.eof:
                self._inner = self._make()
            plain.append(self._inner.decompress(data))
            data = self._inner.unused_data if self._inner.eof else b""
        return b"".join(plain)


class _Deflate:
    """``deflate`` is zlib by its RFC; some servers send it raw. The first byte tells."""

    def __init__(self) -> None:
        self._inner: _Inflater | None = None

    def decompress(self, data: bytes, /) -> bytes:
        if self._inner is None and data:
            is_zlib = data[0] & 0x0F == 8
            self._inner = zlib.decompressobj(zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS)
        return self._inner.decompress(data) if self._inner else b""


class _Brotli:
    def __init__(self) -> None:
        self._inner = importlib.import_module("brotli").Decompressor()

    def decompress(self, data: bytes, /) -> bytes:
        out: bytes = self._inner.process(data)
        return out


def _zstd() -> _Framed:
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    inflater: _Framed = importlib.import_module(name).ZstdDecompressor()
    return inflater


class Decoder:
    """Undoes a ``content-encoding`` chunk by chunk: gzip, deflate, br, zstd, also one in another.

    Raises ``NotDecoded``, also for a coding that is not known.
    """

    def __init__(self, encoding: str) -> None:
        names = [name.strip().lower() for name in encoding.split(",")]
        self._layers = [_layer(name) for name in reversed(names) if name not in ("", "identity")]

    def feed(self, data: bytes) -> bytes:
        """The plain bytes that these make."""
        try:
            for layer in self._layers:
                data = layer.decompress(data)
        except _faults() as error:
            raise NotDecoded(str(error)) from None
        return data


def _layer(name: str) -> _Inflater:
    match name:
        case "gzip" | "x-gzip":
            return _Frames(lambda: zlib.decompressobj(zlib.MAX_WBITS | 16))
        case "deflate":
            return _Deflate()
        case "br":
            return _Brotli()
        case "zstd":
            return _Frames(_zstd)
    raise NotDecoded(f"the coding {name} is not known")


def _faults() -> tuple[type[BaseException], ...]:
    """What the layers raise; of libraries that were not needed, nothing."""
    found: list[type[BaseException]] = [zlib.error, EOFError]
    for module, name in (
        ("brotli", "error"),
        ("backports.zstd", "ZstdError"),
        ("compression.zstd", "ZstdError"),
    ):
        if module in sys.modules:
            found.append(getattr(sys.modules[module], name))
    return tuple(found)


def decoded(encoding: str, data: bytes) -> bytes:
    """The whole of a body. Raises ``NotDecoded``."""
    return Decoder(encoding).feed(data)
