"""Regular expressions that an author may use: those that cannot take forever, and on how much text.

Python's matcher backtracks, so a pattern is judged on its parse tree before it is ever run: a repeat
inside a repeat, alternatives that begin alike under a repeat, and three repeats that can take the
same text are refused. What is left is at most cubic, and is run on as much text as that allows.
"""

import importlib
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from engine.rubric.context import Slip
from engine.rubric.diagnostic import Diagnostic, Span

__all__ = ["reach", "screen", "shape"]

LONGEST = 500
_REACH = {0: 1_000_000, 1: 10_000, 2: 1_000}
_MANY = 16  # from here on a bounded repeat is treated like an unbounded one
_OTHER = "\uffff"  # stands for every character outside ASCII
_ALL = frozenset([*map(chr, range(128)), _OTHER])
_LATER = {
    "GROUPREF": "a back-reference",
    "GROUPREF_IGNORE": "a back-reference",
    "GROUPREF_EXISTS": "a conditional group",
    "ASSERT": "a look-ahead or look-behind",
    "ASSERT_NOT": "a look-ahead or look-behind",
    "ATOMIC_GROUP": "an atomic group",
    "POSSESSIVE_REPEAT": "a possessive repeat",
}


def screen(pattern: str, at: Span) -> None:
    """Raises Slip for a pattern that is not valid (R601), can take forever (R602) or is not supported (R603)."""
    if len(pattern) > LONGEST:
        message = f"This pattern has {len(pattern)} characters; at most {LONGEST} can be checked for safety"
        raise Slip(Diagnostic("R602", message, at, help=("split it into several checks",)))
    try:
        tree = _parse(pattern)
    except (re.error, OverflowError, RecursionError) as fault:
        place = getattr(fault, "pos", None) or 0
        reason = getattr(fault, "msg", "it is too large")
        where = Span(at.line, min(at.start + 1 + place, at.end - 1), min(at.start + 2 + place, at.end))
        steps = (
            "for simple shapes use looks like, where # is a digit, @ a letter and * anything:",
            'answer looks like "ORD-######"',
        )
        message = f"This pattern is not valid: {reason} (at character {place + 1})"
        raise Slip(Diagnostic("R601", message, where, help=steps)) from None
    unsupported = next(_unsupported(tree), None)
    if unsupported is not None:
        message = f"Patterns are read without {unsupported}, because it can take forever"
        raise Slip(Diagnostic("R603", message, at, help=("say it with two checks",)))
    danger = _danger(tree)
    if danger is not None:
        reason, step = danger
        raise Slip(Diagnostic("R602", f"This pattern can take forever on some answers: {reason}", at, help=(step,)))


def reach(pattern: str) -> int:
    """On how many characters of an answer a screened pattern is tried."""
    return _REACH[min(2, max(_linked(sequence) for sequence in _sequences(_parse(pattern))))]


def shape(text: str) -> str:
    """The pattern of `ORD-######`: `#` a digit, `@` a letter, `*` any run without blanks."""
    parts = {"#": r"\d", "@": r"[^\W\d_]", "*": r"\S{0,200}"}
    body = "".join(parts.get(char) or re.escape(char) for char in re.sub(r"\*+", "*", text))
    return rf"(?<!\w){body}(?!\w)"


# ---- the parse tree ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Item:
    """One element of a sequence: a set of characters, a repeat of sequences, or alternatives."""

    op: str
    chars: frozenset[str] = _ALL
    least: int = 1
    most: int = 1
    inner: tuple[tuple["_Item", ...], ...] = ()

    @property
    def nullable(self) -> bool:
        if self.op == "at" or self.least == 0:
            return True
        return bool(self.inner) and any(all(item.nullable for item in sequence) for sequence in self.inner)

    @property
    def first(self) -> frozenset[str]:
        if self.op == "at":
            return frozenset()
        if not self.inner:
            return self.chars
        return frozenset().union(*map(_first, self.inner))

    @property
    def all(self) -> frozenset[str]:
        if not self.inner:
            return frozenset() if self.op == "at" else self.chars
        return frozenset().union(*(item.all for sequence in self.inner for item in sequence))

    @property
    def loose(self) -> bool:
        """A repeat that can take more or less of the same text."""
        return self.op == "repeat" and self.most > self.least and self.most >= _MANY


_Sequence = tuple[_Item, ...]


def _parse(pattern: str) -> _Sequence:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "possible nested set": about style, not about safety
        re.compile(pattern)
        parser = importlib.import_module("re._parser")
        return tuple(_items(parser.parse(pattern)))


