"""Questions and answers in a terminal, a line each. Prints from top to bottom and no escape sequence."""

import os
from dataclasses import dataclass
from typing import TextIO

from engine.text import encodable

__all__ = ["Dialogue", "Gone"]


class Gone(Exception):
    """Nobody answers any more: the end of the input, Ctrl-D."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Asks on standard output and reads from `stream`.

    `flushes`: what was typed or pasted before a question appeared is no answer to it.
    """

    stream: TextIO
    flushes: bool

    @classmethod
    def over(cls, stream: TextIO, *, plain: bool) -> "Dialogue":
        """Bytes that are no text are read as such, so that a wrong encoding cannot stop it."""
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
        return cls(stream, not plain)

    def ask(self, question: str) -> str:
        """The answer, without blanks around it; empty when only Enter was pressed. Raises Gone."""
        if self.flushes:
            _forget_typed(self.stream)
        print(f"{question}: ", end="", flush=True)
        said = self.stream.readline()
        if not said:
            raise Gone
        return encodable(said).strip()


def _forget_typed(stream: TextIO) -> None:
    """Drop what waits in the terminal, such as the rest of a text with several lines that was pasted."""
    if os.name != "posix" or not stream.isatty():
        return
    import termios  # not on Windows

    termios.tcflush(stream, termios.TCIFLUSH)
