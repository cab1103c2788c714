"""Discounted cumulative gain: what nDCG with linear and with exponential gain have in common."""

from collections.abc import Mapping, Sequence
from itertools import count
from math import fsum, log2
from operator import truediv

__all__ = ["dcg", "gains", "ideal_gains", "normalised"]

# Looking up what almost every ranking needs halves the time of a DCG.
_DISCOUNTS = tuple(map(log2, range(2, 1002)))


def gains(ranking: Sequence[str], grades: Mapping[str, float]) -> list[float]:
    """max(0, grade) of each document; 0 for one that nobody judged."""
    return [grade if (grade := grades.get(source, 0.0)) > 0 else 0.0 for source in ranking]


def ideal_gains(grades: Mapping[str, float], cutoff: int | None) -> list[float]:
    """The gains of the best possible order of all judged documents. Empty when nothing is relevant."""
    return sorted([grade for grade in grades.values() if grade > 0], reverse=True)[:cutoff]


def dcg(gain: Sequence[float]) -> float:
    """The sum of gain / log2(rank + 1), ranks from 1. Exact but for the last bit, on every Python."""
    discounts = _DISCOUNTS if len(gain) <= len(_DISCOUNTS) else map(log2, count(2))
    return fsum(map(truediv, gain, discounts))


def normalised(found: Sequence[float], best: Sequence[float]) -> float | None:
    """The gain found as a share of the best possible, in [0, 1]; None when nothing could be gained."""
    if not best:
        return None
    return min(dcg(found) / dcg(best), 1.0)
