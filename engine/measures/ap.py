"""Average precision: precision at every relevant document, averaged."""

from collections.abc import Mapping, Sequence
from math import fsum

from engine.measures.ranking import first
from engine.measures.relevance import ANY_GRADE, relevant_count

__all__ = ["ap"]


def ap(
    ranking: Sequence[str],
    grades: Mapping[str, float],
    cutoff: int | None = None,
    *,
    relevant_from: float = ANY_GRADE,
) -> float | None:
    """Precision at the rank of each relevant document, averaged over all relevant documents.

    The sum of precision at each rank that holds a relevant document / relevant documents known. One
    that was not found adds 0. The mean over queries is called MAP.

    Args:
        ranking: document ids, best first, each at most once. Shape (n,), n >= 0.
        grades: document id to relevance grade. A document that is absent is not relevant.
        cutoff: how many ranks are looked at, >= 1; the divisor stays the same. None: all.
        relevant_from: the lowest grade that counts as relevant, above 0. Default: any above 0.

    Returns:
        A number in [0, 1], no unit. None when no document is relevant.

    Raises:
        ValueError: `cutoff` is below 1, or `ranking` repeats a document.

    Source:
        Harman, TREC-1, 1992; trec_eval `map` and `map_cut` for one query.
    """
    looked = first(ranking, cutoff)
    relevant = relevant_count(grades, relevant_from)
    if not relevant:
        return None
    ranks = [rank for rank, source in enumerate(looked, start=1) if grades.get(source, 0.0) >= relevant_from]
    return fsum([found / rank for found, rank in enumerate(ranks, start=1)]) / relevant
