"""What a call of somebody's own system costs: nothing, a declared amount, what its answer tells, or nobody knows."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Self

from pydantic import Field, model_validator

from engine.model.base import Frozen
from engine.model.usage import Cost, CostBasis, CostStatus, Usage, UsageSource
from engine.providers.cost import FREE, reported

__all__ = ["Charge", "Charged", "tokens_told"]

_MOST_TOKENS = 2**53
_UNKNOWN = Cost(None, CostStatus.UNKNOWN_USAGE, CostBasis.PROVIDER)


class Charged(Frozen):
    """Settings that say what one call costs."""

    free: bool = Field(default=False, description="it costs nothing, and you say so")
    cost_per_request_usd: float | None = Field(
        default=None, ge=0, le=1_000_000, description="dollars that one call costs, at most and when it does not tell"
    )

    @model_validator(mode="after")
    def _free_has_no_price(self) -> Self:
        if self.free and self.cost_per_request_usd is not None:
            raise ValueError("free and cost_per_request_usd contradict each other: set one of them")
        return self

    def charge(self) -> "Charge":
        """The same as exact micro-dollars."""
        declared = self.cost_per_request_usd
        micro = None if declared is None else reported(Decimal(repr(declared))).micro_usd
        return Charge(self.free, micro)


@dataclass(frozen=True, slots=True)
class Charge:
    """What is known before a call. `declared`: micro-dollars that it costs at most, None when nobody says."""

    free: bool
    declared: int | None

    @property
    def most(self) -> int | None:
        """As in `engine.model.calls.Call`."""
        return 0 if self.free else self.declared

    def cost(self, told: object = None) -> Cost:
        """What a call cost, given the dollars that its answer tells; None when it tells none."""
        if self.free:
            return FREE
        if told is not None:
            found = _dollars(told)
            if found is not None:
                return found
        if self.declared is not None:
            return Cost(self.declared, CostStatus.KNOWN, CostBasis.DECLARED)
        return _UNKNOWN

    def no_tokens(self, *, tells: bool = False) -> Usage:
        """The usage of a call that is not counted in tokens; missing when nothing says what it costs.

        Args:
            tells: the answer itself is to say what it cost.
        """
        if self.most is None and not tells:
            return Usage(problem="nothing says where the usage stands, or that it costs nothing")
        return Usage(source=UsageSource.NOT_APPLICABLE)


def tokens_told(told: Mapping[str, object]) -> Usage:
    """Usage from the `input` and `output` that an answer tells; a count that makes no sense is no count."""
    read, output = (_count(told.get(name)) for name in ("input", "output"))
    if read is None or output is None:
        lacking = " and ".join(name for name, count in (("input", read), ("output", output)) if count is None)
        return Usage(read, output_total=output, raw=dict(told), problem=f"no usable count of {lacking} tokens")
    return Usage(read, output_total=output, source=UsageSource.PROVIDER, raw=dict(told))


def _count(value: object) -> int | None:
    return value if type(value) is int and 0 <= value <= _MOST_TOKENS else None


def _dollars(told: object) -> Cost | None:
    if isinstance(told, bool) or not isinstance(told, int | float | str):
        return None
    try:
        return reported(Decimal(str(told)))
    except (ValueError, InvalidOperation):
        return None
