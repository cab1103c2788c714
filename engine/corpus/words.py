"""A question's words as an FTS5 expression. Pure: the only place where foreign text meets FTS5's syntax."""

import re
import unicodedata
from enum import StrEnum

__all__ = ["Match", "Tokens", "expression", "words"]


class Match(StrEnum):
    """Whether a section must hold one of the question's words, or every one."""

    ANY = "any"
    ALL = "all"


class Tokens(StrEnum):
    """FTS5's tokenizers: what counts as a word."""

    UNICODE61 = "unicode61"
    ASCII = "ascii"
    TRIGRAM = "trigram"


_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
# FTS5's `ascii` takes every character beyond ASCII for a letter. Lone surrogates cannot be written as UTF-8.
_ASCII_TOKEN = re.compile("[A-Za-z0-9\u0080-\ud7ff\ue000-\U0010ffff]+")
_SHORTEST_TRIGRAM = 3


def words(text: str, tokens: Tokens) -> tuple[str, ...]:
    """The different words of a text in their order, split as the tokenizer splits; none is a fine answer."""
    if tokens is Tokens.ASCII:
        found = _ASCII_TOKEN.findall(text)
    elif text.isascii():
        found = _ASCII_WORD.findall(text)
    else:
        found = "".join(char if _in_word(char) else " " for char in text).split(" ")
    shortest = _SHORTEST_TRIGRAM if tokens is Tokens.TRIGRAM else 1
    kept: dict[str, str] = {}
    for word in found:
        if len(word) >= shortest and not _only_marks(word):
            kept.setdefault(word.lower(), word)
    return tuple(kept.values())


def expression(found: tuple[str, ...], match: Match) -> str:
    """Every word as a quoted string, so that AND, NEAR, `*`, `:` or `"` in a question are never operators."""
    joiner = " AND " if match is Match.ALL else " OR "
    return joiner.join('"' + word.replace('"', '""') + '"' for word in found)


def _in_word(char: str) -> bool:
    """Letters, numbers, the marks that belong to a letter, and private use: what `unicode61` keeps together."""
    category = unicodedata.category(char)
    return category[0] in "LNM" or category == "Co"


def _only_marks(word: str) -> bool:
    return all(unicodedata.category(char)[0] == "M" for char in word)
