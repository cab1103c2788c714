"""What a rule looks at: the rubric, the lines it was read from, and which scores its parts can have."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from engine.rubric.blocks import Block, Entry, Outline
from engine.rubric.check.attainable import Range, attainable
from engine.rubric.check.walk import inherited
from engine.rubric.context import Context
from engine.rubric.diagnostic import Span
from engine.rubric.syntax import Check, Criterion, Group, Rubric, titles

__all__ = ["Draft"]


@dataclass(frozen=True)
class Draft:
    """A rubric as its author has written it so far."""

    rubric: Rubric
    outline: Outline
    context: Context

    @cached_property
    def ranges(self) -> Mapping[str, Range]:
        """The scores that each part can have, by id; that of the whole is under the empty id."""
        return attainable(self.rubric)

    @cached_property
    def conditions(self) -> Mapping[str, tuple[Check, ...]]:
        """Under which conditions each part applies, by id: its own, and those of the groups it stands in."""
        return inherited(self.rubric.root)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Every heading of this file, in the order of its lines."""
        return () if self.outline.root is None else tuple(self.outline.root.blocks())

    @cached_property
    def titles(self) -> Mapping[str, str]:
        """What each part is called, by id."""
        return titles(self.rubric.root)

    def block(self, part: Criterion | Group | Rubric) -> Block | None:
        """The heading of a part with its lines; None when it stands in another file."""
        return self._headings.get((part.at.line.file, part.at.line.number))

    def line(self, part: Criterion | Group | Rubric, key: str) -> Entry | None:
        """The line with this key under a heading; None when there is none, or when it stands in another file."""
        block = self.block(part)
        return None if block is None else block.find(key)

    def place(self, part: Criterion | Group | Rubric, key: str) -> Span:
        """What stands after this key under a heading, or the heading itself."""
        entry = self.line(part, key)
        return part.at if entry is None else entry.value or entry.at

    @cached_property
    def _headings(self) -> Mapping[tuple[str, int], Block]:
        return {(block.at.line.file, block.at.line.number): block for block in self.blocks}
