"""A rubric as it was read: frozen nouns, settings and used files already put in their place."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from engine.rubric.diagnostic import NOWHERE, Span
from engine.rubric.expression import Expression

__all__ = [
    "USUALLY_SHOWN",
    "USUAL_PANEL",
    "YES_NO",
    "Asked",
    "Cap",
    "Check",
    "Checklist",
    "Checks",
    "Combine",
    "Criterion",
    "FieldType",
    "Group",
    "Item",
    "Judge",
    "Level",
    "Measured",
    "Panel",
    "Question",
    "Role",
    "Rubric",
    "Scale",
    "Settle",
    "Verdict",
    "Weight",
    "criteria",
    "parts",
    "questions",
    "titles",
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

    @property
    def skippable(self) -> bool:
        """It has a row for "does not apply"."""
        return self.low is None and any(level.score is None for level in self.levels)


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


class Settle(StrEnum):
    """How the votes of several judges become one score (`combine judges:`)."""

    MEDIAN = "median"
    MEAN = "mean"
    MAJORITY = "majority"
    LOWEST = "lowest"
    HIGHEST = "highest"


@dataclass(frozen=True, slots=True)
class Judge:
    """`3 llm "search-grader"`: how many of which kind, and the name when one is given."""

    kind: str
    count: int = 1
    name: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """Who answers a question, and how several answers become one.

    Attributes:
        judges: empty means whoever the run provides, one of them.
        quorum: usable votes that are needed; None means more than half of the panel.
        disagreement: the widest distance between two scores that is still settled; None means any.
    """

    judges: tuple[Judge, ...] = ()
    settle: Settle = Settle.MEDIAN
    quorum: int | None = None
    disagreement: Decimal | None = None

    @property
    def size(self) -> int:
        """How many votes are expected."""
        return sum(judge.count for judge in self.judges) or 1

    @property
    def needed(self) -> int:
        """How many usable votes it takes."""
        return self.size // 2 + 1 if self.quorum is None else self.quorum


USUAL_PANEL = Panel()


@dataclass(frozen=True, slots=True)
class Asked:
    """A judge decides, on a described scale. With `skippable` a judge may say that it does not apply."""

    question: str
    scale: Scale
    panel: Panel = USUAL_PANEL
    skippable: bool = False
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Item:
    """One fact of a checklist.

    Attributes:
        id: unique in its checklist; made from the text, so that the order does not matter.
        weight: below 0 it is a fact that ought not to be there.
        must: unmet, it makes the whole checklist 0.
        mark: the word in brackets as it was written, `vital`; empty when there was none.
    """

    id: str
    text: str
    weight: Decimal = Decimal(1)
    must: bool = False
    mark: str = ""
    at: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Checklist:
    """A judge decides about every item, on one scale. `question` is what is asked about each; may be empty."""

    items: tuple[Item, ...]
    scale: Scale
    question: str = ""
    panel: Panel = USUAL_PANEL
    skippable: bool = False
    at: Span = field(default=NOWHERE, compare=False)


Grading = Checks | Measured | Asked | Checklist


USUALLY_SHOWN = ("question", "answer", "passages")
"""What a judge gets to see where a criterion does not say it."""


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
    grading: Grading
    weight: Weight | None = None
    pass_mark: Decimal | None = None
    only_when: Check | None = None
    about: str = ""
    guidance: str = ""
    good: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    show: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    note: str = ""
    at: Span = field(default=NOWHERE, compare=False)

    @property
    def shown(self) -> tuple[str, ...]:
        """What a judge gets to see."""
        return self.show or USUALLY_SHOWN

    @property
    def counts(self) -> bool:
        """It is a part of its group's score."""
        return self.role is not Role.INFO and (not self.role.gate or self.weight is not None)


@dataclass(frozen=True, slots=True)
class Group:
    """Members that make one score. Only gates in it: the share of gates passed, outside the mean.

    `need` is the n of `combine: at least n`. `minimum_graded`: with at least this share of its weight
    graded, what is ungraded is left out; 1 means that nothing ever is.
    """

    id: str
    title: str
    members: tuple["Criterion | Group", ...]
    weight: Weight | None = None
    combine: Combine = Combine.WEIGHTED_MEAN
    need: int = 0
    pass_mark: Decimal | None = None
    minimum_graded: Decimal = Decimal(1)
    only_when: Check | None = None
    about: str = ""
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
    """A whole rubric. `version` 0 means that none was written; `language` is what its texts are written in.

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
    language: str = ""
    tags: tuple[str, ...] = ()
    note: str = ""
    sha256: str = ""
    at: Span = field(default=NOWHERE, compare=False)


def parts(group: Group) -> Iterator[Criterion | Group]:
    """Every criterion and group below a group, in the order it was written."""
    for member in group.members:
        yield member
        if isinstance(member, Group):
            yield from parts(member)


def criteria(group: Group) -> Iterator[Criterion]:
    """Every criterion in a group, in the order it was written."""
    return (part for part in parts(group) if isinstance(part, Criterion))


def titles(root: Group) -> dict[str, str]:
    """The title of every criterion and group, by id."""
    return {part.id: part.title for part in parts(root)}


class Question(NamedTuple):
    """One thing that a judge is asked: a criterion, or one item of a checklist.

    Attributes:
        id: of the criterion, `tone`; of an item, `facts/says-30-days`. Votes are given by it.
        criterion: id of the criterion that it belongs to.
    """

    id: str
    criterion: str
    text: str
    scale: Scale
    panel: Panel
    skippable: bool


def questions(group: Group) -> Iterator[Question]:
    """Everything that judges are asked in a group, in the order it was written."""
    for criterion in criteria(group):
        grading = criterion.grading
        if isinstance(grading, Asked):
            yield Question(
                criterion.id, criterion.id, grading.question, grading.scale, grading.panel, grading.skippable
            )
        elif isinstance(grading, Checklist):
            for item in grading.items:
                name = f"{criterion.id}/{item.id}"
                yield Question(name, criterion.id, item.text, grading.scale, grading.panel, grading.skippable)
