"""Content words of a query or a text, cut to a rough stem. English endings only; never shown to anybody."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

__all__ = ["content_stems", "stems"]

_WORD = re.compile(r"[^\W_]+")
_PLAIN = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
# Scripts written without blanks (Thai to Lao, Myanmar, Khmer, kana, Han): a run of them is a clause,
# not a word, so it cannot be counted here.
_UNSPACED = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3040, 0x30FF),
    (0x3400, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
_STOP = frozenset(
    """
    about after all also and any are because been before being between both but can cannot could did does doing don
    down during each few for from get had has have having her here him his how into its just like many may might more
    most much must not now off one only other our out over own same shall she should some such than that the their
    them then there these they this those through too under until very was were what when where which while who whom
    whose why will with would you your
    """.split()  # noqa: SIM905 (a list of words reads better as a paragraph)
)
# Longest first, so that "ation" is not left as "at" + "ion".
_ENDINGS = (
    "ations", "ation", "ments", "ating", "ators", "ings", "ions", "ment", "ator", "ates", "ated",
    "ing", "ion", "ies", "ied", "ers", "ate", "ed", "es", "er", "ly", "s", "e", "y",
)  # fmt: skip


def content_stems(query: str) -> frozenset[str]:
    """The distinct words that carry the question: three letters or digits at least, and no stop word."""
    return frozenset(
        _stem(word) for word in _words(query) if len(word) >= 3 and word not in _STOP and not _is_clause(word)
    )


def stems(text: str) -> Iterator[str]:
    """Every word of a text in order, cut to the same stems."""
    return map(_stem, _words(text))


def _words(text: str) -> list[str]:
    if text.isascii():  # the same words, at a fifth of the price
        return text.translate(_PLAIN).split()
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _is_clause(word: str) -> bool:
    return not word.isascii() and any(low <= ord(char) <= high for char in word for low, high in _UNSPACED)


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    """`configure`, `configuring` and `configurations` share one stem; three letters always stay."""
    for ending in _ENDINGS:
        if len(word) - len(ending) >= 3 and word.endswith(ending):
            word = word.removesuffix(ending)
            break
    # running → runn → run, and full stays beside fully.
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1].isalpha() else word
