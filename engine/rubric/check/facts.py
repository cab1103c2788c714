"""What has to be so for an expression to hold: a choice of terms, each a row of facts that are so together.

Disjunctive normal form of at most 64 terms. Beyond that nobody is told anything: a rubric is not a puzzle.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from engine.rubric import expression as say
from engine.rubric import names
from engine.rubric.check.draft import Draft
from engine.rubric.diagnostic import Span
from engine.rubric.expression import Between, Expression
from engine.rubric.fold import fold
from engine.rubric.names import plain_name
from engine.rubric.syntax import Check

__all__ = ["Fact", "Number", "Plain", "Result", "Term", "Text", "Word", "all_of", "terms"]

_MOST_TERMS = 64
_MOST_FACTS = 200


@dataclass(frozen=True, slots=True)
class Text:
    """The answer has this text or has it not. `how`: contains, word, starts, ends, equals, empty."""

    how: str
    text: str
    folded: str
    wanted: bool
    at: Span


@dataclass(frozen=True, slots=True)
class Number:
    """Something countable lies in a range.

    Attributes:
        least, most: what it can be at all; None is no end.
        whole: it is counted, so that there is nothing between 2 and 3.
    """

    what: str
    range: Between
    at: Span
    least: Decimal | None = Decimal(0)
    most: Decimal | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Word:
    """A field has one of some values. None is any value; the empty word is a missing one."""

    name: str
    one_of: frozenset[str] | None
    none_of: frozenset[str]
    at: Span


@dataclass(frozen=True, slots=True)
class Result:
    """A source is among the first `top` results (all when None), or is not."""

    source: str
    top: int | None
    wanted: bool
    at: Span


@dataclass(frozen=True, slots=True)
class Plain:
    """Anything else: it is so, or it is not."""

    expression: Expression
    wanted: bool
    at: Span


Fact = Text | Number | Word | Result | Plain
Term = tuple[Fact, ...]


def terms(check: Check, draft: Draft, *, holds: bool = True) -> tuple[Term, ...] | None:
    """The terms of one check, or of its opposite; None when there are too many."""
    return _Reader(check.at, draft).terms(check.holds, holds)


def all_of(choices: Iterable[tuple[Term, ...] | None]) -> tuple[Term, ...] | None:
    """The terms of several expressions that hold at the same time."""
    found: tuple[Term, ...] | None = ((),)
    for choice in choices:
        found = _both(found, choice)
    return found


def _both(one: tuple[Term, ...] | None, other: tuple[Term, ...] | None) -> tuple[Term, ...] | None:
    if one is None or other is None or len(one) * len(other) > _MOST_TERMS:
        return None
    found = tuple((*first, *second) for first in one for second in other)
    return None if any(len(term) > _MOST_FACTS for term in found) else found


@dataclass(frozen=True, slots=True)
class _Reader:
    """One line being taken apart. `at` is where it stands."""

    at: Span
    draft: Draft

    def terms(self, expression: Expression, holds: bool) -> tuple[Term, ...] | None:
        match expression:
            case say.Not():
                return self.terms(expression.part, not holds)
            case say.All() | say.Any():
                choices = (self.terms(part, holds) for part in expression.parts)
                return all_of(choices) if isinstance(expression, say.All) is holds else _any_of(choices)
            case say.Contains(texts=texts, at_least=count) if count in (1, len(texts)):
                rows = [self._text("contains", text, holds) for text in texts]
                together = (count == len(texts)) is holds or len(texts) == 1
                return _checked((tuple(rows),) if together else tuple((row,) for row in rows))
            case say.ResultsContain(sources=sources, top=top, any_of=some):
                found = [Result(fold(source), top, holds, self.at) for source in sources]
                return _checked((tuple(found),) if some is not holds else tuple((row,) for row in found))
            case _:
                return self._leaf(expression, holds)

    def _leaf(self, leaf: Expression, holds: bool) -> tuple[Term, ...]:
        fact = _text_of(leaf)
        if fact is not None:
            return ((self._text(*fact, holds),),)
        number = self._number(leaf)
        if number is not None:
            return ((number,),) if holds else tuple((each,) for each in _outside(number))
        match leaf:
            case say.NameIs() | say.NameGiven():
                return ((self._word(leaf, holds),),)
            case say.TopResult():
                return ((Result(fold(leaf.source), 1, holds, self.at),),)
            case say.ToolArgument() | say.ToolOrder() if holds:
                tools = (leaf.tool,) if isinstance(leaf, say.ToolArgument) else (leaf.first, leaf.second)
                return ((*(self._calls(tool, Between(low=Decimal(1))) for tool in tools), self._plain(leaf, holds)),)
            case say.CitesSource() if holds:
                return ((self._sources(Between(low=Decimal(1))), self._plain(leaf, holds)),)
            case _:
                return ((self._plain(leaf, holds),),)

    def _plain(self, leaf: Expression, holds: bool) -> Plain:
        return Plain(leaf, holds, self.at)

    def _text(self, how: str, text: str, wanted: bool) -> Text:
        return Text(how, text, fold(text), wanted, self.at)

    def _calls(self, tool: str, wanted: Between) -> Number:
        return Number(f'calls of "{tool}"', wanted, self.at, whole=True)

    def _sources(self, wanted: Between) -> Number:
        return Number("sources", wanted, self.at, whole=True)

    def _number(self, leaf: Expression) -> Number | None:
        match leaf:
            case say.Length():
                return Number(leaf.unit, leaf.range, self.at, whole=True)
            case say.CitesSources():
                return self._sources(leaf.range)
            case say.ToolCalled():
                return self._calls(leaf.tool, leaf.range)
            case say.NameNumber():
                return self._measure(leaf)
            case say.RefScore():
                low, high = self.draft.ranges[leaf.ref]
                return Number(f"the score of [{self.draft.titles[leaf.ref]}]", leaf.range, self.at, low, high)
            case say.Score():
                low, high = self.draft.ranges[""]
                return Number("the score", leaf.range, self.at, low, high)
            case _:
                return None

    def _measure(self, leaf: say.NameNumber) -> Number:
        known = names.quantity(leaf.name)
        if known is None:  # a field: any number at all
            return Number(leaf.name, leaf.range, self.at, None, None)
        return Number(leaf.name, leaf.range, self.at, most=Decimal(1) if known.kind == "ratio" else None)

    def _word(self, leaf: say.NameIs | say.NameGiven, holds: bool) -> Word:
        if isinstance(leaf, say.NameGiven):
            missing = frozenset({""})
            return Word(leaf.name, None if holds else missing, missing if holds else frozenset(), self.at)
        said = frozenset(map(plain_name, leaf.values))
        if holds:
            return Word(leaf.name, said, frozenset(), self.at)
        declared = self.draft.context.fields.get(leaf.name)
        if declared is None or not declared.values:
            return Word(leaf.name, None, said | {""}, self.at)
        return Word(leaf.name, frozenset(map(plain_name, declared.values)) - said, frozenset(), self.at)


def _any_of(choices: Iterable[tuple[Term, ...] | None]) -> tuple[Term, ...] | None:
    found: list[Term] = []
    for choice in choices:
        if choice is None:
            return None
        found += choice
    return _checked(tuple(found))


def _checked(found: tuple[Term, ...]) -> tuple[Term, ...] | None:
    return None if len(found) > _MOST_TERMS or any(len(term) > _MOST_FACTS for term in found) else found


def _text_of(leaf: Expression) -> tuple[str, str] | None:
    match leaf:
        case say.HasWord():
            return "word", leaf.text
        case say.Starts():
            return "starts", leaf.text
        case say.Ends():
            return "ends", leaf.text
        case say.Equals():
            return "equals", leaf.text
        case say.IsEmpty():
            return "empty", ""
        case _:
            return None


def _outside(number: Number) -> Sequence[Number]:
    """The opposite of a range: below it, or above it."""
    wanted, found = number.range, []
    if wanted.low is not None:
        below = Between(high=wanted.low, high_open=not wanted.low_open)
        found.append(replace(number, range=below))
    if wanted.high is not None:
        above = Between(low=wanted.high, low_open=not wanted.high_open)
        found.append(replace(number, range=above))
    return found
