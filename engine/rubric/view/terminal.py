"""A rubric for a terminal of any width from 40 columns; no colour, and pictures beside numbers only."""

import unicodedata
from collections.abc import Iterator

from engine.rubric.syntax import Rubric
from engine.rubric.view.content import Bars, Block, Fact, Heading, Points, Table, content
from engine.rubric.written import Written
from engine.text import one_line

__all__ = ["terminal"]

_NARROWEST = 40
_LONGEST_BAR = 20  # characters for the whole score


def terminal(rubric: Rubric, written: Written, width: int, bar: str) -> str:
    """The pages as lines of at most `width` columns; less than 40 are taken as 40, 0 as 100.

    Args:
        width: columns of the terminal.
        bar: the character that bars are drawn with, `█` or `#`.
    """
    wide = max(width, _NARROWEST) if width else 100
    rows = [row for block in content(rubric, written) for row in _rows(block, wide, bar)]
    return "\n".join(row.rstrip() for row in rows) + "\n"


def _rows(block: Block, width: int, bar: str) -> Iterator[str]:
    match block:
        case Heading(level=level, text=text):
            yield from _heading(level, text, width)
        case Fact(name=name, text=text):
            yield from _wrapped(f"  {name}: ", text, width, 4)
        case Points(name=name, texts=texts, numbered=numbered):
            if name:
                yield from _wrapped("  ", f"{name}:", width, 4)
            for number, text in enumerate(texts, start=1):
                mark = f"    {number}. " if numbered else "    - "
                yield from _wrapped(mark, text, width, len(mark))
        case Table(head=head, rows=rows):
            yield from _table(head, rows, width)
        case Bars():
            yield from _bars(block, width, bar)


def _heading(level: int, text: str, width: int) -> Iterator[str]:
    if level > 1:
        yield ""
    rows = list(_wrapped("", text, width, 2))
    yield from rows
    if level <= 2:
        yield ("=" if level == 1 else "-") * min(max(map(_columns, rows)), width)


def _table(head: tuple[str, ...], rows: tuple[tuple[str, ...], ...], width: int) -> Iterator[str]:
    """Short columns side by side; where the last one has too little room, it goes below."""
    cells = [[one_line(cell) for cell in row] for row in (head, *rows)]
    first = min(max(_columns(row[0]) for row in cells), width // 3)
    second = max(_columns(row[1]) for row in cells) if len(head) > 2 else 0
    start = 4 + first + 2 + (second + 2 if second else 0)
    narrow = width - start < 20
    for row in cells[1:] if narrow else cells:
        lead = _padded(row[0], first) + ("  " + _padded(row[1], second) if second else "")
        if _columns(row[0]) > first or narrow:
            name = ", ".join(part for part in (row[0], row[1] if second else "") if part)
            yield from _wrapped("    ", name, width, 6)
            yield from _wrapped("      ", row[-1], width, 6) if row[-1] else ()
        else:
            yield from _wrapped(f"    {lead}  ", row[-1], width, start)


def _bars(bars: Bars, width: int, bar: str) -> Iterator[str]:
    longest = min(_LONGEST_BAR, width // 4)
    for row in bars.rows:
        indent = "  " * min(row.depth + 1, 4)
        yield from _wrapped(indent, row.title, width, len(indent) + 2)
        length = 0 if row.permille is None else (row.permille * longest + 500) // 1000
        drawn = f"{bar * max(length, 1)} " if row.permille else ""
        yield from _wrapped(f"{indent}  ", f"{drawn}{row.said}", width, len(indent) + 4)


# ---- fitting ----------------------------------------------------------------------------------


def _wrapped(start: str, text: str, width: int, indent: int) -> Iterator[str]:
    """The text behind `start`, broken between words; further lines are indented. A word too long is cut up."""
    row, blank = start, True
    for word in one_line(text).split(" "):
        for piece in _pieces(word, max(width - max(indent, 0), 8)):
            gap = "" if blank else " "
            if not blank and _columns(row) + len(gap) + _columns(piece) > width:
                yield row
                row, gap = " " * indent, ""
            elif blank and _columns(row) + _columns(piece) > width and row.strip():
                yield row
                row = " " * indent
            row, blank = row + gap + piece, False
    yield row


def _pieces(word: str, most: int) -> Iterator[str]:
    piece, columns = "", 0
    for char in word:
        wide = _columns(char)
        if columns + wide > most:
            yield piece
            piece, columns = "", 0
        piece, columns = piece + char, columns + wide
    if piece or not word:
        yield piece


def _padded(text: str, columns: int) -> str:
    return text + " " * (columns - _columns(text))


def _columns(text: str) -> int:
    """How many columns a terminal gives it: two for a Chinese character, none for a mark above a letter."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else not unicodedata.combining(char) for char in text)
