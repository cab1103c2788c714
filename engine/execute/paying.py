"""Paying for calls: reserve, write down, send, settle, write down. What was paid for is never paid again."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from engine.execute.budget import Budget
from engine.model.calls import NOTHING, Attempt, Call, CallFailure, Ended, Spent, Started
from engine.model.usage import Cost, CostBasis, CostStatus, Usage

__all__ = ["Ledger", "Payer", "TrialCalls"]

T = TypeVar("T")
_CANCELLED = (
    Usage(problem="it was stopped before it was answered"),
    Cost(None, CostStatus.UNKNOWN_USAGE, CostBasis.DECLARED),
)
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 60.0


class Ledger(Protocol):
    """Where calls are written down. A method returns when its line is written; what it raises ends the run."""

    def started(self, call: Started) -> None: ...

    def ended(self, call: Ended) -> None: ...


@dataclass(frozen=True, slots=True)
class Payer:
    """Makes the calls of a run.

    Attributes:
        answered: calls that were answered before the run was stopped, of trials that have no record yet, by
            trial, caller and number.
        pause: waits so many seconds between two attempts.
    """

    budget: Budget
    ledger: Ledger
    answered: Mapping[tuple[str, str, int], Ended] = field(default_factory=dict)
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep

    def trial(self, key: str) -> "TrialCalls":
        """The calls of one trial."""
        return TrialCalls(self, key)


class TrialCalls:
    """Pays for the calls of one trial (`engine.model.calls.Calls`).

    Attributes:
        spent: by caller, what all its attempts came to.
        waited_s: seconds spent waiting for the cost guard, and between two attempts.
        restored_s: seconds that calls took which were answered before the run was stopped.
        limit: the time limit that stands still while this waits; None when there is none.
    """

    def __init__(self, payer: Payer, trial: str) -> None:
        self.spent: dict[str, Spent] = {}
        self.waited_s = self.restored_s = 0.0
        self.limit: asyncio.Timeout | None = None
        self._payer, self._trial = payer, trial
        self._made: Counter[str] = Counter()

    def answered_beside(self, start: str) -> list[str]:
        """Names given to `beside` that begin so, of calls that were answered before the run was stopped, in order."""
        return list(dict.fromkeys(trial for trial, _, _ in self._payer.answered if trial.startswith(start)))

    def beside(self, key: str) -> "TrialCalls":
        """Calls of the same run that belong to no trial, such as canaries."""
        return TrialCalls(self._payer, key)

    async def pay(self, call: Call[T]) -> Attempt[T]:
        """Make a call, with the retries that it allows.

        Raises:
            CallFailure: of the last attempt.
            GuardStop: nothing was sent.
        """
        self._made[call.who] += 1
        nth = self._made[call.who]
        before = self._restored(call, nth)
        if before is not None:
            return before
        attempt = 1
        while True:
            try:
                return await self._once(call, Started(self._trial, call.who, nth, attempt, call.most))
            except CallFailure as failure:
                if not failure.again or attempt > call.retries:
                    raise
                await self._patiently(self._payer.pause(_wait(failure.retry_after_s, attempt)))
            attempt += 1

    async def _once(self, call: Call[T], started: Started) -> Attempt[T]:
        """One attempt. Waiting for a place costs nothing, and is no part of its time."""
        turn = None if call.turn is None else call.turn()
        if turn is None:
            return await self._made_now(call, started)
        await self._patiently(turn.__aenter__())
        try:
            return await self._made_now(call, started)
        finally:
            await turn.__aexit__(None, None, None)

    async def _made_now(self, call: Call[T], started: Started) -> Attempt[T]:
        budget, ledger = self._payer.budget, self._payer.ledger
        if not budget.reserved_at_once(call.most):
            await self._patiently(budget.reserve(call.most))
        settled: tuple[Usage, Cost] | None = None  # nothing is sent before it is written down
        given_up = _CANCELLED if call.most != 0 else NOTHING
        try:
            if call.most != 0:
                ledger.started(started)
            settled = given_up
            try:
                found = await call.make()
            except CallFailure as failure:
                settled = failure.spent
                late = {"total": failure.latency_s}
                self._end(Ended(started, failure.failure, str(failure), settled, None, late))
                raise
            except BaseException:
                self._end(Ended(started, "cancelled", _CANCELLED[0].problem, given_up, None, {}))
                raise
            settled = found.usage, found.cost
            self._end(Ended(started, None, None, settled, found.model, found.latency_s, call.keeps(found.value)))
            return found
        finally:
            budget.settle(call.most, None if settled is None else settled[1])

    async def _patiently(self, waiting: Awaitable[None]) -> None:
        """Wait, and count it as no part of the time of an answer."""
        started = asyncio.get_running_loop().time()
        until = None if self.limit is None else self.limit.when()
        if self.limit is not None:
            self.limit.reschedule(None)
        await waiting
        waited_s = asyncio.get_running_loop().time() - started
        self.waited_s += waited_s
        if self.limit is not None and until is not None:
            self.limit.reschedule(until + waited_s)

    def _end(self, ended: Ended) -> None:
        self._payer.ledger.ended(ended)
        self._add(ended)

    def _add(self, ended: Ended) -> None:
        spent = self.spent.get(ended.call.who)
        if spent is None:
            spent = self.spent[ended.call.who] = Spent()
        spent.add(*(ended.spent or NOTHING), ended.model)

    def _restored(self, call: Call[T], nth: int) -> Attempt[T] | None:
        """What was answered, and paid, before the run was stopped."""
        ended = self._payer.answered.get((self._trial, call.who, nth))
        if ended is None or ended.kept is None or ended.spent is None:
            return None
        try:
            value = call.restores(ended.kept)
        except ValueError:  # kept by another engine: it is asked again
            return None
        self._add(ended)
        self.restored_s += ended.latency_s.get("total", 0.0)
        return Attempt(value, *ended.spent, ended.model, ended.latency_s)


def _wait(asked_s: float | None, attempt: int) -> float:
    """As long as the other side asks; else twice as long each time, with some chance in it."""
    if asked_s is not None:
        return min(asked_s, _LONGEST_WAIT_S)
    longest: float = min(_FIRST_WAIT_S * 2.0 ** (attempt - 1), _LONGEST_WAIT_S)
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 (no secret)
