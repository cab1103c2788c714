"""How a foreign text is written in a rubric: so that it cannot break the syntax, and says what had to be changed."""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Context, Decimal

from engine.rubric.names import plain_name
from engine.rubric.numbers import plain
from engine.rubric.source import lines
from engine.rubric.strays import joined
from engine.text import one_line, safe

__all__ = ["FITS", "HOW_WELL", "Pen", "question", "short", "visible"]

FITS = "Does the answer fit this description?"
HOW_WELL = "How well does the answer do on this?"

_LONGEST_TITLE = 80
_WIDEST = 10_000  # half of what a line of a rubric may have
_JOINERS = "\u200c\u200d "  # read as blanks at the ends of a line
_SETTING = re.compile(r"\{([ \t]*[^\W\d][\w \t-]*)\}")
_TWELVE = Context(prec=12)


@dataclass(slots=True)
class Pen:
    """Writes foreign texts so that they cannot break the syntax, and remembers what it had to change."""

    lost: list[str] = field(default_factory=list)
    hidden: bool = False
    braces: bool = False
    colons: bool = False
    titles: set[str] = field(default_factory=set)

    def rows(self, text: str) -> list[str]:
        """The lines of a text that hold something, blanks collapsed, without what nobody could see."""
        found = visible(text)
        self.hidden = self.hidden or "".join(found).count("\ufffd") > text.count("\ufffd")
        return found

    def line(self, text: str) -> str:
        """The whole text in one line."""
        return " ".join(self.rows(text))

    def name(self, text: str, key: str = "criterion") -> str:
        """The whole text in one line that can follow a heading; `Rules must: greet` would be two lines of a rubric."""
        line = self.line(text)
        for _ in range(len(line)):
            clash = _clash(key, line)
            if clash is None:
                break
            self.colons = True
            line = f"{line[: clash[0]]}{line[clash[0] : clash[1]].rstrip(': ：')} –{line[clash[1] :]}"
        return line

    def title(self, text: str) -> str:
        """A name that no other criterion has, shortened when it is long. Empty for an empty text."""
        whole = short(self.name(text), _LONGEST_TITLE)
        name, number = whole, 1
        while plain_name(name) in self.titles:
            number += 1
            name = f"{whole} ({number})"
        self.titles.add(plain_name(name))
        return name

    def prose(self, key: str, text: str) -> tuple[str, ...]:
        """`key: text`, going on with `>` where the text goes on. Nothing for an empty text."""
        rows = [part for row in self.rows(text) for part in self._wrapped(self._without_settings(row))]
        wrapped = tuple(_apart(key, rows))
        return tuple(f"  {key}: {row}" if not index else f"  > {row}" for index, row in enumerate(wrapped))

    def quoted(self, text: str) -> str:
        """A text to look for, in quotes that it does not hold itself."""
        inner = self._without_settings(self.line(text))
        if '"' not in inner:
            return f'"{inner}"'
        return f"«{inner}»" if "»" not in inner else '"' + inner.replace('"', "”") + '"'

    def row(self, *cells: str) -> str:
        """A row of a table."""
        return f"  | {' | '.join(self._cell(cell) for cell in cells)} |"

    def tags(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """A `tags:` line, or nothing when no word is left."""
        tags = [tag for word in words if (tag := " ".join(self.line(word).replace(",", " ").split()).rstrip(". "))]
        return (f"  tags: {self.name(', '.join(dict.fromkeys(tags)), 'tags')}",) if tags else ()

    def weight(self, value: Decimal, sign: str = "") -> str:
        """A `weight:` line; `sign` may be the percent sign."""
        return f"  weight: {plain(_TWELVE.plus(value))}{sign}"

    def lose(self, what: str) -> None:
        """Remember something that could not be brought over."""
        self.lost.append(short(one_line(what), 400))

    def _cell(self, text: str) -> str:
        row = self.line(text)
        if len(row) > _WIDEST:
            self.lose(f"the end of a text of {len(row):,} characters in a table: {row}")
            row = short(row, _WIDEST)
        bare = row.rstrip("|")
        return bare.replace("|", "\\|") + "¦" * (len(row) - len(bare))

    def _without_settings(self, row: str) -> str:
        changed, times = _SETTING.subn(r"｛\1｝", row)
        self.braces = self.braces or times > 0
        return changed

    def _wrapped(self, row: str) -> list[str]:
        return [row] if len(row) <= _WIDEST else textwrap.wrap(row, _WIDEST, break_on_hyphens=False)


def visible(text: str) -> list[str]:
    """What a reader sees of a text, line by line, blanks collapsed; what is hidden becomes a sign."""
    rows = (" ".join(safe(row).split()).strip(_JOINERS) for row in text.splitlines())
    return [row for row in rows if row]


def question(text: str, lead: str = FITS) -> str:
    """What a judge is asked about a description, word for word; a text that is a question stays as it is."""
    rows = [row.strip() for row in text.splitlines() if row.strip()]
    asks = bool(rows) and (rows[0].endswith("?") or rows[-1].endswith("?"))
    return text if asks else f"{lead}\n{text}"


def short(text: str, longest: int) -> str:
    """The text, or as many of its whole words as fit with `…` after them."""
    if len(text) <= longest:
        return text
    cut = text[: longest - 1]
    words = cut.rpartition(" ")[0] if " " in cut[longest // 2 :] else cut
    return words.rstrip(" ,;:.") + "…"


def _apart(key: str, rows: list[str]) -> Iterator[str]:
    """The rows, cut where something in them would be taken for a line of its own; the text goes on there with `>`."""
    for row in rows:
        rest = row
        while (clash := _clash(key, rest)) is not None and clash[0] > 0:
            yield rest[: clash[0]].rstrip()
            rest = rest[clash[0] :]
        yield rest


def _clash(key: str, text: str) -> tuple[int, int] | None:
    """Where something in a text would be taken for a line of its own."""
    before = f"{key}: "
    found = joined(lines(before + text, "")[0], len(key) + 1, key)
    return None if found is None else (found.span.start - len(before), found.span.end - len(before))
