"""What a request used and what it cost. Money is whole micro-dollars; None is not known, and never 0."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

__all__ = ["NO_PRICES", "Cost", "CostBasis", "CostStatus", "Price", "PriceTable", "Usage", "UsageSource"]


class UsageSource(StrEnum):
    """Where the token counts come from. NOT_APPLICABLE: nothing that is counted in tokens was asked."""

    PROVIDER = "provider"
    ESTIMATED = "estimated"
    MISSING = "missing"
    NOT_APPLICABLE = "not_applicable"


class Usage(NamedTuple):
    """Tokens of one request, or of several added up.

    Attributes:
        input_total: all that was read, what came from a cache included.
        input_cached, input_cache_write: parts of `input_total`.
        output_total: all that was written, reasoning included.
        output_reasoning: part of `output_total`.
        requests: how many requests this covers.
        raw: what the provider sent, word for word; None when it sent nothing.
        problem: why it is missing, in a few words: "no usage in the answer".
    """

    input_total: int | None = None
    input_cached: int | None = None
    input_cache_write: int | None = None
    output_total: int | None = None
    output_reasoning: int | None = None
    requests: int = 1
    source: UsageSource = UsageSource.MISSING
    raw: object = None
    problem: str = ""


class CostStatus(StrEnum):
    """KNOWN and DECLARED_FREE have an amount; the others stop paid calls unless that is allowed."""

    KNOWN = "known"
    UNKNOWN_USAGE = "unknown_usage"
    UNKNOWN_PRICE = "unknown_price"
    DECLARED_FREE = "declared_free"


class CostBasis(StrEnum):
    """PROVIDER: the answer said what it cost. TABLE: tokens times a price. DECLARED: a setting says so."""

    PROVIDER = "provider"
    TABLE = "table"
    DECLARED = "declared"


class Cost(NamedTuple):
    """What one request cost.

    Attributes:
        micro_usd: millionths of a dollar, rounded up; None when it is not known.
        table: the price table that was used, `prices@2026-11-30 (1a2b3c4d5e6f)`; empty when none was.
    """

    micro_usd: int | None
    status: CostStatus
    basis: CostBasis
    table: str = ""


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in dollars per million tokens, which is micro-dollars per token.

    Attributes:
        cached: for input that came from a cache; None: as much as other input.
        cache_write: for input that was written to a cache; None: as much as other input.
        request: dollars for each request, whatever it used.
    """

    input: Decimal
    output: Decimal
    cached: Decimal | None = None
    cache_write: Decimal | None = None
    request: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices by the name of the model as the provider returns it. What is not in it has no known price.

    Attributes:
        name: `prices`, or the name of the file.
        version: the day on which it was made, `2026-11-30`.
        sha256: of its content.
    """

    name: str = "none"
    version: str = ""
    sha256: str = ""
    prices: Mapping[str, Price] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """`prices@2026-11-30 (1a2b3c4d5e6f)`: what a record keeps."""
        return f"{self.name}@{self.version} ({self.sha256[:12]})"


NO_PRICES = PriceTable()
"""For a run that calls no model."""
