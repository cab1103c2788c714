"""Rank-biased precision, and how much of it is still open because documents were not judged."""

from collections.abc import Mapping, Sequence
from math import fsum

from engine.measures.ranking import first
from engine.measures.relevance import ANY_GRADE

__all__ = ["PERSISTENCE", "rbp", "rbp_residual"]

PERSISTENCE = 0.8
"""The chance that a reader goes on to the next result: five results are read on average."""


def rbp(
    ranking: Sequence[str],
    grades: Mapping[str, float],
    cutoff: int | None = None,
    *,
    persistence: float = PERSISTENCE,
    relevant_from: float = ANY_GRADE,
) -> float:
    """The share of relevant documents that an impatient reader meets.

    (1 - p) times the sum of p ** (rank - 1) over the ranks that hold a relevant document.

    Args:
        ranking: document ids, best first, each at most once. Shape (n,), n >= 0.
        grades: document id to relevance grade. A document that is absent is not relevant; grades only
            say relevant or not.
        cutoff: how many ranks are looked at, >= 1. None: all.
        persistence: p, the chance that the reader goes on, in (0, 1).
        relevant_from: the lowest grade that counts as relevant, above 0. Default: any above 0.

    Returns:
        A number in [0, 1], no unit. It is a lower bound: the true value lies between it and it plus
        `rbp_residual`. Never None: with no relevant document it is 0, and says nothing about the
        ranking, which is why the table of measures then reports it as unknown.

    Raises:
        ValueError: `cutoff` is below 1, `ranking` repeats a document, or `persistence` is not in (0, 1).

    Source:
        Moffat & Zobel, TOIS 27(1), 2008, binary gain. (trec_eval's `rbp` uses p = 0.9.)
    """
    looked = first(ranking, cutoff)
    met = [rank for rank, source in enumerate(looked) if grades.get(source, 0.0) >= relevant_from]
    return min(_weight(met, persistence), 1.0)


def rbp_residual(
    ranking: Sequence[str],
    grades: Mapping[str, float],
    cutoff: int | None = None,
    *,
    persistence: float = PERSISTENCE,
) -> float:
    """How much RBP could still grow if every document that nobody judged were relevant.

    (1 - p) times the sum of p ** (rank - 1) over the ranks that hold an unjudged document, plus
    p ** n for everything below the n ranks looked at.

    Args:
        ranking: document ids, best first, each at most once. Shape (n,), n >= 0.
        grades: document id to relevance grade. A document that is absent, or has a negative grade
            (in the pool, but not judged), counts as unjudged.
        cutoff: how many ranks are looked at, >= 1. None: all.
        persistence: p, the chance that the reader goes on, in (0, 1).

    Returns:
        A number in (0, 1], no unit: 0 would be certainty. Never None.

    Raises:
        ValueError: `cutoff` is below 1, `ranking` repeats a document, or `persistence` is not in (0, 1).

    Source:
        Moffat & Zobel, TOIS 27(1), 2008, section 5.
    """
    looked = first(ranking, cutoff)
    unjudged = [rank for rank, source in enumerate(looked) if grades.get(source, -1.0) < 0]
    return min(_weight(unjudged, persistence) + persistence ** len(looked), 1.0)  # floats can end just above 1


def _weight(ranks: Sequence[int], persistence: float) -> float:
    """How much of the reader's attention these ranks get, counted from 0."""
    if not 0 < persistence < 1:
        raise ValueError(f"persistence lies between 0 and 1, not at {persistence:g}")
    return (1 - persistence) * fsum([persistence**rank for rank in ranks])
