"""Verdicts: a last line that always fits, and no line that can never be reached."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from engine.rubric import expression as say
from engine.rubric.check.attainable import Range
from engine.rubric.check.clashes import impossible
from engine.rubric.check.draft import Draft
from engine.rubric.check.facts import terms
from engine.rubric.diagnostic import Diagnostic, Severity
from engine.rubric.expression import Expression
from engine.rubric.numbers import plain
from engine.rubric.syntax import Verdict

__all__ = ["last_line", "no_verdict", "reachable"]

_STEPS = 10_000  # scores have 4 decimals, so there are this many


def last_line(draft: Draft) -> Iterator[Diagnostic]:
    """R504: the last verdict says otherwise, and no earlier one does."""
    if draft.context.failed:
        return  # a verdict that could not be read may have been the last one
    verdicts = draft.rubric.verdicts
    for verdict in verdicts[:-1]:
        if verdict.when is None:
            message = f'"{verdict.name} otherwise" takes everything, so the lines after it are never read'
            yield Diagnostic("R504", message, verdict.at, help=("move it to the end",))
            return
    if verdicts and verdicts[-1].when is not None:
        message = "No verdict says what happens when none of them fits"
        steps = ("add a last line, for example: verdict: fail otherwise",)
        yield Diagnostic("R504", message, verdicts[-1].at, help=steps)


def no_verdict(draft: Draft) -> Iterator[Diagnostic]:
    """R215: scores without a verdict are fine, and often an oversight."""
    if not draft.rubric.library and not draft.rubric.verdicts:
        steps = ("write for example:\nverdict: good when score is at least 0.7\nverdict: poor otherwise",)
        message = "This rubric gives scores and no verdict"
        yield Diagnostic("R215", message, draft.rubric.at, help=steps, severity=Severity.HINT)


@dataclass(frozen=True, slots=True)
class _Line:
    """A verdict that looks at the score, with the scores that it can take, in steps of 0.0001.

    `pure`: it looks at nothing else, so it takes every one of them.
    """

    verdict: Verdict
    range: say.Between
    low: int
    high: int
    pure: bool


def reachable(draft: Draft) -> Iterator[Diagnostic]:
    """R501: the lines above take all of its scores. R502: no answer can have such a score."""
    worst, best = draft.ranges[""]
    floor, ceiling = int(worst * _STEPS), int((best * _STEPS).to_integral_value(ROUND_CEILING))
    above: list[_Line] = []
    for verdict in draft.rubric.verdicts:
        if verdict.when is None:
            continue
        line = _line(verdict, verdict.when.holds)
        if line is not None and line.pure and (line.high < floor or line.low > ceiling):
            yield _out_of_reach(line, (worst, best))
            continue
        never = None if line is not None and line.pure else impossible(terms(verdict.when, draft))
        if never is not None:
            message = f'"{verdict.name}" can never be reached: {never.why}'
            yield Diagnostic("R502", message, verdict.when.at, help=("change the line, or remove it",))
        elif line is not None:
            taken = _taken(line, above, (floor, ceiling))
            if taken is not None:
                yield _too_late(line, taken)
            if line.pure:
                above.append(line)


def _line(verdict: Verdict, holds: Expression) -> _Line | None:
    scores = [holds] if isinstance(holds, say.Score) else []
    if isinstance(holds, say.All):
        scores = [part for part in holds.parts if isinstance(part, say.Score)]
    if len(scores) != 1:
        return None
    wanted = scores[0].range
    low = Decimal(0) if wanted.low is None else wanted.low * _STEPS
    high = Decimal(_STEPS) if wanted.high is None else wanted.high * _STEPS
    first, last = int(low.to_integral_value(ROUND_CEILING)), int(high.to_integral_value(ROUND_FLOOR))
    first += wanted.low_open and first == low
    last -= wanted.high_open and last == high
    return _Line(verdict, wanted, max(first, 0), min(last, _STEPS), isinstance(holds, say.Score))


def _taken(line: _Line, above: list[_Line], possible: tuple[int, int]) -> _Line | None:
    """The last of the lines above that together take every score of this one."""
    point, last = max(line.low, possible[0]), None
    for other in sorted(above, key=lambda each: each.low):
        if other.low <= point <= other.high:
            point, last = other.high + 1, other
    return last if point > min(line.high, possible[1]) else None


def _too_late(line: _Line, taken: _Line) -> Diagnostic:
    steps = (
        "put the highest threshold first",
        "verdicts are read from top to bottom, and the first line that fits wins",
    )
    message = f'"{line.verdict.name}" can never be reached: the line above takes all of these scores first'
    return Diagnostic("R501", message, line.range.at, "", steps, (taken.range.at, "takes them"))


def _out_of_reach(line: _Line, possible: Range) -> Diagnostic:
    worst, best = possible
    too_high = line.low > best * _STEPS
    which, limit = ("best", best) if too_high else ("worst", worst)
    end = "reaches 1.0" if too_high else "goes down to 0"
    move = "lower" if too_high else "raise"
    score = f"the {which} possible score of this rubric is {plain(round(limit, 4))}"
    message = f'"{line.verdict.name}" can never be reached: {score}'
    step = f"{move} the threshold, or check the scales: none of them {end}"
    return Diagnostic("R502", message, line.range.at, help=(step,))
