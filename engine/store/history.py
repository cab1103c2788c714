"""Every run in a folder, whichever tool wrote it: list, find one, read its queries."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from engine.errors import Problem, UsageError
from engine.model.run import Baseline, RunInfo, RunStatus
from engine.store import earlier, index, runs
from engine.store.baselines import names as baseline_names
from engine.store.baselines import read_baseline
from engine.store.records import Folded, damage, fold, lost
from engine.store.runs import RunFolder

__all__ = ["find", "read", "recent_hash"]

_RECENT = 50  # runs looked at for an edited query set: a look costs a small file each


def find(folder: Path, wanted: str) -> RunInfo:
    """The run with this id, or the only one whose id begins so. Reads no other run.

    Raises:
        UsageError: there is none, or several; or it cannot be read.
    """
    places: dict[str, list[Path]] = {}
    for path in index.run_paths(folder):
        places.setdefault(path.name.removesuffix(index.EARLIER), []).append(path)
    found = places[runs.choose(wanted, sorted(places, reverse=True), str(folder))]
    if len(found) > 1:
        where = ", ".join(str(path.parent) for path in found)
        raise UsageError(Problem(f"{found[0].stem} is in {where}", help="say which folder with --folder"))
    return runs.settled(index.look(found[0]))


def recent_hash(folder: Path, baselines: Path | None = None) -> Callable[[str, str], tuple[str, ...]]:
    """Asks what contents a query set (name, version) had in recent runs, newest first, and in its baseline."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for name in runs.run_names(folder)[:_RECENT]:
        with suppress(UsageError):
            for key, sha256 in _contents(RunFolder(folder / name).content()):
                found.setdefault(key, {})[sha256] = None
    for key, sha256 in _baseline_contents(baselines) if baselines else ():
        found.setdefault(key, {})[sha256] = None
    return lambda queries, version: tuple(found.get((queries, version), ()))


def read(run: RunInfo) -> tuple[RunInfo, Folded]:
    """The run with what is wrong with its records, and every query of it with its scores and hits."""
    path = Path(run.folder)
    folded = earlier.fold(path) if path.suffix == index.EARLIER else _folded(run, RunFolder(path).journal)
    return replace(run, damage=folded.problems), folded


def _folded(run: RunInfo, journal: Path) -> Folded:
    finished = run.status in {RunStatus.COMPLETE, RunStatus.FAILED}
    if not os.path.lexists(journal):
        return Folded((), {}, (lost(journal),) if finished else ())
    folded = fold(journal, run.planned or run.done)
    return replace(folded, problems=damage(run, journal, folded)) if finished else folded


def _contents(content: Mapping[str, object]) -> Iterator[tuple[tuple[str, str], str]]:
    """(name, version) and content hash of each query set that a run asked, alone or combined with others."""
    match content:
        case {"details": {"query_sets": [*members]}}:
            for member in members:
                match member:
                    case {"name": str(name), "version": str(version), "sha256": str(sha256)}:
                        yield (name, version), sha256
        case {"info": {"queries": str(queries), "set_version": str(version), "set_sha256": str(sha256)}}:
            yield (queries, version), sha256


def _baseline_contents(folder: Path) -> Iterator[tuple[tuple[str, str], str]]:
    for name in baseline_names(folder):
        with suppress(UsageError):
            match read_baseline(folder, name):
                case Baseline(run=RunInfo(queries=queries, set_version=str(version), set_sha256=str(sha256))):
                    yield (queries, version), sha256
