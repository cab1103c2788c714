"""How many requests go to one site: at the same time, and in any minute."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from time import monotonic

__all__ = ["Pace"]

_MINUTE_S = 60.0


class Pace:
    """Entered for the time of a request. Who comes first goes first."""

    def __init__(
        self,
        at_once: int,
        per_minute: int | None = None,
        clock: Callable[[], float] = monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._places = asyncio.Semaphore(at_once)
        self._per_minute = per_minute
        self._turn = asyncio.Lock()
        self._begun: deque[float] = deque()
        self._clock, self._sleep = clock, sleep

    async def __aenter__(self) -> None:
        await self._places.acquire()
        if self._per_minute is not None:
            try:
                await self._wait(self._per_minute)
            except BaseException:
                self._places.release()
                raise

    async def __aexit__(self, *_: object) -> None:
        self._places.release()

    async def _wait(self, per_minute: int) -> None:
        async with self._turn:
            if len(self._begun) == per_minute:
                await self._sleep(max(self._begun[0] + _MINUTE_S - self._clock(), 0.0))
                self._begun.popleft()
            self._begun.append(self._clock())
