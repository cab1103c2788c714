"""Criteria, compiled: each turns evidence into an interval of scores, or says that it does not apply."""

from collections.abc import Callable, Mapping
from math import isnan

from engine.rubric import names
from engine.rubric.checklists import listed
from engine.rubric.closures import Holds
from engine.rubric.evidence import Evidence, Outcome
from engine.rubric.expression import Expression
from engine.rubric.numbers import plain
from engine.rubric.outcomes import Evaluate, Part, giver, not_applicable, rounded, ungraded
from engine.rubric.syntax import Asked, Check, Checklist, Checks, Criterion, Measured, Role
from engine.rubric.votes import NO_JUDGE, settler

__all__ = ["criterion_part"]


def criterion_part(criterion: Criterion, test: Callable[[Expression], Holds], when: Holds | None) -> Part:
    """The compiled criterion. `test` compiles one check; `when` is its condition with those of its groups."""
    single: tuple[Holds, Mapping[bool | None, Outcome]] | None = None
    match criterion.grading:
        case Checks(checks=(only,), partial=False):
            single = test(only.holds), _either(criterion, only)
            evaluate = _decided(*single)
        case Checks():
            evaluate = _checked(criterion, criterion.grading, test)
        case Measured():
            evaluate = _measured(criterion, criterion.grading)
        case Asked():
            evaluate = _asked(criterion, criterion.grading)
        case Checklist():
            evaluate = listed(criterion, criterion.grading)
    weight = 1.0 if criterion.weight is None else float(criterion.weight.value)
    if when is not None:
        evaluate, single = _conditional(criterion, evaluate, when), None
    return Part(criterion.id, criterion.role, criterion.counts, weight, evaluate, single)


def _conditional(criterion: Criterion, evaluate: Evaluate, when: Holds) -> Evaluate:
    apart = not_applicable(criterion, "its condition does not hold")
    unknown = ungraded(criterion, "it is not known whether it applies", may_skip=True)

    def evaluated(evidence: Evidence) -> Outcome:
        holds = when(evidence)
        if holds:
            return evaluate(evidence)
        return apart if holds is False else unknown

    return evaluated


def _checked(criterion: Criterion, grading: Checks, test: Callable[[Expression], Holds]) -> Evaluate:
    if grading.partial:
        return _partly(criterion, grading, test)
    yes = giver(criterion)(1.0, "; ".join(check.said for check in grading.checks))
    either = [_either(criterion, check) for check in grading.checks]
    rows = tuple(
        (test(check.holds), found[False], found[None]) for check, found in zip(grading.checks, either, strict=True)
    )

    def every(evidence: Evidence) -> Outcome:
        result = yes
        for holds, no, unknown in rows:
            found = holds(evidence)
            if found is False:
                return no
            if found is None and result is yes:
                result = unknown
        return result

    return every


def _either(criterion: Criterion, check: Check) -> Mapping[bool | None, Outcome]:
    """What it comes to when the check holds, does not hold, or cannot be told."""
    graded = giver(criterion)
    return {
        True: graded(1.0, check.said),
        False: graded(0.0, f"not so: {check.said}"),
        None: ungraded(criterion, f"what this needs was not recorded: {check.said}"),
    }


def _decided(test: Holds, either: Mapping[bool | None, Outcome]) -> Evaluate:
    return lambda evidence: either[test(evidence)]


def _partly(criterion: Criterion, grading: Checks, test: Callable[[Expression], Holds]) -> Evaluate:
    tests = tuple(test(check.holds) for check in grading.checks)
    total = len(tests)
    graded = giver(criterion)

    def share(evidence: Evidence) -> Outcome:
        found = [holds(evidence) for holds in tests]
        yes, unknown = found.count(True), found.count(None)
        reason = f"{yes} of {total} checks hold"
        if not unknown:
            return graded(yes / total, reason)
        low, high = yes / total, (yes + unknown) / total
        if criterion.role is Role.MUST_NOT:
            low, high = 1.0 - high, 1.0 - low
        return ungraded(criterion, f"{reason}, and {unknown} cannot be told from what was recorded", (low, high))

    return share


def _measured(criterion: Criterion, grading: Measured) -> Evaluate:
    found = names.quantity(grading.name) or names.field_number(grading.name)
    name, read = found.name, found.read
    none = float(grading.none)
    width = float(grading.full) - none
    unit = {"time": " seconds", "money": " dollars"}.get(found.kind, "")
    shown = _four if found.kind == "ratio" else _six
    after = unit if grading.none == 0 and grading.full == 1 else unit + _marks(grading, unit)
    before = f"{name} is "
    graded = giver(criterion)

    def scored(evidence: Evidence) -> Outcome:
        value, reason = evidence.measured(name, read)
        if value is None or isnan(value):
            return ungraded(criterion, f"{name}: {reason or 'the number is not known'}")
        share = (value - none) / width
        score = 0.0 if share < 0.0 else min(share, 1.0)
        return graded(score, before + shown(value) + after)

    return scored


def _four(value: float) -> str:
    return f"{rounded(value):.4g}"


def _six(value: float) -> str:
    return f"{value:.6g}"


def _marks(grading: Measured, unit: str) -> str:
    return f" (full marks at {plain(grading.full)}{unit}, no marks at {plain(grading.none)}{unit})"


def _asked(criterion: Criterion, grading: Asked) -> Evaluate:
    name, graded = criterion.id, giver(criterion)
    settled = settler(grading.scale, grading.panel, grading.skippable, bad=criterion.role.bad)
    skips = grading.skippable or grading.scale.skippable
    nobody = ungraded(criterion, NO_JUDGE, may_skip=skips)

    def answered(evidence: Evidence) -> Outcome:
        votes = evidence.votes.get(name)
        if not votes:
            return nobody
        found = settled(votes)
        if found.skipped:
            return not_applicable(criterion, found.reason)
        if found.score is None:
            return ungraded(criterion, found.reason, may_skip=skips)
        return graded(found.score, found.reason)

    return answered
