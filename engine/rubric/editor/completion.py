"""What can be written next at a place: keywords that suit the heading, words the grammar allows, names, values."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from engine import measures
from engine.rubric.diagnostic import Line
from engine.rubric.editor.keywords import KEYWORDS, fitting
from engine.rubric.editor.mentions import Sort, declared, mentions
from engine.rubric.editor.page import Page, Place, Row
from engine.rubric.editor.sayings import SAYINGS, SHAPES
from engine.rubric.highlight import text_keys
from engine.rubric.library import TextOf, listed
from engine.rubric.line_tokens import key_at
from engine.rubric.names import FIELDS, NUMBERS, plain_name, quantity
from engine.rubric.numbers import UNITS
from engine.rubric.parse import Failure, parse_line
from engine.rubric.syntax import Combine, Settle
from engine.rubric.words import HEADS, JUDGES, MARKS, SHOW, keyword

__all__ = ["Choice", "What", "about_measure", "completions"]


class What(StrEnum):
    """What kind of thing is offered."""

    KEYWORD = "keyword"
    CHECK = "check"
    WORD = "word"
    NAME = "name"
    VALUE = "value"
    MEASURE = "measure"
    UNIT = "unit"


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to write, from the column `start` up to where the author stands."""

    text: str
    what: What
    start: int
    about: str = ""


@dataclass(frozen=True, slots=True)
class _Desk:
    """Where the author stands. `before` is the line up to there, look-alikes folded."""

    page: Page
    row: int
    before: str
    library: TextOf

    @property
    def start(self) -> int:
        """Where the last word before the author begins."""
        last = re.search(r"[\w@.'’/-]*$", self.before)
        return last.start() if last else len(self.before)

    def choices(self, texts: Iterable[str], what: What, about: str = "") -> Iterator[Choice]:
        return (Choice(text, what, self.start, about) for text in texts)

    def titles(self, sort: Sort) -> list[str]:
        """Names of a sort, as they are written, here and in used files."""
        found = declared(self.page, self.library)
        return list(dict.fromkeys(each.span.text for _, each in found if each.sort is sort))


def completions(page: Page, place: Place, library: TextOf) -> tuple[Choice, ...]:
    """Everything that makes sense at a place, the likeliest first."""
    line = page.rows[place.row].line
    desk = _Desk(page, place.row, line.folded[: place.column], library)
    key = key_at(desk.before)
    start = len(desk.before) - len(desk.before.lstrip())
    if key is None:
        found = _start_of_line(desk, start)
    else:
        found = _after(desk, keyword(desk.before[key.start : key.end]), key.end)
    typed = {choice: desk.before[choice.start :].lstrip() for choice in found}
    return tuple(choice for choice, said in typed.items() if choice.text.casefold().startswith(said.casefold()))


# ---- a new line ---------------------------------------------------------------------------------


def _start_of_line(desk: _Desk, start: int) -> list[Choice]:
    said = desk.before[start:]
    if said[:1] in "#|>-*•" and said:
        marks = MARKS if re.fullmatch(r"[-*•]\s*\[[^\]]*", said) else ()
        return [Choice(f"[{mark}] ", What.VALUE, desk.before.rindex("["), "what the item weighs") for mark in marks]
    heading, present, last = _above(desk)
    found = [
        Choice(key if key == "end group" else f"{key}: ", What.KEYWORD, start, KEYWORDS[key].about)
        for key in fitting(heading, present)
    ]
    if last in ("scale", "define scale", "|"):
        found.insert(0, Choice("| label | 1 | what it means |", What.VALUE, start, "a level of the scale"))
    if heading == "checklist":
        found.insert(0, Choice("- ", What.VALUE, start, "an item of the checklist"))
    return found


def _above(desk: _Desk) -> tuple[str, frozenset[str], str]:
    """The kind of heading that the line stands under, the keys already under it, and the key of the line above."""
    present: set[str] = set()
    last = ""
    for row in reversed(desk.page.rows[: desk.row]):
        last = last or row.key
        if row.key in HEADS and row.key != "end group":
            kind = {"rubric": "rubric", "library": "rubric", "group": "group", "checklist": "checklist"}
            return kind.get(row.key, "criterion"), frozenset({*present, *_below(desk)}), last
        present.add(row.key)
    return "", frozenset(present), last


