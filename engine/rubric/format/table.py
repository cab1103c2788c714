"""Rows of a scale, aligned. The last column is ragged, so that a longer description changes one line of a diff."""

import re
import unicodedata
from collections.abc import Sequence

from engine.rubric.diagnostic import Line
from engine.rubric.parse import Node, Word

__all__ = ["Row", "table"]

Row = tuple[Line, Node]

_RULE = re.compile(r"(:?)-{2,}(:?)")


def table(rows: Sequence[Row]) -> list[str]:
    """The rows of one scale, without their indentation."""
    cells = [_cells(line, node) for line, node in rows]
    columns = max(map(len, cells), default=0)
    wide = [_width_of_column(cells, column) for column in range(columns)]
    return [_row(row, wide) for row in cells]


def _width_of_column(rows: Sequence[Sequence[str]], column: int) -> int:
    """Rows that end with this column do not count; a line of dashes fits any."""
    inner = [row[column] for row in rows if len(row) > column + 1]
    return max((3 if _is_rule(cell) else _width(cell) for cell in inner), default=0)


def _row(cells: Sequence[str], wide: Sequence[int]) -> str:
    if not cells:
        return "|"
    ruled = all(map(_is_rule, cells))
    *inner, last = (
        [_dashes(cell, wide[column] if column + 1 < len(cells) else 3) for column, cell in enumerate(cells)]
        if ruled
        else cells
    )
    padded = [f"| {cell}{'':{wide[column] - _width(cell)}} " for column, cell in enumerate(inner)]
    return f"{''.join(padded)}| {last} |" if last else f"{''.join(padded)}| |"


def _cells(line: Line, node: Node) -> list[str]:
    """What stands between two bars, and behind the last one if anything does."""
    found: list[str] = []
    open_bar = False
    for part in node.parts:
        if not isinstance(part, Word):
            continue
        if part.kind == "CELL":
            found.append(line.text[part.start : part.start + len(part.text.rstrip())])
            open_bar = False
            continue
        if open_bar:
            found.append("")
        open_bar = True
    return found


def _is_rule(cell: str) -> bool:
    return _RULE.fullmatch(cell) is not None


def _dashes(cell: str, wide: int) -> str:
    left, right = cell[:1] == ":", cell[-1:] == ":"
    dashes = max(wide - left - right, 2)
    return ":" * left + "-" * dashes + ":" * right


def _width(text: str) -> int:
    """Columns on a screen: wide letters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )
