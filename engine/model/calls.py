"""Calls that may cost money: what one is before it is made, what came of it, and who makes them."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Generic, NamedTuple, Protocol, TypeVar

from engine.model.record import Failure
from engine.model.usage import Cost, CostBasis, CostStatus, Usage, UsageSource

__all__ = ["NOTHING", "Attempt", "Call", "CallFailure", "Calls", "Ended", "GuardStop", "Spent", "Started"]

T = TypeVar("T")


class Attempt(NamedTuple, Generic[T]):
    """A call that was answered.

    Attributes:
        model: as the provider named it, None when it named none.
        latency_s: seconds: `total`, and where the answer was streamed `first_token`.
    """

    value: T
    usage: Usage
    cost: Cost
    model: str | None = None
    latency_s: Mapping[str, float] = MappingProxyType({})


class CallFailure(Exception):
    """A call that gave nothing usable. The text is one sentence for people, without any secret.

    Attributes:
        usage, cost: what it used all the same. None: certainly nothing (it was refused, or never arrived).
        retry_after_s: how long the other side asks to wait; None when it says nothing.
        again: trying once more may help.
        latency_s: seconds until it failed.
        status: of HTTP, when the other side refused; None for every other failure.
    """

    def __init__(  # noqa: PLR0913 (all but two are named)
        self,
        failure: Failure,
        message: str,
        *,
        spent: tuple[Usage, Cost] | None = None,
        again: bool = False,
        retry_after_s: float | None = None,
        latency_s: float = 0.0,
        status: int | None = None,
    ) -> None:
        self.failure, self.spent, self.again = failure, spent, again
        self.retry_after_s, self.latency_s, self.status = retry_after_s, latency_s, status
        super().__init__(message)


class GuardStop(Exception):
    """The cost guard allows no further paid call. What has been paid for stays."""


@dataclass(slots=True)
class Spent:
    """What somebody's calls came to, added up: every attempt, those that failed too.

    Attributes:
        calls: how many requests were made.
        micro_usd: what is known to be spent.
        unknown: how many calls have a cost that is not known; `micro_usd` lacks it.
        input_tokens, output_tokens: None as soon as one call does not tell.
        models: as they named themselves.
    """

    calls: int = 0
    micro_usd: int = 0
    unknown: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    models: tuple[str, ...] = ()

    def add(self, usage: Usage, cost: Cost, model: str | None) -> None:
        """Count one more call."""
        self.calls += 1
        self.unknown += cost.micro_usd is None
        self.micro_usd += cost.micro_usd or 0
        if usage.source is not UsageSource.NOT_APPLICABLE:
            self.input_tokens = _sum(self.input_tokens, usage.input_total)
            self.output_tokens = _sum(self.output_tokens, usage.output_total)
        if model is not None and model not in self.models:
            self.models = (*self.models, model)


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


class Call(NamedTuple, Generic[T]):
    """One call, before it is made.

    Attributes:
        who: `target`, or `judge NAME`.
        most: micro-dollars that one attempt can cost at most; 0 when it is free; None when nobody can say,
            and then no other paid call is made beside it.
        make: makes one attempt. Raises CallFailure.
        retries: how often it may be tried again, after a failure that says `again`.
        turn: waits until the other side may be asked, and holds the place meanwhile; None where nobody has to wait.
        keeps: what is kept of the value (JSON values) with the line that says what it cost, so that what was
            paid for is on disk before anything is done with it.
        restores: the value back from what was kept: a resumed run does not pay for it again. Raises ValueError.
    """

    who: str
    most: int | None
    make: Callable[[], Awaitable[Attempt[T]]]
    keeps: Callable[[T], Mapping[str, object]]
    restores: Callable[[Mapping[str, object]], T]
    retries: int = 0
    turn: Callable[[], AbstractAsyncContextManager[None]] | None = None


class Started(NamedTuple):
    """A call that is about to be sent. A paid one is written down first, so that a kill leaves a trace of it.

    Attributes:
        nth: the number of the call among those of this caller in the trial, from 1.
        attempt: the number of the try, from 1.
        most: micro-dollars that it can cost at most, None when nobody can say.
    """

    trial: str
    who: str
    nth: int
    attempt: int
    most: int | None


class Ended(NamedTuple):
    """What became of a call.

    Attributes:
        failure, error: None when it was answered.
        spent: what it used and cost; None when it was refused, and so cost nothing.
        kept: what is needed to go on without asking again; None unless it was answered.
    """

    call: Started
    failure: str | None
    error: str | None
    spent: tuple[Usage, Cost] | None
    model: str | None
    latency_s: Mapping[str, float]
    kept: Mapping[str, object] | None = None


NOTHING = Usage(0, output_total=0), Cost(0, CostStatus.KNOWN, CostBasis.DECLARED)
"""What a refused call used and cost."""


class Calls(Protocol):
    """Makes calls for one trial: reserves, writes down, sends, settles, writes down."""

    async def pay(self, call: Call[T]) -> Attempt[T]:
        """Make a call, with the retries that it allows.

        Raises:
            CallFailure: of the last attempt.
            GuardStop: nothing was sent, because the limit is reached or a cost is not known.
        """
        ...
