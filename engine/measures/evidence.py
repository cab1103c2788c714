"""From an exchange to what a measure needs: the ranking, the judgements, the recorded numbers."""

from collections.abc import Callable, Mapping, Sequence

from engine.measures.bound import Compute, Measured
from engine.measures.relevance import ANY_GRADE
from engine.measures.sight import Sight
from engine.measures.snippet import snippet

__all__ = ["cost", "for_relevant", "from_judgements", "latency", "snippets"]

Ranked = Callable[[Sequence[str], Mapping[str, float], int | None], float | None]

_NO_LIST = Measured(None, "the target returns no results list")
_NOT_JUDGED = Measured(None, "nobody judged this query")
_NO_ANSWER = Measured(None, "judged: no document answers this query")
_NO_RELEVANT = Measured(None, "judged: none of the known sources is relevant")
_NO_RESULTS = Measured(None, "no results were returned, so there is nothing to divide by")
_NO_WORDS = Measured(None, "the query has no content word to look for")
_NOTHING_SHOWN = Measured(None, "the results carry neither title nor snippet")
_NO_TIME = Measured(None, "the time of this answer was not recorded")
_NO_COST = Measured(None, "the cost of this answer is not known")


def for_relevant(ranked: Ranked, highest: float | None = None) -> Compute:
    """A measure that tells rankings apart by what is relevant, so it is unknown when nothing is.

    A grade above `highest` is off the measure's scale; the number is then unknown too.
    """

    def compute(sight: Sight, cutoff: int | None) -> Measured:
        ranking, grades = sight.ranking, sight.exchange.query.relevant
        if ranking is None:
            return _NO_LIST
        if grades is None:
            return _NOT_JUDGED
        top = sight.highest
        if top is None:
            return _NO_ANSWER
        if not top >= ANY_GRADE:
            return _NO_RELEVANT
        if highest is not None and top > highest:
            return Measured(None, f"a grade of {top:g} is above {highest:g}, the top of this measure's scale")
        value = ranked(ranking, grades, cutoff)
        return _NO_RELEVANT if value is None else Measured(value)

    return compute


def from_judgements(ranked: Ranked) -> Compute:
    """A measure of the judgements themselves: it needs results and judgements, relevant or not."""

    def compute(sight: Sight, cutoff: int | None) -> Measured:
        ranking, grades = sight.ranking, sight.exchange.query.relevant
        if ranking is None:
            return _NO_LIST
        if grades is None:
            return _NOT_JUDGED
        value = ranked(ranking, grades, cutoff)
        return _NO_RESULTS if value is None else Measured(value)

    return compute


def snippets(sight: Sight, cutoff: int | None) -> Measured:
    """What the first results show of the query. A target that shows no text at all is not marked down."""
    hits = sight.exchange.answer.hits
    if hits is None:
        return _NO_LIST
    shown = [f"{hit.title} {hit.snippet}" for hit in hits[:cutoff]]
    if shown and not any(map(str.strip, shown)):
        return _NOTHING_SHOWN
    value = snippet(sight.exchange.query.text, shown, cutoff)
    return _NO_WORDS if value is None else Measured(value)


def latency(sight: Sight, _: int | None) -> Measured:
    """The whole time of the answer, in seconds."""
    seconds = sight.exchange.latency_s
    return _NO_TIME if seconds is None else Measured(seconds)


def cost(sight: Sight, _: int | None) -> Measured:
    """What the answer cost, in dollars."""
    dollars = sight.exchange.cost_usd
    return _NO_COST if dollars is None else Measured(dollars)
