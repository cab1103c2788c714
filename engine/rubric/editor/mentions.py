"""Where names stand in a page: criteria and groups, scales, settings, fields and used files; declared and used."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from engine.rubric.diagnostic import Span
from engine.rubric.editor.page import Page, Place, Row
from engine.rubric.highlight import Kind
from engine.rubric.library import TextOf
from engine.rubric.line_tokens import tokens
from engine.rubric.names import plain_name
from engine.rubric.words import HEADS

__all__ = ["Mention", "Sort", "declared", "mention_at", "mentions"]

_DEEPEST = 8  # files that use files


class Sort(StrEnum):
    """What a name is the name of."""

    PART = "criterion or group"
    SCALE = "scale"
    SETTING = "setting"
    FIELD = "field"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a page.

    Attributes:
        name: as names are compared: in lower case, with single blanks.
        span: the name alone, without brackets, braces or quotes.
        declares: this is where it gets its name.
    """

    sort: Sort
    name: str
    span: Span
    declares: bool = False


def mentions(page: Page) -> tuple[Mention, ...]:
    """Every name in a page, in the order of the lines."""
    fields = [mention for row in page.rows if row.key == "field" for mention in _assigned(row, Sort.FIELD)]
    words = {mention.name: _whole_word(mention.name) for mention in fields}
    return tuple(mention for row in page.rows for mention in _in_row(row, words))


def mention_at(page: Page, place: Place) -> Mention | None:
    """The name at a place, the brackets round it included."""
    line = page.rows[place.row].line
    here = [mention for mention in mentions(page) if mention.span.line.number == line.number]
    return next(
        (each for each in here if each.span.start - 1 <= place.column <= each.span.end + 1 and _on(each, place)), None
    )


def declared(page: Page, library: TextOf) -> Iterator[tuple[Page, Mention]]:
    """Everything that has a name here or in a file that is used, nearest first."""
    yield from _declared(page, library, frozenset({page.name}))


def _declared(page: Page, library: TextOf, above: frozenset[str]) -> Iterator[tuple[Page, Mention]]:
    found = mentions(page)
    yield from ((page, mention) for mention in found if mention.declares)
    for mention in found:
        path = mention.span.text.strip()
        if mention.sort is not Sort.FILE or path in above or len(above) > _DEEPEST or _outside(path):
            continue
        text = library(path)
        if text is not None:
            used = _declared(Page.of(text, path), library, above | {path})
            yield from ((other, each) for other, each in used if each.sort in (Sort.PART, Sort.SCALE))


def _outside(path: str) -> bool:
    return path.startswith(("/", "\\")) or ".." in path.replace("\\", "/").split("/") or ":" in path


def _on(mention: Mention, place: Place) -> bool:
    """The brackets belong to a name; a blank or a comma beside it does not."""
    text, span = mention.span.line.text, mention.span
    if place.column < span.start:
        return text[place.column] in '[{"“'
    return place.column <= span.end or text[span.end] in ']}"”'


# ---- rows ---------------------------------------------------------------------------------------


def _in_row(row: Row, fields: dict[str, re.Pattern[str]]) -> Iterator[Mention]:
    if row.key in HEADS:
        yield from _title(row)
    elif row.key in ("scale", "define scale"):
        yield from _named(row.value, Sort.SCALE, declares=row.key == "define scale")
    elif row.key == "setting":
        yield from _assigned(row, Sort.SETTING)
    elif row.key == "field":
        yield from _assigned(row, Sort.FIELD)
    if "[" in row.line.folded or "{" in row.line.folded or row.key == "use":
        yield from _tokens(row)
    if row.key in ("check", "only when", "cap", "verdict"):
        yield from _fields(row, fields)


def _title(row: Row) -> Iterator[Mention]:
    if row.key in ("rubric", "library"):
        return
    if row.key not in ("group", "end group"):
        yield from _named(row.value, Sort.PART, declares=True)
        return
    start = row.value.start
    names = row.value.text.split(">")
    for number, name in enumerate(names, start=1):
        end = start + len(name)
        declares = number == len(names) and row.key == "group"
        yield from _named(Span(row.line, start, end), Sort.PART, declares=declares)
        start = end + 1


def _named(span: Span, sort: Sort, *, declares: bool = False) -> Iterator[Mention]:
    text = span.line.folded[span.start : span.end]
    start = span.start + len(text) - len(text.lstrip())
    end = span.start + len(text.rstrip(" ." if sort is Sort.SCALE else " "))
    if start < end:
        yield Mention(sort, plain_name(span.line.text[start:end]), Span(span.line, start, end), declares)


_ASSIGNED = re.compile(r"\s*=|\s+(?:is|are)\b", re.IGNORECASE)


def _assigned(row: Row, sort: Sort) -> Iterator[Mention]:
    value = row.value
    stop = _ASSIGNED.search(row.line.folded, value.start, value.end)
    yield from _named(Span(row.line, value.start, stop.start() if stop else value.end), sort, declares=True)


def _tokens(row: Row) -> Iterator[Mention]:
    for token in tokens(row.line.folded):
        inner = Span(row.line, token.start + 1, token.end - 1)
        if token.kind is Kind.NAME and row.key != "-":
            yield from _named(inner, Sort.PART)
        elif token.kind is Kind.SETTING:
            yield from _named(inner, Sort.SETTING)
        elif token.kind is Kind.STRING and row.key == "use" and inner.text.strip().endswith(".rubric"):
            yield from _named(inner, Sort.FILE)


def _fields(row: Row, fields: dict[str, re.Pattern[str]]) -> Iterator[Mention]:
    if not fields:
        return
    text = row.line.folded
    for token in tokens(text):
        if token.kind in (Kind.STRING, Kind.PATTERN, Kind.NAME, Kind.SETTING):
            text = text[: token.start] + " " * (token.end - token.start) + text[token.end :]
    for name, pattern in fields.items():
        for found in pattern.finditer(text, row.value.start):
            yield Mention(Sort.FIELD, name, Span(row.line, found.start(), found.end()))


def _whole_word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(name).replace(chr(92) + ' ', ' +')}(?![\w-])", re.IGNORECASE)
