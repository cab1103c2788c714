"""What a check may call by name: measures, numbers recorded in the exchange, and words about the query."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine import measures
from engine.measures import Measured
from engine.model.exchange import Exchange
from engine.text import nearest

__all__ = ["FIELDS", "LATER", "Quantity", "not_recorded", "plain_name", "quantity", "suggest"]

LATER = ("similarity", "citation precision", "tokens", "steps", "faithfulness")
"""Measures of the language that this version cannot compute."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number about one exchange.

    Attributes:
        kind: "ratio" (0 to 1, 1 is best), "time" in seconds, "money" in dollars, or "count".
    """

    name: str
    kind: str
    read: Callable[[Exchange], Measured]


def _tool_calls(exchange: Exchange) -> Measured:
    calls = exchange.answer.tool_calls
    return Measured(None, "the target does not report its tool calls") if calls is None else Measured(len(calls))


def _citations(exchange: Exchange) -> Measured:
    cited = exchange.answer.citations
    return Measured(None, "the target does not report what it cites") if cited is None else Measured(len(set(cited)))


def _results(exchange: Exchange) -> Measured:
    hits = exchange.answer.hits
    return Measured(None, "the target returns no results list") if hits is None else Measured(len(hits))


_COUNTS = {
    quantity.name: quantity
    for quantity in (
        Quantity("tool calls", "count", _tool_calls),
        Quantity("citations", "count", _citations),
        Quantity("number of results", "count", _results),
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


def quantity(name: str) -> Quantity | None:
    """The number that a name stands for, or None when nothing records it."""
    wanted = plain_name(name)
    if wanted in _COUNTS:
        return _COUNTS[wanted]
    bound = measures.measure(wanted)
    if bound is None:
        return None
    kind = "ratio" if bound.measure.ratio else _KIND.get(bound.measure.unit, "count")
    return Quantity(bound.name, kind, bound)


def not_recorded(exchange: Exchange) -> Measured:
    """A declared field that no query set records."""
    return Measured(None, "nothing records it")


def suggest(name: str, fields: tuple[str, ...] = ()) -> str | None:
    """The name that was most likely meant."""
    wanted = plain_name(name)
    return measures.meant(wanted) or nearest(wanted, (*_COUNTS, *FIELDS, *fields, *LATER))


def plain_name(name: str) -> str:
    """Names are the same in any case and with any blanks."""
    return " ".join(name.casefold().split())
