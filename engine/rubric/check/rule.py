"""What a rule is, and the walks that rules share."""

from collections.abc import Callable, Iterable, Iterator

from engine.rubric import expression as say
from engine.rubric.context import Context
from engine.rubric.diagnostic import Diagnostic
from engine.rubric.expression import Expression
from engine.rubric.syntax import Check, Checks, Criterion, Group, Rubric

__all__ = ["Rule", "groups", "leaves", "members", "tests"]

Rule = Callable[[Rubric, Context], Iterable[Diagnostic]]


def groups(group: Group) -> Iterator[Group]:
    """The group and every group in it."""
    yield group
    for member in group.members:
        if isinstance(member, Group):
            yield from groups(member)


def members(group: Group) -> Iterator[Criterion | Group]:
    """Every criterion and group below a group."""
    for member in group.members:
        yield member
        if isinstance(member, Group):
            yield from members(member)


def leaves(expression: Expression) -> Iterator[Expression]:
    """The parts that are neither and, or nor not."""
    match expression:
        case say.All() | say.Any():
            for part in expression.parts:
                yield from leaves(part)
        case say.Not():
            yield from leaves(expression.part)
        case _:
            yield expression


def tests(member: Criterion | Group) -> tuple[Check, ...]:
    """Its condition and its checks."""
    condition = () if member.only_when is None else (member.only_when,)
    if isinstance(member, Criterion) and isinstance(member.grading, Checks):
        return (*condition, *member.grading.checks)
    return condition
