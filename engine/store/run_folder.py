"""The folder of one run: its parts, and how it ended."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from engine.errors import EngineError, Problem, UsageError
from engine.model.run import RunInfo
from engine.store import entries, run_json, strict_json
from engine.store.plain_file import open_plain
from engine.store.whole_file import write_whole
from engine.text import count

__all__ = ["PLAN_SCHEMA", "SCHEMA", "RunFolder", "run_text", "stamp"]

SCHEMA = "assay.run/1"
PLAN_SCHEMA = "assay.plan/1"


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
        try:
            text = _text_of(path)
        except UsageError as error:
            if self.path.is_dir() and _is_missing(path):
                raise UsageError(_without_run_json(self.journal, path)) from error
            raise
        content = strict_json.loads(text, str(path))
        if not isinstance(content, dict) or content.get("schema") != SCHEMA:
            raise UsageError(Problem(f"this is not {SCHEMA}", str(path), "a newer engine may have written it"))
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
        for number, line in enumerate(_lines_of(path), 1):
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

        Raises:
            EngineError: the disk is full or fails, or somebody took the folder away meanwhile.
        """
        if not self.path.is_dir():
            raise EngineError(Problem("the run folder has gone", str(self.path), "start a new run: assay run"))
        try:
            content = dict(self.content())
            begun = run_json.from_json(content.get("info"), str(self.path / "run.json"))
        except UsageError as error:  # it was whole when the run began: no mistake in what was typed
            raise EngineError(*error.problems) from error
        fixed = replace(info, id=self.id, started_at=begun.started_at, sequence=begun.sequence)
        found = replace(fixed, reviewed=self._reviewed(), overrides=(), damage=())
        content["info"] = run_json.to_json(found)
        content["details"] = {**self.details(), **(details or {})}
        content["journal"] = stamp(self.journal)  # while it is this file, nobody has to read it to list the run
        write_whole(self.path / "run.json", run_text(content))

    def _reviewed(self) -> int:
        from engine.store.records import judged  # 10 ms that a listing does without

        return len(judged(self.journal)) if self.journal.exists() else 0


def stamp(path: str | Path) -> str | None:
    """What changes when a file does, found without reading it; None when it is not there."""
    try:
        found = os.stat(path, follow_symlinks=False)  # noqa: PTH116 - a thousand of them: no Path objects
    except OSError:
        return None
    return f"{found.st_mtime_ns}:{found.st_size}"


def run_text(content: Mapping[str, object]) -> bytes:
    """`run.json`: one line per top-level key, short enough to diff, cheap enough to read a thousand of.

    The place of the folder is left out: it may be moved.
    """
    info = content["info"]
    kept = {**content, "info": {k: v for k, v in info.items() if k != "folder"} if isinstance(info, dict) else info}
    lines = [f"{strict_json.dumps(key)}: {strict_json.dumps(value)}" for key, value in kept.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _lines_of(path: Path) -> Iterator[bytes]:
    with open_plain(path) as file:
        yield from file


def _text_of(path: Path) -> bytes:
    with open_plain(path) as file:
        return file.read()


def _is_missing(path: Path) -> bool:
    """Only when that is certain: what may not be looked at may well be there."""
    try:
        path.lstat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


def _without_run_json(journal: Path, path: Path) -> Problem:
    """What is left of the run. Only a run that recorded nothing may be deleted."""
    if _is_missing(journal) or journal.lstat().st_size == 0:
        return Problem("is missing: the run stopped before its first query", str(path), "the folder can be deleted")
    help_ = "keep the folder, and put run.json back from a copy of it"
    try:
        records = sum(isinstance(item, entries.Entry) for _, item in entries.read(journal, "trial"))
    except UsageError as error:
        return Problem(f"is missing, and {error.problems[0].message}: {journal.name}", str(path), help_)
    return Problem(f"is missing; {journal.name} beside it holds {count(records, 'record')}", str(path), help_)
