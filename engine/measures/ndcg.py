"""nDCG: how close a ranking comes to the best possible order."""

from collections.abc import Mapping, Sequence

from engine.measures.gain import gains, ideal_gains, normalised
from engine.measures.ranking import first

__all__ = ["ndcg"]


def ndcg(ranking: Sequence[str], grades: Mapping[str, float], cutoff: int | None = None) -> float | None:
    """How close a ranking comes to the best possible one.

    DCG / ideal DCG, where DCG is the sum of gain / log2(rank + 1) and gain = max(0, grade).

    Args:
        ranking: document ids, best first, each at most once. Shape (n,), n >= 0.
        grades: document id to relevance grade, finite. A document that is absent, or has a negative
            grade, gains 0.
        cutoff: how many ranks are looked at, >= 1. The ideal then has that many ranks too; it is made
            from all judged documents, not from those that were found. None looks at every rank and
            takes the ideal over all judged documents.

    Returns:
        A number in [0, 1], no unit: 1.0 is the ideal order, 0.0 an empty result. None when no document
        has a grade above 0, because then no order is better than another.

    Raises:
        ValueError: `cutoff` is below 1, or `ranking` repeats a document.

    Source:
        Järvelin & Kekäläinen, TOIS 20(4), 2002, with gain = grade and discount = log2(rank + 1), the
        form that trec_eval computes as `ndcg` and `ndcg_cut`.
    """
    looked = first(ranking, cutoff)
    return normalised(gains(looked, grades), ideal_gains(grades, cutoff))
