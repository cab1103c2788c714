"""Checks and conditions to closures: evidence in; True, False or None (not known) out. Kleene's three values."""

import re
from collections.abc import Callable
from decimal import Decimal
from math import isnan
from operator import attrgetter
from typing import Protocol

from engine.measures.rounding import half_up
from engine.rubric import expression as say
from engine.rubric import names, patterns
from engine.rubric.evidence import INVALID, Evidence
from engine.rubric.expression import Between, Expression
from engine.rubric.fold import fold
from engine.text import encodable

__all__ = ["Holds", "Parts", "in_range", "test_of"]

Holds = Callable[[Evidence], bool | None]
InRange = Callable[[float], bool]


class Parts(Protocol):
    """What a condition can ask about other parts of the rubric.

    A part that does not apply neither passes nor fails, and its score lies in no range.
    """

    def bounds(self, ref: str, evidence: Evidence) -> tuple[float, float] | None:
        """Lowest and highest score, rounded; None when the part does not apply."""
        ...

    def passes(self, ref: str, evidence: Evidence) -> bool | None:
        """Whether the part passes; None when it cannot be told."""
        ...

    def fails(self, ref: str, evidence: Evidence) -> bool | None:
        """Whether the part fails; None when it cannot be told."""
        ...

    def may_skip(self, ref: str, evidence: Evidence) -> bool:
        """Whether the part may still turn out not to apply."""
        ...

    def total(self, evidence: Evidence) -> tuple[float, float] | None:
        """The same for the whole rubric."""
        ...

    def must_fails(self, evidence: Evidence) -> bool | None:
        """Whether any must fails."""
        ...


def test_of(expression: Expression, parts: Parts) -> Holds:
    """The closure of a check or a condition."""
    match expression:
        case say.All():
            return _all(tuple(test_of(part, parts) for part in expression.parts))
        case say.Any():
            return _any(tuple(test_of(part, parts) for part in expression.parts))
        case say.Not(part=say.RefPasses(ref=ref)):
            return lambda evidence: parts.fails(ref, evidence)
        case say.Not(part=say.Contains(texts=(text,))):
            return _lacks(fold(text))
        case say.Not():
            return _not(test_of(expression.part, parts))
        case say.RefScore() | say.RefPasses() | say.RefUngraded():
            return _about_part(expression, parts)
        case say.Score() | say.ScoreUngraded() | say.AnyMustFails():
            return _about_whole(expression, parts)
        case _:
            return _about_exchange(expression)


def _about_exchange(expression: Expression) -> Holds:  # noqa: C901, PLR0912 (one line for each shape)
    match expression:
        case say.Contains():
            return _contains(expression)
        case say.HasWord():
            return _has_word(fold(expression.text))
        case say.Starts():
            return _starts(fold(expression.text))
        case say.Ends():
            return _ends(fold(expression.text))
        case say.Equals():
            same = fold(expression.text)
            return _on_text(lambda text: text == same)
        case say.Expected():
            return _expected(expression.how)
        case say.IsEmpty():
            return _on_text(lambda text: not text)
        case say.Matches():
            flags = re.IGNORECASE if expression.any_case else 0
            return _pattern(re.compile(expression.pattern, flags), patterns.reach(expression.pattern))
        case say.LooksLike():
            return _pattern(re.compile(patterns.shape(expression.shape), re.IGNORECASE), 100_000)
        case say.Length():
            return _counted(expression.range, attrgetter(expression.unit))
        case say.CitesSources():
            return _counted(expression.range, lambda evidence: None if evidence.cited is None else len(evidence.cited))
        case say.CitesSource():
            return _cites(fold(expression.source))
        case say.ValidJson():
            return _valid_json(expression.fields)
        case say.ToolCalled() | say.ToolOrder() | say.ToolArgument():
            return _about_tools(expression)
        case say.ResultsContain():
            return _results(expression)
        case say.TopResult():
            wanted = fold(expression.source)
            return lambda evidence: None if evidence.sources is None else wanted in "".join(evidence.sources[:1])
        case say.NameNumber():
            return _number(expression)
        case say.NameIs():
            return _field(expression)
        case say.NameGiven():
            return _given(expression.name)
        case _:
            raise TypeError(f"{type(expression).__name__} is not about an exchange")


# ---- logic ------------------------------------------------------------------------------------


def _all(tests: tuple[Holds, ...]) -> Holds:
    def every(evidence: Evidence) -> bool | None:
        known: bool | None = True
        for test in tests:
            holds = test(evidence)
            if holds is False:
                return False
            if holds is None:
                known = None
        return known

    return every


def _any(tests: tuple[Holds, ...]) -> Holds:
    def some(evidence: Evidence) -> bool | None:
        known: bool | None = False
        for test in tests:
            holds = test(evidence)
            if holds:
                return True
            if holds is None:
                known = None
        return known

    return some


