"""The yardstick for compiled rubrics: an honest grader that walks the nouns again for every answer.

It knows checks of texts, lengths, sources and tools, joined by and, or and not, and weighted means: what the
benchmark uses. It shares the text features with ours, so that only the walking is compared.
"""

import re
from math import fsum

from engine.model.exchange import Exchange
from engine.rubric import expression as say
from engine.rubric.closures import in_range
from engine.rubric.evidence import Evidence
from engine.rubric.expression import Expression
from engine.rubric.fold import fold
from engine.rubric.syntax import Checks, Criterion, Group, Rubric

__all__ = ["walk"]


def walk(rubric: Rubric, exchange: Exchange) -> tuple[list[tuple[str, float | None, str]], float | None, str | None]:
    """Grades with reasons, the score and the verdict."""
    evidence = Evidence(exchange, {})
    grades: list[tuple[str, float | None, str]] = []
    score = _group(rubric.root, evidence, grades)
    if score is None:
        return grades, None, None
    score = int(score * 10_000 + 0.500_000_01) / 10_000
    for verdict in rubric.verdicts:
        if verdict.when is None or _range(verdict.when.holds, score):
            return grades, score, verdict.name
    return grades, score, None


def _range(when: Expression, score: float) -> bool:
    assert isinstance(when, say.Score)
    return in_range(when.range)(score)


def _group(group: Group, evidence: Evidence, grades: list[tuple[str, float | None, str]]) -> float | None:
    lows, weights = [], []
    for member in group.members:
        score = _group(member, evidence, grades) if isinstance(member, Group) else _criterion(member, evidence, grades)
        if score is None:
            return None
        weight = 1.0 if member.weight is None else float(member.weight.value)
        weights.append(weight)
        lows.append(weight * score)
    return fsum(lows) / fsum(weights)


def _criterion(criterion: Criterion, evidence: Evidence, grades: list[tuple[str, float | None, str]]) -> float | None:
    assert isinstance(criterion.grading, Checks)
    for check in criterion.grading.checks:
        holds = _holds(check.holds, evidence)
        if not holds:
            score = None if holds is None else 0.0
            grades.append((criterion.id, score, f"not so: {check.said}"))
            return score
    grades.append((criterion.id, 1.0, "; ".join(check.said for check in criterion.grading.checks)))
    return 1.0


def _holds(expression: Expression, evidence: Evidence) -> bool | None:
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
            return None if length is None else in_range(expression.range)(length)
        case say.CitesSources():
            return None if evidence.cited is None else in_range(expression.range)(len(evidence.cited))
        case say.ToolCalled():
            calls = evidence.exchange.answer.tool_calls
            if calls is None:
                return None
            return in_range(expression.range)(sum(fold(call.name) == fold(expression.tool) for call in calls))
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
