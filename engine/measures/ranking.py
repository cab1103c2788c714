"""Rankings: the order of documents, what a cutoff leaves of it, and what to do about repeats and ties.

The default policy for ties is the order in which the target returned its hits, because that is what a
person sees. `rank_by_score` is for runs that carry scores only, and `pessimistic` for a lower bound.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from math import isnan

__all__ = ["descending", "first", "keep_first", "pessimistic", "rank_by_score", "tied_groups"]


def first(ranking: Sequence[str], cutoff: int | None) -> Sequence[str]:
    """The ranks that a measure looks at: all of them when `cutoff` is None.

    Raises:
        ValueError: `cutoff` is below 1, or `ranking` repeats a document.
    """
    if len(set(ranking)) != len(ranking):
        raise ValueError(f"{keep_first(ranking)[1][0]!r} is ranked twice")
    if cutoff is None:
        return ranking
    if cutoff < 1:
        raise ValueError(f"a cutoff is at least 1, not {cutoff}")
    return ranking[:cutoff]


def keep_first(sources: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ranking without repeats, and every repeat that was dropped, in order.

    A document counts where it first appears; counting it again would put nDCG above 1.
    """
    seen: set[str] = set()
    repeats = []
    for source in sources:
        if source in seen:
            repeats.append(source)
        seen.add(source)
    return tuple(dict.fromkeys(sources)), tuple(repeats)


def rank_by_score(scores: Mapping[str, float]) -> tuple[str, ...]:
    """Best score first; equal scores by document id, descending by code point, as trec_eval does.

    Raises:
        ValueError: a score is NaN, which has no place in any order.
    """
    for source, score in scores.items():
        if isnan(score):
            raise ValueError(f"the score of {source!r} is not a number")
    # Both sorts are stable, so the first decides among equal scores.
    return tuple(sorted(sorted(scores, reverse=True), key=scores.__getitem__, reverse=True))


def descending(scores: Sequence[float | None]) -> bool:
    """Whether scores never rise from one hit to the next, in the order returned. Unknown scores are passed over."""
    known = [score for score in scores if score is not None]
    return all(upper >= lower for upper, lower in pairwise(known))


def tied_groups(scores: Sequence[float | None], cutoff: int | None = None) -> int:
    """How many groups of neighbouring hits share one score, in the order returned.

    Groups that begin below the cutoff are not counted: no order inside them can change a measure. A hit
    without a score is tied with nothing.
    """
    rank, groups = 1, 0
    for score, group in groupby(scores):
        size = len(tuple(group))
        if score is not None and size > 1 and (cutoff is None or rank <= cutoff):
            groups += 1
        rank += size
    return groups


def pessimistic(ranking: Sequence[str], scores: Mapping[str, float], grades: Mapping[str, float]) -> tuple[str, ...]:
    """The worst order that the scores allow: inside a group of equal scores the lowest grade comes first.

    A document without a score keeps its place.
    """
    ordered: list[str] = []
    for score, group in groupby(ranking, key=scores.get):
        tied = list(group)
        if score is not None:
            tied.sort(key=lambda source: grades.get(source, 0.0))
        ordered += tied
    return tuple(ordered)
