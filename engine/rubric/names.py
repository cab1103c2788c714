"""What a check may call by name: measures, numbers recorded in the exchange, and words about the query."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine import measures
from engine.measures import Measured
from engine.model.exchange import Exchange
from engine.rubric.evidence import Evidence
from engine.text import nearest

__all__ = [
    "ALL_FIELDS",
    "FIELDS",
    "LATER",
    "SOME_NUMBERS",
    "Quantity",
    "not_recorded",
    "plain_name",
    "quantity",
    "suggest",
]

LATER = ("similarity", "citation precision", "tokens", "steps", "faithfulness")
"""Measures of the language that this version cannot compute."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number about one exchange.

    Attributes:
        kind: "ratio" (0 to 1, 1 is best), "time" in seconds, "money" in dollars, or "count".
        example: where it could earn full marks and where none; empty for a ratio.
    """

    name: str
    kind: str
    read: Callable[[Evidence], Measured]
    example: str = ""


def _tool_calls(evidence: Evidence) -> Measured:
    calls = evidence.exchange.answer.tool_calls
    return Measured(None, "the target does not report its tool calls") if calls is None else Measured(len(calls))


def _citations(evidence: Evidence) -> Measured:
    cited = evidence.exchange.answer.citations
    return Measured(None, "the target does not report what it cites") if cited is None else Measured(len(set(cited)))


def _results(evidence: Evidence) -> Measured:
    hits = evidence.exchange.answer.hits
    return Measured(None, "the target returns no results list") if hits is None else Measured(len(hits))


_COUNTS = {
    quantity.name: quantity
    for quantity in (
        Quantity("number of results", "count", _results, "full marks at 5, no marks at 0"),
        Quantity("tool calls", "count", _tool_calls, "full marks at 2, no marks at 10"),
        Quantity("citations", "count", _citations, "full marks at 3, no marks at 0"),
    )
}

FIELDS: Mapping[str, Callable[[Exchange], str | None]] = MappingProxyType(
    {
        "intent": lambda exchange: exchange.query.intent,
        "category": lambda exchange: exchange.query.category,
        "task context": lambda exchange: exchange.query.task_context,
    }
)
"""Words that a query set records about each query."""

_KIND = {"seconds": "time", "dollars": "money"}
_EXAMPLES = {
    "latency": "full marks at 2 seconds, no marks at 10 seconds",
    "cost": "full marks at 0.01 dollars, no marks at 0.1 dollars",
    "rbp_residual": "full marks at 0, no marks at 1",
}

SOME_NUMBERS = f"it can be a measure such as ndcg@10, or: latency, cost, {', '.join(_COUNTS)}"
ALL_FIELDS = f"it can be: {', '.join(FIELDS)}"
"""What to say to somebody whose name for something is close to none that we know."""


def quantity(name: str) -> Quantity | None:
    """The number that a name stands for, or None when nothing records it."""
    wanted = plain_name(name)
    if wanted in _COUNTS:
        return _COUNTS[wanted]
    bound = measures.measure(wanted)
    if bound is None:
        return None
    kind = "ratio" if bound.measure.ratio else _KIND.get(bound.measure.unit, "count")
    return Quantity(bound.name, kind, bound.seen, _EXAMPLES.get(bound.measure.name, ""))


def not_recorded(evidence: Evidence) -> Measured:
    """A declared field that no query set records."""
    return Measured(None, "nothing records it")


def suggest(name: str, fields: tuple[str, ...] = ()) -> str | None:
    """The name that was most likely meant."""
    wanted = plain_name(name)
    return measures.meant(wanted) or nearest(wanted, (*_COUNTS, *FIELDS, *fields, *LATER))


def plain_name(name: str) -> str:
    """Names are the same in any case and with any blanks."""
    return " ".join(name.casefold().split())
