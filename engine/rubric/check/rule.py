"""What a rule is."""

from collections.abc import Callable, Iterable

from engine.rubric.check.draft import Draft
from engine.rubric.diagnostic import Diagnostic

__all__ = ["Rule"]

Rule = Callable[[Draft], Iterable[Diagnostic]]
