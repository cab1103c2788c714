"""Money: exact, rounded up, never less than it can be, and what is not known is never 0 (B46)."""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model.usage import Cost, CostBasis, CostStatus, Price, PriceTable, Usage
from engine.providers.cost import FREE, cost_of, most_of, priced, reported

_money = st.decimals(min_value=0, max_value=100_000, allow_nan=False, places=6)
_tokens = st.integers(min_value=0, max_value=2**53)


@st.composite
def _prices(draw: st.DrawFn) -> Price:
    maybe = st.none() | _money
    return Price(draw(_money), draw(_money), draw(maybe), draw(maybe), draw(_money))


@st.composite
def _usages(draw: st.DrawFn, most_read: int = 2**53, most_written: int = 2**53) -> Usage:
    read = draw(st.integers(0, most_read))
    cached = draw(st.none() | st.integers(0, read))
    stored = draw(st.none() | st.integers(0, read - (cached or 0)))
    return Usage(read, cached, stored, draw(st.integers(0, most_written)))


def _exact(usage: Usage, price: Price) -> Fraction:
    cached, stored = usage.input_cached or 0, usage.input_cache_write or 0
    assert usage.input_total is not None
    assert usage.output_total is not None
    of_cached = price.input if price.cached is None else price.cached
    of_stored = price.input if price.cache_write is None else price.cache_write
    return (
        (usage.input_total - cached - stored) * Fraction(price.input)
        + cached * Fraction(of_cached)
        + stored * Fraction(of_stored)
        + usage.output_total * Fraction(price.output)
        + usage.requests * Fraction(price.request) * 1_000_000
    )


@settings(max_examples=300)
@given(_usages(), _prices())
def test_a_cost_is_the_exact_sum_rounded_up(usage: Usage, price: Price) -> None:
    assert cost_of(usage, price, "t") == Cost(ceil(_exact(usage, price)), CostStatus.KNOWN, CostBasis.TABLE, "t")


@settings(max_examples=300)
@given(st.data(), _prices(), st.integers(0, 10**7), st.integers(0, 10**6))
def test_nothing_costs_more_than_most(data: st.DataObject, price: Price, size: int, max_tokens: int) -> None:
    usage = data.draw(_usages(size, max_tokens))
    most, cost = most_of(price, size, max_tokens), cost_of(usage, price).micro_usd

    assert most is not None
    assert cost is not None
    assert cost <= most


@given(_usages(), _prices())
def test_the_decimal_settings_of_a_thread_do_not_matter(usage: Usage, price: Price) -> None:
    with localcontext() as context:
        context.prec = 3
        cost = cost_of(usage, price)

    assert cost.micro_usd == ceil(_exact(usage, price))


@given(_prices(), st.none() | _tokens, st.none() | _tokens)
def test_what_is_not_known_is_never_0(price: Price, read: int | None, written: int | None) -> None:
    cost = cost_of(Usage(read, output_total=written), price)

    assert (cost.micro_usd is None) == (read is None or written is None)
    assert (cost.status is CostStatus.UNKNOWN_USAGE) == (cost.micro_usd is None)
    assert cost_of(Usage(read, output_total=written), None).status is CostStatus.UNKNOWN_PRICE
    assert cost_of(Usage(read, output_total=written), None).micro_usd is None
    assert most_of(None, 10, 10) is None


@pytest.mark.parametrize(
    "usage",
    [
        Usage(10, 11, None, 1),
        Usage(10, 6, 5, 1),
        Usage(-1, None, None, 1),
        Usage(10, None, None, -1),
        Usage(10, -5, None, 1),
        Usage(10, None, -5, 1),
    ],
)
def test_counts_that_contradict_each_other_have_no_cost(usage: Usage) -> None:
    """More from the cache than was read would make an answer cheaper than it was, or even earn money."""
    cost = cost_of(usage, Price(Decimal(1), Decimal(1), Decimal(0), Decimal(0)))

    assert (cost.micro_usd, cost.status) == (None, CostStatus.UNKNOWN_USAGE)


def test_a_price_of_0_is_known_and_free_is_declared() -> None:
    nothing = Price(Decimal(0), Decimal(0))

    assert cost_of(Usage(10, output_total=10), nothing) == Cost(0, CostStatus.KNOWN, CostBasis.DECLARED)
    assert most_of(nothing, 10, 10) == 0
    assert (FREE.micro_usd, FREE.status) == (0, CostStatus.DECLARED_FREE)


def test_a_cache_can_be_cheaper_dearer_or_cost_nothing() -> None:
    usage = Usage(100, 60, 30, 0)

    assert cost_of(usage, Price(Decimal(2), Decimal(9))).micro_usd == 200
    assert cost_of(usage, Price(Decimal(2), Decimal(9), Decimal(0), Decimal("2.5"))).micro_usd == 20 + 75
    assert most_of(Price(Decimal(2), Decimal(9), Decimal(0), Decimal("2.5")), 100, 0) == 250
    assert most_of(Price(Decimal(2), Decimal(9), Decimal(5)), 100, 0) == 500


def test_the_smallest_cost_is_one_millionth_and_not_0() -> None:
    assert cost_of(Usage(1, output_total=0), Price(Decimal("0.0001"), Decimal(0))).micro_usd == 1
    assert reported(Decimal("1E-9")).micro_usd == 1


def test_a_price_with_more_digits_than_are_kept_is_still_rounded_up() -> None:
    price = Price(Decimal(f"1.{'0' * 70}1"), Decimal(0))

    assert cost_of(Usage(1, output_total=0), price).micro_usd == 2
    assert most_of(price, 1, 0) == 2


def test_the_answer_may_say_what_it_cost() -> None:
    assert reported(Decimal("0.00342")) == Cost(3420, CostStatus.KNOWN, CostBasis.PROVIDER)
    assert reported(Decimal(0)).micro_usd == 0


@pytest.mark.parametrize("dollars", ["-0.01", "NaN", "sNaN", "Infinity", "-Infinity", "1E+400", "1E+999999"])
def test_what_is_no_amount_is_not_taken_for_one(dollars: str) -> None:
    with pytest.raises(ValueError, match="number of dollars"):
        reported(Decimal(dollars))


def test_a_price_is_looked_up_by_the_first_name_that_has_one() -> None:
    cheap, dear = Price(Decimal(1), Decimal(1)), Price(Decimal(9), Decimal(9))
    table = PriceTable("t", "2026-11-30", "0" * 64, {"small": cheap, "large": dear})

    assert priced(table, "large", "small") is dear
    assert priced(table, None, "small") is cheap
    assert priced(table, "small-2026-11-30", "small") is cheap
    assert priced(table, "other", None) is None
