"""Checks that no answer can meet together: a wanted text inside a forbidden one, ranges without a number in them."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from engine.rubric import expression as say
from engine.rubric.context import Context
from engine.rubric.diagnostic import Diagnostic
from engine.rubric.expression import Between, Expression
from engine.rubric.fold import fold
from engine.rubric.numbers import plain
from engine.rubric.syntax import Check, Checks, Criterion, Role, Rubric, criteria

__all__ = ["contradictions", "impossible"]


_ANY = Between()


@dataclass(frozen=True, slots=True)
class _Demand:
    """One thing that has to be so: a text wanted or forbidden, or a number in a range."""

    check: Check
    wanted: str = ""
    forbidden: str = ""
    what: str = ""
    range: Between = _ANY


def impossible(rubric: Rubric, _: Context) -> Iterator[Diagnostic]:
    """R506: the checks of one criterion exclude each other."""
    for criterion in criteria(rubric.root):
        if not isinstance(criterion.grading, Checks) or criterion.grading.partial:
            continue
        demands = [demand for check in criterion.grading.checks for demand in _demands(check.holds, check, True)]
        clash = _clash(demands)
        if clash is not None:
            first, second, why = clash
            message = f'No answer can meet "{criterion.title}": {why}'
            step = "every check: line of a criterion must hold at the same time"
            other = None if first.check is second.check else (first.check.at, "the other check")
            yield Diagnostic("R506", message, second.check.at, "", (step,), other)


def contradictions(rubric: Rubric, _: Context) -> Iterator[Diagnostic]:
    """R505: two gates exclude each other."""
    gates = [(criterion, _gate_demands(criterion)) for criterion in criteria(rubric.root) if criterion.role.gate]
    for index, (second, later) in enumerate(gates):
        for first, earlier in gates[:index]:
            clash = next((found for one in earlier for other in later if (found := _clash([one, other]))), None)
            if clash is not None:
                one, other, why = clash
                said = (one, other) if one in earlier else (other, one)
                message = f'"{first.title}" and "{second.title}" contradict each other: {why}'
                step = "change one of them, or say when each applies with only when:"
                yield Diagnostic(
                    "R505",
                    message,
                    said[1].check.at,
                    "no answer can meet both",
                    (step,),
                    (said[0].check.at, f"[{first.title}]"),
                )


def _gate_demands(criterion: Criterion) -> list[_Demand]:
    grading = criterion.grading
    if not isinstance(grading, Checks) or criterion.only_when is not None or grading.partial:
        return []
    if criterion.role is Role.MUST:
        return [demand for check in grading.checks for demand in _demands(check.holds, check, True)]
    if len(grading.checks) > 1:
        return []  # must not: only all of them together are forbidden
    return _demands(grading.checks[0].holds, grading.checks[0], False)


def _demands(expression: Expression, check: Check, holds: bool) -> list[_Demand]:  # noqa: C901 (one line a shape)
    """What follows when the expression holds (or does not). An alternative demands nothing."""
    match expression:
        case say.Not():
            return _demands(expression.part, check, not holds)
        case say.All() if holds:
            return [demand for part in expression.parts for demand in _demands(part, check, True)]
        case say.Any() if not holds:
            return [demand for part in expression.parts for demand in _demands(part, check, False)]
        case say.Contains() if holds and expression.at_least == len(expression.texts):
            return [_Demand(check, wanted=text) for text in expression.texts]
        case say.Contains() if not holds and expression.at_least == 1:
            return [_Demand(check, forbidden=text) for text in expression.texts]
        case say.HasWord() | say.Starts() | say.Ends() if holds:
            return [_Demand(check, wanted=expression.text)]
        case say.Length() if holds:
            return [_Demand(check, what=expression.unit, range=expression.range)]
        case say.CitesSources() if holds:
            return [_Demand(check, what="sources", range=expression.range)]
        case say.ToolCalled() if holds:
            return [_Demand(check, what=f'calls of "{expression.tool}"', range=expression.range)]
        case say.NameNumber() if holds:
            return [_Demand(check, what=expression.name, range=expression.range)]
        case _:
            return []


def _clash(demands: list[_Demand]) -> tuple[_Demand, _Demand, str] | None:
    for index, second in enumerate(demands):
        for first in demands[:index]:
            why = _why(first, second)
            if why:
                return first, second, why
    return None


def _why(first: _Demand, second: _Demand) -> str:
    for wants, forbids in ((first, second), (second, first)):
        if wants.wanted and forbids.forbidden and fold(forbids.forbidden) in fold(wants.wanted):
            return f'one asks for "{wants.wanted}" and the other forbids "{forbids.forbidden}"'
    if first.what and first.what == second.what and _apart(first.range, second.range):
        return f"{first.what} would have to be {_said(first.range)} and {_said(second.range)}"
    return ""


def _apart(one: Between, other: Between) -> bool:
    return _below(one, other) or _below(other, one)


def _below(one: Between, other: Between) -> bool:
    """Every number in `one` is smaller than every number in `other`."""
    if one.high is None or other.low is None:
        return False
    touching = one.high == other.low
    return one.high < other.low or (touching and (one.high_open or other.low_open))


def _said(wanted: Between) -> str:
    if wanted.low is not None and wanted.low == wanted.high:
        return f"exactly {plain(wanted.low)}"
    if wanted.low is not None and wanted.high is not None:
        return f"between {plain(wanted.low)} and {plain(wanted.high)}"
    if wanted.low is not None:
        return f"{'more than' if wanted.low_open else 'at least'} {plain(wanted.low)}"
    return f"{'less than' if wanted.high_open else 'at most'} {plain(wanted.high or Decimal(0))}"
