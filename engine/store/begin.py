"""Beginning a run: everything about it is in its folder before the first query is asked."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import EngineError
from engine.model.run import RunInfo, RunStatus
from engine.store import run_json, strict_json
from engine.store.journal import timestamp
from engine.store.run_folder import PLAN_SCHEMA, SCHEMA, RunFolder, run_text
from engine.store.whole_file import disk_problem, make_private, write_parts, write_whole
from engine.store.workspace import checked_name

if TYPE_CHECKING:
    from random import Random  # costs 5 ms, and a listing needs no chance

__all__ = ["BeginRun", "begin", "is_run_id", "run_id"]


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
        config_sha256 = write_parts(folder / "config.yaml", (start.config.encode(),))
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
            "schema": SCHEMA,
            "info": run_json.to_json(known),
            "plan_sha256": plan_sha256,
            "config_sha256": config_sha256,
            "details": dict(start.details),
        }
        write_whole(folder / "run.json", run_text(content))
        _sync_folder(runs)
    except BaseException as error:
        import shutil  # costs 5 ms, and is only needed once something is wrong

        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError):
            raise EngineError(disk_problem(folder, error)) from error
        raise
    return RunFolder(folder)


def _claim(runs: Path, now: float, chance: "Random") -> Path:
    try:
        make_private(runs)
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
        yield f'{{"schema":"{PLAN_SCHEMA}","trials":['.encode()
        for trial in plan:
            yield b",\n" if count else b"\n"
            yield strict_json.encode(trial)
            count += 1
        yield b"\n]}\n"

    return write_parts(path, parts()), count


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
