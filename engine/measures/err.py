"""Expected reciprocal rank: a reader goes down the list and stops when satisfied."""

from collections.abc import Mapping, Sequence

from engine.measures.ranking import first

__all__ = ["HIGHEST_GRADE", "err"]

HIGHEST_GRADE = 4.0
"""The top of the grade scale unless a caller says otherwise, as in gdeval."""


def err(
    ranking: Sequence[str],
    grades: Mapping[str, float],
    cutoff: int | None = None,
    *,
    max_grade: float = HIGHEST_GRADE,
) -> float:
    """The expected value of 1 / rank where a reader stops, when better documents stop more readers.

    The sum over ranks r of R(r) / r times the product of 1 - R(i) over the ranks i above, where
    R = (2 ** grade - 1) / 2 ** max_grade is the chance that a document satisfies.

    Args:
        ranking: document ids, best first, each at most once. Shape (n,), n >= 0.
        grades: document id to relevance grade, at most `max_grade`. A document that is absent, or has
            a negative grade, satisfies nobody.
        cutoff: how many ranks are looked at, >= 1. None: all.
        max_grade: the top of the grade scale, above 0: of the scale, not of this query, or queries
            could not be compared.

    Returns:
        A number in [0, 1), no unit. It is not normalised: the best possible order stays below 1.
        Never None: with no relevant document it is 0, and says nothing about the ranking, which is
        why the table of measures then reports it as unknown.

    Raises:
        ValueError: `cutoff` is below 1, `ranking` repeats a document, or a grade is above `max_grade`.

    Source:
        Chapelle, Metzler, Zhang & Grinspan, CIKM 2009; TREC's gdeval, with its maximum grade of 4.
    """
    looked = first(ranking, cutoff)
    if grades and (highest := max(grades.values())) > max_grade:
        raise ValueError(f"a grade of {highest:g} is above {max_grade:g}, the top of the scale")
    scale = 2.0**max_grade
    expected, still_reading = 0.0, 1.0
    for rank, source in enumerate(looked, start=1):
        grade = grades.get(source, 0.0)
        if grade > 0:
            satisfied = (2.0**grade - 1) / scale
            expected += still_reading * satisfied / rank
            still_reading *= 1 - satisfied
    return expected
