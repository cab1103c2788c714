"""From tokens to money: what a request cost, and what it can cost at most."""

from decimal import ROUND_CEILING, Context, Decimal

from engine.model.usage import Cost, CostBasis, CostStatus, Price, PriceTable, Usage

__all__ = ["FREE", "cost_of", "most_of", "priced", "reported"]

FREE = Cost(0, CostStatus.DECLARED_FREE, CostBasis.DECLARED)
_MILLION = 1_000_000
_MOST = Decimal(1_000_000_000)
# Not the one of the thread, which anybody may change: exact for all amounts there are, and never less than exact.
_EXACT = Context(prec=60, rounding=ROUND_CEILING)


def cost_of(usage: Usage, price: Price | None, table: str = "") -> Cost:
    """Tokens times price, rounded up to a whole micro-dollar.

    Args:
        price: None when nobody knows it.
        table: where the price is from; empty when a setting gave it.
    """
    basis = CostBasis.TABLE if table else CostBasis.DECLARED
    if price is None:
        return Cost(None, CostStatus.UNKNOWN_PRICE, basis, table)
    read, output = usage.input_total, usage.output_total
    cached, written = usage.input_cached or 0, usage.input_cache_write or 0
    if read is None or output is None or min(read - cached - written, cached, written, output) < 0:
        return Cost(None, CostStatus.UNKNOWN_USAGE, basis, table)
    amount = _sum(
        (read - cached - written, price.input),
        (cached, price.input if price.cached is None else price.cached),
        (written, price.input if price.cache_write is None else price.cache_write),
        (output, price.output),
        (usage.requests * _MILLION, price.request),
    )
    return Cost(amount, CostStatus.KNOWN, basis, table)


def most_of(price: Price | None, size: int, max_tokens: int) -> int | None:
    """Micro-dollars that a request can cost at most; None without a price.

    Args:
        size: bytes of the request. A token is at least one byte of it.
        max_tokens: tokens that the answer may have.
    """
    if price is None:
        return None
    dearest = max(price.input, price.cached or price.input, price.cache_write or price.input)
    return _sum((size, dearest), (max_tokens, price.output), (_MILLION, price.request))


def reported(dollars: Decimal) -> Cost:
    """What the answer itself says that it cost. Raises ValueError for what is no such amount."""
    if not dollars.is_finite() or dollars < 0 or dollars > _MOST:
        raise ValueError("a cost is a number of dollars, 0 or more, and no billion")
    return Cost(_sum((_MILLION, dollars)), CostStatus.KNOWN, CostBasis.PROVIDER)


def priced(table: PriceTable, *models: str | None) -> Price | None:
    """The price of the first of these names that is in the table."""
    return next((table.prices[name] for name in models if name is not None and name in table.prices), None)


def _sum(*parts: tuple[int, Decimal]) -> int:
    """Numbers times prices, rounded up."""
    amount = Decimal(0)
    for number, price in parts:
        if number and price:
            amount = _EXACT.fma(Decimal(number), price, amount)
    return int(amount.to_integral_value(ROUND_CEILING, _EXACT))
