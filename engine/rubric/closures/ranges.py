"""Numbers and scores in a range. Thresholds are decimals; the float nearest to one is what is compared."""

from collections.abc import Callable
from math import inf, nextafter

from engine.rubric.closures.holds import Holds
from engine.rubric.evidence import Evidence
from engine.rubric.expression import Between

__all__ = ["counted", "ends", "interval"]


def ends(wanted: Between) -> tuple[float, float]:
    """The least and the greatest float in the range: `more than 3` begins with the one that follows 3."""
    low = -inf if wanted.low is None else float(wanted.low)
    high = inf if wanted.high is None else float(wanted.high)
    return nextafter(low, inf) if wanted.low_open else low, nextafter(high, -inf) if wanted.high_open else high


def counted(wanted: Between, count: Callable[[Evidence], int | None]) -> Holds:
    """The closure of how many there are of something."""
    low, high = ends(wanted)

    def holds(evidence: Evidence) -> bool | None:
        number = count(evidence)
        return None if number is None else low <= number <= high

    return holds


def interval(wanted: Between) -> Callable[[tuple[float, float] | None], bool | None]:
    """Whether every score, no score or only some score between two bounds lies in the range."""
    least, most = ends(wanted)

    def holds(bounds: tuple[float, float] | None) -> bool | None:
        if bounds is None:
            return False
        low, high = bounds
        if least <= low and high <= most:
            return True
        return False if high < least or low > most else None

    return holds
