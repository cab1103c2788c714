"""Groups, compiled: the outcomes of the members become one interval of scores."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import fsum
from operator import itemgetter, mul

from engine.rubric.evidence import Evidence, Outcome
from engine.rubric.outcomes import Evaluate, Part, mark_of, passes, rounded
from engine.rubric.syntax import Combine, Group, Role

__all__ = ["group_value", "outcomes_at"]


def group_value(group: Group, parts: tuple[Part, ...], place: Mapping[str, int]) -> Evaluate:
    """The value of a group, before any cap.

    Args:
        parts: its members.
        place: where the outcome of each member lies in the memo; all of them have one when it is evaluated.
    """
    mark = mark_of(group)
    combine = _combiner(group, parts, place)

    def value(evidence: Evidence) -> Outcome:
        outcome = combine(evidence)
        if outcome.applies:
            if outcome.low == outcome.high:
                outcome.score = rounded(outcome.low)
            if mark is not None:
                outcome.passed = passes(outcome.low, outcome.high, mark)
        return outcome

    return value


def _combiner(group: Group, parts: tuple[Part, ...], place: Mapping[str, int]) -> Evaluate:
    counting = tuple(part for part in parts if part.counts)
    if not counting:
        gates = tuple(part for part in parts if part.role.gate or part.role is Role.CRITERION)
        return _of(gates, place, _share_passed, group)
    positive = tuple(part for part in counting if part.role not in _BESIDE)
    match group.combine:
        case Combine.LOWEST:
            return _of(positive, place, lambda found: _extreme(found, min), group)
        case Combine.HIGHEST:
            return _of(positive, place, lambda found: _extreme(found, max), group)
        case Combine.ALL | Combine.ANY | Combine.AT_LEAST:
            return _of(positive, place, lambda found: _enough(group, found), group)
        case Combine.MEAN:
            return _mean(tuple(replace(part, weight=1.0) for part in counting), place, group)
        case Combine.WEIGHTED_MEAN:
            return _mean(tuple(part for part in counting if part.weight), place, group)


_BESIDE = frozenset({Role.PENALTY, Role.BONUS})  # what counts beside the members that share out the marks
_Found = list[tuple[Part, Outcome]]


def _of(
    parts: tuple[Part, ...], place: Mapping[str, int], combined: Callable[[_Found], Outcome], group: Group
) -> Evaluate:
    """The members that apply, combined; with `minimum graded` those that are graded, when they are enough."""
    share = float(group.minimum_graded)
    members = outcomes_at([place[part.id] for part in parts])

    def value(evidence: Evidence) -> Outcome:
        found = [row for row in zip(parts, members(evidence.memo), strict=True) if row[1].applies]
        if not found:
            return Outcome(0.0, 1.0, False)
        settling = [each.may_skip for part, each in found if part.role is not Role.BONUS]
        if settling and all(settling):
            return Outcome(0.0, 1.0, may_skip=True)  # left out of a mean it can move that as far as any score can
        return combined(found if share == 1.0 else _graded_enough(found, share))

    return value


def outcomes_at(places: Sequence[int]) -> Callable[[list[Outcome | None]], Sequence[Outcome]]:
    """Picks outcomes out of a full memo, in one call that runs no line of Python."""
    if not places:
        return lambda memo: ()
    first, count = places[0], len(places)
    side_by_side = list(places) == [*range(first, first + count)]
    return itemgetter(slice(first, first + count)) if side_by_side else itemgetter(*places)


def _graded_enough(found: _Found, share: float) -> _Found:
    """Without the ungraded members, when what is graded carries at least this share of the weight."""
    graded = [(part, outcome) for part, outcome in found if outcome.low == outcome.high]
    whole = fsum([part.weight for part, _ in found])
    carried = fsum([part.weight for part, _ in graded])
    return graded if graded and carried >= share * whole - _EPSILON else found


_EPSILON = 1e-9  # weights are decimals; their float sums may miss a share such as 80% by the last digit


def _mean(parts: tuple[Part, ...], place: Mapping[str, int], group: Group) -> Evaluate:
    """Most of the time of a grading that is not spent in checks is spent here: hardly any Python runs for a member
    while every one is graded, as nearly always; one that is not leaves it all to `_signed_mean`.
    """
    weights = tuple(-part.weight if part.role is Role.PENALTY else part.weight for part in parts)
    whole = fsum([part.weight for part in parts if part.role not in _BESIDE])
    slowly = _of(parts, place, _signed_mean, group)
    if not whole:
        return slowly
    members = outcomes_at([place[part.id] for part in parts])
    even = set(weights) == {1.0}

    def mean(evidence: Evidence) -> Outcome:
        found = members(evidence.memo)
        scores = [outcome.low for outcome in found]
        if scores != [outcome.high for outcome in found]:  # the ends of what does not apply, or may not, differ
            return slowly(evidence)
        earned = fsum(scores if even else map(mul, weights, scores))
        score = min(max(earned / whole, 0.0), 1.0)
        return Outcome(score, score)

    return mean


def _signed_mean(found: _Found) -> Outcome:
    """clip((Σ w·s - Σ w·b + Σ w·bonus) / Σ w, 0, 1), at both ends of what is still possible."""
    positive = [(part, outcome) for part, outcome in found if part.role not in _BESIDE]
    total = fsum([part.weight for part, _ in positive])
    if not total:
        return _only_penalties(found)
    ends = [_ends(part, outcome) for part, outcome in found]
    lows, highs = [low for low, _ in ends], [high for _, high in ends]
    low = fsum(lows) / total
    high = low if lows == highs else fsum(highs) / total
    low, high = min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)
    if all(outcome.may_skip for _, outcome in positive):  # then marks may be taken away from 1 instead
        other = _only_penalties(found)
        if other.applies:
            low, high = min(low, other.low), max(high, other.high)
    return Outcome(low, high)


def _only_penalties(found: _Found) -> Outcome:
    """What the penalties leave of 1, where nothing else applies. A bonus alone makes no score."""
    penalties = [(part, outcome) for part, outcome in found if part.role is Role.PENALTY]
    total = fsum([part.weight for part, _ in penalties])
    if not total:
        return Outcome(0.0, 1.0, False)
    rest = [_ends(part, outcome) for part, outcome in found if part.role in _BESIDE]
    low, high = (fsum([total, *side]) / total for side in zip(*rest, strict=True))
    return Outcome(min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0))


def _ends(part: Part, outcome: Outcome) -> tuple[float, float]:
    if part.role is Role.PENALTY:
        return -part.weight * outcome.high, -part.weight * outcome.low
    return part.weight * outcome.low, part.weight * outcome.high


def _extreme(found: _Found, pick: Callable[[list[float]], float]) -> Outcome:
    return Outcome(pick([each.low for _, each in found]), pick([each.high for _, each in found]))


def _enough(group: Group, found: _Found) -> Outcome:
    passed = [each.passed for _, each in found]
    need = {Combine.ALL: len(passed), Combine.ANY: 1}.get(group.combine, group.need)
    return Outcome(float(passed.count(True) >= need), float(len(passed) - passed.count(False) >= need))


def _share_passed(found: _Found) -> Outcome:
    """A group of gates: the share that passes. It is shown, and never averaged with anything."""
    passed = [each.passed for _, each in found]
    return Outcome(passed.count(True) / len(passed), (len(passed) - passed.count(False)) / len(passed))
