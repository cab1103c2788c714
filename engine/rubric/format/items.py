"""A file as the lines that have something on them, each in its one spelling and with its place."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.rubric.amounts import phrase
from engine.rubric.blocks import Outline
from engine.rubric.context import Slip
from engine.rubric.diagnostic import Diagnostic, Line
from engine.rubric.format.layout import Layout, Place
from engine.rubric.format.lines import spelled
from engine.rubric.names import plain_name
from engine.rubric.parse import Failure, Node, parse_line
from engine.rubric.words import KEYWORDS, keyword

__all__ = ["Item", "items"]


@dataclass(frozen=True, slots=True)
class Item:
    """A line that is not blank.

    Attributes:
        said: it in its one spelling and without its indentation; exactly as it was when `node` is None.
        why: what is wrong with it, where the outline does not say so.
        gap: a blank line stood above it.
        opens: a blank line belongs above it.
    """

    line: Line
    said: str
    place: Place
    node: Node | None = None
    remark: bool = False
    why: Diagnostic | None = None
    gap: bool = False
    opens: bool = False

    @property
    def left(self) -> bool:
        """It does not read, so it stays as it is."""
        return self.node is None and not self.remark


def items(rows: Sequence[Line], found: Outline) -> list[Item]:
    """Every line but the blank ones."""
    reader = _Reader(found)
    read: list[Item] = []
    gap = False
    for line in rows:
        bare = line.folded.strip()
        if bare:
            item = _remark(line) if bare.startswith("#") else reader.read(line)
            read.append(replace(item, gap=gap))
        gap = not bare
    return read


def _remark(line: Line) -> Item:
    start = line.folded.index("#")
    return Item(line, "#" + line.text[start + 1 : len(line.folded.rstrip())], Place(0), remark=True)


class _Reader:
    """Reads one line after the other, and knows where it is."""

    def __init__(self, found: Outline) -> None:
        self._layout = Layout(found)
        self._mended = found.mended
        self._fields = frozenset(_fields(found))

    def read(self, line: Line) -> Item:
        """A line that is neither blank nor a remark."""
        node = parse_line(line)
        if isinstance(node, Failure):
            return self._left(line)
        if node.rule == "row":
            return Item(line, line.text, self._layout.place("row", line.number), node)
        try:
            said = spelled(line, node, self._fields)
        except Slip as slip:
            return replace(self._left(line), why=slip.diagnostic)
        if said is None:
            return self._left(line)
        key = {"more": "more", "bullet": "item"}.get(node.rule) or keyword(node.words()[0].text)
        return Item(line, said, self._layout.place(key, line.number), node)

    def _left(self, line: Line) -> Item:
        """A line that does not read: its place is that of the line it was most likely meant to be."""
        mends = self._mended.get(line.number)
        before, colon, _ = (mends[-1].read if mends else line).folded.partition(":")
        key = keyword(before)
        known = colon and key in KEYWORDS
        return Item(line, line.text, self._layout.place(key, line.number) if known else self._layout.unread())


def _fields(found: Outline) -> list[str]:
    """The names that are declared with `field:`."""
    declared = [entry for entry in found.globals if entry.key == "field"]
    named = [(entry, part) for entry in declared for part in entry.node.parts[1:2] if isinstance(part, Node)]
    return [plain_name(phrase(part, entry.line)) for entry, part in named]
