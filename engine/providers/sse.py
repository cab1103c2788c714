"""Server-sent events: a stream of bytes, cut anywhere, as events."""

from engine.model.network import LONGEST_REPLY
from engine.providers.streaming import Piece

__all__ = ["LONGEST_LINE", "Events"]

LONGEST_LINE = 2**20
"""Bytes of one line. What is longer is refused."""

_BOM = b"\xef\xbb\xbf"


class Events:
    """Reads `text/event-stream`: LF, CRLF and CR, comments, data over several lines, unknown fields."""

    def __init__(self, longest: int = LONGEST_REPLY) -> None:
        self._left = longest
        self._parts: list[bytes] = []  # an unfinished line, in the pieces in which it came
        self._size = 0
        self._after_cr = False
        self._first = True
        self._event = ""
        self._data: list[bytes] = []

    def feed(self, data: bytes) -> list[Piece]:
        """The events that are whole now. Raises ValueError when a line or all of it is too long."""
        self._left -= len(data)
        if self._left < 0:
            raise ValueError("it is longer than any answer may be")
        if b"\r" in data or self._after_cr:
            data = self._with_lf(data)
        found: list[Piece] = []
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._keep(line)
            self._take(self._line(), found)
        self._keep(rest)
        return found

    def end(self) -> list[Piece]:
        """The event that was begun, as far as it came. A line of it may be cut."""
        found: list[Piece] = []
        self._take(self._line(), found)
        self._take(b"", found)
        return found

    def _with_lf(self, data: bytes) -> bytes:
        """Line ends as LF. A CR at the end is one already; the LF that may follow it is none then."""
        if self._after_cr and data:
            data = data.removeprefix(b"\n")
            self._after_cr = False
        if data.endswith(b"\r"):
            self._after_cr = True
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > LONGEST_LINE:
            raise ValueError("a line of it is too long")
        if part:
            self._parts.append(part)

    def _line(self) -> bytes:
        line = b"".join(self._parts)
        self._parts.clear()
        self._size = 0
        return line

    def _take(self, line: bytes, found: list[Piece]) -> None:
        """Take a line. An empty one closes the event before it."""
        if self._first:
            line, self._first = line.removeprefix(_BOM), False
        if not line:
            if self._data:
                found.append((self._event, b"\n".join(self._data)))
                self._data.clear()
            self._event = ""
            return
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        elif field == b"event":
            self._event = value.decode("utf-8", "replace")
