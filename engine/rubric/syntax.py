"""A rubric as it was read: frozen nouns, settings and used files already put in their place."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

from engine.rubric.diagnostic import NOWHERE, Span
from engine.rubric.expression import Expression

__all__ = [
    "YES_NO",
    "Asked",
    "Cap",
    "Check",
    "Checks",
    "Combine",
    "Criterion",
    "FieldType",
    "Group",
    "Level",
    "Measured",
    "Role",
    "Rubric",
    "Scale",
    "Verdict",
    "Weight",
    "criteria",
]


class Role(StrEnum):
    """What a heading says about a criterion."""

    CRITERION = "criterion"
    MUST = "must"
    MUST_NOT = "must not"
    PENALTY = "penalty"
    BONUS = "bonus"
    INFO = "info"

    @property
    def gate(self) -> bool:
        """A gate decides the verdict; it is no part of the mean unless it is given a weight."""
        return self in (Role.MUST, Role.MUST_NOT)

    @property
    def bad(self) -> bool:
        """The criterion describes something that ought not to happen."""
        return self in (Role.MUST_NOT, Role.PENALTY)


class Combine(StrEnum):
    """How a group makes one score of its members."""

    WEIGHTED_MEAN = "weighted mean"
    MEAN = "mean"
    LOWEST = "lowest"
    HIGHEST = "highest"
    ALL = "all"
    ANY = "any"
    AT_LEAST = "at least"


@dataclass(frozen=True, slots=True)
class Weight:
    """How much a part counts among its brothers. `percent` remembers how it was written."""

    value: Decimal
    percent: bool = False
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Level:
    """One row of a scale.

    Attributes:
        score: in [0, 1]; None means not applicable, or a row that only describes `low` to `high`.
        low, high: the points that the row describes, on a scale of points; else None.
    """

    label: str
    score: Decimal | None
    meaning: str = ""
    low: Decimal | None = None
    high: Decimal | None = None
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Scale:
    """What a judge can answer: named levels, or points from `low` to `high`."""

    name: str
    levels: tuple[Level, ...] = ()
    low: Decimal | None = None
    high: Decimal | None = None
    at: Span = field(default=NOWHERE, compare=False)

    @property
    def scores(self) -> tuple[Decimal, ...]:
        """The scores that its levels give; the two ends on a scale of points."""
        if self.low is not None:
            return (Decimal(0), Decimal(1))
        return tuple(level.score for level in self.levels if level.score is not None)


YES_NO = Scale("yes or no", (Level("yes", Decimal(1)), Level("no", Decimal(0))))


@dataclass(frozen=True, slots=True)
class Check:
    """One `check:` line. `said` is the author's own wording, for reasons."""

    holds: Expression
    said: str
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Checks:
    """The computer decides: every check has to hold; with `partial`, the share that holds is the score."""

    checks: tuple[Check, ...]
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Measured:
    """A recorded number decides. Marks are in the measure's own unit."""

    name: str
    full: Decimal
    none: Decimal
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Asked:
    """A judge decides, on a described scale."""

    question: str
    scale: Scale
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that is looked at.

    Attributes:
        id: the path of slugs, `ranking/first-hit`; unique, and what reports and labels call it.
        weight: None means that none was written.
        pass_mark: None means that it neither passes nor fails.
        show: what a judge gets to see; empty means the usual.
        good, bad: the author's own examples.
    """

    id: str
    title: str
    role: Role
    grading: Checks | Measured | Asked
    weight: Weight | None = None
    pass_mark: Decimal | None = None
    only_when: Check | None = None
    guidance: str = ""
    good: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    show: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    note: str = ""
    at: Span = field(default=NOWHERE, compare=False)

    @property
    def counts(self) -> bool:
        """It is a part of its group's score."""
        return self.role is not Role.INFO and (not self.role.gate or self.weight is not None)


@dataclass(frozen=True, slots=True)
class Group:
    """Members that make one score. Only gates in it: the share of gates passed, outside the mean.

    `need` is the n of `combine: at least n`.
    """

    id: str
    title: str
    members: tuple["Criterion | Group", ...]
    weight: Weight | None = None
    combine: Combine = Combine.WEIGHTED_MEAN
    need: int = 0
    pass_mark: Decimal | None = None
    only_when: Check | None = None
    tags: tuple[str, ...] = ()
    note: str = ""
    at: Span = field(default=NOWHERE, compare=False)

    @property
    def counts(self) -> bool:
        """Something in it is more than a gate or information."""
        return any(member.counts for member in self.members)


@dataclass(frozen=True, slots=True)
class Cap:
    """The score (or the score of `ref`) is at most `at_most` when something holds."""

    at_most: Decimal
    when: Check
    ref: str | None = None
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One `verdict:` line; `when` None is `otherwise`."""

    name: str
    when: Check | None
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class FieldType:
    """A declared word about each query. No values: any."""

    name: str
    values: tuple[str, ...] = ()
    number: bool = False
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Rubric:
    """A whole rubric. `version` 0 means that none was written.

    `sha256` is of its meaning: layout, remarks, order, `about`, `owner` and notes are outside it.
    """

    id: str
    title: str
    version: int
    root: Group
    caps: tuple[Cap, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    scales: tuple[Scale, ...] = ()
    fields: tuple[FieldType, ...] = ()
    library: bool = False
    about: str = ""
    owner: str = ""
    note: str = ""
    sha256: str = ""
    at: Span = field(default=NOWHERE, compare=False)


def criteria(group: Group) -> Iterator[Criterion]:
    """Every criterion in a group, in the order it was written."""
    for member in group.members:
        if isinstance(member, Group):
            yield from criteria(member)
        else:
            yield member
