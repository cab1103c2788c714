"""Decimal sums and rounding."""

from decimal import Decimal
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measures.rounding import Mean, exact_sum, half_up

SCORES = st.floats(min_value=0, max_value=1)
ANY = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("x", "places", "rounded"),
    [
        pytest.param(0.00005, 4, 0.0001, id="binary-lies-below"),
        pytest.param(2.675, 2, 2.68, id="the-classic"),
        pytest.param(1.00005, 4, 1.0001, id="up"),
        pytest.param(0.125, 2, 0.13, id="not-to-even"),
        pytest.param(-0.125, 2, -0.13, id="away-from-zero"),
        pytest.param(0.1 + 0.7, 4, 0.8, id="dust"),
        pytest.param(0.7962, 2, 0.80, id="F71"),
        pytest.param(Fraction(1, 8), 2, 0.13, id="fraction"),
        pytest.param(Fraction(-1, 8), 2, -0.13, id="negative-fraction"),
        pytest.param(Fraction(2, 3), 4, 0.6667, id="thirds"),
        pytest.param(Decimal("0.79995"), 4, 0.8, id="decimal"),
        pytest.param(1e300, 4, 1e300, id="huge"),
        pytest.param(7, 0, 7.0, id="whole"),
    ],
)
def test_half_up(x: float | Fraction | Decimal, places: int, rounded: float) -> None:
    """F71: halves go up as they are written, whatever the nearest binary number is."""
    assert half_up(x, places) == rounded


def test_a_small_negative_number_is_not_minus_zero() -> None:
    """-0.0000 in a table makes people look for a loss."""
    assert str(half_up(-0.00001)) == "0.0"
    assert str(half_up(Fraction(-1, 10**6))) == "0.0"


@pytest.mark.parametrize("x", [float("nan"), float("inf"), Decimal("NaN")])
def test_what_is_not_a_number_is_refused(x: float | Decimal) -> None:
    """Never NaN: it would pass or fail a comparison by accident."""
    with pytest.raises(ValueError, match="not a finite number"):
        half_up(x)
    with pytest.raises(ValueError, match="not a finite number"):
        exact_sum([x])


def test_sums_are_exact() -> None:
    """F71: 0.1 + 0.7 reaches 0.8, and what floats lose beside a large number is kept."""
    assert exact_sum([0.1, 0.7]) == Decimal("0.8")
    assert exact_sum([1e300, 5e-324, -1e300]) == Decimal("5e-324")


@given(st.lists(ANY, max_size=20), st.randoms())
def test_the_order_of_the_terms_cannot_change_a_digit(values: list[float], random: Random) -> None:
    """F71: the same scores, finished in another order, give the same total to the last digit."""
    shuffled = values.copy()
    random.shuffle(shuffled)

    assert Mean.of(shuffled).text == Mean.of(values).text


@given(ANY, st.integers(min_value=0, max_value=8))
def test_float_and_fraction_round_alike(x: float, places: int) -> None:
    """Two ways to the same decimal."""
    assert half_up(x, places) == half_up(Fraction(repr(x)), places)


@given(SCORES)
def test_rounding_stays_within_half_a_step_and_in_range(x: float) -> None:
    """A score cannot leave [0, 1] or move by more than half of the last digit."""
    rounded = half_up(x)

    assert 0 <= rounded <= 1
    assert abs(Fraction(repr(rounded)) - Fraction(repr(x))) <= Fraction(1, 20_000)
    assert half_up(rounded) == rounded


def test_mean_leaves_out_what_is_not_known_and_says_how_many() -> None:
    """F25: undefined is excluded with a count, not taken as 0."""
    mean = Mean.of([0.8, None, 0.7])

    assert (mean.text, mean.count, mean.rounded()) == ("1.5", 2, 0.75)
    assert mean.exact == Fraction(3, 4)


def test_mean_of_nothing_is_not_known() -> None:
    """No numbers: None, and not 0 or NaN."""
    mean = Mean.of([None])

    assert (mean.exact, mean.rounded(), mean.count) == (None, None, 0)


def test_mean_compares_exactly_with_a_threshold() -> None:
    """F71: 0.7962 is shown as 0.80 at two digits and is still below 0.80; 0.1 + 0.7 over 1 is not."""
    below, equal = Mean.of([0.7962]), Mean(exact_sum([0.1, 0.7]), 1)

    assert below.rounded(2) == 0.80
    assert below.exact is not None
    assert below.exact < Fraction("0.80")
    assert equal.exact == Fraction("0.80")
