"""R-precision: precision at as many ranks as there are relevant documents."""

from collections.abc import Mapping, Sequence

from engine.measures.precision import precision
from engine.measures.ranking import first
from engine.measures.relevance import ANY_GRADE, relevant_count

__all__ = ["rprec"]


def rprec(ranking: Sequence[str], grades: Mapping[str, float], *, relevant_from: float = ANY_GRADE) -> float | None:
    """Precision at R, where R is the number of relevant documents known: a perfect result reaches 1.

    Args:
        ranking: document ids, best first, each at most once. Shape (n,), n >= 0.
        grades: document id to relevance grade. A document that is absent is not relevant.
        relevant_from: the lowest grade that counts as relevant, above 0. Default: any above 0.

    Returns:
        A number in [0, 1], no unit. None when no document is relevant.

    Raises:
        ValueError: `ranking` repeats a document.

    Source:
        trec_eval `Rprec`.
    """
    first(ranking, None)
    relevant = relevant_count(grades, relevant_from)
    return precision(ranking, grades, relevant, relevant_from=relevant_from) if relevant else None
