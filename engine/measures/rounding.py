"""Sums, means and rounding in decimals, so that no verdict hangs on the last bit of a float."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, Inexact, InvalidOperation, Overflow
from fractions import Fraction
from typing import Self

__all__ = ["Mean", "exact_sum", "half_up"]

# Room for every digit between the smallest and the largest float; losing one would raise.
_EXACT = Context(prec=2000, Emin=-99999, Emax=99999, traps=[Inexact, InvalidOperation, Overflow])
_ROUND = Context(prec=2000, rounding=ROUND_HALF_UP, traps=[InvalidOperation])


def half_up(x: float | Fraction | Decimal, places: int = 4) -> float:
    """The number rounded to `places` decimals, halves away from zero, as people do it on paper.

    A float is taken as the decimal it is written as: 0.00005 becomes 0.0001 although the nearest
    binary number may lie below it.

    Raises:
        ValueError: the number is NaN or infinite.
    """
    if isinstance(x, Fraction):
        scaled = (2 * abs(x.numerator) * 10**places + x.denominator) // (2 * x.denominator)
        return float(Fraction(-scaled if x < 0 else scaled, 10**places))
    rounded = float(_decimal(x).quantize(Decimal((0, (1,), -places)), context=_ROUND))
    return rounded or 0.0  # -0.00001 is shown as 0, not as -0


def exact_sum(values: Iterable[float | Decimal]) -> Decimal:
    """The sum of the numbers as they are written, without any rounding: 0.1 + 0.7 is 0.8.

    The order of the numbers cannot change a digit.

    Raises:
        ValueError: a number is NaN or infinite.
    """
    total = Decimal(0)
    for value in values:
        total = _EXACT.add(total, _decimal(value))
    return total


@dataclass(frozen=True, slots=True)
class Mean:
    """An exact mean, kept as what it was made from.

    Attributes:
        total: the exact sum.
        count: how many numbers there were; the mean of none is not known.
    """

    total: Decimal
    count: int

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Self:
        """The mean of the numbers that are known; None is left out and not counted."""
        known = [value for value in values if value is not None]
        return cls(exact_sum(known), len(known))

    @property
    def exact(self) -> Fraction | None:
        """The mean itself, to compare with: `mean.exact >= Fraction("0.80")`. None when there were no numbers."""
        return Fraction(self.total) / self.count if self.count else None

    @property
    def text(self) -> str:
        """The exact sum in plain digits, to be stored."""
        return format(self.total, "f")

    def rounded(self, places: int = 4) -> float | None:
        """The mean for display, rounded once, from the exact one. None when there were no numbers."""
        return None if self.exact is None else half_up(self.exact, places)


def _decimal(x: float | Decimal) -> Decimal:
    number = x if isinstance(x, Decimal) else Decimal(repr(x))
    if not number.is_finite():
        raise ValueError(f"{x} is not a finite number")
    return number
