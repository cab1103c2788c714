"""One run from its folder to its summary: what has a record is never asked again."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from engine.errors import EngineError, UsageError
from engine.execute.budget import Budget
from engine.execute.call_book import CallBook
from engine.execute.counts import Counts
from engine.execute.loop import Bench, Grades, Jury, execute
from engine.execute.paying import Payer
from engine.model.calls import Spent
from engine.model.plan import Plan
from engine.model.record import Failure, Record, Status
from engine.model.run import Average, RunInfo, RunStatus
from engine.model.target import Target
from engine.store import run_json
from engine.store.calls import paid_before, spent_data
from engine.store.entries import Entry, EntryType, read
from engine.store.journal import Durability, Journal, RecordTooLongError, open_journal
from engine.store.records import Recorded, read_trials, recorded, trial_data
from engine.store.runs import RunFolder
from engine.store.tally import Tally

__all__ = ["Finished", "Session", "focus", "run"]

_SYNC_S = 0.2  # what a power cut can cost
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Session:
    """What one run is made of.

    Attributes:
        folder: begun, with the plan in it.
        info: what was known when it began.
        on_record: told of each record after it is on disk, with the number recorded so far.
        stop: asked before each trial; True leaves the rest for a resume.
        budget: the cost guard, new for this session.
        jury: asks what the computer cannot see; None when nobody is asked.
        closing: closes what was opened for the run, inside the loop that used it.
    """

    folder: RunFolder
    info: RunInfo
    plan: Plan
    target: Target
    grader: Grades
    concurrency: int
    timeout_s: float
    durability: Durability
    on_record: Callable[[Record, int], None]
    stop: Callable[[], bool]
    budget: Budget = field(default_factory=Budget)
    jury: Jury | None = None
    closing: Callable[[], Awaitable[None]] | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """How a run ended: `counts` covers every record, those from before a resume too.

    Attributes:
        spent: what its calls came to, by caller.
        distrusted: by judge, why its votes were not used.
        left: the first few queries that were planned and have no record.
    """

    info: RunInfo
    counts: Counts
    spent: Mapping[str, Spent] = field(default_factory=dict)
    distrusted: Mapping[str, str] = field(default_factory=dict)
    left: tuple[str, ...] = ()


def run(session: Session) -> Finished:
    """Run every trial without a record, then write the summary. A finished run is left as it is.

    Raises:
        EngineError: a record could not be written; the run can be resumed.
        UsageError: a line in the middle of its journal is damaged, or another process is writing it.
    """
    path = session.folder.journal
    with open_journal(path, time.time, session.durability) as journal:  # mends a torn end before it is read
        before = _before(path)
        tally, measures, failed, seen = before.tally, before.measures, before.failed, len(before.keys)
        counts = Counts()
        for line in read_trials(path) if before.keys else ():
            counts.add_line(line)
        summarised = _has(path, "run_summary")
        if not _has(path, "run_start"):
            journal.append_synced("run_start", _start(session))
        if before.keys and not summarised:
            session.folder.finish(replace(session.info, status=RunStatus.RUNNING))

        def record(made: Record) -> None:
            nonlocal failed, seen
            try:
                journal.append("trial", trial_data(made, session.info.graded_by))
            except RecordTooLongError as error:
                made = _without_answer(made, error.problems[0].message)
                journal.append("trial", trial_data(made, session.info.graded_by))
            if made.grading is not None:
                tally.add(made.query.id, made.repeat, made.grading.scores)
                measures.add(made.query.id, made.repeat, made.grading.measures)
            counts.add(made)
            failed += made.status is Status.FAILED
            seen += 1
            session.on_record(made, seen)

        paid = paid_before(path, before.keys)
        budget = session.budget
        budget.count(paid.micro_usd, paid.unknown, untold=paid.untold)
        book = CallBook(journal, paid.spent)
        bench = Bench(
            session.target,
            session.grader,
            Payer(budget, book, paid.answered),
            session.concurrency,
            session.timeout_s,
            record,
            session.stop,
            session.jury,
        )
        left = (trial for trial in session.plan.trials() if trial.key not in before.keys)
        try:
            asyncio.run(_synced(execute(bench, left), journal, session.closing))
        finally:
            if session.jury is not None:
                session.jury.close()
        distrusted = {} if session.jury is None else session.jury.distrusted
        ended = replace(
            _ended(session, tally, seen, failed),
            measures=measures.averages(len(session.plan)),
            calls=book.calls,
            cost_micro_usd=book.micro_usd if book.calls else None,
            unknown_costs=budget.unknown,
            notes=tuple(dict.fromkeys((*session.info.notes, *distrusted.values()))),
        )
        if seen == ended.planned and not summarised:
            journal.append_synced("run_summary", _summary(ended, counts, book.spent))
    session.folder.finish(ended)
    whole = replace(ended, id=session.folder.id, folder=str(session.folder.path))
    return Finished(
        whole, counts, book.spent, distrusted, _left(session.plan, path) if seen < len(session.plan) else ()
    )


def focus(averages: Mapping[str, Average]) -> str | None:
    """The lowest dimension but overall; the first in the rubric's order when several are lowest.

    None when there is nothing to choose from, or nothing to improve.
    """
    means = {name: average.mean for name, average in averages.items() if name != "overall" and average.mean is not None}
    lowest = min(means, key=lambda name: means[name], default=None)
    return lowest if lowest is not None and len(means) > 1 and means[lowest] < 1 else None


def _left(plan: Plan, journal: Path) -> tuple[str, ...]:
    """The first queries without a record, in the order of the plan."""
    done = recorded(journal).keys
    return tuple(islice((trial.query.id for trial in plan.trials() if trial.key not in done), _SHOWN))


def _before(journal: Path) -> Recorded:
    found = recorded(journal)
    if found.problems:
        raise UsageError(*found.problems)
    return found


def _has(journal: Path, kind: EntryType) -> bool:
    return any(isinstance(item, Entry) and item.type == kind for _, item in read(journal, kind))


def _without_answer(made: Record, error: str) -> Record:
    """An answer that cannot be kept is a failed trial, never one that is shown and then gone."""
    return made._replace(status=Status.FAILED, exchange=None, grading=None, failure=Failure.VALIDATION, error=error)


async def _synced(
    work: Coroutine[None, None, None], journal: Journal, closing: Callable[[], Awaitable[None]] | None
) -> None:
    """Do the work; while answers are slow, sync what waits every 200 ms."""
    ticking = asyncio.create_task(_tick(journal))
    try:
        await work
    finally:
        ticking.cancel()
        (failed,) = await asyncio.gather(ticking, return_exceptions=True)
        if closing is not None:
            await closing()
    if isinstance(failed, EngineError):
        raise failed


async def _tick(journal: Journal) -> None:
    while True:
        await asyncio.sleep(_SYNC_S)
        journal.sync_group()


def _ended(session: Session, tally: Tally, seen: int, failed: int) -> RunInfo:
    planned = len(session.plan)
    averages = tally.averages(planned)
    complete = RunStatus.FAILED if failed == planned else RunStatus.COMPLETE
    status = RunStatus.INTERRUPTED if seen < planned else complete
    return replace(
        session.info, status=status, done=seen - failed, failed=failed, averages=averages, focus=focus(averages)
    )


def _start(session: Session) -> dict[str, object]:
    known = run_json.to_json(session.info)
    keys = ("queries", "set_version", "set_sha256", "planned", "rubric", "rubric_sha256", "corpus", "settings")
    return {"run": session.folder.id, **{key: known[key] for key in keys}}


def _summary(ended: RunInfo, counts: Counts, spent: Mapping[str, Spent]) -> dict[str, object]:
    known = run_json.to_json(ended)
    kept = {key: known[key] for key in ("averages", "measures", "done", "failed", "focus")}
    cost = {"spent": spent_data(spent)} if spent else {}
    return {**kept, "verdicts": dict(counts.verdicts), "ungraded": dict(counts.ungraded), **cost}