def _items(tree: object) -> Iterator[_Item]:
    for op, argument in tree:  # type: ignore[attr-defined]
        name = str(op)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, body = argument
            kind = "repeat" if name != "POSSESSIVE_REPEAT" else name
            yield _Item(kind, least=int(least), most=int(most), inner=(tuple(_items(body)),))
        elif name == "SUBPATTERN":
            yield _Item("group", inner=(tuple(_items(argument[3])),))
        elif name == "BRANCH":
            yield _Item("branch", inner=tuple(tuple(_items(branch)) for branch in argument[1]))
        elif name == "AT":
            yield _Item("at")
        elif name in _LATER:
            yield _Item(name)
        else:
            yield _Item("chars", chars=_chars(name, argument))


def _chars(name: str, argument: object) -> frozenset[str]:
    if name == "LITERAL":
        assert isinstance(argument, int)
        char = chr(argument)
        return frozenset({char.lower(), char.upper()} & _ALL) or frozenset({_OTHER})
    if name == "NOT_LITERAL":
        assert isinstance(argument, int)
        return _ALL - {chr(argument)}
    if name == "IN":
        return _class(argument)
    return _ALL


def _class(members: object) -> frozenset[str]:
    found: set[str] = set()
    negated = False
    for op, argument in members:  # type: ignore[attr-defined]
        match str(op):
            case "NEGATE":
                negated = True
            case "LITERAL":
                found |= _chars("LITERAL", argument)
            case "RANGE":
                low, high = argument
                found |= {char for char in _ALL - {_OTHER} if low <= ord(char) <= high}
                found |= {char.swapcase() for char in found if char.isascii()}
                found |= {_OTHER} if high > 127 else set()
            case _:
                found |= _category(str(argument))
    return frozenset((_ALL - found) | {_OTHER}) if negated else frozenset(found)


def _category(name: str) -> set[str]:
    letter = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}.get(name.rsplit("_", 1)[-1], ".")
    inside = {char for char in _ALL if re.match(letter, char)} | {_OTHER}
    return (set(_ALL) - inside) | {_OTHER} if "NOT" in name else inside


def _first(sequence: _Sequence) -> frozenset[str]:
    """What a sequence can begin with."""
    found: frozenset[str] = frozenset()
    for item in sequence:
        found |= item.first
        if not item.nullable:
            break
    return found


def _sequences(sequence: _Sequence) -> Iterator[_Sequence]:
    yield sequence
    for item in sequence:
        for inner in item.inner:
            yield from _sequences(inner)


def _unsupported(sequence: _Sequence) -> Iterator[str]:
    for each in _sequences(sequence):
        for item in each:
            if item.op in _LATER:
                yield _LATER[item.op]


# ---- what makes it slow -----------------------------------------------------------------------


def _danger(tree: _Sequence) -> tuple[str, str] | None:
    for sequence in _sequences(tree):
        for item in sequence:
            if item.op == "repeat" and item.most >= _MANY:
                body = item.inner[0]
                if _loose_inside(body, _first(body)):
                    step = "remove one of the two repeats; usually the inner + or * is not needed"
                    return "a repeat inside a repeat, like (a+)+", step
                if _alike(body):
                    step = "let each alternative begin with another character"
                    return "alternatives that begin alike inside a repeat, like (a|a)+", step
        if _linked(sequence) > 2:
            step = "look for the parts with a check each"
            return "three repeats that can take the same text, like .*.*.*", step
    return None


def _loose_inside(body: _Sequence, after: frozenset[str]) -> bool:
    """A loose repeat in `body` whose text could as well be taken by what may follow it."""
    for index, item in enumerate(body):
        rest = body[index + 1 :]
        follows = _first(rest) | (after if all(each.nullable for each in rest) else frozenset())
        varies = item.op == "repeat" and item.most > item.least
        if (varies or (item.op == "branch" and item.nullable)) and item.all & follows:
            return True
        if item.inner and any(_loose_inside(inner, follows) for inner in item.inner):
            return True
    return False


def _alike(body: _Sequence) -> bool:
    for sequence in _sequences(body):
        for item in sequence:
            if item.op != "branch":
                continue
            if sum(all(each.nullable for each in branch) for branch in item.inner) > 1:
                return True
            seen: frozenset[str] = frozenset()
            for branch in item.inner:
                begins = _first(branch)
                if begins & seen:
                    return True
                seen |= begins
    return False


def _linked(sequence: _Sequence) -> int:
    """The longest row of loose repeats that can hand the same text to one another."""
    longest = row = 0
    taking: frozenset[str] = frozenset()
    for item in _flat(sequence):
        if item.loose:
            row = row + 1 if item.all & taking or not row else 1
            taking = item.all
            longest = max(longest, row)
        elif not item.nullable and not item.all & taking:
            row, taking = 0, frozenset()
    return longest


def _flat(sequence: _Sequence) -> Iterator[_Item]:
    for item in sequence:
        if item.op == "group":
            yield from _flat(item.inner[0])
        else:
            yield item
