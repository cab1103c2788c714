"""`assay run -m`: every job checked before the first one costs anything, each a run of its own, resumable."""

import argparse
import random
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TypeVar

from engine.cli.dry_run import dry_run
from engine.cli.one_run import Outcome, go_on, identity, start_one
from engine.cli.opened import micro_usd
from engine.cli.options import Options
from engine.errors import AssayError, EngineError, Exit, Problem, UsageError, worst_exit
from engine.model.run import RunStatus
from engine.plan import compose
from engine.plan.compose import Job, Typed
from engine.plan.prepare import prepare
from engine.store.calls import paid_before
from engine.store.runs import RunFolder, open_run, run_id
from engine.store.sweeps import Sweep, SweptJob, begin_sweep, open_sweep
from engine.text import one_line

__all__ = ["sweep"]

S = TypeVar("S")
T = TypeVar("T")


def sweep(typed: Typed, args: argparse.Namespace, options: Options) -> Outcome:
    """Check all jobs, then run them one after the other through Hydra's launcher."""
    before = None if args.resume is None else open_sweep(typed.workspace.runs, args.resume)
    if before is not None and not typed.overrides:
        typed = replace(typed, overrides=before.overrides)
    jobs = compose.compose_all(typed)
    identities = _checked(jobs, typed, options)
    if args.cfg or args.dry_run:
        for job in jobs:
            print(f"# {_named(job)}")
            if args.cfg:
                print(job.config, end="")
            else:
                dry_run(job, typed.workspace, options)
        return Outcome(Exit.PASSED, {"jobs": len(jobs)})
    _warn(typed, jobs)
    if before is None:
        name = f"sweep-{run_id(time.time(), random.SystemRandom())}"
        ledger = begin_sweep(typed.workspace.runs, name, typed.overrides)
    else:
        ledger = before
        ledger.refuse_changes(identities)
    progress = _Progress(typed, replace(options, alone=False), ledger, identities)
    outcomes = compose.run_many(typed, ledger.folder, progress.one)
    return progress.ending(jobs, outcomes)


@dataclass(slots=True)
class _Progress:
    typed: Typed
    options: Options
    ledger: Sweep
    identities: Mapping[str, str]
    stopped: Exit | None = None
    spent: int = 0

    def one(self, job: Job) -> Outcome:
        """One job: done already, to be resumed, or new. A failure ends this job, not the sweep."""
        key, name = _key(job), _named(job)
        if self.stopped is not None:
            return Outcome(self.stopped, {"job": name, "status": "not started"})
        if self.options.mode != "json":
            print(f"== {name}")
        known, left = self.ledger.jobs.get(key), self._left(job)
        try:
            if known is None:
                outcome = start_one(job, self.typed.workspace, self.options, lambda made: self._begun(job, made), left)
            else:
                run = open_run(self.typed.workspace.runs, known.run)
                outcome = go_on(job, run, self.typed.workspace, self.options, left)
        except EngineError as error:
            self._count_what_failed(key)
            return Outcome(error.exit, {"job": name, "status": "failed", "why": [str(p) for p in error.problems]})
        if outcome.ending is not None and outcome.ending.spending is not None:
            self.spent += outcome.ending.spending.counted
        if outcome.ending is not None and outcome.ending.info.status is RunStatus.INTERRUPTED:
            self.stopped = outcome.exit
        return Outcome(outcome.exit, {"job": name, **outcome.report}, outcome.ending)

    def _count_what_failed(self, key: str) -> None:
        """A job that could not go on has spent all the same."""
        begun = self.ledger.jobs.get(key)
        journal = None if begun is None else self.typed.workspace.runs / begun.run / "results.jsonl"
        if journal is not None and journal.exists():
            self.spent += paid_before(journal, frozenset()).micro_usd

    def _left(self, job: Job) -> int | None:
        """Micro-dollars that the jobs before this one leave of the limit of the sweep."""
        limit = job.settings.sweep_cost_limit_usd
        return None if limit is None else max(micro_usd(limit) - self.spent, 0)

    def _begun(self, job: Job, folder: RunFolder) -> None:
        key = _key(job)
        self.ledger.note(key, SweptJob(_named(job), folder.id, self.identities[key]))

    def ending(self, jobs: tuple[Job, ...], outcomes: tuple[Outcome, ...]) -> Outcome:
        """The table of all jobs, and the command that goes on when some are left."""
        told = sys.stderr if self.options.mode == "json" else sys.stdout
        if self.options.mode != "json":
            width = max(len(_named(job)) for job in jobs)
            print("== all jobs")
            for job, outcome in zip(jobs, outcomes, strict=True):
                print(f"{_named(job):<{width}}  {_row(outcome)}")
        if self.stopped is not None or any(outcome.ending is None for outcome in outcomes):
            words = one_line(shlex.join(self.typed.overrides))
            code = " --allow-code" if self.options.allow_code else ""
            command = f"assay run -m {words} --resume {self.ledger.folder.name}{code}{self.options.again}"
            print(f"go on with: {command}", file=told)
            if self.stopped is Exit.COST:
                print("with a higher cost_limit_usd or sweep_cost_limit_usd in it", file=told)
        report = {"sweep": self.ledger.folder.name, "jobs": [dict(outcome.report) for outcome in outcomes]}
        return Outcome(worst_exit(outcome.exit for outcome in outcomes), report)


