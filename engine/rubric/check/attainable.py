"""Which scores a rubric can give at all, bottom up from its scales. Never narrower than the truth."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from engine.rubric.numbers import as_scores_are
from engine.rubric.syntax import Asked, Checklist, Combine, Criterion, Group, Role, Rubric

__all__ = ["Range", "attainable"]

Range = tuple[Decimal, Decimal]
"""The worst and the best possible score."""

_ZERO, _ONE = Decimal(0), Decimal(1)
_FULL: Range = (_ZERO, _ONE)


def attainable(rubric: Rubric) -> dict[str, Range]:
    """The range of every part by its id; the whole has the empty id."""
    ranges: dict[str, Range] = {}
    ranges[""] = _group(rubric.root, ranges)
    for cap in rubric.caps:
        low, high = ranges[cap.ref or ""]
        ranges[cap.ref or ""] = min(low, cap.at_most), high
    return {name: (as_scores_are(low), as_scores_are(high)) for name, (low, high) in ranges.items()}


@dataclass(frozen=True, slots=True)
class _Row:
    """A member that counts. `optional`: it may not apply, or be left out."""

    role: Role
    weight: Decimal
    low: Decimal
    high: Decimal
    optional: bool


def _group(group: Group, ranges: dict[str, Range]) -> Range:
    for member in group.members:
        ranges[member.id] = _group(member, ranges) if isinstance(member, Group) else _criterion(member)
    rows = list(_rows(group, ranges))
    good = [row for row in rows if row.role not in (Role.PENALTY, Role.BONUS)]
    match group.combine:
        case Combine.LOWEST if good:
            sure = [row.high for row in good if not row.optional]
            return min(row.low for row in good), min(sure) if sure else max(row.high for row in good)
        case Combine.HIGHEST if good:
            sure = [row.low for row in good if not row.optional]
            return max(sure) if sure else min(row.low for row in good), max(row.high for row in good)
        case Combine.MEAN | Combine.WEIGHTED_MEAN:
            return _mean(rows, good)
        case _:
            return _FULL


def _rows(group: Group, ranges: dict[str, Range]) -> Iterator[_Row]:
    left_out = group.minimum_graded < 1
    for member in group.members:
        if not member.counts:
            continue
        weight = _ONE if member.weight is None or group.combine is Combine.MEAN else member.weight.value
        if weight:
            low, high = ranges[member.id]
            role = member.role if isinstance(member, Criterion) else Role.CRITERION
            yield _Row(role, weight, low, high, left_out or _may_not_apply(member))


def _may_not_apply(member: Criterion | Group) -> bool:
    if member.only_when is not None:
        return True
    if isinstance(member, Group):
        return all(_may_not_apply(each) for each in member.members if each.counts)
    grading = member.grading
    if not isinstance(grading, Asked | Checklist):
        return False
    return grading.skippable or any(level.score is None and level.low is None for level in grading.scale.levels)


def _mean(rows: Sequence[_Row], good: Sequence[_Row]) -> Range:
    bad = [row for row in rows if row.role is Role.PENALTY]
    bonus = sum((row.weight * row.high for row in rows if row.role is Role.BONUS), _ZERO)
    left = _left_by(bad)
    if not good:
        return left[0], _ONE if bonus else left[1]
    low, high = _lowest(good), 1 - _lowest([_turned(row) for row in good])
    sure = all(not row.optional for row in good)
    total = sum((row.weight for row in good), _ZERO)
    if bad:
        low = low - sum((row.weight * row.high for row in bad), _ZERO) / total if sure else _ZERO
        if sure:
            high -= sum((row.weight * row.low for row in bad if not row.optional), _ZERO) / total
    if bonus:
        high = high + bonus / total if sure else _ONE
    if bad and all(row.optional for row in good):  # only the penalties apply
        low, high = min(low, left[0]), max(high, left[1])
    return _clipped(low), _clipped(high)


def _clipped(score: Decimal) -> Decimal:
    return min(max(score, _ZERO), _ONE)


def _left_by(bad: Sequence[_Row]) -> Range:
    """What penalties leave of 1 when nothing else applies."""
    if not bad:
        return _FULL
    return _lowest([_turned(row) for row in bad]), 1 - _lowest(bad)


def _turned(row: _Row) -> _Row:
    return _Row(row.role, row.weight, 1 - row.high, 1 - row.low, row.optional)


def _lowest(rows: Sequence[_Row]) -> Decimal:
    """The lowest weighted mean: what has to be in it, with every optional row that still pulls it down."""
    total = weight = _ZERO
    for row in sorted(rows, key=lambda row: (row.optional, row.low)):
        if row.optional and weight and row.low * weight >= total:
            break
        total, weight = total + row.weight * row.low, weight + row.weight
    return total / weight


def _criterion(criterion: Criterion) -> Range:
    match criterion.grading:
        case Asked(scale=scale):
            scores = scale.scores or _FULL
            low, high = min(scores), max(scores)
        case Checklist():
            low, high = _checklist(criterion.grading)
        case _:
            low, high = _FULL
    return (1 - high, 1 - low) if criterion.role is Role.MUST_NOT else (low, high)


def _checklist(grading: Checklist) -> Range:
    scores = grading.scale.scores or _FULL
    low, high = min(scores), max(scores)
    wanted = [item for item in grading.items if item.weight > 0]
    if len(wanted) < len(grading.items) or any(item.must for item in grading.items):
        low = _ZERO
    if not wanted:
        high = _ONE
    if high < 1 and any(item.must for item in grading.items):
        high = _ZERO  # a must item is met only at 1
    return low, high
