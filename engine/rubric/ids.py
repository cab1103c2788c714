"""`id:` lines, written at publication: a heading that has one keeps its labels when its title is changed."""

from collections.abc import Iterator

from engine.rubric.blocks import Block
from engine.rubric.diagnostic import Line
from engine.rubric.outline import outline
from engine.rubric.source import lines
from engine.rubric.syntax import Rubric, parts

__all__ = ["with_ids"]


def with_ids(rubric: Rubric, text: str) -> str:
    """The text of a rubric with an `id:` line under every heading that has none; nothing else is touched.

    Groups and the rubric itself get one too: their ids are part of the path of a criterion, and of its history.
    """
    rows = lines(text, rubric.at.line.file)
    root = outline(rows).root
    if root is None:
        return text
    ids = dict(_named(rubric, rubric.at.line.file))
    added = {
        block.head.line.number: f"{_indent(block)}id: {ids[block.head.line.number]}"
        for block in root.blocks()
        if block.head.line.number in ids and block.find("id") is None
    }
    return _inserted(text, rows, added)


def _named(rubric: Rubric, file: str) -> Iterator[tuple[int, str]]:
    """The line of every heading of this file with the last part of its id."""
    yield rubric.at.line.number, rubric.id
    for part in parts(rubric.root):
        if part.at.line.file == file:
            yield part.at.line.number, part.id.rpartition("/")[2]


def _indent(block: Block) -> str:
    """As the first line under the heading has it."""
    head = block.head.line
    if block.entries:
        return _blanks(block.entries[0].line)
    return _blanks(head) + ("" if block.parent is None else "  ")


def _blanks(line: Line) -> str:
    return line.text[: len(line.folded) - len(line.folded.lstrip())]


def _inserted(text: str, rows: tuple[Line, ...], added: dict[int, str]) -> str:
    """The text with lines put in after those with these numbers, each with the line end of the one above it."""
    parts: list[str] = []
    at = len(text) - len(text.removeprefix("\ufeff"))
    parts.append(text[:at])
    usual = _end(text, at + len(rows[0].text)) or "\n"
    for row in rows:
        end = _end(text, at + len(row.text))
        parts.append(row.text + end)
        if row.number in added:
            parts.append(added[row.number] + end if end else usual + added[row.number])
        at += len(row.text) + len(end)
    return "".join(parts)


def _end(text: str, at: int) -> str:
    return "\r\n" if text[at : at + 2] == "\r\n" else text[at : at + 1]
