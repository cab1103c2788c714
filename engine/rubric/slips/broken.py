"""A line that does not read, seen from the place where it stops making sense."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from engine.rubric.diagnostic import Diagnostic, Edit, Line, Span
from engine.rubric.parse import Node, parse_line
from engine.rubric.source import without_quoted
from engine.rubric.words import key_of, keyword

__all__ = ["Broken", "Tries"]

_LONGEST = 400  # columns; nobody looks for one wrong letter in a longer line
_NAMED = re.compile(r"\[[^\]]*\]|\{[^}]*\}|(?<![\w/])/(?:\\/|[^/])+/i?")


@dataclass(slots=True)
class Tries:
    """How often lines may still be read again in search of what was meant, so that a hostile file costs little."""

    left: int

    def once(self) -> bool:
        """Take one, if there is one left."""
        self.left -= 1
        return self.left >= 0


@dataclass(frozen=True, slots=True)
class Broken:
    """A line and the column from which it makes no sense.

    Attributes:
        expected: the kinds of words that could have stood there.
    """

    line: Line
    column: int
    expected: frozenset[str]
    tries: Tries

    @property
    def text(self) -> str:
        """The line with look-alikes folded."""
        return self.line.folded

    @property
    def rest(self) -> str:
        """What stands from that column on."""
        return self.text[self.column :].rstrip()

    @property
    def searched(self) -> bool:
        """Whether it is worth looking for what was meant: a line of a person's length, and tries are left."""
        return self.end <= _LONGEST and self.tries.left > 0

    @property
    def key(self) -> str:
        """The keyword in its one spelling."""
        return keyword(self.text.partition(":")[0])

    @property
    def start(self) -> int:
        """Where the value starts."""
        return _start(self.text)

    @property
    def end(self) -> int:
        """Where the line ends."""
        return len(self.text.rstrip())

    @property
    def word(self) -> Span:
        """The first word that makes no sense."""
        found = re.match(r"[\w@'’/.-]+|\S", self.rest)
        return self.span(self.column, self.column + (found.end() if found else 1))

    @property
    def here(self) -> Span:
        """That word, or the end of a line that stops too early."""
        return self.word if self.rest else self.span(self.end, self.end + 1)

    def span(self, start: int, end: int) -> Span:
        """A piece of the line, at least one column wide."""
        return Span(self.line, start, max(end, start + 1))

    def bare(self) -> str:
        """The line with everything in quotes, brackets, braces and patterns blanked out; columns stay."""
        return _bare(self.text)

    def words(self) -> Iterator[re.Match[str]]:
        """Every word of the value that is not quoted."""
        yield from re.compile(r"[^\W\d_][\w'’-]*").finditer(self.bare(), self.start)

    def put(self, start: int, end: int, words: str) -> str:
        """The whole line with other words in one place."""
        return self.text[:start] + words + self.text[end:]

    def mend(self, start: int, end: int, words: str) -> Edit:
        """The same as an edit."""
        return Edit(Span(self.line, start, end), words)

    def reads(self, start: int, end: int, words: str) -> Node | None:
        """The tree of the line with other words in one place, when it reads then."""
        if not self.tries.once():
            return None
        text = self.put(start, end, words)
        node = parse_line(Line(self.line.file, self.line.number, text, text))
        return node if isinstance(node, Node) and node.rule not in ("unknown_line", "stray_line") else None

    def write(self, start: int, end: int, words: str) -> str:
        """The advice to write the line with other words in one place."""
        return f"write: {self.put(start, end, words).strip()}"

    def problem(self, code: str, message: str, at: Span, *steps: str) -> Diagnostic:
        """A message without a mend."""
        return Diagnostic(code, message, at, help=steps)


@lru_cache(16)
def _start(text: str) -> int:
    head, colon, _ = text.partition(":")
    return len(head) + 1 if colon and len(key_of(head)) < 30 else 0


@lru_cache(16)  # every kind of slip looks at the same line
def _bare(text: str) -> str:
    return _NAMED.sub(_blank, without_quoted(text))


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])
