"""A file cut into headings and the lines under them: the nouns between lines and a rubric."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.rubric.diagnostic import Diagnostic, Line, Span
from engine.rubric.parse import Node, Word, span_of
from engine.rubric.source import Mended

__all__ = ["Block", "Entry", "Outline"]


@dataclass(slots=True)
class Entry:
    """One `key: value` line with the rows and continued lines under it.

    `value` is the free text after the colon, or None when there is none.
    """

    key: str
    line: Line
    node: Node
    rows: list[tuple[Line, Node]] = field(default_factory=list)
    more: list[Span] = field(default_factory=list)
    value: Span | None = field(init=False)

    def __post_init__(self) -> None:
        self.value = self._value()

    @property
    def at(self) -> Span:
        """The key itself, with its colon."""
        word = self.node.words()[0]
        return span_of(word, self.line)

    def _value(self) -> Span | None:
        word = next((part for part in self.node.parts[1:] if isinstance(part, Word) and part.kind == "TEXT"), None)
        if word is None:
            return None
        raw = self.line.folded[word.start : word.end]
        return Span(self.line, word.start, word.start + len(raw.rstrip()))

    @property
    def texts(self) -> tuple[Span, ...]:
        """The text with the lines that continue it."""
        return (*(() if self.value is None else (self.value,)), *self.more)


@dataclass(slots=True)
class Block:
    """A heading with its lines. A group also has members; the first block is the rubric itself."""

    key: str
    head: Entry
    title: str = ""
    entries: list[Entry] = field(default_factory=list)
    members: list["Block"] = field(default_factory=list)
    parent: "Block | None" = None
    broken: bool = False

    @property
    def at(self) -> Span:
        """The title, or the key where there is none."""
        return self.head.value or self.head.at

    @property
    def indent(self) -> int:
        return len(self.head.line.folded) - len(self.head.line.folded.lstrip())

    def blocks(self) -> Iterator["Block"]:
        """This heading and every one below it, in the order of their lines."""
        yield self
        for member in self.members:
            yield from member.blocks()

    def find(self, key: str) -> Entry | None:
        """The last line with this key."""
        return next((entry for entry in reversed(self.entries) if entry.key == key), None)


@dataclass(slots=True)
class Outline:
    """A file cut into blocks, with what was wrong so far.

    Attributes:
        globals: lines that mean the same wherever they stand: field, setting, define scale, cap, verdict.
        uses: `use:` lines, each with the group it stands in.
        mended: by number, lines that are read on with another keyword than the one that stands there.
    """

    root: Block | None = None
    globals: list[Entry] = field(default_factory=list)
    uses: list[tuple[Entry, Block]] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)
    remarks: dict[int, frozenset[str]] = field(default_factory=dict)
    mended: dict[int, list[Mended]] = field(default_factory=dict)
