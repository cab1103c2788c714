"""Rubric text as lines: look-alike characters folded one to one, so that every column stays true."""

import re

from engine.rubric.diagnostic import Diagnostic, Line, Span

__all__ = ["BLANKS", "INVISIBLE", "lines", "too_big"]

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
BLANKS = "\t\v\f\x1c\x1d\x1e\x1f\xa0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_FOLD = str.maketrans(
    dict.fromkeys([*BLANKS, *INVISIBLE], " ")
    | {"：": ":", "｜": "|", "，": ",", "（": "(", "）": ")", "＝": "=", "％": "%", "＃": "#"}
)
_LINE_END = re.compile("\r\n|[\n\r\u2028\u2029\x85]")


def lines(text: str, file: str) -> tuple[Line, ...]:
    """The text cut at every kind of line end; a byte order mark at the start is dropped."""
    rows = _LINE_END.split(text.removeprefix("\ufeff"))
    return tuple(Line(file, number, row, row.translate(_FOLD)) for number, row in enumerate(rows, start=1))


def too_big(text: str, rows: tuple[Line, ...]) -> tuple[Diagnostic, ...]:
    """R106, R107: a file or a line beyond what any person writes."""
    first = Span(rows[0], 0, 1)
    if len(text) > MOST_BYTES or len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        message = f"This file is too big for a rubric: at most {MOST_BYTES // 1024} KiB"
        return (Diagnostic("R106", message, first, help=("split it, and share the parts with use:",)),)
    if len(rows) > MOST_LINES:
        message = f"This file has {len(rows):,} lines; a rubric has at most {MOST_LINES:,}"
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
