"""One measure over many queries: which of them count, which are undefined, and which are missing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.measures.rounding import Mean

__all__ = ["Topics", "over_topics"]

Pure = Callable[[Sequence[str], Mapping[str, float]], float | None]


@dataclass(frozen=True, slots=True)
class Topics:
    """A measure for each judged query, and its mean with everything that is left out of it.

    Attributes:
        per_query: every judged query, in the order of the judgements; None means undefined.
        mean: over the queries with a value; None when there is none.
        counted: how many queries the mean is over.
        undefined: queries without a relevant document. Left out of the mean.
        missing: judged queries that the run does not answer. They count 0.
        unknown: queries of the run that nobody judged. Left out.
    """

    per_query: Mapping[str, float | None]
    mean: float | None
    counted: int
    undefined: tuple[str, ...]
    missing: tuple[str, ...]
    unknown: tuple[str, ...]


def over_topics(
    compute: Pure, rankings: Mapping[str, Sequence[str]], judgements: Mapping[str, Mapping[str, float]]
) -> Topics:
    """Apply a measure to every judged query: a query without results is a failure, not a gap."""
    values = {query: compute(rankings.get(query, ()), grades) for query, grades in judgements.items()}
    undefined = tuple(query for query, value in values.items() if value is None)
    mean = Mean.of(values.values())
    return Topics(
        per_query=values,
        mean=None if mean.exact is None else float(mean.exact),
        counted=mean.count,
        undefined=undefined,
        missing=tuple(query for query in judgements if query not in rankings and query not in undefined),
        unknown=tuple(query for query in rankings if query not in judgements),
    )
