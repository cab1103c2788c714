"""Rubric text as lines: look-alike characters folded one to one, so that every column stays true."""

import re
from dataclasses import dataclass, replace

from engine.rubric.diagnostic import Diagnostic, Line, Span

__all__ = ["INVISIBLE", "Mended", "lines", "mended", "too_big", "without_quoted"]

MOST_BYTES = 512 * 1024
MOST_LINES = 10_000
LONGEST_LINE = 20_000

INVISIBLE = {
    "\u200b": "zero-width space",
    "\u200c": "zero-width non-joiner",
    "\u200d": "zero-width joiner",
    "\u2060": "word joiner",
    "\ufeff": "byte order mark",
    "\u00ad": "soft hyphen",
    "\u200e": "left-to-right mark",
    "\u200f": "right-to-left mark",
}
_BLANKS = "\t\v\f\x1c\x1d\x1e\x1f\xa0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_FOLD = str.maketrans(
    dict.fromkeys([*_BLANKS, *INVISIBLE], " ")
    | {"：": ":", "｜": "|", "，": ",", "（": "(", "）": ")", "＝": "=", "％": "%", "＃": "#"}
)
_LINE_END = re.compile("\r\n|[\n\r\u2028\u2029\x85]")


def lines(text: str, file: str) -> tuple[Line, ...]:
    """The text cut at every kind of line end; a byte order mark at the start is dropped."""
    rows = _LINE_END.split(text.removeprefix("\ufeff"))
    return tuple(Line(file, number, row, row.translate(_FOLD)) for number, row in enumerate(rows, start=1))


@dataclass(frozen=True, slots=True)
class Mended:
    """A line that is read on as if a word in it had been written right.

    Attributes:
        read: the line as it is read on.
        written: the line as it stands in the file.
        start: the column of the word.
        longer: by how many columns the mend moved what follows.
    """

    read: Line
    written: Line
    start: int
    longer: int

    def as_written(self, span: Span) -> Span:
        """The same piece in the file; a piece of any other line is left as it is."""
        if span.line != self.read:
            return span
        start, end = (
            column if column <= self.start else max(column - self.longer, self.start)
            for column in (span.start, span.end)
        )
        return Span(self.written, start, end)


def mended(word: Span, cure: str) -> Mended:
    """The line of a word with `cure` in its place, and the way back. Columns stay where they are if it fits."""
    wide = cure.ljust(word.end - word.start)
    text = word.line.text[: word.start] + wide + word.line.text[word.end :]
    folded = word.line.folded[: word.start] + wide + word.line.folded[word.end :]
    read = replace(word.line, text=text, folded=folded)
    return Mended(read, word.line, word.start, len(wide) - (word.end - word.start))


def too_big(text: str, rows: tuple[Line, ...]) -> tuple[Diagnostic, ...]:
    """R106, R107: a file or a line beyond what any person writes."""
    first = Span(rows[0], 0, 1)
    if len(text) > MOST_BYTES or len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        message = f"This file is too big for a rubric: at most {MOST_BYTES // 1024} KiB"
        return (Diagnostic("R106", message, first, help=("split it, and share the parts with use:",)),)
    number = len(rows) if rows[-1].text else len(rows) - 1  # after the last line end there is no line
    if number > MOST_LINES:
        message = f"This file has {number:,} lines; a rubric has at most {MOST_LINES:,}"
        return (Diagnostic("R106", message, first, help=("split it, and share the parts with use:",)),)
    return tuple(
        Diagnostic(
            "R107",
            f"This line has {len(row.text):,} characters; at most {LONGEST_LINE:,} can be read",
            Span(row, 0, 1),
            help=("continue it on a new line that starts with >",),
        )
        for row in rows
        if len(row.text) > LONGEST_LINE
    )


def without_quoted(text: str) -> str:
    """The same line with blanks where texts in quotes stand, so that every column stays true."""
    return _QUOTED.sub(lambda found: " " * len(found[0]), text)


_QUOTED = re.compile(r'"[^"]*"|“[^”"]*[”"]|”[^”]*”|„[^“”"]*[“”"]|«[^»]*»|‘[^’]*’(?!\w)|(?<!\w)\'[^\']*\'(?!\w)')
