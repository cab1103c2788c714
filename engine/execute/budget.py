"""The cost guard: how much a run may still spend. Asked before every paid call, told after it."""

import asyncio
from collections import deque
from dataclasses import dataclass

from engine.model.calls import GuardStop
from engine.model.usage import Cost
from engine.text import count, dollars

__all__ = ["Budget", "Guard"]


@dataclass(frozen=True, slots=True)
class Guard:
    """How much a run may spend.

    Attributes:
        limit: micro-dollars, those from before a resume included; None for no limit.
        allow_unknown: go on after a call that does not tell what it cost.
        told: which limit this is, in words.
        setting: the one that raises it.
    """

    limit: int | None = None
    allow_unknown: bool = False
    told: str = "cost_limit_usd"
    setting: str = "cost_limit_usd"


class Budget:
    """Whole micro-dollars of one run. Before a call the most that it can cost is reserved, after it what it cost.

    A call is begun while what is spent and what is reserved together are below the limit. So the limit is passed
    by no more than one request, however many are under way. When that is not so but some are still under way, a
    call waits: they mostly cost less than was reserved. A call of which nobody can say what it costs at most is
    made alone.

    Attributes:
        limit: micro-dollars; None for no limit.
        spent: what is known to be spent, and for calls whose cost is not known the most they can have cost.
        unknown: how many calls have a cost that is not known.
        unbounded: those of them of which nobody can say what they cost at most: `spent` lacks them.
        stopped: why no paid call is made any more, as a sentence; empty while they are.
        way_on: the setting that lets the run go on.
    """

    def __init__(self, guard: Guard | None = None) -> None:
        self._guard = guard or Guard()
        self.limit, self.spent, self.unknown, self.unbounded = self._guard.limit, 0, 0, 0
        self.stopped = self.way_on = ""
        self._reserved = 0
        self._under_way = 0
        self._alone = False
        self._waiting: deque[asyncio.Future[None]] = deque()

    def count(self, spent: int, unknown: int, *, untold: int = 0) -> None:
        """What the run had spent before it was stopped.

        Args:
            unknown: calls of unknown cost.
            untold: those that stopped the run, and stop it again unless they are allowed by now.
        """
        self.spent += spent
        self.unknown += unknown
        if untold and not self._guard.allow_unknown:
            self._stop(f"{count(untold, 'call')} did not tell what it cost", "cost_allow_unknown=true")

    @property
    def remaining(self) -> int | None:
        """Micro-dollars that are neither spent nor reserved; None for no limit."""
        return None if self.limit is None else max(self.limit - self.spent - self._reserved, 0)

    def reserved_at_once(self, most: int | None) -> bool:
        """Reserve for a call that may be made now; a free one (`most` 0) always may. False: it has to wait.

        Raises:
            GuardStop: it may not be made, now or later.
        """
        if most == 0:
            return True
        if not self._may_begin(most):
            return False
        self._under_way += 1
        self._reserved += most or 0
        self._alone = most is None and self.limit is not None
        return True

    async def reserve(self, most: int | None) -> None:
        """Return when the call may be made, and is reserved.

        Raises:
            GuardStop: it may not be made.
        """
        while not self.reserved_at_once(most):
            waiter = asyncio.get_running_loop().create_future()
            self._waiting.append(waiter)
            try:
                await waiter
            finally:
                if waiter in self._waiting:  # it was told to stop while it waited
                    self._waiting.remove(waiter)

    def settle(self, most: int | None, cost: Cost | None) -> None:
        """What a call came to that was reserved with `most`. None: it cost nothing, because it was refused."""
        if most == 0:
            return
        self._under_way -= 1
        self._reserved -= most or 0
        self._alone = False
        if cost is not None and cost.micro_usd is None:
            self.spent += most or 0
            self.unknown += 1
            self.unbounded += most is None
            if not self._guard.allow_unknown:
                self._stop(
                    f"a call did not tell what it cost ({cost.status.replace('_', ' ')})", "cost_allow_unknown=true"
                )
        elif cost is not None:
            self.spent += cost.micro_usd or 0
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(None)

    def told(self) -> str:
        """`$0.0312 of $0.10`, with the number of calls whose cost is not known."""
        of = "" if self.limit is None else f" of {dollars(self.limit)}"
        unknown = f", {count(self.unknown, 'call')} of unknown cost" if self.unknown else ""
        return f"{dollars(self.spent)}{of}{unknown}"

    def _stop(self, why: str, way_on: str) -> None:
        """The first reason is the one that is told."""
        if not self.stopped:
            self.stopped, self.way_on = why, way_on

    def _may_begin(self, most: int | None) -> bool:
        if self.limit is not None and self.spent >= self.limit:
            self._stop(
                f"the limit of {dollars(self.limit)} ({self._guard.told}) is reached", f"{self._guard.setting}=…"
            )
        if self.stopped:
            raise GuardStop(self.stopped)
        if self.limit is None:
            return True
        if most is None:
            return not self._under_way
        return not self._alone and self.spent + self._reserved < self.limit
