"""Worked cases of a rubric: whether what comes out is what was expected, and which criterion decided."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from engine.measures.rounding import half_up
from engine.model.grade import Grade, GradeStatus, Grading
from engine.model.rubric_case import Case, Standing
from engine.rubric.grade import OVERALL, Grader
from engine.rubric.syntax import Criterion, Group, Role, Rubric, criteria

__all__ = ["Difference", "Tried", "tried"]


class Difference(NamedTuple):
    """Something that came out otherwise. `what` is "verdict", "score" or the id of a criterion."""

    what: str
    expected: str
    found: str


@dataclass(frozen=True, slots=True)
class Tried:
    """A case after grading.

    Attributes:
        decided: the criterion that decided, and why: one sentence.
    """

    case: Case
    grading: Grading
    differences: tuple[Difference, ...]
    decided: str

    @property
    def passed(self) -> bool:
        """Everything that was expected came out."""
        return not self.differences


def tried(case: Case, grader: Grader) -> Tried:
    """Grade a case that fits its rubric, and compare."""
    grading = grader.grade(case.exchange, case.votes)
    return Tried(case, grading, tuple(_differences(case, grading)), _decided(grader.rubric, grading))


def _differences(case: Case, grading: Grading) -> Iterator[Difference]:
    expected = case.expected
    if expected.verdict is not None and expected.verdict != grading.verdict:
        found = grading.verdict or "none"
        if grading.could_be:
            found = f"{found} (it could still be {' or '.join(grading.could_be)})"
        yield Difference("verdict", expected.verdict, found)
    if expected.score is not None:
        applies = OVERALL in grading.scores
        status = GradeStatus.GRADED if applies else GradeStatus.NOT_APPLICABLE
        score = grading.scores.get(OVERALL)
        if applies and score is None:
            status = GradeStatus.UNGRADED
        yield from _compared("score", expected.score, Grade("", status, score, grading.low, grading.high, None, ""))
    grades = {grade.criterion: grade for grade in grading.grades}
    for name, wanted in expected.criteria.items():
        yield from _compared(name, wanted, grades[name])


def _compared(what: str, wanted: float | Standing, found: Grade) -> Iterator[Difference]:
    match wanted:
        case Standing.PASSES | Standing.FAILS:
            same = found.passed is (wanted is Standing.PASSES)
        case Standing.UNGRADED:
            same = found.status is GradeStatus.UNGRADED
        case Standing.NOT_APPLICABLE:
            same = found.status is GradeStatus.NOT_APPLICABLE
        case _:
            same = found.score is not None and half_up(found.score, _decimals(wanted)) == half_up(wanted)
    if not same:
        shown = wanted.value if isinstance(wanted, Standing) else f"{wanted:g}"
        yield Difference(what, shown, _standing(found, isinstance(wanted, Standing)))


def _decimals(number: float) -> int:
    """How precisely a score was written: 0.83 means 0.83 and whatever rounds to it; 1 means 1.00."""
    return min(max(len(f"{number:.4f}".rstrip("0").partition(".")[2]), 2), 4)


def _standing(found: Grade, in_words: bool) -> str:
    if found.status is GradeStatus.NOT_APPLICABLE:
        return "not applicable"
    if found.score is None:
        return f"ungraded, between {found.low:g} and {found.high:g}"
    if in_words and found.passed is not None:
        return "pass" if found.passed else "fail"
    return f"{found.score:g}"


def _decided(rubric: Rubric, grading: Grading) -> str:
    """A gate that fails, else what is not graded, else what pulls the score down most."""
    known = {criterion.id: criterion for criterion in criteria(rubric.root)}
    rows = [(known[grade.criterion], grade) for grade in grading.grades]
    for criterion, grade in rows:
        if criterion.role.gate and grade.passed is False:
            return f"[{criterion.title}] fails: {grade.reason}"
    for criterion, grade in rows:
        if grade.status is GradeStatus.UNGRADED and (criterion.counts or criterion.role.gate):
            return f"[{criterion.title}] is ungraded: {grade.reason}"
    losses = _losses(rubric.root, {grade.criterion: grade for grade in grading.grades})
    loss, name = max(((loss, name) for name, loss in losses.items()), key=lambda row: row[0], default=(0.0, ""))
    if not losses:
        return "nothing in it applies"
    grade = next(each for each in grading.grades if each.criterion == name)
    return f"[{known[name].title}] is {grade.score:g}: {grade.reason}" if loss > 0 else "nothing takes marks away"


def _losses(group: Group, grades: Mapping[str, Grade], share: float = 1.0) -> dict[str, float]:
    """How much of the whole score each graded criterion takes away, by its id; what does not apply left out."""
    counted = [member for member in group.members if member.counts]
    marks = sum(_weight(member) for member in counted if isinstance(member, Group) or _earns(member)) or 1.0
    losses: dict[str, float] = {}
    for member in counted:
        part = share * _weight(member) / marks
        if isinstance(member, Group):
            losses |= _losses(member, grades, part)
        elif (score := grades[member.id].score) is not None:
            losses[member.id] = part * (
                score if member.role is Role.PENALTY else 1.0 - score if _earns(member) else 0.0
            )
    return losses


def _earns(criterion: Criterion) -> bool:
    return criterion.role not in (Role.PENALTY, Role.BONUS)


def _weight(member: Criterion | Group) -> float:
    return 1.0 if member.weight is None else float(member.weight.value)
