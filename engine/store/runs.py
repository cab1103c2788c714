"""Run folders: everything about a run is in its folder before the first query is asked."""

import errno
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import EngineError, Problem, UsageError
from engine.model.run import RunInfo, RunStatus
from engine.store import run_json, strict_json
from engine.store.journal import is_held, timestamp
from engine.store.whole_file import disk_problem, write_parts, write_whole
from engine.store.workspace import checked_name
from engine.text import nearest

if TYPE_CHECKING:
    from random import Random  # costs 5 ms, and a listing needs no chance

__all__ = [
    "BeginRun",
    "RunFolder",
    "begin",
    "choose",
    "done_keys",
    "info",
    "is_run_id",
    "open_run",
    "run_id",
    "run_names",
    "settled",
]

_SCHEMA = "assay.run/1"
_PLAN_SCHEMA = "assay.plan/1"


@dataclass(frozen=True, slots=True)
class BeginRun:
    """What a run is, before its first query.

    Attributes:
        info: what is known of it; id, folder, start, status and sequence are filled in.
        plan: every trial in the order in which it will run, as JSON values.
        config: the resolved settings as text, secrets as `env:NAME`.
        rubric: the exact text of the rubric; None when nothing is graded.
        libraries: file name → text of each rubric that it uses.
        details: command, overrides, versions, identities … for `run.json`; no secrets.
    """

    info: RunInfo
    plan: Iterable[Mapping[str, object]]
    config: str
    rubric: str | None = None
    libraries: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The folder of one run."""

    path: Path

    @property
    def id(self) -> str:
        """The name of the run."""
        return self.path.name

    @property
    def journal(self) -> Path:
        """The journal, which may not be there yet."""
        return self.path / "results.jsonl"

    def content(self) -> Mapping[str, object]:
        """What `run.json` holds: `info`, `details`, `plan_sha256`, `config_sha256`, `rubric_sha256` …

        Raises:
            UsageError: it is missing, damaged or in another version of the format.
        """
        path = self.path / "run.json"
        content = strict_json.loads(_text_of(path), str(path))
        if not isinstance(content, dict) or content.get("schema") != _SCHEMA:
            raise UsageError(Problem(f"this is not {_SCHEMA}", str(path), "a newer engine may have written it"))
        return content

    def details(self) -> Mapping[str, object]:
        """What was given as details when the run began, and when it finished."""
        details = self.content().get("details")
        return details if isinstance(details, dict) else {}

    def config(self) -> str:
        """The settings it ran with, as text."""
        return _text_of(self.path / "config.yaml").decode()

    def plan(self) -> Iterator[Mapping[str, object]]:
        """Every planned trial in order; memory depends on one trial.

        Raises:
            UsageError: the plan is missing or damaged.
        """
        path = self.path / "plan.json"
        for number, line in strict_json.lines(path):
            text = line.strip().removesuffix(b",")
            if number == 1 or text == b"]}":
                continue
            trial = strict_json.loads(text, f"{path}:{number}")
            if not isinstance(trial, dict):
                raise UsageError(Problem("the line is not a trial", f"{path}:{number}"))
            yield trial

    def finish(self, info: RunInfo, details: Mapping[str, object] | None = None) -> None:
        """Record how the run ended, or that it goes on. `details` are added to those from the beginning.

        What was fixed when it began (id, start, sequence) stays as it was.
        """
        content = dict(self.content())
        begun = run_json.from_json(content.get("info"), str(self.path / "run.json"))
        fixed = replace(info, id=self.id, started_at=begun.started_at, sequence=begun.sequence)
        content["info"] = _portable(fixed)
        content["details"] = {**self.details(), **(details or {})}
        write_whole(self.path / "run.json", _pretty(content))


def run_id(now: float, chance: "Random") -> str:
    """`2026-11-30T20-04-46-3fa9`: UTC time, so that names sort by time, and chance against clashes."""
    return f"{datetime.fromtimestamp(now, UTC):%Y-%m-%dT%H-%M-%S}-{chance.getrandbits(16):04x}"


def is_run_id(name: str) -> bool:
    """Whether a name was made by `run_id`."""
    return re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-[0-9a-f]{4}", name) is not None


def begin(runs: Path, start: BeginRun, now: float, chance: "Random") -> RunFolder:
    """Make the folder of a new run, with everything in it and on the disk.

    Args:
        runs: the folder of all runs; made when it is missing.
        start: what to record.
        now: seconds since 1970.
        chance: makes the name differ from that of a run in the same second.

    Raises:
        EngineError: the disk is full or fails; no part of the run stays.
    """
    folder = _claim(runs, now, chance)
    try:
        plan_sha256, trials = _write_plan(folder / "plan.json", start.plan)
        config = start.config.encode()
        write_whole(folder / "config.yaml", config)
        if start.rubric is not None:
            write_whole(folder / "rubric.rubric", start.rubric.encode())
        for name, text in start.libraries.items():
            _write_library(folder, checked_name(name, "rubric"), text)
        known = replace(
            start.info,
            id=folder.name,
            started_at=timestamp(now),
            status=RunStatus.RUNNING,
            planned=trials,
            sequence=len(os.listdir(runs)),  # noqa: PTH208 - one call, no objects
        )
        content = {
            "schema": _SCHEMA,
            "info": _portable(known),
            "plan_sha256": plan_sha256,
            "config_sha256": strict_json.sha256(start.config),
            "details": dict(start.details),
        }
        write_whole(folder / "run.json", _pretty(content))
        _sync_folder(runs)
    except BaseException as error:
        import shutil  # costs 5 ms, and is only needed once something is wrong

        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError):
            raise EngineError(disk_problem(folder, error)) from error
        raise
    return RunFolder(folder)


def run_names(runs: Path) -> list[str]:
    """The names of all run folders, newest first. Links are none."""
    try:
        with os.scandir(runs) as found:
            names = [
                entry.name
                for entry in found
                if entry.is_dir(follow_symlinks=False) and (runs / entry.name / "run.json").exists()
            ]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(names, reverse=True)


def open_run(runs: Path, wanted: str) -> RunFolder:
    """The run with this id, or the only one whose id begins so.

    Raises:
        UsageError: there is none, or several; the message names some.
    """
    return RunFolder(runs / choose(wanted, run_names(runs), str(runs)))


def choose(wanted: str, names: Iterable[str], where: str) -> str:
    """The name that is meant: it in full, or the beginning of just one (see `open_run`)."""
    known = list(names)
    if wanted in known:
        return wanted
    begin_so = [name for name in known if wanted and name.startswith(wanted)]
    if len(begin_so) == 1:
        return begin_so[0]
    if begin_so:
        message = f'"{wanted}" is the beginning of {len(begin_so)} runs in {where}'
        raise UsageError(Problem(message, help=f"say which: {_some(begin_so)}"))
    close = nearest(wanted, known)
    if not known:
        help_ = "make one with `assay run`"
    elif close:
        help_ = f'did you mean "{close}"?'
    else:
        help_ = f"the newest are {_some(known)}"
    raise UsageError(Problem(f'there is no run "{wanted}" in {where}', help=help_))


def done_keys(folder: RunFolder) -> frozenset[str]:
    """The trials that are done or failed: a resumed run leaves them out."""
    from engine.store.records import recorded  # see info

    return recorded(folder.journal).keys if folder.journal.exists() else frozenset()


def info(folder: RunFolder) -> RunInfo:
    """What a listing shows of a run. Its trials are only read when it did not finish.

    A run that says it is running while nobody holds its journal was cut off: INTERRUPTED.

    Raises:
        UsageError: its `run.json` is missing or damaged.
    """
    known = run_json.from_json(folder.content().get("info"), str(folder.path / "run.json"))
    known = replace(known, id=folder.id, folder=str(folder.path))
    if not folder.journal.exists():
        return settled(known)
    from engine.store.records import judged, recorded  # 10 ms that a listing from the index does without

    known = replace(known, reviewed=len(judged(folder.journal)))
    if known.status in {RunStatus.COMPLETE, RunStatus.FAILED}:
        return known
    so_far = recorded(folder.journal)
    return settled(
        replace(
            known,
            done=len(so_far.keys) - so_far.failed,
            failed=so_far.failed,
            averages=so_far.tally.averages(known.planned or len(so_far.keys)),
            notes=(*known.notes, *map(str, so_far.problems)),
        )
    )


def settled(known: RunInfo) -> RunInfo:
    """The run with the status that it has at this moment."""
    if known.status is RunStatus.RUNNING and not is_held(Path(known.folder) / "results.jsonl"):
        return replace(known, status=RunStatus.INTERRUPTED)
    return known


def _claim(runs: Path, now: float, chance: "Random") -> Path:
    try:
        runs.mkdir(mode=0o700, parents=True, exist_ok=True)
        while True:
            folder = runs / run_id(now, chance)
            try:
                folder.mkdir(mode=0o700)
            except FileExistsError:
                continue
            return folder
    except OSError as error:
        raise EngineError(disk_problem(runs, error)) from error


def _write_library(folder: Path, name: str, text: str) -> None:
    path = folder / "rubrics" / name
    for parent in reversed(path.relative_to(folder).parents[:-1]):
        (folder / parent).mkdir(mode=0o700, exist_ok=True)
    write_whole(path, text.encode())


def _write_plan(path: Path, plan: Iterable[Mapping[str, object]]) -> tuple[str, int]:
    count = 0

    def parts() -> Iterator[bytes]:
        nonlocal count
        yield f'{{"schema":"{_PLAN_SCHEMA}","trials":['.encode()
        for trial in plan:
            yield b",\n" if count else b"\n"
            yield strict_json.dumps(trial).encode()
            count += 1
        yield b"\n]}\n"

    return write_parts(path, parts()), count


def _portable(known: RunInfo) -> dict[str, object]:
    """Without its place: a run folder may be moved."""
    return {name: value for name, value in run_json.to_json(known).items() if name != "folder"}


def _pretty(content: Mapping[str, object]) -> bytes:
    """One line per top-level key: short enough to diff, cheap enough to read a thousand of."""
    lines = [f"{strict_json.dumps(key)}: {strict_json.dumps(value)}" for key, value in content.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _text_of(path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise UsageError(_unreadable(path, error)) from error
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def _unreadable(path: Path, error: OSError) -> Problem:
    if error.errno == errno.ENOENT:
        return Problem("is missing: the run stopped before its first query", str(path), "the folder can be deleted")
    return Problem(f"cannot be read: {os.strerror(error.errno or 0).lower()}", str(path))


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:5])
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown
