"""nDCG with exponential gain: a top grade outweighs many middling ones."""

from collections.abc import Mapping, Sequence

from engine.measures.gain import gains, ideal_gains, normalised
from engine.measures.ranking import first

__all__ = ["HIGHEST_GRADE", "ndcg_exp"]

HIGHEST_GRADE = 100.0
"""2 to the power of more than this says nothing and soon leaves the range of floats."""


def ndcg_exp(ranking: Sequence[str], grades: Mapping[str, float], cutoff: int | None = None) -> float | None:
    """How close a ranking comes to the best possible one, when high grades count much more than low ones.

    DCG / ideal DCG, where DCG is the sum of gain / log2(rank + 1) and gain = 2 ** grade - 1.

    Args:
        ranking: document ids, best first, each at most once. Shape (n,), n >= 0.
        grades: document id to relevance grade, at most 100. A document that is absent, or has a
            negative grade, gains 0.
        cutoff: how many ranks are looked at, >= 1, in the ranking and in the ideal. None: all.

    Returns:
        A number in [0, 1], no unit. None when no document has a grade above 0.

    Raises:
        ValueError: `cutoff` is below 1, `ranking` repeats a document, or a grade is above 100.

    Source:
        Burges et al., ICML 2005; the form that TREC's gdeval computes.
    """
    looked = first(ranking, cutoff)
    best = ideal_gains(grades, cutoff)
    if best and best[0] > HIGHEST_GRADE:
        raise ValueError(f"a grade of {best[0]:g} is above {HIGHEST_GRADE:g}")
    return normalised(
        [2.0**grade - 1 for grade in gains(looked, grades)],
        [2.0**grade - 1 for grade in best],
    )
