"""Precision: which share of the first results is relevant."""

from collections.abc import Mapping, Sequence

from engine.measures.ranking import first
from engine.measures.relevance import ANY_GRADE

__all__ = ["precision"]


def precision(
    ranking: Sequence[str],
    grades: Mapping[str, float],
    cutoff: int | None = None,
    *,
    relevant_from: float = ANY_GRADE,
) -> float:
    """The share of the first `cutoff` ranks that hold a relevant document.

    relevant documents in the first k ranks / k. A rank that was not filled counts as not relevant.

    Args:
        ranking: document ids, best first, each at most once. Shape (n,), n >= 0.
        grades: document id to relevance grade. A document that is absent is not relevant.
        cutoff: k, >= 1. None divides by the number of documents returned (0.0 when there are none).
        relevant_from: the lowest grade that counts as relevant, above 0. Default: any above 0.

    Returns:
        A number in [0, 1], no unit. Never None: with no relevant document it is 0, and says nothing
        about the ranking, which is why the table of measures then reports it as unknown.

    Raises:
        ValueError: `cutoff` is below 1, or `ranking` repeats a document.

    Source:
        trec_eval `P` and, without cutoff, `set_P`.
    """
    looked = first(ranking, cutoff)
    found = sum([grades.get(source, 0.0) >= relevant_from for source in looked])
    return found / (cutoff or len(looked) or 1)