def _below(desk: _Desk) -> Iterator[str]:
    for row in desk.page.rows[desk.row + 1 :]:
        if row.key in HEADS:
            return
        yield row.key


# ---- after a keyword ----------------------------------------------------------------------------


def _after(desk: _Desk, key: str, end: int) -> list[Choice]:
    opened = _opened(desk.before, end)
    if opened == "{":
        return _bracketed(desk, "{", "}", desk.titles(Sort.SETTING))
    if key == "show":
        return list(desk.choices(SHOW, What.VALUE))
    if key == "use" and opened == '"':
        start = desk.before.rindex('"')
        return [Choice(f'"{name}"', What.NAME, start) for name in sorted(listed(desk.library))]
    if key in text_keys() or opened == '"':
        return []
    if opened == "[":
        return _bracketed(desk, "[", "]", _names_for(desk, key))
    values = _values(desk, key)
    if values is not None:
        return [Choice(text, what, _value_start(desk.before, end), about) for text, what, about in values]
    return _grammar(desk, key, end)


def _opened(before: str, start: int) -> str:
    """The bracket or quote that is open where the author stands, or nothing."""
    opened = ""
    for char in before[start:]:
        if opened and char == {"[": "]", "{": "}", '"': '"'}[opened]:
            opened = ""
        elif not opened and char in '[{"':
            opened = char
    return opened


def _bracketed(desk: _Desk, opening: str, closing: str, names: Iterable[str]) -> list[Choice]:
    start = desk.before.rindex(opening)
    return [Choice(f"{opening}{name}{closing}", What.NAME, start) for name in names]


def _names_for(desk: _Desk, key: str) -> list[str]:
    if key != "use":
        return desk.titles(Sort.PART)
    row = desk.page.rows[desk.row]
    file = next((each for each in mentions(desk.page) if each.sort is Sort.FILE and each.span.line == row.line), None)
    text = None if file is None else desk.library(file.span.text.strip())
    if file is None or text is None:
        return []
    other = mentions(Page.of(text, file.name))
    return [each.span.text for each in other if each.declares and each.sort in (Sort.PART, Sort.SCALE)]


def _value_start(before: str, end: int) -> int:
    """Where the value begins; after the last comma of a list."""
    comma = before.rfind(",", end)
    start = end if comma < 0 else comma + 1
    how_many = re.match(r"\s*(?:\d+\s+)?", before[start:])  # judge: 2 llm
    return start + (how_many.end() if how_many else 0)


_Value = tuple[str, What, str]


def _values(desk: _Desk, key: str) -> list[_Value] | None:
    """The values of keywords that take one of a list; None for every other keyword."""
    match key:
        case "scale":
            own = [(name, What.NAME, "") for name in desk.titles(Sort.SCALE)]
            return [*own, ("yes or no", What.VALUE, "the usual scale"), ("1 to 5", What.VALUE, "points")]
        case "combine":
            return [(each.value + (" 2" if each is Combine.AT_LEAST else ""), What.VALUE, "") for each in Combine]
        case "combine judges":
            return [(each.value, What.VALUE, "") for each in Settle]
        case "judge":
            return [(each, What.VALUE, "") for each in dict.fromkeys(JUDGES.values())]
        case "partial credit" | "allow n/a":
            return [("yes", What.VALUE, ""), ("no", What.VALUE, "")]
        case "measure" if "," not in desk.before and " full" not in desk.before:
            return [*_measures()]
        case "group" | "end group":
            groups = [row.said.rpartition(">")[2].strip() for row in desk.page.rows[: desk.row] if row.key == "group"]
            end = " > " if key == "group" else ""
            return [(f"{name}{end}", What.NAME, "") for name in dict.fromkeys(groups)]
        case _ if key in HEADS or key in ("version", "weight", "pass mark", "quorum", "define scale", "language"):
            return []
        case _:
            return None


def _measures() -> Iterator[_Value]:
    for name in (*measures.names(), *NUMBERS):
        found = quantity(name)
        marks = f", {found.example}" if found and found.example else ""
        yield name + marks, What.MEASURE, about_measure(name)


def about_measure(name: str) -> str:
    """One sentence about a measure, or nothing."""
    bound = measures.measure(name)
    return "" if bound is None else bound.measure.about


# ---- what the grammar allows --------------------------------------------------------------------

