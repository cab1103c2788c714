"""What the terminal can show: colour, pictures, width, and the line of progress."""

import argparse
import os
import shlex
import sys
from collections.abc import Mapping
from time import monotonic
from typing import TextIO

from engine.report.symbols import Symbols, symbols_for
from engine.text import harmless, one_line

__all__ = ["Progress", "colour_wanted", "say", "screen_symbols", "screen_width", "typed"]


def colour_wanted(choice: str, stream: TextIO, environment: Mapping[str, str]) -> bool:
    """`--color` wins; then FORCE_COLOR, NO_COLOR, a terminal that is not dumb."""
    if choice != "auto":
        return choice == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    return stream.isatty() and environment.get("TERM") != "dumb"


def screen_symbols(args: argparse.Namespace) -> Symbols:
    """Symbols for standard output."""
    return symbols_for(sys.stdout.encoding, colour=colour_wanted(args.color, sys.stdout, os.environ))


def screen_width() -> int:
    """Columns of the terminal; 0 (do not cut) when the output goes into a file or another program."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        return 0


def say(text: str) -> None:
    """Print text that may hold an author's words, made harmless for a terminal and for a CI system."""
    for line in text.split("\n"):
        print(harmless(line))


def typed(name: str) -> str:
    """The name of a file as a person types it in a command, so that a command that is shown can be copied."""
    shown = one_line(name)
    return shlex.quote(f"./{shown}" if shown.startswith("-") else shown)


class Progress:
    """How far a run is: a live line when both streams are terminals, else a line each 30 seconds."""

    def __init__(self, planned: int) -> None:
        self._planned = planned
        self._live = sys.stdout.isatty() and sys.stderr.isatty()
        self._said = monotonic()

    def tell(self, done: int, spent: str = "") -> None:
        """Show that `done` trials have a record, and what was spent of which limit."""
        now = monotonic()
        if now - self._said < (0.1 if self._live else 30):
            return
        self._said = now
        if self._live:
            after = f"  {spent}" if spent else ""
            sys.stderr.write(f"\r  {done}/{self._planned} ({done * 100 // self._planned}%){after}\x1b[K")
            sys.stderr.flush()
        else:
            print(f"{done}/{self._planned} done{f', {spent}' if spent else ''}", file=sys.stderr)

    def clear(self) -> None:
        """Take the live line away before something else is printed."""
        if self._live:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
