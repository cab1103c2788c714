"""Binary preference: are relevant documents ranked above those judged not relevant?"""

from collections.abc import Mapping, Sequence
from math import fsum

from engine.measures.ranking import first
from engine.measures.relevance import ANY_GRADE, relevant_count

__all__ = ["bpref"]


def bpref(ranking: Sequence[str], grades: Mapping[str, float], *, relevant_from: float = ANY_GRADE) -> float | None:
    """How often a relevant document stands above one that was judged not relevant. Ignores the unjudged.

    The sum over retrieved relevant documents of 1 - min(n, R) / min(N, R), divided by R, where n counts
    the judged non-relevant documents above, N those known, and R the relevant documents known.

    Args:
        ranking: document ids, best first, each at most once. Shape (n,), n >= 0.
        grades: document id to relevance grade. Absent and negative grades are unjudged and passed over.
        relevant_from: the lowest grade that counts as relevant, above 0. Default: any above 0.

    Returns:
        A number in [0, 1], no unit. None when no document is relevant.

    Raises:
        ValueError: `ranking` repeats a document.

    Source:
        Buckley & Voorhees, SIGIR 2004, as trec_eval computes it.
    """
    first(ranking, None)
    relevant = relevant_count(grades, relevant_from)
    if not relevant:
        return None
    against = min(sum([0 <= grade < relevant_from for grade in grades.values()]), relevant)
    above, preferred = 0, []
    for source in ranking:
        grade = grades.get(source, -1.0)
        if grade >= relevant_from:
            preferred.append(1 - min(above, relevant) / against if above else 1.0)
        elif grade >= 0:
            above += 1
    return fsum(preferred) / relevant