def _checked(jobs: tuple[Job, ...], typed: Typed, options: Options) -> dict[str, str]:
    """Identity of what each job will run, or every problem of every job."""
    prepared = _all(jobs, lambda job: prepare(job, typed.workspace))
    identities = _all(prepared, lambda one: identity(one, typed.workspace, options))
    found = {_key(one.job): identity for one, identity in zip(prepared, identities, strict=True)}
    if len(found) < len(jobs):
        problem = "several jobs of this sweep differ in nothing but what they may spend."
        raise UsageError(Problem(problem, "command line", "give one limit for all of them"))
    return found


def _all(items: Iterable[S], check: Callable[[S], T]) -> list[T]:
    """What `check` says of each item, or the problems of all of them at once."""
    found: list[T] = []
    problems: dict[Problem, None] = {}
    failed = False
    for item in items:
        try:
            found.append(check(item))
        except AssayError as error:
            failed = failed or isinstance(error, EngineError)
            problems |= dict.fromkeys(error.problems)
    if problems:
        raise EngineError(*problems) if failed else UsageError(*problems)
    return found


def _warn(typed: Typed, jobs: tuple[Job, ...]) -> None:
    swept = [text for text in typed.overrides if text.startswith("target") and "," in text]
    if len(jobs) > 1 and swept:
        note = f"note: {one_line(swept[0])} makes separate runs; compare two of them with: assay compare RUN RUN"
        print(note, file=sys.stderr)


_LIMITS = frozenset({"cost_limit_usd", "cost_allow_unknown", "sweep_cost_limit_usd"})


def _key(job: Job) -> str:
    """By what a job asks and grades: a higher limit is still the same job."""
    lines = (line for line in job.config.splitlines(keepends=True) if line.partition(":")[0] not in _LIMITS)
    return sha256("".join(lines).encode()).hexdigest()[:24]


def _named(job: Job) -> str:
    return one_line(" ".join(job.overrides)) or "no overrides"


def _row(outcome: Outcome) -> str:
    if outcome.ending is None:
        why = outcome.report.get("why")
        return one_line("; ".join([str(outcome.report["status"]), *map(str, why if isinstance(why, list) else ())]))
    overall = outcome.ending.info.averages.get("overall")
    mean = "ungraded" if overall is None or overall.mean is None else f"{overall.mean:.2f}"
    counts = f"{overall.graded:,} of {overall.planned:,}" if overall else "0"
    return f"overall={mean} ({counts} graded)  {outcome.ending.info.status}  {one_line(outcome.ending.info.id)}"
