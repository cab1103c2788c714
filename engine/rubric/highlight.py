"""What each piece of a rubric line is, for colouring: one table, from the words and the grammar of the language.

The Pygments lexer, the TextMate grammar and the editor tools all read this table, so a new keyword or a
new word of the grammar has its colour everywhere by itself.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from engine.rubric.words import ALSO, HEADS, KEYWORDS

__all__ = [
    "BULLETS",
    "KEY_END",
    "Kind",
    "Rule",
    "Terminal",
    "heading_keys",
    "inline",
    "rows",
    "spelled",
    "structured_keys",
    "terminals",
    "text_keys",
]


class Kind(StrEnum):
    """What a piece of a line is. The value is for people; `scope` and `pygments` are what tools call it."""

    REMARK = "remark"
    HEADING = "heading"
    TITLE = "title"
    KEY = "keyword"
    TEXT = "text"
    STRING = "text in quotes"
    PATTERN = "pattern"
    NAME = "name in brackets"
    SETTING = "setting in braces"
    NUMBER = "number"
    UNIT = "unit"
    SUBJECT = "what is looked at"
    WORD = "word of the language"
    OTHER = "other word"
    MARK = "mark"

    @property
    def scope(self) -> str:
        """The name that TextMate themes know."""
        return _TOOLS[self][0]

    @property
    def pygments(self) -> str:
        """The token type of Pygments, as a dotted name."""
        return _TOOLS[self][1]


_TOOLS = {
    Kind.REMARK: ("comment.line.number-sign", "Comment.Single"),
    Kind.HEADING: ("keyword.control.heading", "Keyword.Declaration"),
    Kind.TITLE: ("entity.name.section", "Generic.Heading"),
    Kind.KEY: ("keyword.other", "Keyword"),
    Kind.TEXT: ("string.unquoted", "Text"),
    Kind.STRING: ("string.quoted", "Literal.String"),
    Kind.PATTERN: ("string.regexp", "Literal.String.Regex"),
    Kind.NAME: ("entity.name.tag", "Name.Label"),
    Kind.SETTING: ("variable.parameter", "Name.Variable"),
    Kind.NUMBER: ("constant.numeric", "Literal.Number"),
    Kind.UNIT: ("keyword.other.unit", "Keyword.Type"),
    Kind.SUBJECT: ("support.class", "Name.Builtin"),
    Kind.WORD: ("keyword.operator.word", "Operator.Word"),
    Kind.OTHER: ("variable.other", "Name"),
    Kind.MARK: ("punctuation", "Punctuation"),
}


@dataclass(frozen=True, slots=True)
class Rule:
    """What a pattern finds. Patterns mean the same to Python and to the Oniguruma of editors."""

    kind: Kind
    pattern: str


KEY_END = r"[ \t]*:"
BULLETS = "-*•–—·"
_SUBJECTS = frozenset(
    {"ANSWER", "TOOL", "RESULTS", "TOP_RESULT", "SCORE", "EXPECTED", "ANY_MUST", "ALL_MUSTS", "EVERYTHING"}
)
_KINDS = {
    "STRING": Kind.STRING,
    "REGEX": Kind.PATTERN,
    "REF": Kind.NAME,
    "PARAM": Kind.SETTING,
    "NUMBER": Kind.NUMBER,
    "MONEY": Kind.NUMBER,
    "UNIT": Kind.UNIT,
    "TYPE": Kind.UNIT,
    "WORD": Kind.OTHER,
    **dict.fromkeys(_SUBJECTS, Kind.SUBJECT),
}
# Terminals that make sense only at the start of a line or as the rest of it.
_WHOLE_LINE = re.compile(r"[A-Z_]*KEY|K_\w+|HEAD|DEFINE|BULLET|CONT|STRAY|TEXT|VBAR|CELL|_NL")
_TERMINAL = re.compile(r"^(\w+?)(?:\.(\d+))?:\s+/(.*)/(i?)(?:\s*//.*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Terminal:
    """A word of the grammar as a pattern; `flag` is `i` where capital letters do not matter."""

    priority: int
    pattern: str
    flag: str


@cache
def terminals() -> Mapping[str, Terminal]:
    """The words of the grammar that are patterns, by name."""
    grammar = Path(__file__).with_name("rubric.lark").read_text(encoding="utf-8")
    found = _TERMINAL.findall(grammar)
    return {name: Terminal(int(first or 0), pattern, flag) for name, first, pattern, flag in found}


@cache
def inline() -> tuple[Rule, ...]:
    """The words of a structured line, in the order in which they are tried."""
    words = [(name, found) for name, found in terminals().items() if not _WHOLE_LINE.fullmatch(name)]
    words.sort(key=lambda word: (-word[1].priority, -len(word[1].pattern)))  # as the grammar's own lexer tries them
    rules = (Rule(_KINDS.get(name, Kind.WORD), _portable(found)) for name, found in words)
    return (*rules, Rule(Kind.MARK, r"[,()=]"))


def _portable(terminal: Terminal) -> str:
    pattern = terminal.pattern.replace(r"\/", "/")
    return f"(?i:{pattern})" if terminal.flag else pattern


@cache
def rows() -> tuple[Rule, ...]:
    """The cells of a table row."""
    number = r"[+−-]?\d+(?:\.\d+)?(?:[ \t]*[-–—][ \t]*\d+(?:\.\d+)?)?(?:[ \t]*%)?(?=[ \t]*(?:\||$))"
    return (
        Rule(Kind.MARK, r"\|"),
        Rule(Kind.NUMBER, number),
        Rule(Kind.SETTING, terminals()["PARAM"].pattern),
        Rule(Kind.TEXT, r"(?:\\\||[^|\s{])(?:\\\||[^|\n{])*"),
    )


# ---- the key of a line --------------------------------------------------------------------------


def heading_keys() -> tuple[str, ...]:
    """Keywords whose value is a title, the longest first."""
    return _longest_first(key for key in _all_keys() if ALSO.get(key, key) in HEADS)


def text_keys() -> tuple[str, ...]:
    """Keywords whose value is free text, the longest first."""
    text = re.compile(terminals()["TEXTKEY"].pattern, re.IGNORECASE)
    return _longest_first(key for key in _all_keys() if text.fullmatch(f"{key}:") and key not in heading_keys())


def structured_keys() -> tuple[str, ...]:
    """Keywords whose value is made of words of the language, the longest first."""
    others = {*heading_keys(), *text_keys()}
    return _longest_first(key for key in _all_keys() if key not in others)


def _all_keys() -> tuple[str, ...]:
    return (*KEYWORDS, *ALSO)


def _longest_first(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(keys, key=lambda key: (-len(key), key)))


def spelled(keys: tuple[str, ...]) -> str:
    """A pattern for any of the keywords, with any blanks between their words."""
    return "|".join(re.escape(key).replace(r"\ ", r"[ \t]+") for key in keys)
