"""Where in a JSON text a value stands. Only used once something is wrong, so it may be slow."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

__all__ = ["Path", "Place", "duplicate", "first", "of"]

Path = tuple[str | int, ...]
Place = tuple[int, int]
"""Line and column, both from 1."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)


def of(text: str) -> Mapping[Path, Place]:
    """The place of each value by its path: `("queries", 0, "id")`; the last one wins for a key given twice."""
    return {path: _place(text, at) for path, at, _ in _walk(text)}


def duplicate(text: str) -> Place | None:
    """The place of the first key that its object had already."""
    seen: set[tuple[int, str]] = set()  # object and key
    for path, _, key in _walk(text):
        if key is not None:
            named = (key.owner, str(path[-1]))
            if named in seen:
                return _place(text, key.at)
            seen.add(named)
    return None


def first(text: str, token: str) -> Place | None:
    """The place of the first number (or NaN) that is written exactly so."""
    return next((_place(text, at) for _, at, _ in _walk(text) if text.startswith(token, at)), None)


class _Key(NamedTuple):
    """Offsets of an object and of a key in it."""

    owner: int
    at: int


def _walk(text: str) -> Iterator[tuple[Path, int, _Key | None]]:
    """Each value of a JSON text, also of a broken one: its path, its offset, and its key when it has one."""
    path: list[str | int] = []
    owners: list[int] = []  # offset of each open bracket
    key: _Key | None = None
    for match in _TOKEN.finditer(text):
        word, at = match.group(), match.start()
        if word in "]}":
            if owners:
                owners.pop()
                path.pop()
        elif word == ",":
            if path and isinstance(last := path[-1], int):
                path[-1] = last + 1
            key = None
        elif word == ":":
            continue
        elif owners and text[owners[-1]] == "{" and key is None:
            key = _Key(owners[-1], at)
            path[-1] = _text(word)
        else:
            yield tuple(path), at, key
            if word in "[{":
                owners.append(at)
                path.append(0 if word == "[" else "")
                key = None


def _text(token: str) -> str:
    try:
        return str(json.loads(token))
    except ValueError:
        return token


def _place(text: str, at: int) -> Place:
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
