"""Which grades make a document relevant, and which make it judged."""

from collections.abc import Mapping
from math import ulp

__all__ = ["ANY_GRADE", "relevant_count"]

ANY_GRADE = ulp(0.0)
"""The smallest number above 0. `grade >= ANY_GRADE` means "any grade above 0", fractions included."""


def relevant_count(grades: Mapping[str, float], relevant_from: float = ANY_GRADE) -> int:
    """How many documents are known to be relevant: those whose grade is `relevant_from` or higher."""
    return sum([grade >= relevant_from for grade in grades.values()])
