"""Ctrl-C once: finish what is under way and leave the rest for a resume. Twice: stop at once."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from engine.errors import Exit

__all__ = ["Stop", "stoppable"]


class Stop:
    """Whether the person, or the system, asked the run to stop."""

    def __init__(self) -> None:
        self.exit: Exit | None = None

    def __call__(self) -> bool:
        return self.exit is not None

    def ask(self, number: int, _: FrameType | None) -> None:
        """A signal handler."""
        if self.exit is not None:
            raise KeyboardInterrupt
        self.exit = Exit.TERMINATED if number == signal.SIGTERM else Exit.INTERRUPTED
        print("\nstopping: what is under way is finished first; press Ctrl-C again to stop at once", file=sys.stderr)


@contextmanager
def stoppable() -> Iterator[Stop]:
    """While inside, SIGINT and SIGTERM ask the run to stop."""
    stop = Stop()
    before = {number: signal.signal(number, stop.ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
