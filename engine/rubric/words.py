"""The words of the language: keywords, what they are also called, and what other tools call them."""

import re

from engine.text import nearest, one_slip

__all__ = ["ALSO", "ELSEWHERE", "HEADS", "JUDGES", "KEYWORDS", "MARKS", "SHOW", "key_of", "keyword", "likely", "meant"]

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
ALSO = {
    "section": "group",
    "question": "ask",
    "points": "weight",
    "point": "weight",
    "tag": "tags",
    "judges": "judge",
}

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

JUDGES = {
    "llm": "llm",
    "llms": "llm",
    "model": "llm",
    "models": "llm",
    "human": "human",
    "humans": "human",
    "person": "human",
    "people": "human",
}
"""Who can judge, as it may be written."""

MARKS = {"must": "1", "vital": "2", "okay": "1", "minor": "0.5"}
"""What an item of a checklist may be marked with, and what it weighs."""

SHOW = ("question", "answer", "expected answer", "passages", "results", "conversation", "tool calls")

_BLANKS = re.compile(r"\s+")


def key_of(text: str) -> str:
    """`Must  Not :` → `must not`."""
    return _BLANKS.sub(" ", text.strip().removesuffix(":").strip()).casefold()


def keyword(text: str) -> str:
    """The one name of a keyword as it was written."""
    key = key_of(text)
    return ALSO.get(key, key)


def meant(key: str) -> str | None:
    """The keyword somebody most likely meant to write."""
    return next(iter(likely(key)), None)


def likely(key: str) -> tuple[str, ...]:
    """The keywords somebody may have meant to write, the likeliest first; most often there is one."""
    every = (*KEYWORDS, *ALSO)
    squeezed = {_squeeze(word): word for word in every}
    wanted = _squeeze(key)
    if wanted in squeezed:
        return (squeezed[wanted],)
    near = tuple(word for plain, word in squeezed.items() if one_slip(wanted, plain))
    if near:
        return near
    far = nearest(key, every)
    return (far,) if far else ()


def _squeeze(word: str) -> str:
    return word.replace(" ", "").replace("-", "").replace("_", "")
