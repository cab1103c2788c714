"""How a streamed reply is read, cut anywhere: pieces of JSON come in, and what they mean says a dialect."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Protocol

from engine.model.record import Failure
from engine.model.usage import Usage
from engine.providers.dialect import BadReply, ModelReply
from engine.providers.reading import failed, is_object, parsed

__all__ = ["Piece", "Splitter", "StreamReader"]

_NO_USAGE = Usage(problem="no usage in the answer")
_CUT = "the answer broke off before its end"
_CUT_USAGE = Usage(problem="the answer broke off before its usage")

Piece = tuple[str, bytes]
"""One part of a stream: the name of its event, empty where there is none, and its JSON."""


class Splitter(Protocol):
    """Cuts a stream into its pieces, however it comes."""

    def feed(self, data: bytes) -> Iterable[Piece]:
        """The pieces that are whole now. Raises ValueError when it is no such stream."""
        ...

    def end(self) -> Iterable[Piece]:
        """What was begun and not closed."""
        ...


class StreamReader(ABC):
    """Reads a streamed reply. A dialect says what a piece means, when it is whole, and what came of all.

    Attributes:
        started: whether a piece of text has come.
        whole: whether the end has come. What comes after it is not read.
    """

    def __init__(self, splitter: Splitter) -> None:
        self.started = False
        self.whole = False
        self._splitter = splitter

    @abstractmethod
    def take(self, value: dict[str, object]) -> None:
        """Take the next piece. Raises ValueError when it cannot be one."""

    @abstractmethod
    def usage(self) -> Usage | None:
        """What is known so far; None when nothing was said."""

    @abstractmethod
    def reply(self) -> ModelReply:
        """The reply, from all pieces. Raises ValueError when they are none."""

    def feed(self, data: bytes) -> None:
        """Take the next bytes. Raises BadReply when they cannot be of such a stream."""
        try:
            for piece in self._splitter.feed(data):
                self._piece(*piece)
        except ValueError as error:
            raise self._bad(error) from error

    def end(self) -> ModelReply:
        """The whole reply. Raises BadReply when the stream ended too early."""
        try:
            if not self.whole:
                self._last()
            if self.closed():
                return self.reply()
        except ValueError as error:
            raise self._bad(error) from error
        raise BadReply(Failure.TRANSPORT, _CUT, self.usage() or _CUT_USAGE)

    def _last(self) -> None:
        """The last line may lack its end. When it is no whole piece, the stream was cut there."""
        for name, data in self._splitter.end():
            try:
                value = None if data == b"[DONE]" else parsed(data)
            except ValueError:
                return
            if value is None or is_object(value):
                self._piece(name, data)

    def _piece(self, event: str, data: bytes) -> None:
        if self.whole:
            return
        if data == b"[DONE]":
            self.done()
            return
        value = parsed(data)
        if not is_object(value):
            raise ValueError("a piece of it is no object")
        told = value.get("error")
        if told is None and (event or value.get("type")) == "error":
            told = value
        if told is not None:
            raise failed(told, self.usage() or _CUT_USAGE)
        self.take(value)

    def done(self) -> None:
        """The line `[DONE]`."""
        self.whole = True

    def closed(self) -> bool:
        """Whether nothing of the answer can be missing when the stream ends now."""
        return self.whole

    def _bad(self, error: ValueError) -> BadReply:
        return BadReply(Failure.SCHEMA_INVALID, f"the reply cannot be read: {error}", self.usage() or _NO_USAGE)
