"""The parse tree of a pattern: what each piece of it can take, can begin with, and can leave out."""

import importlib
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

__all__ = ["Item", "Sequence", "first_of", "followed", "parse", "sequences", "unsupported"]

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


@dataclass(frozen=True, slots=True)
class Item:
    """One element of a sequence: a set of characters, a repeat, a group or alternatives.

    Attributes:
        nullable: it can take no text at all.
        first: characters it can begin with.
        all: every character it can take.
    """

    op: str
    nullable: bool
    first: frozenset[str]
    all: frozenset[str]
    least: int = 1
    most: int = 1
    inner: tuple[tuple["Item", ...], ...] = ()

    @property
    def varies(self) -> bool:
        """A repeat that can take more or less of the same text."""
        return self.op == "repeat" and self.most > self.least


Sequence = tuple[Item, ...]


@lru_cache(maxsize=256)  # a pattern is screened once and measured once, and a language server reads it on every key
def parse(pattern: str) -> Sequence:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "possible nested set": about style, not about safety
        re.compile(pattern)
        parser = importlib.import_module("re._parser")
        return tuple(_items(parser.parse(pattern)))


def _items(tree: object) -> Iterator[Item]:
    for op, argument in tree:  # type: ignore[attr-defined]
        name = str(op)
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, body = argument
            yield _nested("repeat", (tuple(_items(body)),), int(least), int(most))
        elif name == "SUBPATTERN":
            yield _nested("group", (tuple(_items(argument[3])),))
        elif name == "BRANCH":
            yield _nested("branch", tuple(tuple(_items(branch)) for branch in argument[1]))
        elif name == "AT":
            yield Item("at", True, frozenset(), frozenset())
        elif name in _LATER:
            yield Item(name, True, _ALL, _ALL)
        else:
            chars = _chars(name, argument)
            yield Item("chars", False, chars, chars)


def _nested(op: str, inner: tuple["Sequence", ...], least: int = 1, most: int = 1) -> Item:
    nullable = least == 0 or any(all(item.nullable for item in sequence) for sequence in inner)
    takes = frozenset[str]().union(*(item.all for sequence in inner for item in sequence))
    return Item(op, nullable, frozenset[str]().union(*map(first_of, inner)), takes, least, most, inner)


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
                inside = "".join(map(chr, range(low, min(high, 127) + 1)))
                found.update(inside, inside.swapcase())
                found |= {_OTHER} if high > 127 else set()
            case _:
                found |= _category(str(argument))
    return frozenset((_ALL - found) | {_OTHER}) if negated else frozenset(found)


@cache
def _category(name: str) -> frozenset[str]:
    letter = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}.get(name.rsplit("_", 1)[-1], ".")
    inside = {char for char in _ALL if re.match(letter, char)} | {_OTHER}
    return (_ALL - inside) | {_OTHER} if "NOT" in name else frozenset(inside)


def first_of(sequence: Sequence) -> frozenset[str]:
    """What a sequence can begin with."""
    found: frozenset[str] = frozenset()
    for item in sequence:
        found |= item.first
        if not item.nullable:
            break
    return found


def sequences(sequence: Sequence) -> Iterator[Sequence]:
    yield sequence
    for item in sequence:
        for inner in item.inner:
            yield from sequences(inner)


def followed(sequence: Sequence, after: frozenset[str]) -> Iterator[tuple[Item, frozenset[str]]]:
    """Every item with the characters that can come right after it."""
    follows = after
    pairs: list[tuple[Item, frozenset[str]]] = []
    for item in reversed(sequence):
        pairs.append((item, follows))
        follows = item.first | follows if item.nullable else item.first
    return reversed(pairs)


def unsupported(sequence: Sequence) -> Iterator[str]:
    for each in sequences(sequence):
        for item in each:
            if item.op in _LATER:
                yield _LATER[item.op]
