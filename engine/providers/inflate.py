"""Decompresses a reply piece by piece, so that a small one cannot fill the memory."""

import zlib
from collections.abc import Iterator

__all__ = ["Inflater"]

_PIECE = 64 * 1024
_MAGIC = b"\x1f"
_GZIP, _ZLIB, _BARE = 31, 15, -15


class Inflater:
    """`gzip` or `deflate`, as `content-encoding` names them.

    Raises:
        ValueError: it is compressed in another way; and later: what came is not compressed so, or was cut off.
    """

    def __init__(self, encoding: str) -> None:
        if encoding not in ("gzip", "x-gzip", "deflate"):
            raise ValueError("it is compressed in a way that was not asked for")
        self._gzip = encoding != "deflate"
        self._open: zlib._Decompress | None = None
        self._members = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """What the next bytes hold, in pieces of at most 64 KiB."""
        while data:
            if self._open is None:
                if self._members and not (self._gzip and data.startswith(_MAGIC)):
                    return  # padding after the end
                self._open = zlib.decompressobj(self._window(data[0]))
                self._members += 1
            yield from _pieces(self._open, data)
            data = b""
            if self._open.eof:
                data, self._open = self._open.unused_data, None

    def end(self) -> None:
        """Say that nothing follows."""
        if self._open is not None:
            raise ValueError("it was cut off")

    def _window(self, first: int) -> int:
        """Some servers leave the frame around `deflate` out."""
        return _GZIP if self._gzip else _ZLIB if first & 15 == 8 else _BARE


def _pieces(inflater: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
    full = True
    while full:  # a full piece may have left something behind, even when all bytes were taken
        try:
            piece = inflater.decompress(data, _PIECE)
        except zlib.error:
            raise ValueError("it is damaged, or not compressed as it says") from None
        data, full = inflater.unconsumed_tail, len(piece) == _PIECE
        if piece:
            yield piece
