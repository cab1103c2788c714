"""Baselines: one file per query set, which holds all that a comparison needs, so that runs may be deleted."""

import os
from dataclasses import replace
from pathlib import Path

from engine.errors import EngineError, Problem, UsageError
from engine.model.run import Baseline, Limit, RunInfo, RunStatus, Thresholds
from engine.store import run_json, strict_json
from engine.store.plain_file import open_plain
from engine.store.whole_file import disk_problem, make_private, write_whole
from engine.store.workspace import checked_name
from engine.text import count

__all__ = ["label", "names", "read_baseline", "refusals", "write_baseline"]

_SCHEMA = "assay.baseline/1"
_SUFFIX = ".json"
_SHOWN = 10  # damaged records that are named


def write_baseline(folder: Path, baseline: Baseline) -> Path:
    """Record a baseline in the place of the query set's earlier one.

    Raises:
        UsageError: the run is not whole, and why.
        EngineError: it cannot be written; the earlier one stays.
    """
    reasons = refusals(baseline.run)
    if reasons:
        whole = baseline.run.status is RunStatus.COMPLETE and baseline.run.filtered and not baseline.run.damage
        help_ = f"choose a run {'of the whole set' if whole else 'that is complete'}, or make one with `assay run`"
        raise UsageError(
            *(Problem(f"{baseline.run.id} cannot be a baseline: {reason}") for reason in reasons[:-1]),
            Problem(f"{baseline.run.id} cannot be a baseline: {reasons[-1]}", help=help_),
        )
    path = _path(folder, baseline.run.queries)
    try:
        make_private(path.parent)
    except OSError as error:
        raise EngineError(disk_problem(path.parent, error)) from error
    content = {
        "schema": _SCHEMA,
        "label": label(baseline.run),
        "set_at": baseline.set_at,
        "thresholds": _thresholds_to_json(baseline.thresholds),
        "run": run_json.to_json(replace(baseline.run, folder="")),
    }
    lines = [f"{strict_json.dumps(key)}: {strict_json.dumps(value)}" for key, value in content.items()]
    write_whole(path, ("{\n" + ",\n".join(lines) + "\n}\n").encode())
    return path


def read_baseline(folder: Path, queries: str) -> Baseline | None:
    """The baseline of a query set, None when none was set.

    Raises:
        UsageError: the file is damaged, for another query set, or in another version of the format.
    """
    path = _path(folder, queries)
    if not os.path.lexists(path):
        return None
    with open_plain(path) as file:
        content = strict_json.loads(file.read(), str(path))
    match content:
        case {
            "schema": "assay.baseline/1",
            "label": str(),
            "set_at": str(set_at),
            "thresholds": dict(limits),
            "run": dict(run),
            **rest,
        } if not rest:
            baseline = Baseline(run_json.from_json(run, str(path)), set_at, _thresholds(limits, str(path)))
            if baseline.run.queries != queries:
                raise UsageError(Problem(f'this is the baseline of "{baseline.run.queries}"', str(path)))
            return baseline
    raise UsageError(Problem(f"this is not {_SCHEMA}", str(path), "set it again: assay baseline set RUN"))


def names(folder: Path) -> tuple[str, ...]:
    """The query sets that have a baseline."""
    found = (path for path in folder.rglob(f"*{_SUFFIX}") if path.is_file())
    return tuple(sorted(path.relative_to(folder).as_posix().removesuffix(_SUFFIX) for path in found))


def label(run: RunInfo) -> str:
    """What was really run: `core@1.0.0, 24 queries, search@1, 2026-11-30T20-04-46-3fa9`."""
    queries = f"{run.queries}@{run.set_version}" if run.set_version else run.queries
    parts = (queries, count(run.query_count or run.done, "query", "queries"), run.rubric or run.graded_by, run.id)
    return ", ".join(parts)


def refusals(run: RunInfo) -> tuple[str, ...]:
    """Why a run cannot be compared with later ones; empty when it can."""
    planned = run.planned if run.planned is not None else run.done + run.failed
    reasons = [f"{problem.place}: {problem.message}" for problem in run.damage[:_SHOWN]]
    if len(run.damage) > _SHOWN:
        reasons.append(f"{len(run.damage) - _SHOWN:,} more of its records are damaged")
    if run.status is not RunStatus.COMPLETE:
        reasons.append(f"it is {run.status}, {run.done} of {planned} are done")
    elif run.done + run.failed < planned:
        reasons.append(f"it is partial: {run.done + run.failed} of {planned} were run")
    if run.failed:
        reasons.append(f"{run.failed} of {planned} failed")
    if run.filtered:
        reasons.append("only some queries of the set were chosen for it")
    if not any(average.graded for average in run.averages.values()):
        reasons.append("nothing in it is graded")
    return tuple(reasons)


def _path(folder: Path, queries: str) -> Path:
    return folder / f"{checked_name(queries, 'query set')}{_SUFFIX}"


def _thresholds_to_json(thresholds: Thresholds) -> dict[str, object]:
    return {
        "default": _limit_to_json(thresholds.default),
        "dimensions": {name: _limit_to_json(limit) for name, limit in thresholds.dimensions.items()},
    }


def _limit_to_json(limit: Limit) -> dict[str, str]:
    return {"drop": limit.drop, "gain": limit.gain}


def _thresholds(value: dict[str, object], place: str) -> Thresholds:
    match value:
        case {"default": default, "dimensions": dict(dimensions), **rest} if not rest:
            own = {name: _limit(limit, f"{place}: {name}") for name, limit in dimensions.items()}
            return Thresholds(_limit(default, place), own)
    raise UsageError(Problem("the thresholds are damaged", place, "set it again: assay baseline set RUN"))


def _limit(value: object, place: str) -> Limit:
    match value:
        case {"drop": str(drop), "gain": str(gain), **rest} if not rest and _is_limit(drop) and _is_limit(gain):
            return Limit(drop, gain)
    raise UsageError(Problem("a threshold is damaged", place, "write it as decimal text: 0.05"))


def _is_limit(text: str) -> bool:
    whole, _, part = text.partition(".")
    return text.isascii() and whole.isdigit() and (part.isdigit() or "." not in text)
