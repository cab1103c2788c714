"""Asking and grading: the only loop that calls a target."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

from engine.model.exchange import Exchange, Turn
from engine.model.grade import Grading
from engine.model.plan import Trial
from engine.model.query import Query
from engine.model.record import Failure, Record, Status, TargetFailure
from engine.model.target import Target

__all__ = ["Bench", "Grades", "execute"]


class Grades(Protocol):
    """A compiled rubric."""

    def grade(self, exchange: Exchange) -> Grading: ...


@dataclass(frozen=True, slots=True)
class Bench:
    """Everything a trial needs.

    Attributes:
        concurrency: how many trials are under way at once, over the whole run.
        timeout_s: seconds after which a trial without an answer has failed.
        on_record: told of each record at once, in the order they finish. What it raises ends the run.
        stop: asked before each trial; True leaves the rest for a resume.
    """

    target: Target
    grader: Grades
    concurrency: int
    timeout_s: float
    on_record: Callable[[Record], None]
    stop: Callable[[], bool]


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
    while not bench.stop():
        trial = next(trials, None)
        if trial is None:
            return
        bench.on_record(await _run(bench, trial))


async def _run(bench: Bench, trial: Trial) -> Record:
    turn = Turn(trial.query.text, trial.query.id)
    started = perf_counter()
    try:
        async with asyncio.timeout(bench.timeout_s):
            answer = await bench.target.answer(turn, ())
    except TimeoutError:
        return _failed(trial, Failure.TIMEOUT, f"no answer within {bench.timeout_s:g} seconds", started)
    except TargetFailure as error:
        return _failed(trial, error.failure, str(error), started)
    answered = perf_counter()
    exchange = Exchange(trial.query, turn, answer, latency_s=answered - started)
    grading = bench.grader.grade(exchange)
    latency_s = {**answer.latency_s, "grade": perf_counter() - answered, "total": answered - started}
    return Record(*_identity(trial), Status.DONE, exchange, grading, latency_s=latency_s)


def _failed(trial: Trial, failure: Failure, error: str, started: float) -> Record:
    latency_s = {"total": perf_counter() - started}
    return Record(*_identity(trial), Status.FAILED, failure=failure, error=error, latency_s=latency_s)


def _identity(trial: Trial) -> tuple[str, str, int, int, Query]:
    return trial.key, trial.set_name, trial.position, trial.repeat, trial.query


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """What one worker raised: the others were told to stop because of it."""
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
