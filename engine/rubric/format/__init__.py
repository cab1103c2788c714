"""A rubric file in its one spelling. Works on lines and their trees, so that a file with mistakes is formatted too.

What a line says is never changed. A line that does not read is left exactly as it is.
"""

from collections.abc import Sequence
from dataclasses import replace

from engine.rubric.diagnostic import Diagnostic
from engine.rubric.format.items import Item, items
from engine.rubric.format.spacing import spaced
from engine.rubric.format.table import Row, table
from engine.rubric.outline import outline
from engine.rubric.source import lines, too_big

__all__ = ["format_text", "left_alone"]

_BOM = "\ufeff"
_CONTRADICTED = "R219"


def format_text(text: str, name: str) -> str:
    """The same rubric in its one spelling; formatting it again changes nothing. Never raises.

    Where the indentation contradicts the groups (R219) no line is moved: that would settle the question unasked.
    A file that is too big to be read stays as it is.
    """
    rows = lines(text.lstrip(_BOM), name)
    if too_big(text, rows):
        return text
    found = outline(rows)
    read = _aligned(items(rows, found))
    moves = not any(problem.code == _CONTRADICTED for problem in found.problems)
    return "\n".join(_written(spaced(read), moves)).lstrip(_BOM)


def left_alone(text: str, name: str) -> tuple[Diagnostic, ...]:
    """Why lines of this text are left as they are: one problem for each that does not read."""
    rows = lines(text.lstrip(_BOM), name)
    huge = too_big(text, rows)
    if huge:
        return huge
    found = outline(rows)
    read = items(rows, found)
    why = {item.line.number: item.why for item in read if item.left}
    for problem in found.problems:
        number = problem.span.line.number
        if problem.code == _CONTRADICTED or (number in why and why[number] is None):
            why[number] = problem
    return tuple(problem for _, problem in sorted(why.items()) if problem is not None)


def _aligned(read: Sequence[Item]) -> list[Item]:
    """Rows of one scale are aligned with each other; remarks and broken lines between them do not part them."""
    done = list(read)
    rows: list[tuple[int, Row]] = []
    for index, item in enumerate([*read, None]):
        if item is not None and item.node is not None and item.node.rule == "row":
            rows.append((index, (item.line, item.node)))
        elif rows and (item is None or item.node is not None):
            for (at, _), said in zip(rows, table([row for _, row in rows]), strict=True):
                done[at] = replace(done[at], said=said)
            rows = []
    return done


def _written(read: Sequence[Item], moves: bool) -> list[str]:
    rows: list[str] = []
    for item in read:
        if rows and (item.gap or item.opens):
            rows.append("")
        if item.left:
            rows.append(item.line.text)
            continue
        stood = item.line.text[: len(item.line.folded) - len(item.line.folded.lstrip())]
        rows.append(("  " * item.place.depth if moves else stood) + item.said)
    return [*rows, ""] if rows else []
