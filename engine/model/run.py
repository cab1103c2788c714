"""What a listing and a comparison need to know about a run, whichever tool wrote it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from engine.errors import Problem

__all__ = ["Average", "Baseline", "Limit", "QueryResult", "RunInfo", "RunStatus", "Thresholds"]


class RunStatus(StrEnum):
    """INTERRUPTED covers every run that stopped early and can be resumed, a crash included."""

    RUNNING = "running"
    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Average:
    """The mean of one dimension over the queries that have a score.

    Attributes:
        total: exact decimal sum of the scores, as text, so that a comparison never meets a
            rounded number. None when only the mean was recorded (earlier tools).
        mean: total / graded, for display; None when nothing was graded.
        graded: how many queries have a score in this dimension.
        planned: how many should have one.
        covers: fingerprint of *which* trials have a score; None when not known. The same count of
            other queries has another fingerprint.
    """

    total: str | None
    mean: float | None
    graded: int
    planned: int
    covers: str | None = None


@dataclass(frozen=True, slots=True)
class RunInfo:
    """One run, without its records. None means not known.

    Attributes:
        queries: what was asked, as a person types it: `core`, `core+other`.
        corpus: content hash, or the version that an earlier tool declared.
        rubric: `search@1`.
        graded_by: `measured`, `AI` or `AI (model)`.
        settings: the flattened settings that can change a score (target, judge, repeats …).
        planned, done: trials: queries × repeats.
        failed: trials without an answer; they are never scored 0.
        reviewed: how many queries a person reviewed.
        folder: where it is: a run folder, or the file of an earlier tool.
        query_count: how many different queries are planned.
        sequence: orders runs that began at the same instant.
        measures: the mean of every number that the rubric read, as it was measured: `ndcg@10`.
        notes: what a person should know, such as a declared number that is not the true one.
        overrides: the settings that were typed for it: `target.limit=2`.
        damage: why its records cannot stand for it: lost, damaged or changed. Found anew whenever
            they are read, never recorded with the run.
        calls: how many requests were made that can cost money.
        cost_micro_usd: what is known to be spent, in micro-dollars; None when nothing was called.
        unknown_costs: calls whose cost is not known, and not in `cost_micro_usd`.
    """

    id: str
    started_at: str
    status: RunStatus
    queries: str
    planned: int | None
    done: int
    failed: int = 0
    set_version: str | None = None
    set_sha256: str | None = None
    corpus: str | None = None
    rubric: str | None = None
    rubric_sha256: str | None = None
    graded_by: str = "measured"
    settings: Mapping[str, str | int | float | bool | None] = field(default_factory=dict)
    averages: Mapping[str, Average] = field(default_factory=dict)
    measures: Mapping[str, Average] = field(default_factory=dict)
    focus: str | None = None
    reviewed: int = 0
    filtered: bool = False
    folder: str = ""
    query_count: int | None = None
    sequence: int = 0
    notes: tuple[str, ...] = ()
    overrides: tuple[str, ...] = ()
    damage: tuple[Problem, ...] = ()
    calls: int = 0
    cost_micro_usd: int | None = None
    unknown_costs: int = 0


@dataclass(frozen=True, slots=True)
class Limit:
    """How far a mean may move, as exact decimal text: a drop above `drop` is a regression."""

    drop: str = "0.05"
    gain: str = "0.03"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The limit for each dimension, where one of its own is set, and for all the others."""

    default: Limit = Limit()
    dimensions: Mapping[str, Limit] = field(default_factory=dict)

    def of(self, dimension: str) -> Limit:
        """The limit that holds for a dimension."""
        return self.dimensions.get(dimension, self.default)


@dataclass(frozen=True, slots=True)
class Baseline:
    """The run that later runs of the same queries are compared with, and since when."""

    run: RunInfo
    set_at: str
    thresholds: Thresholds = Thresholds()


@dataclass(frozen=True, slots=True)
class QueryResult:
    """One trial of a run, as much of it as a list of queries shows.

    `failure` is set for a failed trial; `scores` then is empty. `hits` are (source, score, snippet).
    """

    query_id: str
    query: str
    category: str | None
    position: int
    repeat: int
    scores: Mapping[str, float | None]
    hits: tuple[tuple[str, float | None, str], ...]
    failure: str | None = None
    reason: str | None = None
    verdict: str | None = None
    judgment: str | None = None
