"""Which job of a sweep has which run, so that a sweep that was stopped can go on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.errors import EngineError, Problem, UsageError
from engine.store import strict_json
from engine.store.runs import choose
from engine.store.whole_file import disk_problem, make_private, write_whole

__all__ = ["Sweep", "SweptJob", "begin_sweep", "open_sweep"]

_SCHEMA = "assay.sweep/1"


@dataclass(frozen=True, slots=True)
class SweptJob:
    """A job that has a run.

    Attributes:
        name: its overrides, for people.
        run: the id of its run.
        identity: hash of everything it asked and graded with.
    """

    name: str
    run: str
    identity: str


@dataclass(frozen=True, slots=True)
class Sweep:
    """The folder of a sweep, and what was typed. A job is known by its resolved settings, never by its number."""

    folder: Path
    overrides: tuple[str, ...] = ()
    jobs: dict[str, SweptJob] = field(default_factory=dict)

    def note(self, key: str, job: SweptJob) -> None:
        """Record that a job has a run, on the disk before its first query."""
        self.jobs[key] = job
        jobs = {key: {"job": j.name, "run": j.run, "identity": j.identity} for key, j in self.jobs.items()}
        content = {"schema": _SCHEMA, "overrides": list(self.overrides), "jobs": jobs}
        write_whole(self.folder / "sweep.json", strict_json.dumps(content).encode())

    def refuse_changes(self, identities: Mapping[str, str]) -> None:
        """Jobs count only for what they asked: the same queries, rubric, corpus and target.

        Raises:
            UsageError: some of it changed since.
        """
        changed = [
            Problem(f"{job.name}: its queries, rubric, corpus or target changed since it was run ({job.run}).")
            for key, job in self.jobs.items()
            if identities.get(key, job.identity) != job.identity
        ]
        if changed:
            raise UsageError(*changed, Problem("the sweep cannot go on", help="start a new one without --resume"))


def begin_sweep(runs: Path, name: str, overrides: tuple[str, ...]) -> Sweep:
    """Make the folder of a new sweep.

    Raises:
        EngineError: the disk is full or fails.
    """
    folder = runs / "sweeps" / name
    try:
        make_private(folder.parent)
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise EngineError(disk_problem(folder, error)) from error
    return Sweep(folder, overrides)


def open_sweep(runs: Path, wanted: str) -> Sweep:
    """The sweep with this id, or the only one whose id begins so.

    Raises:
        UsageError: there is none, or several, or its file is damaged.
    """
    above = runs / "sweeps"
    known = sorted((path.parent.name for path in above.glob("*/sweep.json")), reverse=True)
    folder = above / choose(wanted, known, str(above))
    place = str(folder / "sweep.json")
    content = strict_json.loads((folder / "sweep.json").read_bytes(), place)
    match content:
        case {"schema": "assay.sweep/1", "overrides": list(overrides), "jobs": dict(jobs)}:
            found = {key: _job(job, place) for key, job in jobs.items()}
            return Sweep(folder, tuple(map(str, overrides)), found)
    raise UsageError(Problem("this is not a list of jobs", place, "start a new sweep without --resume"))


def _job(value: object, place: str) -> SweptJob:
    match value:
        case {"job": str(name), "run": str(run), "identity": str(identity)}:
            return SweptJob(name, run, identity)
    raise UsageError(Problem("a job in it is damaged", place, "start a new sweep without --resume"))
