"""The text of the answer: what it contains, how it begins, what it looks like, and how long it is."""

import re
from collections.abc import Callable
from operator import attrgetter

from engine.rubric import expression as say
from engine.rubric import patterns
from engine.rubric.closures.holds import Holds
from engine.rubric.closures.ranges import counted
from engine.rubric.evidence import INVALID, Evidence
from engine.rubric.expression import Expression
from engine.rubric.fold import fold

__all__ = ["SHAPE_REACH", "about_text", "lacks"]

SHAPE_REACH = 100_000
"""On how many characters of an answer a shape (`looks like`) is tried."""


def about_text(expression: Expression) -> Holds | None:  # noqa: C901 (one line for each shape)
    """The closure of a check of the answer's text; None for any other expression."""
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
            return _pattern(re.compile(patterns.shape(expression.shape), re.IGNORECASE), SHAPE_REACH)
        case say.Length():
            return counted(expression.range, attrgetter(expression.unit))
        case say.ValidJson():
            return _valid_json(expression.fields)
        case _:
            return None


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
            end = at + length
            if not (at and _in_word(text[at - 1])) and not (end < len(text) and _in_word(text[end])):
                return True
            at = text.find(word, at + 1)
        return False

    return holds


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def lacks(unwanted: str) -> Holds:
    """The commonest thing that is denied, without a second call."""

    contains = _contains_one(unwanted)

    def holds(evidence: Evidence) -> bool | None:
        found = evidence.found.get(unwanted)
        if found is None:
            found = contains(evidence)
        return None if found is None else not found

    return holds


def _contains_one(wanted: str) -> Holds:
    def holds(evidence: Evidence) -> bool | None:
        known = evidence.found.get(wanted)
        if known is None:
            text = evidence.folded
            if text is None:
                return None
            known = evidence.found[wanted] = wanted in text
        return known

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
        text, found = evidence.folded, evidence.found
        if text is None:
            return None
        for wanted in texts:
            known = found.get(wanted)
            if known is None:
                known = found[wanted] = wanted in text
            if known:
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
