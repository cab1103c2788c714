"""What a part of a rubric comes to: the noun of a compiled part, and how its grades are made."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.model.grade import Grade, GradeStatus
from engine.rubric.closures import Holds
from engine.rubric.evidence import Evidence, Outcome
from engine.rubric.syntax import Combine, Criterion, Group, Role

__all__ = [
    "Evaluate",
    "Graded",
    "Outcome",
    "Part",
    "giver",
    "mark_of",
    "not_applicable",
    "passes",
    "rounded",
    "ungraded",
]

Evaluate = Callable[[Evidence], Outcome]


@dataclass(frozen=True, slots=True)
class Part:
    """One member of a group, ready to be evaluated.

    `single`: of a criterion with one check and no condition, that check, and the outcome for each answer to it.
    """

    id: str
    role: Role
    counts: bool
    weight: float
    evaluate: Evaluate
    single: tuple[Holds, Mapping[bool | None, Outcome]] | None = None


def rounded(score: float) -> float:
    """A score from 0 to 1, half up to 4 decimals. What float sums lose below 1e-12 cannot tip it.

    The same as `half_up(round(score, 12))`, at a tenth of the price: it is asked for some 20 times an exchange.
    """
    return int(score * 10_000 + 0.500_000_01) / 10_000


Graded = Callable[[float, str], Outcome]


def giver(criterion: Criterion) -> Graded:
    """Gives grades: from how much of what the criterion describes is there (for a must not that is bad), and why."""
    name, turned = criterion.id, criterion.role is Role.MUST_NOT
    mark, status = mark_of(criterion), GradeStatus.GRADED

    def graded(found: float, reason: str) -> Outcome:
        score = 1.0 - found if turned else found
        shown = rounded(score)
        passed = None if mark is None else shown >= mark
        grade = Grade(name, status, shown, shown, shown, passed, reason)
        return Outcome(score, score, True, passed, grade, False, shown)

    return graded


def ungraded(
    criterion: Criterion, reason: str, ends: tuple[float, float] = (0.0, 1.0), *, may_skip: bool = False
) -> Outcome:
    """Not graded yet: it can still become any score between the ends, or with `may_skip` not apply at all."""
    low, high = ends
    least, most = rounded(low), rounded(high)
    mark = mark_of(criterion)
    passed = None if mark is None or may_skip else passes(low, high, mark)
    grade = Grade(criterion.id, GradeStatus.UNGRADED, None, least, most, passed, reason)
    return Outcome(low, high, True, passed, grade, may_skip)


def mark_of(member: Criterion | Group) -> float | None:
    """The score from which it passes; None when it neither passes nor fails."""
    if isinstance(member, Criterion) and member.role in (Role.PENALTY, Role.BONUS):
        return None
    if member.pass_mark is not None:
        return float(member.pass_mark)
    return 1.0 if isinstance(member, Group) and member.combine in _ASK_HOW_MANY else None


_ASK_HOW_MANY = (Combine.ALL, Combine.ANY, Combine.AT_LEAST)


def passes(low: float, high: float, mark: float) -> bool | None:
    """Whether a score between two ends reaches the mark; None when only some of them do."""
    if rounded(low) >= mark:
        return True
    return False if rounded(high) < mark else None


def not_applicable(criterion: Criterion, reason: str) -> Outcome:
    """It says nothing about this exchange, and counts in no mean."""
    return Outcome(0.0, 1.0, False, None, Grade(criterion.id, GradeStatus.NOT_APPLICABLE, None, 0.0, 1.0, None, reason))
