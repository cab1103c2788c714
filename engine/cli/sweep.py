"""`assay run -m`: every job checked before the first one costs anything, each a run of its own, resumable."""

import argparse
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from engine.cli.one_run import Options, Outcome, check_one, dry_run, resume_one, start_one
from engine.errors import AssayError, EngineError, Exit, Problem, UsageError, worst_exit
from engine.model.run import RunStatus
from engine.plan import compose
from engine.plan.compose import Job, Typed
from engine.store import strict_json
from engine.store.runs import RunFolder, open_run, run_id
from engine.store.whole_file import write_whole
from engine.text import one_line

__all__ = ["sweep"]

_SCHEMA = "assay.sweep/1"


def sweep(typed: Typed, args: argparse.Namespace, options: Options) -> Outcome:
    """Check all jobs, then run them one after the other through Hydra's launcher."""
    jobs = compose.compose_all(typed)
    identities = _checked(jobs, typed)
    if args.cfg or args.dry_run:
        for job in jobs:
            print(f"# {_named(job)}")
            if args.cfg:
                print(job.config, end="")
            else:
                dry_run(job, typed.workspace, options)
        return Outcome(Exit.PASSED, {"jobs": len(jobs)})
    _warn(typed, jobs)
    ledger = _ledger(typed.workspace.runs, args.resume)
    ledger.refuse_changes(identities)
    sweep_ = _Sweep(typed, options, ledger, identities)
    outcomes = compose.run_many(typed, ledger.folder, sweep_.one)
    return sweep_.ending(jobs, outcomes)


@dataclass(slots=True)
class _Ledger:
    """Which job of a sweep has which run. A job is known by its resolved settings, never by its number."""

    folder: Path
    jobs: dict[str, dict[str, str]] = field(default_factory=dict)

    def note(self, key: str, entry: Mapping[str, str]) -> None:
        """Record a job, on the disk before anything else happens."""
        self.jobs[key] = dict(entry)
        write_whole(self.folder / "sweep.json", strict_json.dumps({"schema": _SCHEMA, "jobs": self.jobs}).encode())

    def refuse_changes(self, identities: Mapping[str, str]) -> None:
        """Finished jobs count only for what they asked: the same queries, rubric, corpus and target."""
        changed = [
            Problem(f"{entry['job']}: its queries, rubric, corpus or target changed since it was run ({entry['run']}).")
            for key, entry in self.jobs.items()
            if key in identities and entry["identity"] != identities[key]
        ]
        if changed:
            raise UsageError(*changed, Problem("the sweep cannot go on", help="start a new one without --resume"))


@dataclass(slots=True)
class _Sweep:
    typed: Typed
    options: Options
    ledger: _Ledger
    identities: Mapping[str, str]
    stopped: bool = False

    def one(self, job: Job) -> Outcome:
        """One job: done already, to be resumed, or new. A failure ends this job, not the sweep."""
        key, name = _key(job), _named(job)
        if self.stopped:
            return Outcome(Exit.INTERRUPTED, {"job": name, "status": "not started"})
        if self.options.mode not in ("json", "silent"):
            print(f"== {name}")
        known = self.ledger.jobs.get(key)
        try:
            if known is None:
                outcome = start_one(job, self.typed.workspace, self.options, lambda made: self._begun(job, made))
            else:
                outcome = resume_one(self.typed.workspace, known["run"], (), self.options)
        except EngineError as error:
            return Outcome(error.exit, {"job": name, "status": "failed", "why": [str(p) for p in error.problems]})
        self.stopped = outcome.ending is not None and outcome.ending.info.status is RunStatus.INTERRUPTED
        return Outcome(outcome.exit, {"job": name, **outcome.report}, outcome.ending)

    def _begun(self, job: Job, folder: RunFolder) -> None:
        key = _key(job)
        self.ledger.note(key, {"job": _named(job), "run": folder.id, "identity": self.identities[key]})

    def ending(self, jobs: tuple[Job, ...], outcomes: tuple[Outcome, ...]) -> Outcome:
        """The table of all jobs, and the command that goes on when some are left."""
        if self.options.mode != "json":
            width = max(len(_named(job)) for job in jobs)
            print("== all jobs")
            for job, outcome in zip(jobs, outcomes, strict=True):
                print(f"{_named(job):<{width}}  {_row(outcome)}")
        if self.stopped:
            words = " ".join(self.typed.overrides)
            print(f"go on with: assay run -m {one_line(words)} --resume {self.ledger.folder.name}{self.options.again}")
        report = {"sweep": self.ledger.folder.name, "jobs": [dict(outcome.report) for outcome in outcomes]}
        return Outcome(worst_exit(outcome.exit for outcome in outcomes), report)


def _checked(jobs: tuple[Job, ...], typed: Typed) -> dict[str, str]:
    """Identity of what each job will run, or every problem of every job."""
    problems: dict[Problem, None] = {}
    identities = {}
    for job in jobs:
        try:
            prepared, plan = check_one(job, typed.workspace)
            identities[_key(job)] = f"{plan}:{prepared.queries.sha256}"
        except AssayError as error:
            problems |= dict.fromkeys(error.problems)
    if problems:
        raise UsageError(*problems)
    return identities


def _ledger(runs: Path, resume: str | None) -> _Ledger:
    if resume is None:
        folder = runs / "sweeps" / f"sweep-{run_id(time.time(), random.SystemRandom())}"
        try:
            folder.mkdir(mode=0o700, parents=True)
        except OSError as error:
            raise EngineError(Problem(f"cannot be made: {error.strerror}.", str(folder))) from error
        return _Ledger(folder)
    folder = open_run(runs / "sweeps", resume).path
    content = (
        strict_json.loads((folder / "sweep.json").read_bytes(), str(folder / "sweep.json"))
        if (folder / "sweep.json").exists()
        else {}
    )
    jobs = content.get("jobs") if isinstance(content, dict) else None
    return _Ledger(folder, {key: dict(entry) for key, entry in jobs.items()} if isinstance(jobs, dict) else {})


def _warn(typed: Typed, jobs: tuple[Job, ...]) -> None:
    swept = [text for text in typed.overrides if text.startswith("target") and "," in text]
    if len(jobs) > 1 and swept:
        print(f"note: {one_line(swept[0])} makes separate runs; compare two of them with: assay compare RUN RUN")


def _key(job: Job) -> str:
    return sha256(job.config.encode()).hexdigest()[:24]


def _named(job: Job) -> str:
    return one_line(" ".join(job.overrides)) or "no overrides"


def _row(outcome: Outcome) -> str:
    if outcome.ending is None:
        return one_line(f"{outcome.report.get('status', 'failed')} {outcome.report.get('why', '')}")
    overall = outcome.ending.info.averages.get("overall")
    mean = "ungraded" if overall is None or overall.mean is None else f"{overall.mean:.2f}"
    counts = f"{overall.graded:,} of {overall.planned:,}" if overall else "0"
    return f"overall={mean} ({counts} graded)  {outcome.ending.info.status}  {one_line(outcome.ending.info.id)}"
