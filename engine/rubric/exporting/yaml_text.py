"""Plain values as YAML text that every reader understands alike. Writing only; the same value gives the same text."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from engine.rubric.numbers import plain
from engine.text import harmless, safe

__all__ = ["Yaml", "yaml_text"]

Yaml = str | bool | Decimal | Sequence["Yaml"] | Mapping[str, "Yaml"]

_JOINERS = "\u200c\u200d"
_PLAIN = re.compile(r"[A-Za-z][A-Za-z-]*")
_WORDS = frozenset({"yes", "no", "on", "off", "true", "false", "null", "y", "n"})


def yaml_text(value: Mapping[str, Yaml]) -> str:
    """The text of a mapping in block style; texts that a reader could take for something else stand in quotes."""
    return "\n".join(_mapping(value, "")) + "\n"


def _mapping(value: Mapping[str, Yaml], indent: str) -> Iterator[str]:
    for key, inner in value.items():
        yield from _under(f"{indent}{_scalar(key)}:", inner, indent)


def _under(start: str, value: Yaml, indent: str) -> Iterator[str]:
    """A value after the key or the dash that it belongs to."""
    if isinstance(value, str) and "\n" in value and _simple(value):
        yield f"{start} |-"
        yield from (f"{indent}  {row}" for row in value.split("\n"))
    elif isinstance(value, str | bool | Decimal):
        yield f"{start} {_scalar(value)}"
    elif not value:
        yield f"{start} {'{}' if isinstance(value, Mapping) else '[]'}"
    elif isinstance(value, Mapping):
        yield start
        yield from _mapping(value, f"{indent}  ")
    else:
        yield start
        for each in value:
            yield from _item(each, f"{indent}  ")


def _item(value: Yaml, indent: str) -> Iterator[str]:
    """One item of a list; a mapping begins on the line of its dash."""
    if isinstance(value, Mapping) and value:
        for number, row in enumerate(_mapping(value, f"{indent}  ")):
            yield f"{indent}- {row.removeprefix(indent + '  ')}" if not number else row
    else:
        yield from _under(f"{indent}-", value, indent)


def _scalar(value: str | bool | Decimal) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return plain(value)
    if _PLAIN.fullmatch(value) and value.casefold() not in _WORDS:
        return value
    return "".join(_sign(char) for char in json.dumps(value, ensure_ascii=False))


def _sign(char: str) -> str:
    """What nobody could see, and what YAML may not hold, is written with its number."""
    if safe(char) == char and char not in "\ufffe\uffff" and char not in _JOINERS:
        return char
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def _simple(text: str) -> bool:
    """It can stand as it is: no line begins or ends with a blank, nothing is hidden, and no CI system obeys a line."""
    rows = text.split("\n")
    if any(harmless(row) != row for row in rows):
        return False
    return text.replace("\n", "").isprintable() and all(row and row == row.strip() for row in rows)
