"""Criteria and groups, compiled: each turns evidence into an interval of scores, or says that it does not apply."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from math import fsum, isnan

from engine.model.grade import Grade, GradeStatus
from engine.rubric import names
from engine.rubric.closures import Holds
from engine.rubric.evidence import Evidence, Outcome
from engine.rubric.expression import Expression
from engine.rubric.numbers import plain
from engine.rubric.syntax import Asked, Checks, Combine, Criterion, Group, Measured, Role

__all__ = ["NO_JUDGE", "Outcome", "Part", "criterion_part", "group_value", "rounded"]

NO_JUDGE = "nobody answered this question yet (no judge)"


Evaluate = Callable[[Evidence], Outcome]


@dataclass(frozen=True, slots=True)
class Part:
    """One member of a group, ready to be evaluated."""

    id: str
    role: Role
    counts: bool
    weight: float
    evaluate: Evaluate


def rounded(score: float) -> float:
    """A score from 0 to 1, half up to 4 decimals. What float sums lose below 1e-12 cannot tip it.

    The same as `half_up(round(score, 12))`, at a tenth of the price: it is asked for some 20 times an exchange.
    """
    return int(score * 10_000 + 0.500_000_01) / 10_000


# ---- criteria ---------------------------------------------------------------------------------


def criterion_part(criterion: Criterion, test: Callable[[Expression], Holds], when: Holds | None) -> Part:
    """The compiled criterion. `test` compiles one check; `when` is its condition with those of its groups."""
    match criterion.grading:
        case Checks():
            evaluate = _checked(criterion, criterion.grading, test)
        case Measured():
            evaluate = _measured(criterion, criterion.grading)
        case Asked():
            evaluate = _asked(criterion)
    weight = 1.0 if criterion.weight is None else float(criterion.weight.value)
    if when is not None:
        evaluate = _conditional(criterion, evaluate, when)
    return Part(criterion.id, criterion.role, criterion.counts, weight, evaluate)


_Graded = Callable[[float, str], Outcome]


def _giver(criterion: Criterion) -> _Graded:
    """Gives grades: from how much of what the criterion describes is there (for a must not that is bad), and why."""
    name, turned = criterion.id, criterion.role is Role.MUST_NOT
    unmarked = criterion.pass_mark is None or criterion.role in (Role.PENALTY, Role.BONUS)
    mark = None if unmarked else float(criterion.pass_mark or 0)
    status = GradeStatus.GRADED

    def graded(found: float, reason: str) -> Outcome:
        score = 1.0 - found if turned else found
        shown = rounded(score)
        passed = None if mark is None else shown >= mark
        return Outcome(score, score, True, passed, Grade(name, status, shown, shown, shown, passed, reason))

    return graded


def _ungraded(criterion: Criterion, reason: str, low: float = 0.0, high: float = 1.0) -> Outcome:
    grade = Grade(criterion.id, GradeStatus.UNGRADED, None, rounded(low), rounded(high), None, reason)
    return Outcome(low, high, True, None, grade)


def _conditional(criterion: Criterion, evaluate: Evaluate, when: Holds) -> Evaluate:
    reason = "its condition does not hold"
    grade = Grade(criterion.id, GradeStatus.NOT_APPLICABLE, None, 0.0, 1.0, None, reason)
    apart = Outcome(0.0, 1.0, False, None, grade)
    unknown = _ungraded(criterion, "it is not known whether it applies")

    def evaluated(evidence: Evidence) -> Outcome:
        holds = when(evidence)
        if holds:
            return evaluate(evidence)
        return apart if holds is False else unknown

    return evaluated


def _checked(criterion: Criterion, grading: Checks, test: Callable[[Expression], Holds]) -> Evaluate:
    if grading.partial:
        return _partly(criterion, grading, test)
    graded = _giver(criterion)
    yes = graded(1.0, "; ".join(check.said for check in grading.checks))
    rows = tuple(
        (
            test(check.holds),
            graded(0.0, f"not so: {check.said}"),
            _ungraded(criterion, f"what this needs was not recorded: {check.said}"),
        )
        for check in grading.checks
    )
    if len(rows) == 1:
        ((only, no, unknown),) = rows

        def one(evidence: Evidence) -> Outcome:
            holds = only(evidence)
            if holds:
                return yes
            return no if holds is False else unknown

        return one

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


def _partly(criterion: Criterion, grading: Checks, test: Callable[[Expression], Holds]) -> Evaluate:
    tests = tuple(test(check.holds) for check in grading.checks)
    total = len(tests)
    graded = _giver(criterion)

    def share(evidence: Evidence) -> Outcome:
        found = [holds(evidence) for holds in tests]
        yes, unknown = found.count(True), found.count(None)
        reason = f"{yes} of {total} checks hold"
        if not unknown:
            return graded(yes / total, reason)
        low, high = yes / total, (yes + unknown) / total
        if criterion.role is Role.MUST_NOT:
            low, high = 1.0 - high, 1.0 - low
        return _ungraded(criterion, f"{reason}, and {unknown} cannot be told from what was recorded", low, high)

    return share


def _measured(criterion: Criterion, grading: Measured) -> Evaluate:
    found = names.quantity(grading.name)
    if found is None:
        nothing = _ungraded(criterion, f"this version has no measure called {grading.name}")
        return lambda _: nothing
    name, read = found.name, found.read
    none = float(grading.none)
    width = float(grading.full) - none
    unit = {"time": " seconds", "money": " dollars"}.get(found.kind, "")
    shown = _four if found.kind == "ratio" else _six
    after = unit if grading.none == 0 and grading.full == 1 else unit + _marks(grading, unit)
    before = f"{name} is "
    graded = _giver(criterion)

    def scored(evidence: Evidence) -> Outcome:
        value, reason = evidence.measured(name, read)
        if value is None or isnan(value):
            return _ungraded(criterion, f"{name}: {reason or 'the number is not known'}")
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


def _asked(criterion: Criterion) -> Evaluate:
    nobody = _ungraded(criterion, NO_JUDGE)
    name, graded = criterion.id, _giver(criterion)

    def answered(evidence: Evidence) -> Outcome:
        score = evidence.answers.get(name)
        return nobody if score is None else graded(score, f"answered with a score of {score:.10g}")

    return answered


# ---- groups -----------------------------------------------------------------------------------


def group_value(group: Group, parts: tuple[Part, ...]) -> Evaluate:
    """The value of a group, before any cap."""
    mark = group.pass_mark
    if mark is None and group.combine in (Combine.ALL, Combine.ANY, Combine.AT_LEAST):
        mark = Decimal(1)
    combine = _combiner(group, parts)

    def value(evidence: Evidence) -> Outcome:
        outcome = combine(evidence)
        if mark is not None and outcome.applies:
            outcome.passed = _passes(outcome, float(mark))
        return outcome

    return value


def _passes(outcome: Outcome, mark: float) -> bool | None:
    if rounded(outcome.low) >= mark:
        return True
    return False if rounded(outcome.high) < mark else None


def _combiner(group: Group, parts: tuple[Part, ...]) -> Evaluate:
    counting = tuple(part for part in parts if part.counts)
    if not counting:
        return _share_passed(tuple(part for part in parts if part.role.gate or part.role is Role.CRITERION))
    positive = tuple(part for part in counting if part.role not in (Role.PENALTY, Role.BONUS))
    match group.combine:
        case Combine.LOWEST:
            return _extreme(positive, min)
        case Combine.HIGHEST:
            return _extreme(positive, max)
        case Combine.ALL | Combine.ANY | Combine.AT_LEAST:
            return _enough(group, positive)
        case Combine.MEAN:
            return _mean(tuple((part, 1.0) for part in counting))
        case Combine.WEIGHTED_MEAN:
            return _mean(tuple((part, part.weight) for part in counting))


def _outcome(part: Part, evidence: Evidence) -> Outcome:
    found = evidence.memo.get(part.id)
    if found is None:
        found = evidence.memo[part.id] = part.evaluate(evidence)
    return found


def _mean(parts: tuple[tuple[Part, float], ...]) -> Evaluate:
    """clip((Σ w·s - Σ w·b + Σ w·bonus) / Σ w, 0, 1), at both ends of what is still possible."""
    rows = tuple((part.id, part.evaluate, weight, _SIGN.get(part.role, 0)) for part, weight in parts)
    if not any(sign for *_, sign in rows):
        return _plain_mean(tuple((name, evaluate, weight) for name, evaluate, weight, _ in rows))

    def mean(evidence: Evidence) -> Outcome:
        memo = evidence.memo
        weights: list[float] = []
        penalties: list[float] = []
        lows: list[float] = []
        highs: list[float] = []
        for name, evaluate, weight, sign in rows:
            found = memo.get(name)
            if found is None:
                found = memo[name] = evaluate(evidence)
            if not found.applies:
                continue
            if sign < 0:
                penalties.append(weight)
                lows.append(-weight * found.high)
                highs.append(-weight * found.low)
                continue
            if sign == 0:
                weights.append(weight)
            lows.append(weight * found.low)
            highs.append(weight * found.high)
        total = fsum(weights)
        if not total:  # no positive member applies: what the penalties leave of 1
            total = fsum(penalties)
            if not total:
                return Outcome(0.0, 1.0, False)
            lows.append(total)
            highs.append(total)
        low = fsum(lows) / total
        high = low if lows == highs else fsum(highs) / total
        return Outcome(min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0))

    return mean


def _plain_mean(rows: tuple[tuple[str, Evaluate, float], ...]) -> Evaluate:
    """The same without penalties and bonuses, so nothing can leave [0, 1]: the shape of nearly every group."""
    whole = fsum([weight for *_, weight in rows])

    def mean(evidence: Evidence) -> Outcome:
        memo = evidence.memo
        lows: list[float] = []
        highs: list[float] = []
        weights: list[float] = []
        for name, evaluate, weight in rows:
            found = memo.get(name)
            if found is None:
                found = memo[name] = evaluate(evidence)
            if found.applies:
                weights.append(weight)
                lows.append(weight * found.low)
                highs.append(weight * found.high)
        total = whole if len(weights) == len(rows) else fsum(weights)
        if not total:
            return Outcome(0.0, 1.0, False)
        low = fsum(lows) / total
        return Outcome(low, low if lows == highs else fsum(highs) / total)

    return mean


_SIGN = {Role.PENALTY: -1, Role.BONUS: 1}


def _extreme(parts: tuple[Part, ...], pick: Callable[[list[float]], float]) -> Evaluate:
    def extreme(evidence: Evidence) -> Outcome:
        found = [outcome for part in parts if (outcome := _outcome(part, evidence)).applies]
        if not found:
            return Outcome(0.0, 1.0, False)
        return Outcome(pick([each.low for each in found]), pick([each.high for each in found]))

    return extreme


def _enough(group: Group, parts: tuple[Part, ...]) -> Evaluate:
    def enough(evidence: Evidence) -> Outcome:
        found = [outcome.passed for part in parts if (outcome := _outcome(part, evidence)).applies]
        if not found:
            return Outcome(0.0, 1.0, False)
        need = {Combine.ALL: len(found), Combine.ANY: 1}.get(group.combine, group.need)
        sure, possible = found.count(True), len(found) - found.count(False)
        return Outcome(float(sure >= need), float(possible >= need))

    return enough


def _share_passed(parts: tuple[Part, ...]) -> Evaluate:
    """A group of gates: the share that passes. It is shown, and never averaged with anything."""

    def share(evidence: Evidence) -> Outcome:
        found = [outcome.passed for part in parts if (outcome := _outcome(part, evidence)).applies]
        if not found:
            return Outcome(0.0, 1.0, False)
        return Outcome(found.count(True) / len(found), (len(found) - found.count(False)) / len(found))

    return share
