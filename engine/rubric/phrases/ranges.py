"""Ranges of numbers as they are written: `at least 3`, `between 1 and 2 seconds`."""

from dataclasses import dataclass, replace

from engine.rubric import expression as say
from engine.rubric import names
from engine.rubric.amounts import Amount, read_amount, score_out_of_range, unit_factor
from engine.rubric.context import Slip
from engine.rubric.diagnostic import Diagnostic, Edit, Span
from engine.rubric.numbers import as_scores_are, plain
from engine.rubric.parse import Node
from engine.rubric.phrases.reader import Reader

__all__ = ["Wanted", "in_base_unit", "range_of", "score_range"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A range as written, with its amounts."""

    range: say.Between
    amounts: tuple[Amount, ...]


def range_of(node: Node, reader: Reader) -> Wanted:
    """The range, in the unit that it is written in. Raises Slip."""
    compare = next(part for part in node.nodes() if part.rule == "compare")
    unit = next((word for word in node.words() if word.kind == "UNIT"), None)
    how = compare.words()[0].kind
    words = [word for word in compare.words() if word.kind in ("NUMBER", "MONEY", "PARAM")]
    amounts = tuple(read_amount(word, unit, reader.line, reader.context) for word in words)
    at = Span(reader.line, words[0].start, words[-1].end)
    value = amounts[0].value
    match how:
        case "AT_LEAST":
            wanted = say.Between(low=value, at=at)
        case "AT_MOST":
            wanted = say.Between(high=value, at=at)
        case "GT":
            wanted = say.Between(low=value, low_open=True, at=at)
        case "LT":
            wanted = say.Between(high=value, high_open=True, at=at)
        case "EXACTLY":
            wanted = say.Between(low=value, high=value, at=at)
        case _:
            wanted = say.Between(low=value, high=amounts[1].value, at=at)
            if value > amounts[1].value:
                low, high = plain(value), plain(amounts[1].value)
                raise Slip(
                    Diagnostic(
                        "R424",
                        f"between {low} and {high} is backwards, so nothing fits",
                        amounts[0].at,
                        help=(f"write: between {high} and {low}",),
                        edit=Edit(at, f"{high} and {low}"),
                    )
                )
    return Wanted(wanted, amounts)


def in_base_unit(found: names.Quantity, wanted: Wanted) -> say.Between:
    """The range in the measure's own unit: seconds, dollars or none."""
    factors = [unit_factor(found, amount) for amount in wanted.amounts]
    low, high = wanted.range.low, wanted.range.high
    scaled = replace(
        wanted.range,
        low=None if low is None else low * factors[0],
        high=None if high is None else high * factors[-1],
    )
    return _as_scores_are(scaled) if found.kind == "ratio" else scaled


def _as_scores_are(wanted: say.Between) -> say.Between:
    """Compared with rounded numbers, so rounded itself: one of three is at least 1/3."""
    low, high = (None if end is None else as_scores_are(end) for end in (wanted.low, wanted.high))
    return replace(wanted, low=low, high=high)


def score_range(node: Node, reader: Reader) -> say.Between:
    """A range of scores. Raises Slip for a unit, and for what is no score."""
    wanted = range_of(node, reader)
    unit = next((word for word in node.words() if word.kind == "UNIT"), None)
    if unit is not None or any(amount.unit for amount in wanted.amounts):
        at = reader.span(unit) if unit else wanted.amounts[0].at
        raise Slip(Diagnostic("R421", "A score has no unit", at, help=("write a number from 0 to 1, or a percentage",)))
    for amount in wanted.amounts:
        if not 0 <= amount.value <= 1:
            raise Slip(score_out_of_range(amount.value, amount.at))
    return _as_scores_are(wanted.range)
