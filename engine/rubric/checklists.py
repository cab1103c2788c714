"""Checklists, compiled: every item is a question of its own, and their weighted mean is the score."""

from math import fsum

from engine.rubric.evidence import Evidence
from engine.rubric.outcomes import Evaluate, Outcome, giver, not_applicable, ungraded
from engine.rubric.syntax import Checklist, Criterion, Item
from engine.rubric.votes import Settled, Settler, settler

__all__ = ["listed"]

_NOBODY: Settled = Settled(None, False, "")


def listed(criterion: Criterion, grading: Checklist) -> Evaluate:
    """(Σ w·met - Σ w·bad) / Σ w over the items that apply; an unmet `must` item makes it 0."""
    graded = giver(criterion)
    skips = grading.skippable or grading.scale.skippable
    rows = tuple((f"{criterion.id}/{item.id}", item, _settler(grading, item)) for item in grading.items)

    def score(evidence: Evidence) -> Outcome:
        found = [(item, _settled(evidence, name, settle)) for name, item, settle in rows]
        apply = [(item, settled) for item, settled in found if not settled.skipped]
        if not apply:
            return not_applicable(criterion, "no item applies")
        low, high = _bounds(apply)
        reason = _reason(apply)
        if skips and all(settled.score is None for item, settled in apply if item.weight > 0):
            low, high = _without_the_good(apply, low, high)
        if low == high:
            return graded(low, reason)
        may_skip = skips and all(settled.score is None for _, settled in apply)
        return ungraded(criterion, reason, (low, high), may_skip=may_skip)

    return score


def _settler(grading: Checklist, item: Item) -> Settler:
    return settler(grading.scale, grading.panel, grading.skippable, bad=item.weight < 0)


def _settled(evidence: Evidence, name: str, settle: Settler) -> Settled:
    votes = evidence.votes.get(name)
    return settle(votes) if votes else _NOBODY


def _bounds(rows: list[tuple[Item, Settled]]) -> tuple[float, float]:
    """The lowest and the highest score that the answers still allow."""
    good = fsum(float(item.weight) for item, _ in rows if item.weight > 0)
    bad = fsum(-float(item.weight) for item, _ in rows if item.weight < 0)
    lows, highs = [], []
    ceiling, floor_holds = 1.0, True
    for item, settled in rows:
        least, most = (0.0, 1.0) if settled.score is None else (settled.score, settled.score)
        if item.must:
            floor_holds = floor_holds and least == 1.0
            ceiling = 0.0 if most < 1.0 else ceiling
        weight = float(item.weight)
        lows.append(weight * (least if weight >= 0 else most))
        highs.append(weight * (most if weight >= 0 else least))
    total, start = (good, 0.0) if good else (bad, bad)  # only bad items: what they leave of 1
    if not total:
        return (1.0 if floor_holds else 0.0), ceiling
    low = min(max(fsum([start, *lows]) / total, 0.0), 1.0) if floor_holds else 0.0
    return low, min(max(fsum([start, *highs]) / total, 0.0), ceiling)


def _without_the_good(rows: list[tuple[Item, Settled]], low: float, high: float) -> tuple[float, float]:
    """No good item is answered, and none may apply in the end: then it is what the bad ones leave of 1."""
    rest = [row for row in rows if row[0].weight < 0]
    if not rest:
        return low, high
    least, most = _bounds(rest)
    return min(low, least), max(high, most)


def _reason(rows: list[tuple[Item, Settled]]) -> str:
    wanted = [(item, settled) for item, settled in rows if item.weight >= 0]
    there = [item for item, settled in rows if item.weight < 0 and settled.score]
    met = sum(1 for _, settled in wanted if settled.score == 1.0)
    parts = [f"{met} of {len(wanted)} items are met"] if wanted else []
    unmet = next((item for item, settled in wanted if settled.score is not None and settled.score < 1.0), None)
    if unmet is not None:
        parts.append(f"the first that is not: {unmet.text}")
    if there:
        parts.append(f"what ought not to be there is: {there[0].text}")
    still_open = [settled for _, settled in rows if settled.score is None]
    if still_open:
        why = next((settled.reason for settled in still_open if settled.reason), "")
        parts.append(f"{len(still_open)} are not answered yet" + (f" ({why})" if why else ""))
    return "; ".join(parts)
