"""One wrong letter in a word of the language or in a name, and what the reader makes of it."""

import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from benchmarks.forgiveness.lines import row_of
from benchmarks.forgiveness.sources import Source, sources
from engine.rubric.diagnostic import Diagnostic, Line
from engine.rubric.parse import Node, Word, parse_line
from engine.rubric.source import lines

__all__ = ["PLACES", "Figures", "Place", "Slip", "fate", "measured", "slips"]


@dataclass(frozen=True, slots=True)
class Place:
    """A word that may be mistyped: columns `start` to `end` of a line (from 0) of a rubric."""

    source: Source
    line: int
    start: int
    end: int

    @property
    def word(self) -> str:
        """The word as it stands there."""
        return self.source.rows[self.line][self.start : self.end]


@dataclass(frozen=True, slots=True)
class Slip:
    """A place and what was typed there instead."""

    place: Place
    typed: str

    @property
    def text(self) -> str:
        """The whole rubric with the slip in it."""
        rows, at = self.place.source.rows, self.place
        rows[at.line] = rows[at.line][: at.start] + self.typed + rows[at.line][at.end :]
        return "\n".join(rows)


@dataclass(frozen=True, slots=True)
class Figures:
    """How many slips of each fate.

    Attributes:
        harmless: accepted, and the rubric means what it meant.
        accepted: accepted with another meaning.
        on_line: an error points at their line.
        named: the message offers the right word.
        offered: the message comes with a mend.
        restored: the mend gives back the exact text.
        single: exactly one error is shown.
    """

    slips: int = 0
    harmless: int = 0
    accepted: int = 0
    on_line: int = 0
    named: int = 0
    offered: int = 0
    restored: int = 0
    single: int = 0

    @property
    def refused(self) -> int:
        """Slips that made an error. Every share but that of `accepted` is a share of these."""
        return self.slips - self.harmless - self.accepted

    def plus(self, other: "Figures") -> "Figures":
        """Both together."""
        names = self.__slots__
        return Figures(*(getattr(self, name) + getattr(other, name) for name in names))


def slips(family: str, count: int, seed: int = 3) -> Iterator[Slip]:
    """Random slips of one family (a key of PLACES), the same ones for the same seed."""
    rng = random.Random(f"{family} {seed}")
    places = _places(family)
    while count:
        place = rng.choice(places)
        typed = _mistyped(place.word, rng)
        if typed != place.word:
            count -= 1
            yield Slip(place, typed)


def measured(family: str, count: int, seed: int = 3) -> tuple[Figures, list[tuple[Slip, Figures]]]:
    """The figures of one family, and each slip with what became of it."""
    fates = [(slip, fate(slip)) for slip in slips(family, count, seed)]
    total = Figures()
    for _, one in fates:
        total = total.plus(one)
    return total, fates


def fate(slip: Slip) -> Figures:
    """What the reader makes of one slip."""
    source, row = slip.place.source, slip.place.line + 1
    reading = source.read(slip.text)
    if reading.rubric is not None:
        same = source.same(reading)
        return Figures(1, harmless=same, accepted=not same)
    here = [problem for problem in reading.errors if problem.span.line.number == row]
    edits = [problem.edit for problem in here if problem.edit is not None]
    return Figures(
        1,
        on_line=bool(here),
        named=any(_names(problem, slip.place.word) for problem in here),
        offered=bool(edits),
        restored=any(_applied(slip.text, problem) == source.text for problem in here if problem.edit is not None),
        single=len(reading.errors) == 1,
    )


def _names(problem: Diagnostic, word: str) -> bool:
    said = " ".join((problem.label, *problem.help)).casefold()
    return re.search(rf"(?<![\w-]){re.escape(word.casefold())}(?![\w-])", said) is not None


def _applied(text: str, problem: Diagnostic) -> str:
    edit = problem.edit
    assert edit is not None
    rows = text.split("\n")
    row = rows[edit.span.line.number - 1]
    rows[edit.span.line.number - 1] = row[: edit.span.start] + edit.text + row[edit.span.end :]
    return "\n".join(rows)