_UNFINISHED = "¤"  # no word of the language has it, so the grammar stops there and says what it would have taken
_LONGEST_SAYING = 4  # words
_WHOLE_SCORE = frozenset({"SCORE", "ANY_MUST", "ALL_MUSTS", "UNGRADED"})
_SENSELESS = {"check": _WHOLE_SCORE, "only when": _WHOLE_SCORE}  # the grammar allows them, and R509 does not


def _grammar(desk: _Desk, key: str, end: int) -> list[Choice]:
    """Words that may follow. The author may be in the middle of a saying, so several beginnings are tried."""
    found: dict[str, Choice] = {}
    starts = [match.start() for match in re.finditer(r"(?<!\S)\S", desk.before[end:])]
    for start in [len(desk.before), *(end + each for each in reversed(starts[-_LONGEST_SAYING:]))]:
        expected = _expected(desk.before[:start])
        for choice in _offered(desk, start, expected - _SENSELESS.get(key, frozenset())):
            found.setdefault(choice.text, choice)
    return list(found.values())


def _expected(prefix: str) -> frozenset[str]:
    text = f"{prefix} {_UNFINISHED}"
    stop = parse_line(Line("", 1, text, text))
    at_the_end = isinstance(stop, Failure) and stop.column == len(prefix) + 1
    return stop.expected if isinstance(stop, Failure) and at_the_end else frozenset()


def _offered(desk: _Desk, start: int, expected: frozenset[str]) -> Iterator[Choice]:
    if start == len(desk.before) and desk.before[-1:].strip(' :([,{"'):
        return  # the word before has not ended
    if "ANSWER" not in expected and "WORD" in expected:
        yield from (Choice(value, What.VALUE, start) for value in _field_values(desk, desk.before[:start]))
    for name, sayings in SAYINGS.items():
        if name in expected:
            yield from (Choice(_fitting(saying, expected), What.WORD, start) for saying in sayings)
    if "ANSWER" in expected:
        yield from (Choice(name, What.MEASURE, start, about_measure(name)) for name in (*measures.names(), *NUMBERS))
        yield from (Choice(name, What.NAME, start, "recorded about each question") for name in _fields(desk))
        yield from (Choice(shape.example, What.CHECK, start, shape.about) for shape in SHAPES)
    if "REF" in expected:
        yield from (Choice(f"[{title}]", What.NAME, start) for title in desk.titles(Sort.PART))
    if "UNIT" in expected:
        yield from (Choice(unit, What.UNIT, start) for unit in _units(desk.before[:start]))


def _fitting(saying: str, expected: frozenset[str]) -> str:
    """A field is `one of` its values; an answer contains `any of` some texts."""
    return "one of" if saying == "any of" and expected & {"WORD", "TYPE"} else saying


def _fields(desk: _Desk) -> list[str]:
    return list(dict.fromkeys((*desk.titles(Sort.FIELD), *FIELDS)))


def _field_values(desk: _Desk, before: str) -> list[str]:
    """The values of the field that the words before speak of: `intent is not one of lookup, `."""
    subject = re.search(r"([^\W\d][\w '’-]*?)\s+(?:is|are)(?:\s+not)?(?:\s+(?:one|any)\s+of\b.*)?\s*$", before, re.I)
    row = next((row for row in desk.page.rows if subject and row.key == "field" and _of(row, subject[1])), None)
    if row is None:
        return []
    values = re.split(r"\b(?:one|any)\s+of\s+", row.said, maxsplit=1, flags=re.I)[-1]
    return [value.strip(" .") for value in re.split(r",|\bor\b|\band\b", values)] if values != row.said else []


def _of(row: Row, subject: str) -> bool:
    """The row declares the field that ends what was said: `and intent`."""
    name = plain_name(re.split(r"\s+(?:is|are)\b|=", row.said, maxsplit=1)[0])
    return f" {plain_name(subject)}".endswith(f" {name}")


def _units(before: str) -> list[str]:
    units = {unit.name: unit.kind for unit in UNITS.values()}
    spoken_of = re.search(r"([\w@ -]+?)\s*(?:,|\b(?:is|has|full|no)\b)", before.partition(":")[2])
    name = spoken_of[1].strip() if spoken_of else ""
    found = quantity(name.rpartition(" and ")[2])
    kind = "text" if found is None else found.kind
    return [unit for unit, its_kind in units.items() if its_kind == kind]
