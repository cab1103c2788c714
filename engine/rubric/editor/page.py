"""The text in an editor: rows with their keys, and columns converted to what editors count (UTF-16) and back."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from engine.rubric.diagnostic import Line, Span
from engine.rubric.line_tokens import key_at
from engine.rubric.source import lines
from engine.rubric.words import keyword

__all__ = ["Page", "Place", "Position", "Row"]


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """Where an editor says something is: its line and its UTF-16 column, both from 0."""

    line: int
    character: int


@dataclass(frozen=True, slots=True)
class Place:
    """The same in a page: which row, and the column in characters, both from 0."""

    row: int
    column: int


@dataclass(frozen=True, slots=True)
class Row:
    """One line.

    Attributes:
        key: the keyword it starts with, by its one name; `#`, `|`, `>` or `-` for other lines; empty for none.
        at: the key with its colon, or None.
    """

    line: Line
    key: str
    at: Span | None = None

    @property
    def value(self) -> Span:
        """What stands after the key, without blanks around it."""
        start = 0 if self.at is None else self.at.end
        text = self.line.folded
        while start < len(text) and text[start] == " ":
            start += 1
        return Span(self.line, start, max(start, len(text.rstrip())))

    @property
    def said(self) -> str:
        """The value with single blanks."""
        return " ".join(self.value.text.split())


@dataclass(frozen=True, slots=True)
class Page:
    """A text with a name. `starts` has where each row starts, `breaks` where each line of the editor does."""

    name: str
    text: str
    rows: tuple[Row, ...]
    starts: tuple[int, ...]
    breaks: tuple[int, ...]

    @classmethod
    def of(cls, text: str, name: str) -> "Page":
        """A page for a text. Rubrics know more line ends than editors do, so both are remembered."""
        found = lines(text, name)
        return cls(name, text, tuple(map(_row, found)), tuple(_starts(text, found)), tuple(_breaks(text)))

    def position(self, line: Line, column: int) -> Position:
        """A column of a row, as the editor counts."""
        offset = min(self.starts[line.number - 1] + min(column, len(line.text)), len(self.text))
        row = bisect_right(self.breaks, offset) - 1
        return Position(row, _units(self.text[self.breaks[row] : offset]))

    @property
    def end(self) -> Position:
        """The end of the text."""
        return Position(len(self.breaks) - 1, _units(self.text[self.breaks[-1] :]))

    def ends(self, span: Span) -> tuple[Position, Position]:
        """Both ends of a piece, as the editor counts."""
        return self.position(span.line, span.start), self.position(span.line, span.end)

    def place(self, position: Position) -> Place:
        """The row and column of a position; one outside the text is moved to its nearest end."""
        last = len(self.breaks) - 1
        if position.line > last:
            return self._at(len(self.text))
        row = max(position.line, 0)
        end = self.breaks[row + 1] if row < last else len(self.text)
        text = self.text[self.breaks[row] : end].rstrip("\r\n")
        return self._at(self.breaks[row] + _characters(text, position.character))

    def _at(self, offset: int) -> Place:
        row = max(0, bisect_right(self.starts, offset) - 1)
        return Place(row, min(max(0, offset - self.starts[row]), len(self.rows[row].line.text)))


def _row(line: Line) -> Row:
    text = line.folded
    first = text.lstrip()[:1]
    if first in ("#", "|", ">"):
        return Row(line, first)
    if text.lstrip()[:2].strip() in ("-", "*", "•", "–", "—", "·"):
        return Row(line, "-")
    found = key_at(text)
    if found is None:
        return Row(line, "")
    return Row(line, keyword(text[found.start : found.end]), Span(line, found.start, found.end))


def _starts(text: str, rows: tuple[Line, ...]) -> Iterator[int]:
    offset = 1 if text.startswith("\ufeff") else 0
    for row in rows:
        yield offset
        offset += len(row.text)
        offset += 2 if text.startswith("\r\n", offset) else 1


def _breaks(text: str) -> Iterator[int]:
    """Editors end a line at CRLF, LF and CR, and at nothing else."""
    yield 0
    for index, (char, after) in enumerate(pairwise(text + " "), start=1):
        if char == "\n" or (char == "\r" and after != "\n"):
            yield index


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text) + sum(char > "\uffff" for char in text)


def _characters(text: str, units: int) -> int:
    """How many characters so many UTF-16 units are; the middle of a character is its start."""
    if text.isascii():
        return max(0, min(units, len(text)))
    for index, char in enumerate(text):
        units -= 2 if char > "\uffff" else 1
        if units < 0:
            return index
    return len(text)
