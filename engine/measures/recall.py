"""Recall: which share of the relevant documents was found."""

from collections.abc import Mapping, Sequence

from engine.measures.ranking import first
from engine.measures.relevance import ANY_GRADE, relevant_count

__all__ = ["recall"]


def recall(
    ranking: Sequence[str],
    grades: Mapping[str, float],
    cutoff: int | None = None,
    *,
    relevant_from: float = ANY_GRADE,
) -> float | None:
    """The share of all relevant documents that is among the first `cutoff` ranks.

    relevant documents in the first k ranks / relevant documents known. It cannot reach 1 when more
    than k documents are relevant.

    Args:
        ranking: document ids, best first, each at most once. Shape (n,), n >= 0.
        grades: document id to relevance grade. A document that is absent is not relevant.
        cutoff: k, >= 1. None looks at every rank.
        relevant_from: the lowest grade that counts as relevant, above 0. Default: any above 0.

    Returns:
        A number in [0, 1], no unit. None when no document is relevant: 0 of 0.

    Raises:
        ValueError: `cutoff` is below 1, or `ranking` repeats a document.

    Source:
        trec_eval `recall` and, without cutoff, `set_recall`.
    """
    looked = first(ranking, cutoff)
    relevant = relevant_count(grades, relevant_from)
    if not relevant:
        return None
    return sum([grades.get(source, 0.0) >= relevant_from for source in looked]) / relevant
