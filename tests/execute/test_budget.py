"""The cost guard: what may begin, what has to wait, and that a limit is passed by one request at most."""

import asyncio
import random
from dataclasses import dataclass

import pytest

from engine.execute.budget import Budget, Guard
from engine.model.calls import GuardStop
from engine.model.usage import Cost, CostBasis, CostStatus


def known(micro: int) -> Cost:
    return Cost(micro, CostStatus.KNOWN, CostBasis.PROVIDER)


UNKNOWN = Cost(None, CostStatus.UNKNOWN_USAGE, CostBasis.TABLE)


@dataclass
class Spending:
    """What a run of random calls came to."""

    spent: int = 0
    dearest: int = 0
    calls: int = 0
    most_at_once: int = 0


async def spend(budget: Budget, calls: list[tuple[int | None, int]], workers: int, chance: random.Random) -> Spending:
    """Workers take calls (most, what it costs) until none is left or the guard stops them."""
    found, under_way = Spending(), 0
    left = iter(calls)

    async def work() -> None:
        nonlocal under_way
        for most, cost in left:
            try:
                if not budget.reserved_at_once(most):
                    await budget.reserve(most)
            except GuardStop:
                return
            under_way += 1
            found.most_at_once = max(found.most_at_once, under_way)
            for _ in range(chance.randrange(4)):
                await asyncio.sleep(0)
            under_way -= 1
            found.spent, found.calls = found.spent + cost, found.calls + 1
            found.dearest = max(found.dearest, cost)
            budget.settle(most, known(cost))

    await asyncio.gather(*(work() for _ in range(workers)))
    return found


@pytest.mark.parametrize("seed", range(200))
def test_a_limit_is_passed_by_one_request_at_most_at_any_concurrency(seed: int) -> None:
    chance = random.Random(seed)
    limit = chance.randrange(200_000)
    blind = chance.random() < 0.3  # nobody can say what some calls cost at most
    calls: list[tuple[int | None, int]] = []
    for _ in range(400):
        most = chance.randrange(1, 5_000)
        calls.append((None if blind and chance.random() < 0.2 else most, chance.randint(0, most)))
    budget = Budget(Guard(limit))
    found = asyncio.run(spend(budget, calls, 64, chance))
    assert found.spent <= limit + found.dearest
    assert budget.spent == found.spent
    whole = sum(cost for _, cost in calls)
    assert found.calls == len(calls) if whole < limit else budget.stopped


def test_most_of_a_limit_is_used_although_calls_cost_less_than_they_could() -> None:
    """A call waits for those under way instead of giving up: they may cost less than was reserved."""
    budget = Budget(Guard(10_000))
    found = asyncio.run(spend(budget, [(1_000, 10)] * 2_000, 64, random.Random(1)))
    assert found.spent == 10_000
    assert found.most_at_once == 10


def test_a_call_of_which_nobody_knows_the_most_is_made_alone() -> None:
    budget = Budget(Guard(1_000_000))
    found = asyncio.run(spend(budget, [(None, 5)] * 50, 16, random.Random(1)))
    assert (found.calls, found.most_at_once) == (50, 1)
    free = asyncio.run(spend(Budget(), [(None, 5)] * 50, 16, random.Random(1)))
    assert free.most_at_once > 1  # without a limit nothing has to be kept


def test_a_limit_of_nothing_lets_free_calls_through_and_no_other() -> None:
    budget = Budget(Guard(0))
    assert budget.reserved_at_once(0)
    with pytest.raises(GuardStop, match=r"the limit of \$0\.00 \(cost_limit_usd\) is reached"):
        budget.reserved_at_once(1)


def test_a_call_of_unknown_cost_stops_the_next_paid_one() -> None:
    budget = Budget(Guard(1_000_000))
    assert budget.reserved_at_once(700)
    budget.settle(700, UNKNOWN)
    assert (budget.spent, budget.unknown) == (700, 1)  # the most that it can have cost
    with pytest.raises(GuardStop, match="did not tell what it cost"):
        budget.reserved_at_once(1)
    assert budget.reserved_at_once(0)


def test_unknown_costs_may_be_allowed_and_then_count_with_the_most() -> None:
    budget = Budget(Guard(1_000, allow_unknown=True))
    assert budget.reserved_at_once(700)
    budget.settle(700, UNKNOWN)
    assert budget.reserved_at_once(200)
    budget.settle(200, UNKNOWN)
    assert budget.reserved_at_once(200)  # 900 of 1,000 are spent: one more may begin
    budget.settle(200, UNKNOWN)
    with pytest.raises(GuardStop):
        budget.reserved_at_once(1)
    assert budget.told() == "$0.0011 of $0.001, 3 calls of unknown cost"


def test_a_refused_call_gives_its_reservation_back() -> None:
    budget = Budget(Guard(100))
    assert budget.reserved_at_once(100)
    assert budget.remaining == 0
    budget.settle(100, None)
    assert (budget.spent, budget.remaining) == (0, 100)


def test_whoever_waits_hears_that_the_guard_has_stopped() -> None:
    async def both() -> None:
        budget = Budget(Guard(100))
        assert budget.reserved_at_once(100)
        waiting = asyncio.create_task(_reserve(budget, 50))
        await asyncio.sleep(0)
        assert not waiting.done()
        budget.settle(100, known(100))
        with pytest.raises(GuardStop):
            await waiting

    asyncio.run(both())


def test_a_waiter_that_is_cancelled_leaves_nothing_behind() -> None:
    async def both() -> None:
        budget = Budget(Guard(100))
        assert budget.reserved_at_once(100)
        waiting = asyncio.create_task(_reserve(budget, 50))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        budget.settle(100, known(1))
        assert budget.remaining == 99

    asyncio.run(both())


async def _reserve(budget: Budget, most: int) -> None:
    await budget.reserve(most)
