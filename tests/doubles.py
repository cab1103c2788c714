"""Stand-ins for what a target is handed: a network that is never used, calls that are only made."""

from typing import TypeVar

from engine.model.calls import Attempt, Call, Ended, Started
from engine.model.network import Line, Site

__all__ = ["JustCalls", "NoCalls", "NoNetwork", "Remembers"]

T = TypeVar("T")


class NoNetwork:
    """Nothing may be reached."""

    def line(self, site: Site) -> Line:
        raise AssertionError(f"{site.url} was to be reached")


class NoCalls:
    """Nothing may be paid for."""

    async def pay(self, call: Call[T]) -> Attempt[T]:
        raise AssertionError(f"{call.who} was to be paid")


class JustCalls:
    """Makes each call once, and remembers who made it and what it could cost at most."""

    def __init__(self) -> None:
        self.made: list[tuple[str, int | None]] = []

    async def pay(self, call: Call[T]) -> Attempt[T]:
        self.made.append((call.who, call.most))
        return await call.make()


class Remembers:
    """A ledger that keeps its lines in memory."""

    def __init__(self) -> None:
        self.lines: list[Started | Ended] = []

    def started(self, call: Started) -> None:
        self.lines.append(call)

    def ended(self, call: Ended) -> None:
        self.lines.append(call)
