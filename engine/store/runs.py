"""Runs in their folders: finding one by its id, what is known of it, what it has so far."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from engine.errors import Problem, UsageError
from engine.model.run import RunInfo, RunStatus
from engine.store import run_json
from engine.store.begin import BeginRun, begin, is_run_id, run_id
from engine.store.journal import is_held
from engine.store.run_folder import RunFolder, stamp
from engine.text import nearest

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


def run_names(runs: Path) -> list[str]:
    """The names of all run folders, newest first. Links are none; one that lost its `run.json` still is."""
    try:
        with os.scandir(runs) as found:
            names = [
                entry.name
                for entry in found
                if entry.is_dir(follow_symlinks=False)
                and (is_run_id(entry.name) or (runs / entry.name / "run.json").exists())
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
    """What a listing shows of a run.

    The journal of a finished run is only read when it is not the file that the run left: then people
    reviewed it, or it was damaged. A run that says it is running while nobody holds its journal was
    cut off: INTERRUPTED.

    Raises:
        UsageError: its `run.json` is missing or damaged.
    """
    content = folder.content()
    known = run_json.from_json(content.get("info"), str(folder.path / "run.json"))
    known = replace(known, id=folder.id, folder=str(folder.path), overrides=_overrides(content))
    finished = known.status in {RunStatus.COMPLETE, RunStatus.FAILED}
    found = stamp(folder.journal)
    if finished and found is not None and found == content.get("journal"):
        return known
    if found is None and not finished:
        return settled(known)
    from engine.store.records import damage, judged, lost, recorded  # 10 ms that a listing does without

    if found is None:
        return replace(known, damage=(lost(folder.journal),))
    known = replace(known, reviewed=len(judged(folder.journal)))
    so_far = recorded(folder.journal)
    if finished:
        return replace(known, damage=damage(known, folder.journal, so_far))
    return settled(
        replace(
            known,
            done=len(so_far.keys) - so_far.failed,
            failed=so_far.failed,
            averages=so_far.tally.averages(known.planned or len(so_far.keys)),
            damage=so_far.problems,
        )
    )


def _overrides(content: Mapping[str, object]) -> tuple[str, ...]:
    match content.get("details"):
        case {"overrides": [*typed]}:
            return tuple(map(str, typed))
    return ()


def settled(known: RunInfo) -> RunInfo:
    """The run with the status that it has at this moment."""
    if known.status is RunStatus.RUNNING and not is_held(Path(known.folder) / "results.jsonl"):
        return replace(known, status=RunStatus.INTERRUPTED)
    return known


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:5])
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown
