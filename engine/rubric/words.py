"""The words of the language: keywords, what they are also called, and what other tools call them."""

import re
from collections.abc import Iterable

from engine.text import nearest

__all__ = ["ELSEWHERE", "HEADS", "KEYWORDS", "LATER", "SHOW", "key_of", "keyword", "meant"]

HEADS = (
    "rubric",
    "library",
    "group",
    "end group",
    "criterion",
    "must",
    "must not",
    "penalty",
    "bonus",
    "info",
    "checklist",
)
KEYWORDS = (
    *HEADS,
    "version",
    "owner",
    "about",
    "note",
    "id",
    "tags",
    "language",
    "weight",
    "pass mark",
    "only when",
    "check",
    "measure",
    "ask",
    "scale",
    "define scale",
    "guidance",
    "good example",
    "bad example",
    "show",
    "partial credit",
    "combine",
    "combine judges",
    "allow n/a",
    "minimum graded",
    "quorum",
    "disagreement limit",
    "judge",
    "field",
    "setting",
    "use",
    "cap",
    "verdict",
)
_ALSO = {
    "section": "group",
    "question": "ask",
    "points": "weight",
    "point": "weight",
    "tag": "tags",
    "judges": "judge",
}

# Keywords that are read and that this version has no grader for. Each is one clear error (R901).
LATER = (
    "checklist",
    "judge",
    "combine judges",
    "quorum",
    "disagreement limit",
    "allow n/a",
    "minimum graded",
    "language",
)

# What the same thing is called in other tools and in everyday speech.
ELSEWHERE = {
    "threshold": "pass mark",
    "passing score": "pass mark",
    "pass score": "pass mark",
    "minimum score": "pass mark",
    "cutoff": "pass mark",
    "prompt": "ask",
    "evaluate": "ask",
    "llm": "ask",
    "llm-rubric": "ask",
    "assert": "check",
    "assertion": "check",
    "test": "check",
    "rule": "check",
    "expect": "check",
    "metric": "measure",
    "metrics": "measure",
    "dimension": "criterion",
    "category": "group",
    "description": "about",
    "title": "rubric",
    "name": "rubric",
    "author": "owner",
    "comment": "note",
    "remark": "note",
    "hint": "guidance",
    "instructions": "guidance",
    "condition": "only when",
    "if": "only when",
    "when": "only when",
    "levels": "scale",
    "grades": "scale",
    "import": "use",
    "include": "use",
    "required": "must",
    "forbidden": "must not",
    "extra credit": "bonus",
    "variable": "setting",
    "parameter": "setting",
    "limit": "cap",
    "ceiling": "cap",
    "result": "verdict",
    "outcome": "verdict",
    "decision": "verdict",
}

SHOW = ("question", "answer", "expected answer", "passages", "results", "conversation", "tool calls")

_BLANKS = re.compile(r"\s+")


def key_of(text: str) -> str:
    """`Must  Not :` → `must not`."""
    return _BLANKS.sub(" ", text.strip().removesuffix(":").strip()).casefold()


def keyword(text: str) -> str:
    """The one name of a keyword as it was written."""
    key = key_of(text)
    return _ALSO.get(key, key)


def meant(key: str) -> str | None:
    """The keyword somebody most likely meant to write."""
    squeezed = {_squeeze(word): word for word in (*KEYWORDS, *_ALSO)}
    if _squeeze(key) in squeezed:
        return squeezed[_squeeze(key)]
    return _swapped(key, squeezed.values()) or nearest(key, (*KEYWORDS, *_ALSO))


def _squeeze(word: str) -> str:
    return word.replace(" ", "").replace("-", "").replace("_", "")


def _swapped(key: str, words: Iterable[str]) -> str | None:
    """One slip of the finger away: a letter more, less, changed or swapped with its neighbour."""
    near = [word for word in words if _one_slip(key, word)]
    return near[0] if len(near) == 1 else None


def _one_slip(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    left, right = one[start:], other[start:]
    swapped = len(left) > 1 and left[1::-1] + left[2:] == right
    return left[1:] == right or right[1:] == left or left[1:] == right[1:] or swapped
