"""The yardstick for compiled rubrics: a grader that walks the nouns again for every answer.

It gives the very same gradings (the benchmark checks that), for the part of the language that the benchmark uses:
checks of texts, lengths, sources and tools, joined by and, or and not; weighted means; verdicts by score. It
shares the text features with ours, so that only the walking is compared.
"""

import re
from collections.abc import Iterator
from math import fsum

from engine.model.exchange import Exchange
from engine.model.grade import Grade, GradeStatus, Grading
from engine.rubric import expression as say
from engine.rubric import names
from engine.rubric.evidence import Evidence
from engine.rubric.expression import Between, Expression
from engine.rubric.fold import fold
from engine.rubric.outcomes import rounded
from engine.rubric.syntax import Checks, Criterion, Group, Rubric

__all__ = ["walk"]


def walk(rubric: Rubric, exchange: Exchange) -> Grading:
    """Grades with their reasons, scores and the verdict."""
    evidence = Evidence(exchange, {})
    grades = tuple(_grade(criterion, evidence) for criterion in _criteria(rubric.root))
    found = {grade.criterion: grade for grade in grades}
    ends = _mean(rubric.root, found)
    low, high = rounded(ends[0]), rounded(ends[1])
    scores = {member.id: found[member.id].score for member in rubric.root.members if member.counts}
    scores["overall"] = low if low == high else None
    possible: list[str] = []
    for verdict in rubric.verdicts:
        holds = True if verdict.when is None else _score(verdict.when.holds, low, high)
        if holds is not False and verdict.name not in possible:
            possible.append(verdict.name)
        if holds:
            break
    if len(possible) == 1:
        return Grading(grades, scores, low, high, possible[0], (), evidence.measures)
    return Grading(grades, scores, low, high, "ungraded", tuple(possible), evidence.measures)


def _criteria(group: Group) -> Iterator[Criterion]:
    for member in group.members:
        if isinstance(member, Group):
            yield from _criteria(member)
        else:
            yield member


def _score(when: Expression, low: float, high: float) -> bool | None:
    assert isinstance(when, say.Score)
    least, most = _inside(when.range, low), _inside(when.range, high)
    return least if least is most else None


def _inside(wanted: Between, number: float) -> bool:
    if wanted.low is not None and (number <= float(wanted.low) if wanted.low_open else number < float(wanted.low)):
        return False
    return wanted.high is None or (number < float(wanted.high) if wanted.high_open else number <= float(wanted.high))


def _mean(group: Group, found: dict[str, Grade]) -> tuple[float, float]:
    lows, highs, weights = [], [], []
    for member in group.members:
        if not member.counts:
            continue
        if isinstance(member, Group):
            low, high = _mean(member, found)
        else:
            low, high = found[member.id].low, found[member.id].high
        weight = 1.0 if member.weight is None else float(member.weight.value)
        weights.append(weight)
        lows.append(weight * low)
        highs.append(weight * high)
    total = fsum(weights)
    return fsum(lows) / total, fsum(highs) / total


def _grade(criterion: Criterion, evidence: Evidence) -> Grade:
    assert isinstance(criterion.grading, Checks)
    unknown: str | None = None
    for check in criterion.grading.checks:
        holds = _holds(check.holds, evidence)
        if holds is False:
            return _graded(criterion, 0.0, f"not so: {check.said}")
        if holds is None and unknown is None:
            unknown = f"what this needs was not recorded: {check.said}"
    if unknown is not None:
        return Grade(criterion.id, GradeStatus.UNGRADED, None, 0.0, 1.0, None, unknown)
    return _graded(criterion, 1.0, "; ".join(check.said for check in criterion.grading.checks))


def _graded(criterion: Criterion, score: float, reason: str) -> Grade:
    passed = None if criterion.pass_mark is None else score >= float(criterion.pass_mark)
    return Grade(criterion.id, GradeStatus.GRADED, score, score, score, passed, reason)


def _holds(expression: Expression, evidence: Evidence) -> bool | None:  # noqa: C901 (one line for each shape)
    match expression:
        case say.All():
            found = [_holds(part, evidence) for part in expression.parts]
            return False if False in found else None if None in found else True
        case say.Any():
            found = [_holds(part, evidence) for part in expression.parts]
            return True if True in found else None if None in found else False
        case say.Not():
            inner = _holds(expression.part, evidence)
            return None if inner is None else not inner
        case say.Length():
            length = getattr(evidence, expression.unit)
            return None if length is None else _inside(expression.range, length)
        case say.CitesSources():
            return None if evidence.cited is None else _inside(expression.range, len(evidence.cited))
        case say.ToolCalled():
            called = evidence.called
            return None if called is None else _inside(expression.range, called.count(fold(expression.tool)))
        case say.ResultsContain():
            sources = evidence.sources
            if sources is None:
                return None
            first = sources[: expression.top]
            return all(any(fold(wanted) in source for source in first) for wanted in expression.sources)
        case say.NameNumber():
            quantity = names.quantity(expression.name)
            value = None if quantity is None else evidence.measured(quantity.name, quantity.read).value
            return None if value is None else _inside(expression.range, value)
        case say.NameIs():
            word = names.field_word(expression.name)(evidence.exchange)
            return None if word is None else fold(word) in [fold(value) for value in expression.values]
        case _:
            text = evidence.folded
            return None if text is None else _text(expression, text)


def _text(expression: Expression, text: str) -> bool:
    match expression:
        case say.Contains():
            return sum(fold(wanted) in text for wanted in expression.texts) >= expression.at_least
        case say.HasWord():
            return re.search(rf"(?<!\w){re.escape(fold(expression.text))}(?!\w)", text) is not None
        case say.Starts():
            return text.startswith(fold(expression.text))
        case say.Ends():
            return text.endswith(fold(expression.text))
        case _:
            raise TypeError(f"the benchmark does not use {type(expression).__name__}")
