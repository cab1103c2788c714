"""The outline of a page: headings with what stands under them, scales, settings, fields, caps and verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.rubric.diagnostic import Line, Span
from engine.rubric.editor.page import Page, Row
from engine.rubric.words import HEADS

__all__ = ["Section", "contents"]

_SINGLE = ("define scale", "setting", "field", "cap", "verdict", "use")


@dataclass(slots=True)
class Section:
    """One entry of the outline. `last` is the last line that belongs to it."""

    key: str
    title: str
    detail: str
    at: Span
    last: Line
    parts: list["Section"] = field(default_factory=list)


def contents(page: Page) -> tuple[Section, ...]:
    """The outline. It needs no correct rubric: a line that cannot be read is passed over."""
    top: list[Section] = []
    group: Section | None = None
    open_parts: list[Section] = []
    for row in page.rows:
        if row.key in HEADS:
            if row.key == "end group" or (row.key == "group" and ">" not in row.said):
                group = None
            if row.key == "end group":
                continue
            section = _section(row, page)
            open_parts = [each for each in (group, section) if each is not None]
            (top if group is None else group.parts).append(section)
            if row.key == "group":
                group = section
        elif row.key in _SINGLE:
            section = _section(row, page)
            top.append(section)
            open_parts = [section] if row.key == "define scale" else []
        if row.line.folded.strip() and row.key != "#":
            for each in open_parts:
                each.last = row.line
    return tuple(top)


def _section(row: Row, page: Page) -> Section:
    at = row.value if row.value.text else Span(row.line, row.at.start if row.at else 0, row.value.end)
    below = page.rows[row.line.number : row.line.number + 40]
    return Section(row.key, row.said or f"{row.key}:", _detail(row, below), at, row.line)


def _detail(row: Row, below: Sequence[Row]) -> str:
    """The role, and the weight where one is written."""
    if row.key not in HEADS:
        return row.key
    for each in below:
        if each.key in HEADS:
            break
        if each.key == "weight":
            return f"{row.key}, weight {each.said}"
    return row.key
