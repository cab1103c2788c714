"""A rubric's own good and bad examples, counted: which of them a computer can try, and whether they hold."""

from dataclasses import replace
from typing import NamedTuple

from engine.model.exchange import Answer, Exchange, Turn
from engine.model.query import Query
from engine.rubric.grade import Grader, compile_rubric
from engine.rubric.syntax import Checks, Criterion, Group, Role, Rubric, criteria

__all__ = ["Example", "examples"]


class Example(NamedTuple):
    """A good or bad example of a criterion. `held` None: it takes a judge, or evidence that a text alone is not."""

    criterion: str
    text: str
    good: bool
    held: bool | None


def examples(rubric: Rubric) -> tuple[Example, ...]:
    """Every good and bad example. Those on checks are run; an example stands alone, so conditions are let be."""
    grader = compile_rubric(replace(rubric, root=_unconditional(rubric.root)))
    found: list[Example] = []
    for criterion in criteria(rubric.root):
        for good, texts in ((True, criterion.good), (False, criterion.bad)):
            found += [Example(criterion.id, text, good, _held(criterion, good, text, grader)) for text in texts]
    return tuple(found)


def _held(criterion: Criterion, good: bool, text: str, grader: Grader) -> bool | None:
    if not isinstance(criterion.grading, Checks):
        return None
    grading = grader.grade(Exchange(Query("", "", "", ""), Turn("", ""), Answer(text=text)))
    grade = next(each for each in grading.grades if each.criterion == criterion.id)
    if grade.score is None:
        return None
    wanted = (criterion.role is Role.PENALTY) is good
    return (grade.score < 1) is wanted


def _unconditional(group: Group) -> Group:
    members = tuple(
        _unconditional(each) if isinstance(each, Group) else replace(each, only_when=None) for each in group.members
    )
    return replace(group, members=members, only_when=None)
