"""One turn with a target, and what came back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from engine.model.query import Query
from engine.model.usage import Cost, Usage

__all__ = ["Answer", "Exchange", "Hit", "ToolCall", "Turn"]

_NO_NUMBERS: Mapping[str, float] = MappingProxyType({})  # one for all answers


class Turn(NamedTuple):
    """What is said to the target. `query_id` lets a replay find its recorded answer."""

    say: str
    query_id: str


class Hit(NamedTuple):
    """One retrieved document. `score` is the target's own number, None when it gave none.

    A named tuple, because a run makes more of these than of anything else: it costs a third.
    """

    rank: int
    source: str
    score: float | None = None
    title: str = ""
    snippet: str = ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool the target used, with its arguments as text."""

    name: str
    arguments: Mapping[str, str] = field(default_factory=dict)


class Answer(NamedTuple):
    """What a target returned. None means the target does not report this, never "empty".

    Attributes:
        hits: retrieved documents in the order they were returned; each source at most once.
        text: the written answer.
        citations: sources the written answer points at.
        tool_calls: tools used, in order.
        latency_s: seconds per operation (`search`, `answer` …), without engine overhead.
        notes: what the target had to mend, such as a document returned twice.
        numbers: other numbers that the target or another tool recorded about the answer, by name:
            `tokens`, `steps`, `similarity`, `faithfulness`. What is not in it is not known.
        usage, cost: of everything that was called for the answer; None when nothing was called.
        model: the model that answered, as it named itself.
    """

    hits: tuple[Hit, ...] | None = None
    text: str | None = None
    citations: tuple[str, ...] | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    latency_s: Mapping[str, float] = _NO_NUMBERS
    notes: tuple[str, ...] = ()
    numbers: Mapping[str, float] = _NO_NUMBERS
    usage: Usage | None = None
    cost: Cost | None = None
    model: str | None = None


class Exchange(NamedTuple):
    """A turn with its answer, beside the query it belongs to. This is what gets graded.

    `latency_s` is the whole time of the answer, in seconds; `cost_usd` None means not known.
    """

    query: Query
    turn: Turn
    answer: Answer
    latency_s: float | None = None
    cost_usd: float | None = None
