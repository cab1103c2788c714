"""Calls of a trial: written down before and after, tried again, charged, restored, and the session around them."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from engine.execute import session as sessions
from engine.execute.budget import Budget, Guard
from engine.execute.paying import Payer
from engine.model.calls import Attempt, Call, CallFailure, Calls, Ended, GuardStop, Started
from engine.model.exchange import Answer, Exchange, Turn
from engine.model.record import Failure
from engine.model.run import RunStatus
from engine.model.target import Scalar
from engine.model.usage import Cost, CostBasis, CostStatus, Usage, UsageSource
from tests.chaos.small_session import small_session
from tests.doubles import Remembers


def used(tokens: int) -> tuple[Usage, Cost]:
    usage = Usage(tokens, output_total=0, source=UsageSource.PROVIDER)
    return usage, Cost(tokens, CostStatus.KNOWN, CostBasis.TABLE)


UNTOLD = Usage(problem="no usage in the answer"), Cost(None, CostStatus.UNKNOWN_USAGE, CostBasis.TABLE)


class Scripted:
    """A call whose attempts go as they were written down: an answer with its tokens, or a failure."""

    def __init__(self, *script: int | CallFailure) -> None:
        self.script = [*script]
        self.made = 0

    def call(self, most: int | None = 5_000, retries: int = 0) -> Call[str]:
        return Call("target", most, self.make, lambda text: {"text": text}, lambda kept: str(kept["text"]), retries)

    async def make(self) -> Attempt[str]:
        self.made += 1
        step = self.script.pop(0)
        if isinstance(step, CallFailure):
            raise step
        return Attempt("found", *used(step), "model-1", {"total": 0.25})


def limited(after_s: float | None = None, spent: int | None = None) -> CallFailure:
    return CallFailure(
        Failure.RATE_LIMITED,
        "too many requests",
        spent=None if spent is None else used(spent),
        again=True,
        retry_after_s=after_s,
    )


def paid(script: Scripted, retries: int, budget: Budget | None = None) -> tuple[Attempt[str], Remembers, list[float]]:
    ledger, pauses = Remembers(), []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    payer = Payer(budget or Budget(), ledger, pause=pause)
    return asyncio.run(payer.trial("t1").pay(script.call(retries=retries))), ledger, pauses


def test_failed_attempts_are_charged_too() -> None:
    """F07: the target fails once with usage 900, then succeeds with 100: 1,000 charged, both in the ledger."""
    budget = Budget(Guard(1_000_000))
    found, ledger, _ = paid(Scripted(limited(spent=900), 100), 1, budget)
    assert (found.value, budget.spent) == ("found", 1_000)
    ended = [line for line in ledger.lines if isinstance(line, Ended)]
    assert [(line.call.attempt, line.failure) for line in ended] == [(1, Failure.RATE_LIMITED), (2, None)]
    assert [line.spent[1].micro_usd for line in ended if line.spent] == [900, 100]


def test_nothing_is_tried_again_unless_that_was_asked_for() -> None:
    script = Scripted(limited(), 100)
    with pytest.raises(CallFailure, match="too many requests"):
        paid(script, 0)
    assert script.made == 1


def test_a_failure_that_will_not_go_away_is_not_tried_again() -> None:
    script = Scripted(CallFailure(Failure.UNAUTHORIZED, "the key was refused"), 100)
    with pytest.raises(CallFailure):
        paid(script, 5)
    assert script.made == 1


def test_the_other_side_says_how_long_to_wait_but_never_longer_than_a_minute() -> None:
    _, _, pauses = paid(Scripted(limited(2.0), limited(9_000.0), 1), 2)
    assert pauses == [2.0, 60.0]
    _, _, grown = paid(Scripted(limited(), limited(), limited(), 1), 3)
    assert all(0.5 * full <= waited <= full for waited, full in zip(grown, (0.5, 1.0, 2.0), strict=True))


def test_a_paid_call_is_written_down_before_it_is_sent_and_settled_before_anything_is_done_with_it() -> None:
    ledger = Remembers()
    seen: list[int] = []

    class Watched(Scripted):
        async def make(self) -> Attempt[str]:
            seen.append(len(ledger.lines))
            return await super().make()

    asyncio.run(Payer(Budget(), ledger).trial("t1").pay(Watched(100).call()))
    assert seen == [1]
    assert ledger.lines == [
        call := Started("t1", "target", 1, 1, 5_000),
        Ended(call, None, None, used(100), "model-1", {"total": 0.25}, {"text": "found"}),
    ]


def test_a_free_call_leaves_one_line() -> None:
    ledger = Remembers()
    asyncio.run(Payer(Budget(Guard(0)), ledger).trial("t1").pay(Scripted(0).call(most=0)))
    assert [type(line) for line in ledger.lines] == [Ended]


def test_a_call_that_is_given_up_has_an_unknown_cost() -> None:
    """It may have been charged in full: it is never free."""
    ledger, budget = Remembers(), Budget(Guard(1_000_000))

    class Silent(Scripted):
        async def make(self) -> Attempt[str]:
            await asyncio.Event().wait()
            raise AssertionError

    async def give_up() -> None:
        async with asyncio.timeout(0.01):
            await Payer(budget, ledger).trial("t1").pay(Silent().call())

    with pytest.raises(TimeoutError):
        asyncio.run(give_up())
    last = ledger.lines[-1]
    assert isinstance(last, Ended)
    assert (last.failure, last.spent and last.spent[1].status) == ("cancelled", CostStatus.UNKNOWN_USAGE)
    assert (budget.spent, budget.unknown, budget.remaining) == (5_000, 1, 995_000)
    assert budget.stopped


def test_waiting_for_the_guard_is_no_part_of_the_time_that_an_answer_may_take() -> None:
    budget = Budget(Guard(100))

    async def two() -> float:
        assert budget.reserved_at_once(100)
        calls = Payer(budget, Remembers()).trial("t1")
        asyncio.get_running_loop().call_later(0.1, budget.settle, 100, used(1)[1])
        async with asyncio.timeout(0.05) as calls.limit:
            await calls.pay(Scripted(1).call(most=50))
        return calls.waited_s

    assert asyncio.run(two()) == pytest.approx(0.1, abs=0.05)


def test_waiting_for_a_place_is_no_part_of_the_time_and_costs_nothing() -> None:
    """A trial that never gets its turn has sent nothing: its cost is not unknown, it is none."""
    budget, ledger = Budget(Guard(1_000_000)), Remembers()

    class Slow(Scripted):
        async def make(self) -> Attempt[str]:
            await asyncio.sleep(0.03)
            return await super().make()

    async def five() -> float:
        place = asyncio.Semaphore(1)
        payer = Payer(budget, ledger)

        @asynccontextmanager
        async def turn() -> AsyncIterator[None]:
            async with place:
                yield

        async def one(number: int) -> float:
            calls = payer.trial(f"t{number}")
            async with asyncio.timeout(0.08) as calls.limit:
                await calls.pay(Slow(100).call()._replace(turn=turn))
            return calls.waited_s

        return max(await asyncio.gather(*map(one, range(5))))

    assert asyncio.run(five()) > 0.1
    assert (budget.spent, budget.unknown, budget.stopped) == (500, 0, "")


def test_a_ledger_that_cannot_be_written_charges_nothing() -> None:
    budget, script = Budget(Guard(1_000_000)), Scripted(100)

    class Full(Remembers):
        def started(self, call: Started) -> None:
            raise OSError("no space left")

    with pytest.raises(OSError, match="no space"):
        asyncio.run(Payer(budget, Full()).trial("t1").pay(script.call()))
    assert (script.made, budget.spent, budget.unknown, budget.remaining) == (0, 0, 0, 1_000_000)


def test_what_was_answered_before_a_stop_is_not_paid_again() -> None:
    call = Started("t1", "target", 1, 1, 5_000)
    before = Ended(call, None, None, used(100), "model-1", {"total": 0.25}, {"text": "found"})
    script = Scripted()
    ledger = Remembers()
    calls = Payer(Budget(), ledger, {("t1", "target", 1): before}).trial("t1")
    found = asyncio.run(calls.pay(script.call()))
    assert (found.value, found.model, script.made, ledger.lines) == ("found", "model-1", 0, [])
    assert calls.spent["target"].micro_usd == 100
    assert calls.restored_s == 0.25


# ---- a whole session ---------------------------------------------------------------------------


class Paid:
    """A target whose every answer costs something; `script` says what, None for an answer that does not tell."""

    def __init__(self, script: Mapping[str, int | None], usual: int = 100) -> None:
        self.script, self.usual = script, usual
        self.asked: list[str] = []
        self.identity: dict[str, Scalar] = {"kind": "double"}
        self.corpus_sha256 = None
        self.sources = None

    def most(self, turn: Turn) -> int:
        return 1_000

    async def answer(self, turn: Turn, history: tuple[Exchange, ...], calls: Calls) -> Answer:
        async def make() -> Attempt[str]:
            self.asked.append(turn.query_id)
            tokens = self.script.get(turn.query_id, self.usual)
            return Attempt(f"answer to {turn.say}", *(UNTOLD if tokens is None else used(tokens)), "model-1")

        found = await calls.pay(
            Call("target", 1_000, make, lambda text: {"text": text}, lambda kept: str(kept["text"]))
        )
        return Answer(text=found.value, usage=found.usage, cost=found.cost, model=found.model)


def test_a_run_whose_second_answer_has_no_usage_stops_before_the_next_paid_call(tmp_path: Path) -> None:
    target = Paid({"q2": None})
    made = small_session(tmp_path, 5, target)
    budget = Budget(Guard(1_000_000))
    finished = sessions.run(replace(made.session, budget=budget))
    assert target.asked == ["q1", "q2"]
    assert (finished.info.status, finished.info.done) == (RunStatus.INTERRUPTED, 2)  # what is paid for is recorded
    assert "did not tell what it cost" in budget.stopped
    assert (finished.info.calls, finished.info.cost_micro_usd, finished.info.unknown_costs) == (2, 100, 1)


def test_a_run_that_the_guard_stopped_goes_on_with_a_higher_limit(tmp_path: Path) -> None:
    target = Paid({})
    made = small_session(tmp_path, 10, target)
    first = sessions.run(replace(made.session, budget=Budget(Guard(450))))
    assert (first.info.done, first.info.status, first.info.cost_micro_usd) == (5, RunStatus.INTERRUPTED, 500)
    budget = Budget(Guard(10_000))
    again = sessions.run(replace(made.session, budget=budget))
    assert target.asked == [f"q{n}" for n in range(1, 11)]  # nobody twice
    assert (again.info.done, again.info.status, again.info.cost_micro_usd) == (10, RunStatus.COMPLETE, 1_000)
    assert budget.spent == 1_000
    whole = sessions.run(replace(made.session, budget=Budget(Guard(1))))  # everything is there: nothing is called (F13)
    assert (whole.info.status, len(target.asked)) == (RunStatus.COMPLETE, 10)


def test_an_answer_that_was_paid_for_and_not_recorded_is_not_paid_again(tmp_path: Path) -> None:
    target = Paid({})
    made = small_session(tmp_path, 2, target)
    finished = sessions.run(made.session)
    journal = Path(finished.info.folder) / "results.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    kinds = [json.loads(line)["type"] for line in lines]
    assert kinds == ["run_start", *["call_start", "call_end", "trial"] * 2, "run_summary"]
    whole = json.loads(lines[6])["data"]

    journal.write_bytes(b"".join(lines[:6]))  # as a kill leaves it: the second answer is paid for, and has no record
    again = sessions.run(made.session)
    assert target.asked == ["q1", "q2"]
    assert (again.info.done, again.info.cost_micro_usd) == (2, 200)
    mended = json.loads(journal.read_bytes().splitlines()[6])["data"]
    assert [mended[name] for name in ("key", "turns", "scores")] == [whole[name] for name in ("key", "turns", "scores")]

    journal.write_bytes(b"".join(lines[:5]))  # it was under way at the kill: nobody knows, so it counts in full
    budget = Budget(Guard(1_000_000))
    once_more = sessions.run(replace(made.session, budget=budget))
    assert target.asked == ["q1", "q2", "q2"]
    assert (budget.spent, budget.unknown) == (1_200, 1)
    assert once_more.info.status is RunStatus.COMPLETE


def test_a_guard_that_stops_everything_stops_a_run_before_its_first_call(tmp_path: Path) -> None:
    target = Paid({})
    made = small_session(tmp_path, 2, target)
    finished = sessions.run(replace(made.session, budget=Budget(Guard(0))))
    assert (target.asked, finished.info.done, finished.info.status) == ([], 0, RunStatus.INTERRUPTED)
    with pytest.raises(GuardStop):
        Budget(Guard(0)).reserved_at_once(None)
