"""The walks through a rubric that rules share."""

from collections.abc import Iterator

from engine.rubric.syntax import Check, Checks, Criterion, Group, Rubric, parts

__all__ = ["every_test", "groups", "inherited", "tests"]


def groups(group: Group) -> Iterator[Group]:
    """The group and every group in it."""
    yield group
    yield from (part for part in parts(group) if isinstance(part, Group))


def tests(member: Criterion | Group) -> tuple[Check, ...]:
    """Its condition and its checks."""
    condition = () if member.only_when is None else (member.only_when,)
    if isinstance(member, Criterion) and isinstance(member.grading, Checks):
        return (*condition, *member.grading.checks)
    return condition


def every_test(rubric: Rubric) -> Iterator[Check]:
    """Every check and every condition of a rubric, with those of its caps and verdicts."""
    for part in parts(rubric.root):
        yield from tests(part)
    yield from (cap.when for cap in rubric.caps)
    yield from (verdict.when for verdict in rubric.verdicts if verdict.when is not None)


def inherited(group: Group, above: tuple[Check, ...] = ()) -> dict[str, tuple[Check, ...]]:
    """By id: the conditions of every part, from the outermost group inwards."""
    found: dict[str, tuple[Check, ...]] = {}
    for member in group.members:
        own = above if member.only_when is None else (*above, member.only_when)
        found[member.id] = own
        if isinstance(member, Group):
            found |= inherited(member, own)
    return found
