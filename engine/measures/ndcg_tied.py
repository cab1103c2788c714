"""nDCG averaged over every order that tied scores allow."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import fsum

from engine.measures.gain import gains, ideal_gains, normalised
from engine.measures.ranking import first

__all__ = ["ndcg_tied"]


def ndcg_tied(
    ranking: Sequence[str], scores: Mapping[str, float], grades: Mapping[str, float], cutoff: int | None = None
) -> float | None:
    """What nDCG would be on average if documents with equal scores were shuffled.

    Every document of a tied group gets the mean gain of its group. DCG is linear in the gains, so this
    is exact; it would not be for reciprocal rank or average precision, which is why those have no such form.

    Args:
        ranking: document ids, best first, each at most once. Shape (n,), n >= 0.
        scores: document id to score. Neighbours with equal scores are tied; a document without a score
            is tied with nothing.
        grades: document id to relevance grade, as for `ndcg`.
        cutoff: how many ranks are looked at, >= 1. A group may lie across it. None: all.

    Returns:
        A number in [0, 1], no unit. None when no document has a grade above 0.

    Raises:
        ValueError: `cutoff` is below 1, or `ranking` repeats a document.

    Source:
        McSherry & Najork, ECIR 2008, equation for nDCG.
    """
    looked = len(first(ranking, cutoff))
    found: list[float] = []
    for score, group in groupby(ranking, key=scores.get):
        gain = gains(tuple(group), grades)
        found += gain if score is None else [fsum(gain) / len(gain)] * len(gain)
    return normalised(found[:looked], ideal_gains(grades, cutoff))
