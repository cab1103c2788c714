"""Weights: percentages that do not add up, mixtures, zeros, and weights that nothing reads."""

from collections.abc import Iterator
from decimal import Decimal

from engine.rubric.check.draft import Draft
from engine.rubric.check.walk import groups
from engine.rubric.diagnostic import NOWHERE, Diagnostic, Severity
from engine.rubric.numbers import plain
from engine.rubric.syntax import Combine, Criterion, Group, Role, Weight

__all__ = ["ignored", "percentages", "zero"]


# After these it is not known which parts stand beside each other: groups that are not closed or not there,
# and parts that come from a file that could not be used.
_UNSETTLED = frozenset({"R122", "R204", "R219", "R309", "R310", "R311"})


def percentages(draft: Draft) -> Iterator[Diagnostic]:
    """R410, R411: percentages in a group are all or none, and make 100%."""
    if any(problem.code in _UNSETTLED for problem in draft.context.problems):
        return
    for group in groups(draft.rubric.root):
        members = _sharing(group)
        written = [member.weight for member in members if member.weight is not None]
        percents = [weight for weight in written if weight.percent]
        if not percents or _unread(written):
            continue
        plain_ones = [weight for weight in written if not weight.percent]
        name = _name(group)
        if plain_ones:
            yield _mixed(name, percents[0], plain_ones[0])
            continue
        missing = next((member for member in members if member.weight is None), None)
        if missing is not None:
            message = f'"{missing.title}" has no weight, and the weights beside it are percentages'
            yield Diagnostic("R410", message, missing.at, help=("give it a percentage; together they make 100%",))
            continue
        total = sum((weight.value for weight in percents), Decimal(0)) * 100
        if total != 100:
            gap = plain(abs(100 - total))
            step = f"add {gap}% somewhere" if total < 100 else f"take {gap}% away somewhere"
            message = f"The weights in {name} add up to {plain(total)}%, not 100%"
            yield Diagnostic("R410", message, percents[-1].at, help=(step,))


def zero(draft: Draft) -> Iterator[Diagnostic]:
    """R409: nothing to average, or one part that does not count."""
    for group in groups(draft.rubric.root):
        members = _sharing(group)
        written = [member.weight for member in members if member.weight is not None]
        if _unread(written):
            continue
        zeros = [weight for weight in written if weight.value == 0]
        if zeros and len(zeros) == len(members):
            steps = (
                "give at least one criterion a weight above 0",
                'to report something without counting it, use "info:"',
            )
            message = f"Every weight in {_name(group)} is 0, so there is nothing to average"
            yield Diagnostic("R409", message, zeros[0].at, help=steps)
            continue
        for weight in zeros:
            step = 'to report something without counting it, use "info:" and no weight'
            message = "A weight of 0 means that this does not count"
            yield Diagnostic("R409", message, weight.at, help=(step,), severity=Severity.WARNING)


def ignored(draft: Draft) -> Iterator[Diagnostic]:
    """R412: only the weighted mean reads weights."""
    for group in groups(draft.rubric.root):
        if group.combine is Combine.WEIGHTED_MEAN:
            continue
        for member in group.members:
            if member.weight is not None and member.weight.at is not NOWHERE:
                message = f'This weight is not read, because its group combines by "{group.combine}"'
                step = "leave the weight out, or combine by weighted mean"
                yield Diagnostic("R412", message, member.weight.at, help=(step,), severity=Severity.WARNING)


def _name(group: Group) -> str:
    if not group.id:
        return "this rubric"
    return f'"{group.title}"' if group.title else "this group"


def _sharing(group: Group) -> list[Criterion | Group]:
    """Members that share the whole between them."""
    return [
        member
        for member in group.members
        if member.counts and not (isinstance(member, Criterion) and member.role in (Role.PENALTY, Role.BONUS))
    ]


def _unread(weights: list[Weight]) -> bool:
    """A weight that could not be read has its own message; the sum says nothing then."""
    return any(weight.at is NOWHERE for weight in weights)


def _mixed(name: str, percent: Weight, other: Weight) -> Diagnostic:
    first, second = sorted((percent, other), key=lambda weight: weight.at.line.number)
    return Diagnostic(
        "R411",
        f"Weights in {name} mix percentages and plain numbers",
        second.at,
        f"{first.at.text} and {second.at.text}",
        ("use percentages everywhere in this group, or plain numbers everywhere",),
        (first.at, "a percentage" if first.percent else "a plain number"),
    )
