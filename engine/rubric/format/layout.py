"""How far each line is indented, and where a part of the file begins: from the structure, not from the blanks."""

from dataclasses import dataclass

from engine.rubric.blocks import Block, Outline
from engine.rubric.headings import ANYWHERE
from engine.rubric.words import HEADS

__all__ = ["Layout", "Place"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line stands: steps of indentation, and whether it is a heading."""

    depth: int
    heading: bool = False


class Layout:
    """Follows the lines from heading to heading.

    A group stands at the left edge however deep it is, since its name says where it belongs ("A > B"); what is in
    it stands one step in, and the lines of a criterion one more.
    """

    def __init__(self, outline: Outline) -> None:
        self._steps = _steps(outline)
        self._inside = False
        self._under = 0
        self._last = Place(0)
        self._last_key = ""

    def place(self, key: str, number: int) -> Place:
        """The place of the next line: its keyword (`row`, `item`, `more` for the others) and its number."""
        if key == "more":
            return self._last
        if key == "row":
            return Place(1 if self._last_key == "define scale" else self._under)
        self._last, self._last_key = Place(self._depth(key, number), key in HEADS or key == "define scale"), key
        return self._last

    def unread(self) -> Place:
        """The place of a line that nobody can read: where the line above stands."""
        return Place(self._last.depth)

    def _depth(self, key: str, number: int) -> int:
        step = self._steps.get(number, int(self._inside))
        if key in ANYWHERE:
            return 0
        if key == "use":
            return step
        if key not in HEADS:
            return self._under
        if key in ("rubric", "library", "group", "end group"):
            self._inside = key == "group"
            self._under = int(self._inside)
            return 0
        self._inside, self._under = bool(step), step + 1
        return step


def _steps(outline: Outline) -> dict[int, int]:
    """Of every criterion and every `use:`, by line: 1 in a group, 0 outside of any."""
    found = {entry.line.number: int(group.key == "group") for entry, group in outline.uses}
    waiting: list[Block] = [] if outline.root is None else [outline.root]
    while waiting:
        block = waiting.pop()
        waiting += block.members
        found.update({member.head.line.number: int(block.key == "group") for member in block.members})
    return found
