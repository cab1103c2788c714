"""One line of a rubric to a small tree. The only home of lark, and imported only to read rubric text.

lark costs 0.3 s of processor time to start, so graders come from the JSON form where one is at hand.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import lark
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken

from engine.rubric.diagnostic import Line, Span

__all__ = ["Failure", "Node", "Word", "parse_line", "span_of"]


@dataclass(frozen=True, slots=True)
class Word:
    """One token: its terminal, its text, and its columns from 0."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Node:
    """One rule of the grammar, with its parts in order; a part that may be left out is None."""

    rule: str
    parts: tuple["Node | Word | None", ...]

    def words(self) -> list[Word]:
        """Every word under it, in order."""
        found: list[Word] = []
        for part in self.parts:
            if isinstance(part, Node):
                found += part.words()
            elif part is not None:
                found.append(part)
        return found

    def nodes(self) -> list["Node"]:
        """Its parts that are trees themselves."""
        return [part for part in self.parts if isinstance(part, Node)]


def span_of(part: Node | Word, line: Line) -> Span:
    """Where it stands, from its first word to its last."""
    if isinstance(part, Word):
        return Span(line, part.start, part.end)
    words = part.words()
    return Span(line, words[0].start, words[-1].end)


@dataclass(frozen=True, slots=True)
class Failure:
    """Where a line stops making sense, and what could have stood there."""

    column: int
    expected: frozenset[str]


def parse_line(line: Line) -> Node | Failure:
    """The tree of a line that is neither blank nor a remark."""
    return _parsed(line.folded)


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Node | Failure:
    """Kept by text: whoever checks while an author types reads every line again, and one of them has changed."""
    try:
        tree = _parser().parse(text, start="line")
    except UnexpectedInput as stop:
        return _failure(stop, text)
    assert isinstance(tree, Node)
    return tree


_Child = Node | lark.Token | lark.Tree["_Child"] | None


class _Trees(lark.Transformer[lark.Token, Node]):
    """Builds our trees while parsing, so that no lark type leaves this file."""

    def __default__(self, data: str, children: list[_Child], meta: object) -> Node | lark.Tree[_Child]:
        if data.startswith("_"):  # a repetition, which lark melts into the rule around it
            return lark.Tree(data, children)
        return Node(str(data), tuple(_part(child) for child in children))


def _part(child: _Child) -> Node | Word | None:
    if isinstance(child, lark.Token):
        start = child.start_pos or 0
        return Word(child.type, str(child), start, start + len(child))
    return child if isinstance(child, Node) else None


@cache
def _parser() -> lark.Lark:
    grammar = Path(__file__).with_name("rubric.lark").read_text(encoding="utf-8")
    return lark.Lark(grammar, parser="lalr", lexer="contextual", start="line", transformer=_Trees())


def _failure(stop: UnexpectedInput, text: str) -> Failure:
    expected: set[str] = set()
    column = len(text.rstrip())
    if isinstance(stop, UnexpectedToken):
        expected = set(stop.accepts or stop.expected)
        if stop.token.type != "$END":
            column = stop.token.start_pos or 0
    elif isinstance(stop, UnexpectedCharacters):
        expected = set(stop.allowed or ())
        column = stop.pos_in_stream or 0
    elif isinstance(stop, UnexpectedEOF):
        expected = set(stop.expected)
    return Failure(column, frozenset(expected))
