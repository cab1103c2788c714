"""What a check or a condition can say: a closed list of nouns, each with its place in the text."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from engine.rubric.diagnostic import NOWHERE, Span

__all__ = [
    "All",
    "Any",
    "AnyMustFails",
    "Between",
    "CitesSource",
    "CitesSources",
    "Contains",
    "Ends",
    "Equals",
    "Expected",
    "Expression",
    "HasWord",
    "IsEmpty",
    "Length",
    "LooksLike",
    "Matches",
    "NameGiven",
    "NameIs",
    "NameNumber",
    "Not",
    "RefPasses",
    "RefScore",
    "RefUngraded",
    "ResultsContain",
    "Score",
    "ScoreUngraded",
    "Starts",
    "ToolArgument",
    "ToolCalled",
    "ToolOrder",
    "TopResult",
    "ValidJson",
    "leaves",
]


@dataclass(frozen=True, slots=True)
class Between:
    """A range of numbers. None is no end; an open end does not belong to it.

    `unit` is the word that followed (`seconds`), empty when there was none.
    """

    low: Decimal | None = None
    high: Decimal | None = None
    low_open: bool = False
    high_open: bool = False
    unit: str = ""
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class All:
    """Every part holds."""

    parts: tuple["Expression", ...]
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Any:
    """At least one part holds."""

    parts: tuple["Expression", ...]
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: "Expression"
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Contains:
    """The answer has at least `at_least` of the texts in it."""

    texts: tuple[str, ...]
    at_least: int = 1
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class HasWord:
    """The answer has this word or phrase, not as a part of a longer word."""

    text: str
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Starts:
    """The answer begins with the text."""

    text: str
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Ends:
    """The answer ends with the text."""

    text: str
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Equals:
    """The answer is the text and nothing else."""

    text: str
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected answer of the query: the answer `contains` it, `equals` it, or it `is given` at all."""

    how: Literal["contains", "equals", "is given"]
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Matches:
    """A pattern is found in the answer."""

    pattern: str
    any_case: bool = False
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class LooksLike:
    """The shape is found in the answer: `#` a digit, `@` a letter, `*` anything but a blank."""

    shape: str
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Length:
    """How long the answer is, counted in `unit`: words, characters, sentences or lines."""

    unit: str
    range: Between
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class CitesSources:
    """How many different sources the answer cites."""

    range: Between
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class CitesSource:
    """The answer cites this source."""

    source: str
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class ValidJson:
    """The answer is JSON, and an object with these fields when any are named."""

    fields: tuple[str, ...] = ()
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class IsEmpty:
    """The answer has nothing in it but blanks."""

    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """How often a tool was called."""

    tool: str
    range: Between
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class ToolOrder:
    """The first call of `first` came before the first call of `second`; both were called."""

    first: str
    second: str
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class ToolArgument:
    """A call of the tool had this argument with this text in it."""

    tool: str
    argument: str
    text: str
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class ResultsContain:
    """`sources`: are they among the first `top` results (all results when None)?

    All of them have to be there; with `any_of`, one is enough ("results do not contain" is its Not).
    """

    sources: tuple[str, ...]
    top: int | None = None
    any_of: bool = False
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class TopResult:
    """The first result is this source."""

    source: str
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class NameNumber:
    """A measure or a recorded number lies in a range. The unit has been turned into the measure's own."""

    name: str
    range: Between
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class NameIs:
    """A field of the query is one of these values."""

    name: str
    values: tuple[str, ...]
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class NameGiven:
    """A field or a measure is known."""

    name: str
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class RefScore:
    """The score of another criterion or group lies in a range."""

    ref: str
    range: Between
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class RefPasses:
    """Another criterion or group passes."""

    ref: str
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class RefUngraded:
    """Another criterion or group has no score yet."""

    ref: str
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Score:
    """The score of the rubric lies in a range. Only in verdicts and caps."""

    range: Between
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class ScoreUngraded:
    """The score of the rubric is not known yet. Only in verdicts."""

    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class AnyMustFails:
    """At least one must or must not fails. Only in verdicts and caps."""

    at: Span = field(default=NOWHERE, compare=False)


Expression = (
    All
    | Any
    | Not
    | Contains
    | HasWord
    | Starts
    | Ends
    | Equals
    | Expected
    | Matches
    | LooksLike
    | Length
    | CitesSources
    | CitesSource
    | ValidJson
    | IsEmpty
    | ToolCalled
    | ToolOrder
    | ToolArgument
    | ResultsContain
    | TopResult
    | NameNumber
    | NameIs
    | NameGiven
    | RefScore
    | RefPasses
    | RefUngraded
    | Score
    | ScoreUngraded
    | AnyMustFails
)


def leaves(expression: Expression) -> Iterator[Expression]:
    """The parts that are neither and, or nor not."""
    match expression:
        case All() | Any():
            for part in expression.parts:
                yield from leaves(part)
        case Not():
            yield from leaves(expression.part)
        case _:
            yield expression