def _not(test: Holds) -> Holds:
    def other(evidence: Evidence) -> bool | None:
        holds = test(evidence)
        return None if holds is None else not holds

    return other


# ---- the text of the answer -------------------------------------------------------------------


def _on_text(test: Callable[[str], bool]) -> Holds:
    def holds(evidence: Evidence) -> bool | None:
        text = evidence.folded
        return None if text is None else test(text)

    return holds


def _expected(how: str) -> Holds:
    if how == "is given":
        return lambda evidence: bool(evidence.expected)
    equals = how == "equals"

    def holds(evidence: Evidence) -> bool | None:
        text, wanted = evidence.folded, evidence.expected
        if text is None or not wanted:
            return None
        return text == wanted if equals else wanted in text

    return holds


def _starts(start: str) -> Holds:
    def holds(evidence: Evidence) -> bool | None:
        text = evidence.folded
        return None if text is None else text.startswith(start)

    return holds


def _ends(end: str) -> Holds:
    def holds(evidence: Evidence) -> bool | None:
        text = evidence.folded
        return None if text is None else text.endswith(end)

    return holds


def _has_word(word: str) -> Holds:
    """The pattern `(?<!\\w)word(?!\\w)`, which starts up more slowly than it takes to find a word."""
    length = len(word)

    def holds(evidence: Evidence) -> bool | None:
        text = evidence.folded
        if text is None:
            return None
        at = text.find(word)
        while at >= 0:
            if not _in_word(text[max(at - 1, 0) : at]) and not _in_word(text[at + length : at + length + 1]):
                return True
            at = text.find(word, at + 1)
        return False

    return holds


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _lacks(unwanted: str) -> Holds:
    def holds(evidence: Evidence) -> bool | None:
        text = evidence.folded
        return None if text is None else unwanted not in text

    return holds


def _contains_one(wanted: str) -> Holds:
    def holds(evidence: Evidence) -> bool | None:
        text = evidence.folded
        return None if text is None else wanted in text

    return holds


def _contains(expression: say.Contains) -> Holds:
    texts = tuple(map(fold, expression.texts))
    if len(texts) == 1:
        return _contains_one(texts[0])
    least = expression.at_least
    if least == 1:
        return _contains_any(texts)
    return _on_text(lambda text: sum(wanted in text for wanted in texts) >= least)


def _contains_any(texts: tuple[str, ...]) -> Holds:
    """The commonest check: a plain loop, which is twice as fast as `any` over a generator."""

    def holds(evidence: Evidence) -> bool | None:
        text = evidence.folded
        if text is None:
            return None
        for wanted in texts:  # noqa: SIM110 (see above)
            if wanted in text:
                return True
        return False

    return holds


def _pattern(pattern: re.Pattern[str], reach: int) -> Holds:
    """A pattern is tried on the first `reach` characters; not found there, and more to come: not known."""

    def holds(evidence: Evidence) -> bool | None:
        text = evidence.text
        if text is None:
            return None
        if len(text) <= reach:
            return pattern.search(text) is not None
        return True if pattern.search(text[:reach]) is not None else None

    return holds


def _valid_json(fields: tuple[str, ...]) -> Holds:
    def holds(evidence: Evidence) -> bool | None:
        if evidence.text is None:
            return None
        value = evidence.json
        if not fields:
            return value is not INVALID
        return isinstance(value, dict) and all(name in value for name in fields)

    return holds


# ---- sources, results, tools ------------------------------------------------------------------


def _cites(wanted: str) -> Holds:
    def holds(evidence: Evidence) -> bool | None:
        cited = evidence.cited
        return None if cited is None else any(wanted in source for source in cited)

    return holds


def _results(expression: say.ResultsContain) -> Holds:
    wanted = tuple(map(fold, expression.sources))
    enough = any if expression.any_of else all
    top = expression.top

    def holds(evidence: Evidence) -> bool | None:
        if evidence.sources is None:
            return None
        sources = evidence.sources[:top]
        return enough(any(one in source for source in sources) for one in wanted)

    return holds


def _about_tools(expression: say.ToolCalled | say.ToolOrder | say.ToolArgument) -> Holds:
    match expression:
        case say.ToolCalled():
            name = fold(expression.tool)
            return _counted(expression.range, lambda evidence: _calls(evidence, name))
        case say.ToolOrder():
            return _in_order(fold(expression.first), fold(expression.second))
        case say.ToolArgument():
            return _argument(fold(expression.tool), fold(expression.argument), fold(expression.text))


def _calls(evidence: Evidence, name: str) -> int | None:
    called = evidence.called
    return None if called is None else called.count(name)


