"""What went wrong, in words for the person who has to mend it.

AssayError            anything that stops a command; carries one or more problems
├── UsageError        2: the command line, a setting, a query set or a rubric is wrong; nothing ran
├── EngineError       4: the engine, the disk or a provider failed
└── Regression, Inconclusive and Interrupted are values (exit codes), not exceptions
"""

from collections.abc import Iterable
from enum import IntEnum
from typing import ClassVar, NamedTuple

__all__ = ["AssayError", "EngineError", "Exit", "Problem", "UsageError", "worst_exit"]


class Exit(IntEnum):
    """Exit codes, the same for every command."""

    PASSED = 0
    BLOCKED = 1
    USAGE = 2
    INCONCLUSIVE = 3
    FAILED = 4
    COST = 5
    INTERRUPTED = 130
    TERMINATED = 143


_RANK = (
    Exit.PASSED,
    Exit.BLOCKED,
    Exit.INCONCLUSIVE,
    Exit.COST,
    Exit.FAILED,
    Exit.USAGE,
    Exit.INTERRUPTED,
    Exit.TERMINATED,
)


def worst_exit(exits: Iterable[Exit]) -> Exit:
    """The one code that several outcomes share: 4 > 5 > 3 > 1, and an interrupt wins."""
    return max(exits, key=_RANK.index, default=Exit.PASSED)


class Problem(NamedTuple):
    """One thing that is wrong.

    Attributes:
        message: what is wrong, in one or two sentences.
        place: `file:line:column`, a file, or "command line"; empty when there is none.
        help: the next step, or empty.
    """

    message: str
    place: str = ""
    help: str = ""

    def __str__(self) -> str:
        head = f"{self.place}: {self.message}" if self.place else self.message
        return f"{head}\n  → {self.help}" if self.help else head


class AssayError(Exception):
    """A command cannot go on. `problems` holds every reason, in the order to read them."""

    exit: ClassVar[Exit] = Exit.FAILED

    def __init__(self, *problems: Problem | str) -> None:
        self.problems = tuple(p if isinstance(p, Problem) else Problem(p) for p in problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class UsageError(AssayError):
    """The person can mend this: nothing was run and nothing was written."""

    exit = Exit.USAGE


class EngineError(AssayError):
    """The engine, the disk or a system it depends on failed."""

    exit = Exit.FAILED
