"""How much of the total each part of a rubric decides, exact, when everything applies."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from engine.rubric.syntax import Combine, Criterion, Group, Role

__all__ = ["Counts", "Share", "permille", "shares"]


class Counts(StrEnum):
    """In which way a part takes part in the score."""

    PART = "part"
    TAKES_OFF = "takes off"
    ADDS = "adds"
    GATE = "gate"
    INFO = "info"
    TOGETHER = "together"
    """Its group is no mean: which member decides is known only once they are graded."""


@dataclass(frozen=True, slots=True)
class Share:
    """What a part decides.

    Attributes:
        of_total: from 0 to 1; of a penalty and a bonus the most that it can move the score. None where no
            number can be given: gates, information, and members of a group that is no mean.
    """

    id: str
    counts: Counts
    of_total: Fraction | None


def shares(root: Group) -> Mapping[str, Share]:
    """The share of every criterion and group below the root, by id.

    The shares of a group's members that are a PART of it add up to its own, and those at the top to 1. A group
    with nothing but penalties starts from full marks: what they take off adds up to its share. A rubric with
    nothing but gates scores the share of them that passes, so each decides its part.
    """
    if not root.counts:
        gates = [member for member in root.members if _counts(member) is Counts.GATE]
        each = Fraction(1, len(gates) or 1)
        return {share.id: share for share in _gates(root, each)}
    return {share.id: share for share in _members(root, Fraction(1))}


def permille(root: Group) -> Mapping[str, int]:
    """The shares in thousandths, for reading: those of the parts add up to 1000, and those of a group to its own.

    What rounding down leaves over goes to the largest remainders, to the first ones where they are equal. Of a
    penalty and a bonus the nearest thousandth. Parts without a number are left out.
    """
    found = shares(root)
    exact = {name: found[name].of_total or Fraction(0) for name in _leaves(root, found)}
    shown = {name: int(part * 1000) for name, part in exact.items()}
    left = int(sum(exact.values()) * 1000 + Fraction(1, 2)) - sum(shown.values())
    by_remainder = sorted(exact, key=lambda name: shown[name] - exact[name] * 1000)
    for name in by_remainder[:left]:
        shown[name] += 1
    for share in found.values():
        if share.of_total is not None and share.counts is not Counts.PART:
            shown[share.id] = int(share.of_total * 1000 + Fraction(1, 2))
    _add_up(root, found, shown)
    return shown


def _members(group: Group, share: Fraction | None) -> Iterator[Share]:
    mean = group.combine in (Combine.WEIGHTED_MEAN, Combine.MEAN)
    total = _whole(group)
    for member in group.members:
        counts, part = _counts(member), None
        if counts in (Counts.PART, Counts.TAKES_OFF, Counts.ADDS):
            if not mean:  # only its positive members are looked at
                counts = Counts.TOGETHER if counts is Counts.PART else Counts.INFO
            elif share is None:
                counts = Counts.TOGETHER
            elif total:
                part = share * _weight(member, group) / total
        yield Share(member.id, counts, part)
        if isinstance(member, Group):
            yield from _members(member, part)


def _gates(group: Group, each: Fraction | None) -> Iterator[Share]:
    for member in group.members:
        counts = _counts(member)
        yield Share(member.id, counts, each if counts is Counts.GATE else None)
        if isinstance(member, Group):
            yield from _gates(member, None)


def _whole(group: Group) -> Fraction:
    """What the weights of a mean are divided by."""
    weights = {Counts.PART: Fraction(0), Counts.TAKES_OFF: Fraction(0)}
    for member in group.members:
        counts = _counts(member)
        if counts in weights:
            weights[counts] += _weight(member, group)
    return weights[Counts.PART] or weights[Counts.TAKES_OFF]


def _counts(member: Criterion | Group) -> Counts:
    if isinstance(member, Group):
        return Counts.PART if member.counts else Counts.GATE
    if member.role is Role.INFO:
        return Counts.INFO
    if not member.counts:
        return Counts.GATE
    return {Role.PENALTY: Counts.TAKES_OFF, Role.BONUS: Counts.ADDS}.get(member.role, Counts.PART)


def _weight(member: Criterion | Group, group: Group) -> Fraction:
    if group.combine is Combine.MEAN or member.weight is None:
        return Fraction(1)
    return Fraction(member.weight.value)


def _leaves(group: Group, found: Mapping[str, Share]) -> Iterator[str]:
    """Parts whose share is not split any further."""
    for member in group.members:
        share = found[member.id]
        if share.counts is not Counts.PART or share.of_total is None:
            continue
        inner = list(_leaves(member, found)) if isinstance(member, Group) else []
        yield from inner or (member.id,)


def _add_up(group: Group, found: Mapping[str, Share], shown: dict[str, int]) -> int:
    total = 0
    for member in group.members:
        if isinstance(member, Group):
            below = _add_up(member, found, shown)
            if found[member.id].counts is Counts.PART and found[member.id].of_total is not None:
                shown.setdefault(member.id, below)
        if found[member.id].counts is Counts.PART:
            total += shown.get(member.id, 0)
    return total
