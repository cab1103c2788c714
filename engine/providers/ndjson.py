"""One JSON value a line: a stream of bytes, cut anywhere, as lines."""

from engine.model.network import LONGEST_REPLY
from engine.providers.sse import LONGEST_LINE
from engine.providers.streaming import Piece

__all__ = ["Lines"]


class Lines:
    """Reads `application/x-ndjson`. Empty lines are none."""

    def __init__(self, longest: int = LONGEST_REPLY) -> None:
        self._left = longest
        self._parts: list[bytes] = []  # an unfinished line, in the pieces in which it came
        self._size = 0

    def feed(self, data: bytes) -> list[Piece]:
        """The lines that are whole now. Raises ValueError when a line or all of it is too long."""
        self._left -= len(data)
        if self._left < 0:
            raise ValueError("it is longer than any answer may be")
        found: list[Piece] = []
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._keep(line)
            found += self.end()
        self._keep(rest)
        return found

    def end(self) -> list[Piece]:
        """The line that was begun, which may be cut."""
        line = b"".join(self._parts).strip()
        self._parts.clear()
        self._size = 0
        return [("", line)] if line else []

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > LONGEST_LINE:
            raise ValueError("a line of it is too long")
        if part:
            self._parts.append(part)
