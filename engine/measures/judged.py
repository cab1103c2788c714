"""Judged: how much of what was returned has somebody looked at?"""

from collections.abc import Mapping, Sequence

from engine.measures.ranking import first

__all__ = ["judged"]


def judged(ranking: Sequence[str], grades: Mapping[str, float], cutoff: int | None = None) -> float | None:
    """The share of the first results that has a judgement. Low values make every other measure doubtful.

    judged documents in the first k ranks / documents returned in the first k ranks.

    Args:
        ranking: document ids, best first, each at most once. Shape (n,), n >= 0.
        grades: document id to relevance grade. A grade of 0 is a judgement; a negative grade means in
            the pool but not judged.
        cutoff: k, >= 1. None: all ranks.

    Returns:
        A number in [0, 1], no unit. None when nothing was returned: 0 of 0.

    Raises:
        ValueError: `cutoff` is below 1, or `ranking` repeats a document.

    Source:
        ir_measures `Judged@k`. (trec_eval's `unj` divides by k instead.)
    """
    looked = first(ranking, cutoff)
    if not looked:
        return None
    return sum([grades.get(source, -1.0) >= 0 for source in looked]) / len(looked)
