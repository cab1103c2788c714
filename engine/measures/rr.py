"""Reciprocal rank: how far down is the first relevant result?"""

from collections.abc import Mapping, Sequence

from engine.measures.ranking import first
from engine.measures.relevance import ANY_GRADE, relevant_count

__all__ = ["rr"]


def rr(
    ranking: Sequence[str],
    grades: Mapping[str, float],
    cutoff: int | None = None,
    *,
    relevant_from: float = ANY_GRADE,
) -> float | None:
    """1 / rank of the first relevant document; its mean over queries is called MRR.

    Args:
        ranking: document ids, best first, each at most once. Shape (n,), n >= 0.
        grades: document id to relevance grade. A document that is absent is not relevant.
        cutoff: how many ranks are looked at, >= 1. None: all, however far down.
        relevant_from: the lowest grade that counts as relevant, above 0. Default: any above 0.

    Returns:
        A number in [0, 1], no unit: 1.0 when the first result is relevant, 0.0 when none of those
        looked at is. None when no document is relevant.

    Raises:
        ValueError: `cutoff` is below 1, or `ranking` repeats a document.

    Source:
        Voorhees, TREC-8 question answering track, 1999; trec_eval `recip_rank`, which has no cutoff.
    """
    for rank, source in enumerate(first(ranking, cutoff), start=1):
        if grades.get(source, 0.0) >= relevant_from:
            return 1 / rank
    return 0.0 if relevant_count(grades, relevant_from) else None
