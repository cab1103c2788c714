"""Templates of requests: `{query}` in the values of JSON or in an address, filled with data and never read again."""

import re
from collections.abc import Callable, Collection, Mapping
from urllib.parse import quote

from engine.text import nearest

__all__ = ["Filled", "TemplateError", "address_template", "has_names", "template"]

Filled = Callable[[Mapping[str, object]], object]
"""A template that was read: given the values of its names, makes what is sent."""

_NAME = re.compile(r"(\{?)\{([A-Za-z_][A-Za-z0-9_]*)\}(\}?)")


class TemplateError(ValueError):
    """A template that cannot be filled: the text says which name, and what there is."""


def template(value: object, texts: Collection[str], values: Collection[str] = ()) -> Filled:
    """Read a template once. Names are looked for in texts alone: not in the names of members, and never in data.

    A text that is one name and nothing else becomes the value itself, of whatever type.

    Args:
        texts: names that stand for a text, and may stand within a longer one.
        values: names that stand for another value, and must stand alone.

    Raises:
        TemplateError: a name that there is not, or one that must stand alone and does not.
    """
    found = _read(value, frozenset(texts), frozenset(values))
    if callable(found):
        return found
    return lambda given: found


def has_names(text: str) -> bool:
    """Whether there are names in braces in it."""
    return _NAME.search(text) is not None


def address_template(text: str, texts: Collection[str]) -> Callable[[Mapping[str, object]], str]:
    """An address with names behind its host. What is filled in is encoded: it is never a part of the address.

    Raises:
        TemplateError: as above, or a name stands in the host, or a character that an address cannot have.
    """
    if any(char in " #\\" or not char.isprintable() for char in text):
        raise TemplateError("a blank, a # or a \\ in an address is written as %20, %23 or %5C")
    start = text.find("://") + 3 if "://" in text else 0
    host_end = min((at for mark in "/?#" if (at := text.find(mark, start)) >= 0), default=len(text))
    parts = _parts(text, frozenset(texts), frozenset())
    if _NAME.search(text, 0, host_end) is not None and start:
        raise TemplateError("a name in braces may stand only behind the host")

    def filled(given: Mapping[str, object]) -> str:
        return "".join(part if fixed else _encoded(str(given[part])) for fixed, part in parts)

    return filled


def _encoded(text: str) -> str:
    """As data in an address. Dots alone would be a step up in its path."""
    return quote(text, safe="", errors="replace") if text.strip(".") else "%2E" * len(text)


def _read(value: object, texts: frozenset[str], values: frozenset[str]) -> object:
    """A function when there is something to fill in; else the value, as it is."""
    if isinstance(value, str):
        return _read_text(value, texts, values)
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if inner is None and len(value) == 1 and name in texts | values:
                raise TemplateError(f"without quotes this is a group of settings: write it as '{{{name}}}'")
        members = {name: _read(inner, texts, values) for name, inner in value.items()}
        if not any(map(callable, members.values())):
            return members
        return lambda given: {name: inner(given) if callable(inner) else inner for name, inner in members.items()}
    if isinstance(value, list | tuple):
        items = [_read(inner, texts, values) for inner in value]
        if not any(map(callable, items)):
            return items
        return lambda given: [inner(given) if callable(inner) else inner for inner in items]
    return value


def _read_text(text: str, texts: frozenset[str], values: frozenset[str]) -> object:
    parts = _parts(text, texts, values)
    names = [part for fixed, part in parts if not fixed]
    if not names:
        return text
    if len(parts) == 1:
        name = names[0]
        return lambda given: given[name]
    alone = next((name for name in names if name in values), None)
    if alone is not None:
        raise TemplateError(f"{{{alone}}} is a list: it must be the whole value, with no text around it")
    return lambda given: "".join(part if fixed else str(given[part]) for fixed, part in parts)


def _parts(text: str, texts: frozenset[str], values: frozenset[str]) -> list[tuple[bool, str]]:
    """(fixed, text) and (not fixed, name), in order."""
    parts: list[tuple[bool, str]] = []
    end = 0
    for match in _NAME.finditer(text):
        doubled, name = bool(match[1] and match[3]), match[2]
        if name not in texts and name not in values:
            if doubled:
                parts.append((True, f"{text[end : match.start()]}{{{name}}}"))
                end = match.end()
                continue
            raise TemplateError(_unknown(name, texts | values))
        if doubled:
            raise TemplateError(f"write {{{name}}} with single braces")
        parts += [(True, text[end : match.start()] + match[1]), (False, name), (True, match[3])]
        end = match.end()
    parts.append((True, text[end:]))
    return [part for part in parts if part[1]]


def _unknown(name: str, known: frozenset[str]) -> str:
    listed = ", ".join(f"{{{each}}}" for each in sorted(known))
    near = nearest(name, sorted(known))
    hint = f"did you mean {{{near}}}? There is: {listed}" if near else f"there is: {listed}"
    return f"nothing is called {{{name}}}; {hint}. With doubled braces, {{{{{name}}}}}, it is sent as it stands"
