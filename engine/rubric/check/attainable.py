"""Which scores a rubric can give at all, bottom up from its scales."""

from decimal import Decimal

from engine.rubric.syntax import Asked, Combine, Criterion, Group, Role, Rubric

__all__ = ["attainable"]

_Range = tuple[Decimal, Decimal]
_FULL: _Range = (Decimal(0), Decimal(1))


def attainable(rubric: Rubric) -> _Range:
    """The worst and the best possible score. Never narrower than the truth."""
    low, high = _group(rubric.root)
    for cap in rubric.caps:
        if cap.ref is None:
            low = min(low, cap.at_most)
    return low, high


def _group(group: Group) -> _Range:
    counting = [member for member in group.members if member.counts]
    rows = [(_weight(member), _role(member), _member(member)) for member in counting]
    good = [(weight, span) for weight, role, span in rows if role not in (Role.PENALTY, Role.BONUS)]
    total = sum((weight for weight, _ in good), Decimal(0))
    if not total or group.combine in (Combine.ALL, Combine.ANY, Combine.AT_LEAST):
        return _FULL
    lows, highs = [span[0] for _, span in good], [span[1] for _, span in good]
    if group.combine is Combine.LOWEST:
        low, high = min(lows), min(highs)
    elif group.combine is Combine.HIGHEST:
        low, high = max(lows), max(highs)
    else:
        low = sum((weight * span[0] for weight, span in good), Decimal(0)) / total
        high = sum((weight * span[1] for weight, span in good), Decimal(0)) / total
    if any(member.only_when is not None for member in counting):
        low, high = min(lows), max(highs)  # whichever of them applies
    if any(role is Role.PENALTY for _, role, _ in rows):
        low = Decimal(0)
    if any(role is Role.BONUS for _, role, _ in rows):
        high = Decimal(1)
    return low, high


def _member(member: Criterion | Group) -> _Range:
    if isinstance(member, Group):
        return _group(member)
    if not isinstance(member.grading, Asked):
        return _FULL
    scores = member.grading.scale.scores or _FULL
    low, high = min(scores), max(scores)
    return (1 - high, 1 - low) if member.role is Role.MUST_NOT else (low, high)


def _role(member: Criterion | Group) -> Role:
    return member.role if isinstance(member, Criterion) else Role.CRITERION


def _weight(member: Criterion | Group) -> Decimal:
    return Decimal(1) if member.weight is None else member.weight.value
