"""What comparing two runs concluded."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from engine.errors import Exit
from engine.model.run import Average, RunInfo

__all__ = ["Change", "Comparison", "Difference", "DimensionChange", "QueryChange", "SideBySide", "Trend", "TrendPoint"]


class Change(StrEnum):
    """What became of a dimension. NOT_COMPARED is a result in its own right, never "no change"."""

    REGRESSION = "regression"
    IMPROVEMENT = "improvement"
    WITHIN_LIMITS = "within limits"
    NOT_COMPARED = "not compared"
    NEW = "new"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that must be the same in both runs and is not. None: not known."""

    key: str
    baseline: str | int | float | bool | None
    current: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class DimensionChange:
    """One dimension of both runs.

    Attributes:
        delta: current mean minus baseline mean, exact; None when not compared.
        limit: the exact limit that decided, as it was written; None when none did.
        reason: why it was not compared, or empty.
    """

    dimension: str
    baseline: Average | None
    current: Average | None
    change: Change
    delta: Fraction | None = None
    limit: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run against its baseline.

    Attributes:
        refused: why nothing was compared, beside the differences.
        differences: what differs and must not.
        dimensions: in the order of the current run, then what only the baseline has. Empty when
            the runs are not comparable.
        warnings: what to keep in mind while reading the numbers.
        names: what the two runs are called in sentences.
    """

    baseline: RunInfo
    current: RunInfo
    refused: tuple[str, ...]
    differences: tuple[Difference, ...]
    dimensions: tuple[DimensionChange, ...]
    warnings: tuple[str, ...] = ()
    names: tuple[str, str] = ("the baseline", "this run")

    @property
    def comparable(self) -> bool:
        """Whether any number may be shown as a change."""
        return not self.refused and not self.differences

    def having(self, change: Change) -> tuple[DimensionChange, ...]:
        """The dimensions with this change."""
        return tuple(dimension for dimension in self.dimensions if dimension.change is change)

    @property
    def exit(self) -> Exit:
        """INCONCLUSIVE wins over BLOCKED: what could not be compared may hide anything."""
        if not self.comparable or self.having(Change.NOT_COMPARED) or self.having(Change.REMOVED):
            return Exit.INCONCLUSIVE
        return Exit.BLOCKED if self.having(Change.REGRESSION) else Exit.PASSED


@dataclass(frozen=True, slots=True)
class QueryChange:
    """One query in two runs: the mean of its `overall` over repeats. None: it has no score there."""

    query_id: str
    query: str
    baseline: Fraction | None
    current: Fraction | None

    @property
    def delta(self) -> Fraction | None:
        """How far it moved, None unless both are known."""
        return None if self.baseline is None or self.current is None else self.current - self.baseline


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Two runs whose settings are the question.

    Attributes:
        settings: what was changed on purpose, first thing to read.
        wins, ties, losses: queries of the second run that are better, moved less than 0.005, are worse.
        changes: the queries in both runs, largest movement first.
        missing, new: ids of queries that only the first or only the second run has.
        ungraded: ids of queries that are in both and lack a score in one.
    """

    comparison: Comparison
    settings: tuple[Difference, ...]
    wins: int = 0
    ties: int = 0
    losses: int = 0
    changes: tuple[QueryChange, ...] = ()
    missing: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    ungraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One query in one run. `score` is the mean over repeats, None when it has none there.

    `delta` is the movement since the last point that has a score, None for the first of them.
    """

    run_id: str
    score: Fraction | None
    delta: Fraction | None


@dataclass(frozen=True, slots=True)
class Trend:
    """One query over comparable runs, oldest first.

    Attributes:
        left_out: id of each other run of the same query set, and why it is not comparable.
    """

    query_id: str
    query: str
    points: tuple[TrendPoint, ...]
    left_out: tuple[tuple[str, str], ...] = ()
