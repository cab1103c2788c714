"""When facts exclude each other: a wanted text inside a forbidden one, an empty range, a field without a value."""

import re
from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

from engine.rubric.check.facts import Fact, Number, Plain, Result, Term, Text, Word
from engine.rubric.check.ranges import apart, ends, never, said

__all__ = ["Clash", "between", "clash", "impossible"]


class Clash(NamedTuple):
    """Two facts that cannot both be so (or one that never is), and why in words. `second` is the one to look at."""

    first: Fact
    second: Fact
    why: str


def impossible(terms: tuple[Term, ...] | None) -> Clash | None:
    """Why no term can be so; None when one can, or when it is not known."""
    if not terms:
        return None
    first = None
    for term in terms:
        found = clash(term)
        if found is None:
            return None
        first = first or found
    return first


def between(one: tuple[Term, ...] | None, other: tuple[Term, ...] | None) -> Clash | None:
    """Why two choices exclude each other, each being possible by itself."""
    if not one or not other or len(one) * len(other) > 64:
        return None
    first = None
    for earlier in one:
        for later in other:
            found = _between(earlier, later)
            if found is None:
                return None
            first = first or found
    return first


def clash(term: Term) -> Clash | None:
    """Why the facts of one term cannot all be so."""
    for fact in term:
        if isinstance(fact, Number):
            why = never(fact)
            if why:
                return Clash(fact, fact, why)
    return _pair(combinations(term, 2)) or _no_value_left(term)


def _between(one: Term, other: Term) -> Clash | None:
    return _pair((first, second) for first in one for second in other)


def _pair(pairs: Iterable[tuple[Fact, Fact]]) -> Clash | None:
    for first, second in pairs:
        why = _why(first, second)
        if why:
            return Clash(first, second, why)
    return None


def _why(first: Fact, second: Fact) -> str:
    match first, second:
        case Text(), Text():
            return _texts(first, second) or _texts(second, first)
        case Text(), Number():
            return _empty(first, second)
        case Number(), Text():
            return _empty(second, first)
        case Number(), Number() if first.what == second.what and apart(first, second):
            return f"{first.what} would have to be {said(first.range)} and {said(second.range)}"
        case Word(), Word() if first.name == second.name:
            return _words(first, second)
        case Result(), Result():
            return _results(first, second) or _results(second, first)
        case Plain(), Plain() if first.wanted is not second.wanted and first.expression == second.expression:
            return "one says the opposite of the other"
        case _:
            return ""


# ---- texts ------------------------------------------------------------------------------------


def _texts(first: Text, second: Text) -> str:
    if first.wanted and not second.wanted:
        if second.how == "empty":
            return ""
        if _has(first, second):
            return f'one asks for "{first.text}" and the other forbids "{second.text}"'
        return ""
    if not (first.wanted and second.wanted):
        return ""
    if first.how == "empty" and second.how != "empty":
        return f'one asks for an empty answer and the other for "{second.text}"'
    if first.how == "equals" and second.how != "empty" and not _can_be(first.folded, second):
        return f'one asks for exactly "{first.text}" and the other for "{second.text}"'
    if first.how == second.how == "starts" and not (
        first.folded.startswith(second.folded) or second.folded.startswith(first.folded)
    ):
        return f'the answer would have to start with "{first.text}" and with "{second.text}"'
    if first.how == second.how == "ends" and not (
        first.folded.endswith(second.folded) or second.folded.endswith(first.folded)
    ):
        return f'the answer would have to end with "{first.text}" and with "{second.text}"'
    return ""


def _has(wanted: Text, forbidden: Text) -> bool:
    """Every answer with the wanted text has the forbidden one too."""
    if wanted.how == "empty":
        return False
    if wanted.how == forbidden.how and wanted.folded == forbidden.folded:
        return True
    match forbidden.how:
        case "contains":
            return forbidden.folded in wanted.folded
        case "word":
            return wanted.how in ("word", "equals") and _whole(forbidden.folded, wanted.folded)
        case "starts":
            return wanted.how in ("starts", "equals") and wanted.folded.startswith(forbidden.folded)
        case "ends":
            return wanted.how in ("ends", "equals") and wanted.folded.endswith(forbidden.folded)
        case _:
            return False


def _can_be(answer: str, wanted: Text) -> bool:
    match wanted.how:
        case "equals":
            return answer == wanted.folded
        case "starts":
            return answer.startswith(wanted.folded)
        case "ends":
            return answer.endswith(wanted.folded)
        case _:
            return wanted.folded in answer


def _whole(word: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def _empty(text: Text, number: Number) -> str:
    """An empty answer has no words; it may have blanks, which are characters."""
    least = ends(number)[0]
    if text.how != "empty" or not text.wanted or number.what not in ("words", "sentences", "lines"):
        return ""
    if least is None or least < 1:
        return ""
    return f"the answer would have to be empty and have {said(number.range)} {number.what}"


# ---- fields and results -----------------------------------------------------------------------


def _words(first: Word, second: Word) -> str:
    left = _left((first, second))
    if left is None or left:
        return ""
    return f"{first.name} would have to be {_values(first)} and {_values(second)}"


def _values(word: Word) -> str:
    denied = " or ".join(sorted(word.none_of - {""}))
    if word.one_of is None:
        return f"not {denied}" if denied else "given"
    return " or ".join(sorted(word.one_of - {""})) or "missing"


def _left(words: Iterable[Word]) -> frozenset[str] | None:
    """The values that are left; None when any other is."""
    left: frozenset[str] | None = None
    denied: frozenset[str] = frozenset()
    for word in words:
        denied |= word.none_of
        if word.one_of is not None:
            left = word.one_of if left is None else left & word.one_of
    return None if left is None else left - denied


def _no_value_left(term: Term) -> Clash | None:
    fields: dict[str, list[Word]] = {}
    for fact in term:
        if isinstance(fact, Word):
            fields.setdefault(fact.name, []).append(fact)
    for name, words in fields.items():
        left = _left(words)
        if left is not None and not left:
            return Clash(words[0], words[-1], f"no value of {name} is left")
    return None


def _results(first: Result, second: Result) -> str:
    """A wanted source whose name has the forbidden one in it, at a rank where it is forbidden."""
    if not first.wanted or second.wanted or second.source not in first.source:
        return ""
    within = second.top is None or (first.top is not None and first.top <= second.top)
    return f'one asks for the result "{first.source}" and the other forbids "{second.source}"' if within else ""
