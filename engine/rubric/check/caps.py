"""Caps that can change no score."""

from collections.abc import Iterator
from decimal import Decimal

from engine.rubric import expression as say
from engine.rubric.check.clashes import impossible
from engine.rubric.check.draft import Draft
from engine.rubric.check.facts import terms
from engine.rubric.diagnostic import Diagnostic, Severity
from engine.rubric.expression import Between, Expression
from engine.rubric.numbers import plain
from engine.rubric.syntax import Cap

__all__ = ["idle_caps"]


def idle_caps(draft: Draft) -> Iterator[Diagnostic]:
    """R508: no score is above the cap, its condition never holds, or another cap is stricter."""
    strictest: dict[tuple[str | None, Expression], Decimal] = {}
    for cap in draft.rubric.caps:
        case = cap.ref, cap.when.holds
        why = _why(cap, draft) or _stricter(cap, strictest.get(case))
        if why:
            steps = ("change it, or remove the line",)
            yield Diagnostic("R508", f"This cap does nothing: {why}", cap.at, help=steps, severity=Severity.WARNING)
        strictest[case] = min(cap.at_most, strictest.get(case, cap.at_most))


def _why(cap: Cap, draft: Draft) -> str:
    best = draft.ranges[cap.ref or ""][1]
    if cap.at_most >= best:
        return f"no score is above {plain(round(best, 4))} anyway"
    clash = impossible(terms(cap.when, draft))
    if clash is not None:
        return f"its condition never holds, because {clash.why}"
    looked_at = _looked_at(cap.when.holds, cap.ref)
    if any(wanted.high is not None and wanted.high <= cap.at_most for wanted in looked_at):
        return "when its condition holds, the score is below it anyway"
    return ""


def _looked_at(expression: Expression, ref: str | None) -> Iterator[Between]:
    """The ranges in which the capped score has to lie for the condition to hold."""
    match expression:
        case say.All():
            for part in expression.parts:
                yield from _looked_at(part, ref)
        case say.Score() if ref is None:
            yield expression.range
        case say.RefScore() if ref == expression.ref:
            yield expression.range
        case _:
            return


def _stricter(cap: Cap, earlier: Decimal | None) -> str:
    """A cap above for the same case, and lower. One that says exactly the same is R517."""
    if earlier is None or earlier >= cap.at_most:
        return ""
    return f"another cap for the same case is already at {plain(earlier * 100)}%"
