"""A rubric as Markdown: the copy that is read line by line and signed. Authors' texts cannot break the page."""

import re
from collections.abc import Iterator

from engine.rubric.syntax import Rubric
from engine.rubric.view.content import Bars, Block, Fact, Heading, Points, Table, content
from engine.rubric.written import Written
from engine.text import one_line

__all__ = ["escaped", "markdown"]

_LONGEST_BAR = 20  # characters for the whole score
_SIGNATURE = """
## Signed

I have read this rubric and agree with what it counts as good.

| Name | Date | Signature |
| --- | --- | --- |
|   |   |   |
|   |   |   |
"""


def markdown(rubric: Rubric, written: Written) -> str:
    """The whole page. It ends with a place for names and dates."""
    page, before = "", None
    for block in content(rubric, written):
        page += ("" if before is None else _between(before, block)) + _said(block)
        before = block
    return f"{page}\n{_SIGNATURE}"


def _between(before: Block, block: Block) -> str:
    """Facts that follow each other are items of one list."""
    return "\n" if all(isinstance(each, Fact | Points) for each in (before, block)) else "\n\n"


def escaped(text: str) -> str:
    """The text on one line, with nothing left in it that Markdown or HTML would take for more than text."""
    line = one_line(text)
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    line = re.sub(r"([\\`*_\[\]|~$])", r"\\\1", line)
    line = line.replace("://", "&#58;//")  # an address is no link until a reader makes it one
    line = re.sub(r"(?i)\b(www|mailto|xmpp)([.:])", lambda found: f"{found[1]}&#{ord(found[2])};", line)
    line = line.replace("@", "&#64;")
    line = re.sub(r"^([#+=-])", r"\\\1", line)
    return re.sub(r"^(\d+)([.)])(?=\s|$)", r"\1\\\2", line)


def _said(block: Block) -> str:
    match block:
        case Heading(level=level, text=text):
            return f"{'#' * level} {escaped(text)}"
        case Fact(name=name, text=text):
            return f"- **{escaped(name)}:** {escaped(text)}"
        case Points(name=name, texts=texts, numbered=numbered):
            return "\n".join(_points(name, texts, numbered))
        case Table(head=head, rows=rows):
            return "\n".join(_table(head, rows))
        case Bars():
            return "\n".join(_bars(block))


def _points(name: str, texts: tuple[str, ...], numbered: bool) -> Iterator[str]:
    indent = ""
    if name:
        yield f"- **{escaped(name)}:**"
        indent = "  "
    for number, text in enumerate(texts, start=1):
        yield f"{indent}{f'{number}.' if numbered else '-'} {escaped(text)}"


def _table(head: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---' for _ in head)} |"
    for row in rows:
        yield f"| {' | '.join(escaped(cell) for cell in row)} |"


def _bars(bars: Bars) -> Iterator[str]:
    yield "| Part | Share | |"
    yield "| --- | --- | --- |"
    for row in bars.rows:
        length = 0 if row.permille is None else (row.permille * _LONGEST_BAR + 500) // 1000
        drawn = "█" * max(length, 1) if row.permille else ""
        yield f"| {'&emsp;' * row.depth}{escaped(row.title)} | {escaped(row.said)} | {drawn} |"
