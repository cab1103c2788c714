"""Success: is there anything relevant at all among the first results?"""

from collections.abc import Mapping, Sequence

from engine.measures.ranking import first
from engine.measures.relevance import ANY_GRADE, relevant_count

__all__ = ["success"]


def success(
    ranking: Sequence[str],
    grades: Mapping[str, float],
    cutoff: int | None = None,
    *,
    relevant_from: float = ANY_GRADE,
) -> float | None:
    """1 when at least one of the first `cutoff` ranks holds a relevant document, else 0.

    Args:
        ranking: document ids, best first, each at most once. Shape (n,), n >= 0.
        grades: document id to relevance grade. A document that is absent is not relevant.
        cutoff: how many ranks are looked at, >= 1. None: all.
        relevant_from: the lowest grade that counts as relevant, above 0. Default: any above 0.

    Returns:
        0.0 or 1.0, no unit. None when no document is relevant, because then success was impossible.

    Raises:
        ValueError: `cutoff` is below 1, or `ranking` repeats a document.

    Source:
        trec_eval `success`.
    """
    for source in first(ranking, cutoff):
        if grades.get(source, 0.0) >= relevant_from:
            return 1.0
    return 0.0 if relevant_count(grades, relevant_from) else None
