"""Whether a stopped run may go on: everything it was planned with must still be the same."""

from collections.abc import Iterator

from engine.errors import Problem
from engine.model.run import RunInfo
from engine.plan.compose import Job
from engine.plan.settings import flat
from engine.store import strict_yaml
from engine.store.runs import RunFolder
from engine.text import one_line

__all__ = ["changes"]

_MAY_CHANGE = {
    *("output", "concurrency", "durability"),
    *("cost_limit_usd", "cost_allow_unknown", "sweep_cost_limit_usd"),
}


def changes(folder: RunFolder, now: RunInfo, job: Job, identity: str) -> tuple[Problem, ...]:
    """What differs between the plan of a run and what would be run now, one problem each.

    Args:
        folder: the run that stopped.
        now: what would be begun now.
        job: the settings composed now.
        identity: hash of what answers and grades now.
    """
    found = [*_settings(folder, job), *_contents(folder, now)]
    if not found and folder.details().get("plan_identity") != identity:
        found.append(
            Problem("the target is not the one that was planned", help="it says so itself: see details in run.json")
        )
    return tuple(found)


def _settings(folder: RunFolder, job: Job) -> Iterator[Problem]:
    place = str(folder.path / "config.yaml")
    before, after = _flat(folder.config(), place), _flat(job.config, "now")
    for key in sorted({*before, *after}):
        if before.get(key) != after.get(key) and key.partition(".")[0] not in _MAY_CHANGE:
            was, now = one_line(repr(before.get(key)), 60), one_line(repr(after.get(key)), 60)
            yield Problem(f"setting {key}: {was} when planned, {now} now")


def _contents(folder: RunFolder, now: RunInfo) -> Iterator[Problem]:
    planned = folder.content().get("info")
    before = planned if isinstance(planned, dict) else {}
    for name, key, value in (
        ("query set version", "set_version", now.set_version),
        ("content of the query set", "set_sha256", now.set_sha256),
        ("rubric", "rubric", now.rubric),
        ("content of the rubric", "rubric_sha256", now.rubric_sha256),
        ("corpus", "corpus", now.corpus),
    ):
        if before.get(key) != value:
            yield Problem(f"{name}: {_short(before.get(key))} when planned, {_short(value)} now")


def _flat(text: str, place: str) -> dict[str, object]:
    value = strict_yaml.load(text, place).value
    return dict(flat(value)) if isinstance(value, dict) else {}


def _short(value: object) -> str:
    return one_line(str(value), 13) if value is not None else "not known"
