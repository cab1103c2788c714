"""What a compiled check is, and what one can ask about the rest of the rubric."""

from collections.abc import Callable
from typing import Protocol

from engine.rubric.evidence import Evidence

__all__ = ["Holds", "Parts"]

Holds = Callable[[Evidence], bool | None]
"""Evidence in; True, False or None (not known) out."""


class Parts(Protocol):
    """What a condition can ask about other parts of the rubric.

    A part that does not apply neither passes nor fails, and its score lies in no range.
    """

    def bounds(self, ref: str, evidence: Evidence) -> tuple[float, float] | None:
        """Lowest and highest score, rounded; None when the part does not apply."""
        ...

    def passes(self, ref: str, evidence: Evidence) -> bool | None:
        """Whether the part passes; None when it cannot be told."""
        ...

    def fails(self, ref: str, evidence: Evidence) -> bool | None:
        """Whether the part fails; None when it cannot be told."""
        ...

    def may_skip(self, ref: str, evidence: Evidence) -> bool:
        """Whether the part may still turn out not to apply."""
        ...

    def total(self, evidence: Evidence) -> tuple[float, float] | None:
        """The same for the whole rubric."""
        ...

    def must_fails(self, evidence: Evidence) -> bool | None:
        """Whether any must fails."""
        ...