def _mistyped(word: str, rng: random.Random) -> str:
    """A letter left out, put in, replaced, or swapped with its neighbour."""
    at = rng.choice([place for place, char in enumerate(word) if char.isalpha()])
    letter = rng.choice("abcdefghijklmnopqrstuvwxyz")
    match rng.randrange(4):
        case 0:
            return word[:at] + word[at + 1 :] if len(word) > 1 else word
        case 1:
            return word[:at] + letter + word[at:]
        case 2:
            return word[:at] + letter + word[at + 1 :]
        case _:
            swaps = word[at + 1 : at + 2].isalpha()
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :] if swaps else word


# ---- where words stand --------------------------------------------------------------------------

_NAMES = frozenset({"STRING", "REF", "WORD", "NUMBER", "PARAM", "REGEX", "MONEY", "CELL", "TEXT", "BULLET", "CONT"})
_SIGNS = frozenset({"VBAR", "EQ", "COMMA", "LPAR", "RPAR"})
_STRUCTURED = frozenset(
    {"expr_line", "measure_line", "cap_line", "verdict_line", "field_line", "use_line", "judge_line"}
)


@cache
def _places(family: str) -> tuple[Place, ...]:
    return tuple(
        Place(source, line.number - 1, start, end)
        for source in sources()
        for line in lines(source.text, source.name)
        if row_of(line.text) is not None
        for start, end in PLACES[family](line)
        if re.search(r"[^\W\d_]", line.text[start:end])
    )


def _keywords(line: Line) -> Iterator[tuple[int, int]]:
    row = row_of(line.text)
    if row is not None and row.key:
        start = len(line.text) - len(line.text.lstrip())
        yield start, start + len(row.key)


def _expression_words(line: Line) -> Iterator[tuple[int, int]]:
    for word in _tree(line, _STRUCTURED)[1:]:
        if word.kind not in _NAMES | _SIGNS and re.search(r"[^\W\d_]", word.text):
            for piece in re.finditer(r"\S+", word.text):
                yield word.start + piece.start(), word.start + piece.end()


def _bracketed(line: Line) -> Iterator[tuple[int, int]]:
    for word in _tree(line, _STRUCTURED):
        if word.kind == "REF":
            yield word.start + 1, word.end - 1


def _scales(line: Line) -> Iterator[tuple[int, int]]:
    row = row_of(line.text)
    if row is not None and row.key == "scale" and re.fullmatch(r"[^\W\d_][^\d]*", row.value):
        yield len(row.before), len(line.text.rstrip())


def _measures(line: Line) -> Iterator[tuple[int, int]]:
    node = parse_line(line)
    if not isinstance(node, Node):
        return
    for rule in _rules(node):
        if rule.rule in ("measure_line", "compare_name"):
            words = next(part for part in rule.parts if isinstance(part, Node)).words()
            yield words[0].start, words[-1].end


def _fields(line: Line) -> Iterator[tuple[int, int]]:
    """Names of fields in conditions, and their values where the file declares which there are."""
    node = parse_line(line)
    if not isinstance(node, Node):
        return
    for rule in _rules(node):
        if rule.rule == "name_is":
            parts = [part.words() for part in rule.parts if isinstance(part, Node)]
            for words in parts[:1]:
                yield words[0].start, words[-1].end


def _settings(line: Line) -> Iterator[tuple[int, int]]:
    for found in re.finditer(r"\{([^}]+)\}", line.text):
        yield found.start(1), found.end(1)


PLACES: Mapping[str, Callable[[Line], Iterator[tuple[int, int]]]] = {
    "keyword": _keywords,
    "word of an expression": _expression_words,
    "name in brackets": _bracketed,
    "name of a scale": _scales,
    "name of a measure": _measures,
    "name of a field": _fields,
    "name of a setting": _settings,
}
"""Families of words: which columns of a line hold one."""


def _tree(line: Line, rules: frozenset[str]) -> list[Word]:
    node = parse_line(line)
    return node.words() if isinstance(node, Node) and node.rule in rules else []


def _rules(node: Node) -> Iterator[Node]:
    yield node
    for part in node.parts:
        if isinstance(part, Node):
            yield from _rules(part)