def _in_order(first: str, second: str) -> Holds:
    def holds(evidence: Evidence) -> bool | None:
        called = evidence.called
        if called is None:
            return None
        return first in called and second in called and called.index(first) < called.index(second)

    return holds


def _argument(tool: str, argument: str, text: str) -> Holds:
    def holds(evidence: Evidence) -> bool | None:
        calls = evidence.exchange.answer.tool_calls
        if calls is None:
            return None
        return any(
            fold(call.name) == tool
            and any(fold(name) == argument and text in fold(encodable(value)) for name, value in call.arguments.items())
            for call in calls
        )

    return holds


# ---- numbers and words ------------------------------------------------------------------------


def in_range(wanted: Between) -> InRange:
    """The closure of a range. Thresholds are decimals; the float nearest to one is what a number is compared with."""
    low = float("-inf") if wanted.low is None else float(wanted.low)
    high = float("inf") if wanted.high is None else float(wanted.high)
    if wanted.low_open and wanted.high is None:
        return lambda number: number > low
    if wanted.high_open and wanted.low is None:
        return lambda number: number < high
    return lambda number: low <= number <= high


def _counted(wanted: Between, count: Callable[[Evidence], int | None]) -> Holds:
    if wanted.low_open or wanted.high_open:
        return _counted_open(wanted, count)
    low = float("-inf") if wanted.low is None else float(wanted.low)
    high = float("inf") if wanted.high is None else float(wanted.high)

    def holds(evidence: Evidence) -> bool | None:
        number = count(evidence)
        return None if number is None else low <= number <= high

    return holds


def _counted_open(wanted: Between, count: Callable[[Evidence], int | None]) -> Holds:
    inside = in_range(wanted)

    def holds(evidence: Evidence) -> bool | None:
        number = count(evidence)
        return None if number is None else inside(number)

    return holds


def _number(expression: say.NameNumber) -> Holds:
    found = names.quantity(expression.name) or names.field_number(expression.name)
    name, read, inside = found.name, found.read, in_range(expression.range)
    rounded = found.kind == "ratio"  # shown with 4 decimals, so compared with 4 decimals

    def holds(evidence: Evidence) -> bool | None:
        value = evidence.measured(name, read).value
        if value is None or isnan(value):
            return None
        return inside(half_up(value) if rounded else value)

    return holds


def _field(expression: say.NameIs) -> Holds:
    read = names.field_word(expression.name)
    values = frozenset(map(fold, expression.values))

    def holds(evidence: Evidence) -> bool | None:
        value = read(evidence.exchange)
        return None if value is None else fold(value) in values

    return holds


def _given(name: str) -> Holds:
    found = names.quantity(name)
    if found is None:
        word = names.field_word(name)
        return lambda evidence: bool(word(evidence.exchange))
    key, read = found.name, found.read
    return lambda evidence: evidence.measured(key, read).value is not None


# ---- other parts of the rubric ----------------------------------------------------------------


def _about_part(expression: say.RefScore | say.RefPasses | say.RefUngraded, parts: Parts) -> Holds:
    ref = expression.ref
    match expression:
        case say.RefScore():
            inside = _interval(expression.range)

            def holds(evidence: Evidence) -> bool | None:
                found = inside(parts.bounds(ref, evidence))
                return None if found and parts.may_skip(ref, evidence) else found

            return holds
        case say.RefPasses():
            return lambda evidence: parts.passes(ref, evidence)
        case say.RefUngraded():
            return lambda evidence: _open(parts.bounds(ref, evidence))


def _about_whole(expression: say.Score | say.ScoreUngraded | say.AnyMustFails, parts: Parts) -> Holds:
    match expression:
        case say.Score():
            inside = _interval(expression.range)
            return lambda evidence: inside(parts.total(evidence))
        case say.ScoreUngraded():
            return lambda evidence: _open(parts.total(evidence))
        case say.AnyMustFails():
            return parts.must_fails


def _interval(wanted: Between) -> Callable[[tuple[float, float] | None], bool | None]:
    """Whether every score, no score or only some score between two bounds lies in the range."""
    inside = in_range(wanted)

    def holds(bounds: tuple[float, float] | None) -> bool | None:
        if bounds is None:
            return False
        low, high = bounds
        if low == high:
            return inside(low)
        if inside(low) and inside(high):
            return True
        under = wanted.low is not None and not _reaches(high, wanted.low, wanted.low_open)
        over = wanted.high is not None and not _stays(low, wanted.high, wanted.high_open)
        return False if under or over else None

    return holds


def _reaches(score: float, low: Decimal, is_open: bool) -> bool:
    return score > float(low) if is_open else score >= float(low)


def _stays(score: float, high: Decimal, is_open: bool) -> bool:
    return score < float(high) if is_open else score <= float(high)


def _open(bounds: tuple[float, float] | None) -> bool | None:
    return bounds is not None and bounds[0] != bounds[1]
