"""Groups that combine in a way that some of their members have no place in."""

from collections.abc import Iterator

from engine.rubric.check.draft import Draft
from engine.rubric.check.walk import groups
from engine.rubric.diagnostic import Diagnostic
from engine.rubric.syntax import Combine, Criterion, Group, Role

__all__ = ["no_mean", "too_few"]

_MEANS = (Combine.MEAN, Combine.WEIGHTED_MEAN)


def no_mean(draft: Draft) -> Iterator[Diagnostic]:
    """R511: a penalty or a bonus changes a mean, and there is none."""
    for group in groups(draft.rubric.root):
        for member in group.members:
            if group.combine in _MEANS or not isinstance(member, Criterion):
                continue
            if member.role in (Role.PENALTY, Role.BONUS):
                does = "takes marks away from" if member.role is Role.PENALTY else "adds marks to"
                message = f'A {member.role} {does} a mean, and {_name(group)} combines by "{group.combine}"'
                steps = ("combine by weighted mean", f"or move the {member.role} out of this group")
                yield Diagnostic("R511", message, member.at, help=steps)


def too_few(draft: Draft) -> Iterator[Diagnostic]:
    """R514: at least n of fewer members."""
    for group in groups(draft.rubric.root):
        there = sum(1 for member in group.members if member.counts)
        if group.combine is Combine.AT_LEAST and group.need > there and not draft.context.failed:
            part = draft.rubric if group is draft.rubric.root else group
            message = f"At least {group.need} of {there} can never pass"
            steps = (f"write: combine: at least {there}" if there else "add criteria", "or add criteria")
            yield Diagnostic("R514", message, draft.place(part, "combine"), help=steps[: 2 if there else 1])


def _name(group: Group) -> str:
    return f'"{group.title}"' if group.id else "this rubric"
