"""One line of a rubric cut into pieces that each have a kind, by the table of highlighting."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from engine.rubric.highlight import (
    BULLETS,
    KEY_END,
    Kind,
    Rule,
    heading_keys,
    inline,
    rows,
    spelled,
    structured_keys,
    terminals,
    text_keys,
)

__all__ = ["Token", "key_at", "tokens"]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a line: columns `start` up to `end`, from 0."""

    kind: Kind
    start: int
    end: int


def key_at(line: str) -> Token | None:
    """The keyword that a line starts with, with its colon."""
    found = _keys().match(line, len(line) - len(line.lstrip()))
    if found is None:
        return None
    return Token(Kind.HEADING if found.lastgroup == "heading" else Kind.KEY, found.start(), found.end())


def tokens(line: str) -> Iterator[Token]:
    """The pieces of one line, look-alikes already folded, in order; what no rule knows is left out."""
    start = len(line) - len(line.lstrip())
    end = len(line.rstrip())
    if start >= end:
        return
    first = line[start]
    key = _keys().match(line, start)
    if first == "#":
        yield Token(Kind.REMARK, start, end)
    elif first == "|":
        yield from _scan(line, start, end, rows())
    elif first == ">" or _bullet().match(line, start) is not None:
        after = start + 1
        yield Token(Kind.MARK, start, after)
        yield from _text(line, after, end, bulleted=first != ">")
    elif key is None:
        yield Token(Kind.TEXT, start, end)
    else:
        yield from _keyed(line, key, end)


def _keyed(line: str, key: re.Match[str], end: int) -> Iterator[Token]:
    group = str(key.lastgroup)
    yield Token(Kind.HEADING if group == "heading" else Kind.KEY, key.start(), key.end())
    if group == "structured":
        yield from _scan(line, key.end(), end, inline())
    else:
        yield from _plain(line, key.end(), end, Kind.TITLE if group == "heading" else Kind.TEXT)


def _text(line: str, start: int, end: int, *, bulleted: bool) -> Iterator[Token]:
    if bulleted:
        mark = _mark().match(line, start)
        if mark is not None:
            yield Token(Kind.NAME, mark.start(1), mark.end(1))
            start = mark.end(1)
    yield from _plain(line, start, end, Kind.TEXT)


def _plain(line: str, start: int, end: int, kind: Kind) -> Iterator[Token]:
    """Free text, with the settings in it."""
    for setting in _setting().finditer(line, start, end):
        yield from _trimmed(line, start, setting.start(), kind)
        yield Token(Kind.SETTING, setting.start(), setting.end())
        start = setting.end()
    yield from _trimmed(line, start, end, kind)


def _trimmed(line: str, start: int, end: int, kind: Kind) -> Iterator[Token]:
    while start < end and line[start].isspace():
        start += 1
    if start < end:
        yield Token(kind, start, end)


def _scan(line: str, start: int, end: int, rules: tuple[Rule, ...]) -> Iterator[Token]:
    for found in _compiled(rules).finditer(line, start, end):
        if found.end() > found.start():
            yield Token(rules[int(str(found.lastgroup)[1:])].kind, found.start(), found.end())


@cache
def _compiled(rules: tuple[Rule, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<r{number}>{_bare(rule.pattern)})" for number, rule in enumerate(rules)))


def _bare(pattern: str) -> str:
    """The same pattern without groups of its own, so that the last group names the rule."""
    return re.sub(r"(?<!\\)\((?!\?)", "(?:", pattern)


@cache
def _keys() -> re.Pattern[str]:
    groups = (("heading", heading_keys()), ("text", text_keys()), ("structured", structured_keys()))
    return re.compile("|".join(f"(?P<{name}>(?:{spelled(keys)}){KEY_END})" for name, keys in groups), re.IGNORECASE)


@cache
def _bullet() -> re.Pattern[str]:
    return re.compile(rf"[{BULLETS}][ \t]")


@cache
def _mark() -> re.Pattern[str]:
    return re.compile(rf"[ \t]*({terminals()['REF'].pattern})")


@cache
def _setting() -> re.Pattern[str]:
    return re.compile(terminals()["PARAM"].pattern)
