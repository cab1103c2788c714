"""What a check may call by name: measures, numbers recorded in the exchange, and words about the query."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType

from engine import measures
from engine.measures import Measured
from engine.model.exchange import Exchange
from engine.rubric.evidence import Evidence
from engine.rubric.numbers import plain
from engine.text import nearest, one_slip

__all__ = [
    "FIELDS",
    "NUMBERS",
    "SOME_NUMBERS",
    "Quantity",
    "field_number",
    "field_word",
    "plain_name",
    "quantity",
    "suggest",
]


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
    cited = evidence.cited
    return Measured(None, "the target does not report what it cites") if cited is None else Measured(len(cited))


def _results(evidence: Evidence) -> Measured:
    hits = evidence.exchange.answer.hits
    return Measured(None, "the target returns no results list") if hits is None else Measured(len(hits))


def _recorded(name: str, kind: str, example: str = "") -> "Quantity":
    """A number that the target or another tool recorded about the answer; nothing here computes it."""

    def read(evidence: Evidence) -> Measured:
        value = evidence.exchange.answer.numbers.get(name)
        if value is None:
            return Measured(None, "nothing recorded it")
        if kind == "ratio" and not 0 <= value <= 1:
            return Measured(None, f"recorded as {value:.6g}, and it runs from 0 to 1")
        return Measured(value)

    return Quantity(name, kind, read, example)


NUMBERS = {
    quantity.name: quantity
    for quantity in (
        Quantity("number of results", "count", _results, "full marks at 5, no marks at 0"),
        Quantity("tool calls", "count", _tool_calls, "full marks at 2, no marks at 10"),
        Quantity("citations", "count", _citations, "full marks at 3, no marks at 0"),
        _recorded("tokens", "count", "full marks at 500, no marks at 2000"),
        _recorded("steps", "count", "full marks at 4, no marks at 12"),
        _recorded("similarity", "ratio"),
        _recorded("faithfulness", "ratio"),
        _recorded("citation precision", "ratio"),
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

SOME_NUMBERS = f"it can be a measure such as ndcg@10, or: latency, cost, {', '.join(NUMBERS)}"
"""What to say to somebody whose name for something is close to none that we know."""


def quantity(name: str) -> Quantity | None:
    """The number that a name stands for, or None when nothing records it."""
    wanted = plain_name(name)
    if wanted in NUMBERS:
        return NUMBERS[wanted]
    bound = measures.measure(wanted)
    if bound is None:
        return None
    kind = "ratio" if bound.measure.ratio else _KIND.get(bound.measure.unit, "count")
    return Quantity(bound.name, kind, bound.seen, _EXAMPLES.get(bound.measure.name, ""))


def field_number(name: str) -> Quantity:
    """A number that the query set records in a field; also one that was recorded about the answer."""

    def read(evidence: Evidence) -> Measured:
        value = evidence.exchange.query.fields.get(name, evidence.exchange.answer.numbers.get(name))
        if value is None:
            return Measured(None, "nothing recorded it")
        if isinstance(value, str):
            return Measured(None, f'recorded as "{value}", which is no number')
        return Measured(value)

    return Quantity(name, "count", read)


def field_word(name: str) -> Callable[[Exchange], str | None]:
    """How to find a word about the query: one that every query has, or one of its own fields."""
    known = FIELDS.get(name)
    if known is not None:
        return known

    def read(exchange: Exchange) -> str | None:
        value = exchange.query.fields.get(name)
        return plain(Decimal(repr(value))) if isinstance(value, float | int) else value  # every digit: 1234567

    return read


def suggest(name: str, fields: tuple[str, ...] = ()) -> str | None:
    """The name that was most likely meant."""
    wanted = plain_name(name)
    near = (nearest(wanted, (*fields, *NUMBERS, *FIELDS)), measures.meant(wanted))
    both = [each for each in near if each is not None]
    slips = [each for each in both if one_slip(wanted, each) or one_slip(_word(wanted), _word(each))]
    return (slips or [nearest(wanted, both) or both[0]])[0] if both else None


def _word(name: str) -> str:
    """A measure without its cutoff."""
    return name.partition("@")[0]


def plain_name(name: str) -> str:
    """Names are the same in any case and with any blanks."""
    return " ".join(name.casefold().split())
