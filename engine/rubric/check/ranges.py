"""Ranges of numbers that have to lie in two at once: where nothing is left, and how that is said."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from engine.rubric.check.facts import Number
from engine.rubric.expression import Between
from engine.rubric.numbers import plain

__all__ = ["apart", "ends", "never", "said"]


def never(fact: Number) -> str:
    """The range has no number in it that this can be."""
    whole = Number(fact.what, Between(fact.least, fact.most), fact.at, fact.least, fact.most, fact.whole)
    low, high = ends(fact)
    if low is not None and high is not None and low > high:
        return f"{fact.what} would have to be {said(fact.range)}"
    if not apart(fact, whole):
        return ""
    if fact.most is not None and fact.range.low is not None and fact.range.low >= fact.most:
        return f"{fact.what} would have to be {said(fact.range)}, and {_shown(fact.most)} is the most there can be"
    least = _shown(fact.least or Decimal(0))
    return f"{fact.what} would have to be {said(fact.range)}, and {least} is the least there can be"


def ends(fact: Number) -> tuple[Decimal | None, Decimal | None]:
    """The lowest and the highest number; of something counted the nearest whole ones."""
    low, high = fact.range.low, fact.range.high
    if fact.whole and low is not None:
        whole = low.to_integral_value(ROUND_CEILING)
        low = whole + 1 if fact.range.low_open and whole == low else whole
    if fact.whole and high is not None:
        whole = high.to_integral_value(ROUND_FLOOR)
        high = whole - 1 if fact.range.high_open and whole == high else whole
    return low, high


def apart(one: Number, other: Number) -> bool:
    return _below(one, other) or _below(other, one)


def _below(one: Number, other: Number) -> bool:
    """Every number of `one` is smaller than every number of `other`."""
    high, low = ends(one)[1], ends(other)[0]
    if high is None or low is None:
        return False
    is_open = not one.whole and (one.range.high_open or other.range.low_open)
    return high < low or (high == low and is_open)


def said(wanted: Between) -> str:
    if wanted.low is not None and wanted.low == wanted.high:
        return f"exactly {plain(wanted.low)}"
    if wanted.low is not None and wanted.high is not None:
        return f"between {plain(wanted.low)} and {plain(wanted.high)}"
    if wanted.low is not None:
        return f"{'more than' if wanted.low_open else 'at least'} {plain(wanted.low)}"
    return f"{'less than' if wanted.high_open else 'at most'} {plain(wanted.high or Decimal(0))}"


def _shown(value: Decimal) -> str:
    return plain(round(value, 4))
