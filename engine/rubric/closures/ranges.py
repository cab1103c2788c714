"""Numbers and scores in a range. Thresholds are decimals; the float nearest to one is what is compared."""

from collections.abc import Callable
from decimal import Decimal

from engine.rubric.closures.holds import Holds
from engine.rubric.evidence import Evidence
from engine.rubric.expression import Between

__all__ = ["counted", "in_range", "interval"]


def in_range(wanted: Between) -> Callable[[float], bool]:
    """The closure of a range. Thresholds are decimals; the float nearest to one is what a number is compared with."""
    low = float("-inf") if wanted.low is None else float(wanted.low)
    high = float("inf") if wanted.high is None else float(wanted.high)
    if wanted.low_open and wanted.high is None:
        return lambda number: number > low
    if wanted.high_open and wanted.low is None:
        return lambda number: number < high
    return lambda number: low <= number <= high


def counted(wanted: Between, count: Callable[[Evidence], int | None]) -> Holds:
    if wanted.low_open or wanted.high_open:
        return _counted_open(wanted, count)
    low = float("-inf") if wanted.low is None else float(wanted.low)
    high = float("inf") if wanted.high is None else float(wanted.high)

    def holds(evidence: Evidence) -> bool | None:
        number = count(evidence)
        return None if number is None else low <= number <= high

    return holds


def _counted_open(wanted: Between, count: Callable[[Evidence], int | None]) -> Holds:
    inside = in_range(wanted)

    def holds(evidence: Evidence) -> bool | None:
        number = count(evidence)
        return None if number is None else inside(number)

    return holds


def interval(wanted: Between) -> Callable[[tuple[float, float] | None], bool | None]:
    """Whether every score, no score or only some score between two bounds lies in the range."""
    inside = in_range(wanted)

    def holds(bounds: tuple[float, float] | None) -> bool | None:
        if bounds is None:
            return False
        low, high = bounds
        if low == high:
            return inside(low)
        if inside(low) and inside(high):
            return True
        under = wanted.low is not None and not _reaches(high, wanted.low, wanted.low_open)
        over = wanted.high is not None and not _stays(low, wanted.high, wanted.high_open)
        return False if under or over else None

    return holds


def _reaches(score: float, low: Decimal, is_open: bool) -> bool:
    return score > float(low) if is_open else score >= float(low)


def _stays(score: float, high: Decimal, is_open: bool) -> bool:
    return score < float(high) if is_open else score <= float(high)
