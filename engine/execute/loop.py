"""Asking and grading: the only loop that calls a target."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple, Protocol

from engine.execute.paying import Payer, TrialCalls
from engine.model.calls import CallFailure, GuardStop
from engine.model.exchange import Exchange, Turn
from engine.model.grade import Grading, Vote
from engine.model.plan import Trial
from engine.model.query import Query
from engine.model.record import Failure, Record, Status, TargetFailure
from engine.model.target import Target

__all__ = ["Bench", "Grades", "Judged", "Jury", "execute"]


class Grades(Protocol):
    """A compiled rubric."""

    def grade(self, exchange: Exchange) -> Grading: ...


class Judged(NamedTuple):
    """What became of an answer that was graded with judges.

    Attributes:
        analysis: what a judge says about the results one by one, as JSON values; None when it was not asked.
    """

    grading: Grading
    votes: Mapping[str, Sequence[Vote]]
    analysis: Mapping[str, object] | None = None


class Jury(Protocol):
    """A rubric with somebody who answers its questions.

    Attributes:
        distrusted: by judge, why its votes are not used, as a sentence.
    """

    @property
    def distrusted(self) -> Mapping[str, str]: ...

    def close(self) -> None:
        """Close what was opened for the run."""
        ...

    async def grade(self, exchange: Exchange, repeat: int, calls: TrialCalls) -> Judged:
        """Grade what the computer sees, ask what is still needed, grade again. Raises GuardStop."""
        ...


@dataclass(frozen=True, slots=True)
class Bench:
    """Everything a trial needs.

    Attributes:
        concurrency: how many trials are under way at once, over the whole run.
        timeout_s: seconds after which a trial without an answer has failed.
        on_record: told of each record at once, in the order they finish. What it raises ends the run.
        stop: asked before each trial; True leaves the rest for a resume.
        payer: makes the calls that may cost money.
        jury: asks what the computer cannot see; None when nobody is asked.
    """

    target: Target
    grader: Grades
    payer: Payer
    concurrency: int
    timeout_s: float
    on_record: Callable[[Record], None]
    stop: Callable[[], bool]
    jury: Jury | None = None


async def execute(bench: Bench, trials: Iterator[Trial]) -> None:
    """Run every trial once. Workers pull from the iterator, so memory depends on their number alone.

    Raises:
        AssayError: a record could not be kept, or the engine failed. Nothing else is started then.
    """
    try:
        async with asyncio.TaskGroup() as workers:
            for _ in range(bench.concurrency):
                workers.create_task(_work(bench, trials))
    except BaseExceptionGroup as group:
        raise _first(group) from None


async def _work(bench: Bench, trials: Iterator[Trial]) -> None:
    while not (bench.stop() or bench.payer.budget.stopped):
        trial = next(trials, None)
        if trial is None:
            return
        try:
            record = await _run(bench, trial)
        except GuardStop:  # the trial stays planned; what was paid for it is in the journal
            return
        bench.on_record(record)


async def _run(bench: Bench, trial: Trial) -> Record:
    turn, calls = Turn(trial.query.text, trial.query.id), bench.payer.trial(trial.key)
    started = perf_counter()
    try:
        async with asyncio.timeout(bench.timeout_s) as calls.limit:
            answer = await bench.target.answer(turn, (), calls)
    except TimeoutError:
        return _failed(trial, Failure.TIMEOUT, f"no answer within {bench.timeout_s:g} seconds", (started, calls))
    except (TargetFailure, CallFailure) as error:
        return _failed(trial, error.failure, str(error), (started, calls))
    calls.limit = None
    answered = perf_counter()
    waited_s, total_s = calls.waited_s, answered - started + calls.restored_s
    cost = answer.cost
    cost_usd = None if cost is None or cost.micro_usd is None else cost.micro_usd / 1_000_000
    exchange = Exchange(trial.query, turn, answer, total_s - waited_s, cost_usd)
    if bench.jury is None:
        judged = Judged(bench.grader.grade(exchange), {})
    else:
        judged = await bench.jury.grade(exchange, trial.repeat, calls)
    latency_s = {**answer.latency_s, "grade": perf_counter() - answered, "total": total_s}
    if waited_s:
        latency_s["waited"] = waited_s
    return Record(
        *_identity(trial),
        Status.DONE,
        exchange,
        judged.grading,
        latency_s=latency_s,
        attempts=_attempts(calls),
        votes=judged.votes,
        analysis=judged.analysis,
    )


def _failed(trial: Trial, failure: Failure, error: str, so_far: tuple[float, TrialCalls]) -> Record:
    started, calls = so_far
    latency_s = {"total": perf_counter() - started, **({"waited": calls.waited_s} if calls.waited_s else {})}
    return Record(
        *_identity(trial),
        Status.FAILED,
        failure=failure,
        error=error,
        latency_s=latency_s,
        attempts=_attempts(calls),
    )


def _attempts(calls: TrialCalls) -> int:
    spent = calls.spent.get("target")
    return 1 if spent is None else spent.calls


def _identity(trial: Trial) -> tuple[str, str, int, int, Query]:
    return trial.key, trial.set_name, trial.position, trial.repeat, trial.query


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """What one worker raised: the others were told to stop because of it."""
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
