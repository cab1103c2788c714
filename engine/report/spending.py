"""What a run spent, of which limit, and why it stopped."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.model.calls import Spent
from engine.text import count, dollars, one_line

__all__ = ["Spending", "spending_json", "spending_lines"]


@dataclass(frozen=True, slots=True)
class Spending:
    """What all calls of a run came to.

    Attributes:
        by: by caller: `target`, `judge NAME`.
        counted: micro-dollars that the guard counts: what is known, and for calls of unknown cost the most they
            can have cost.
        limit: micro-dollars; None for no limit.
        unknown: calls of unknown cost, those that were under way when the run was killed among them.
        unbounded: those of them of which nobody can say what they cost at most.
        stopped: why no paid call was made any more; empty when every one was.
        way_on: the setting that lets the run go on.
    """

    by: Mapping[str, Spent]
    counted: int
    limit: int | None
    unknown: int
    unbounded: int = 0
    stopped: str = ""
    way_on: str = ""

    @property
    def told(self) -> str:
        """`$0.0312 of $0.10`."""
        return dollars(self.counted) + ("" if self.limit is None else f" of {dollars(self.limit)}")


def spending_lines(spending: Spending) -> Iterator[str]:
    """The sum with what it is made of, and what is not in it."""
    parts = " + ".join(
        f"{one_line(who)} {_amount(each)} ({count(each.calls, 'call')}{_tokens(each)})"
        for who, each in spending.by.items()
    )
    yield f"   cost: {spending.told}: {parts}" if parts else f"   cost: {spending.told}"
    if spending.unknown:
        calls, they = count(spending.unknown, "call"), "it" if spending.unknown == 1 else "they"
        what = "the sum lacks it" if spending.unbounded else f"the sum holds the most that {they} can have cost"
        yield f"   {calls} did not tell what {they} cost; {what}"
    over = None if spending.limit is None else spending.counted - spending.limit
    if over is not None and over > 0:
        yield f"   {dollars(over)} above the limit: a request that was begun below it is not broken off"


def spending_json(spending: Spending) -> dict[str, object]:
    """The same for programs, in whole micro-dollars."""
    return {
        "counted_micro_usd": spending.counted,
        "limit_micro_usd": spending.limit,
        "unknown_calls": spending.unknown,
        "stopped": spending.stopped or None,
        "by": {
            who: {
                "calls": each.calls,
                "micro_usd": each.micro_usd,
                "unknown_calls": each.unknown,
                "input_tokens": each.input_tokens or None,
                "output_tokens": each.output_tokens or None,
                "models": list(each.models),
            }
            for who, each in spending.by.items()
        },
    }


def _amount(spent: Spent) -> str:
    """What is known, and how many calls are not in it."""
    if not spent.unknown:
        return dollars(spent.micro_usd)
    known = f"{dollars(spent.micro_usd)} and " if spent.micro_usd else ""
    return f"{known}{count(spent.unknown, 'call')} of unknown cost"


def _tokens(spent: Spent) -> str:
    if spent.input_tokens is None or spent.output_tokens is None:
        return ", tokens not known"
    return f", {spent.input_tokens:,} tokens in, {spent.output_tokens:,} out" if spent.input_tokens else ""
