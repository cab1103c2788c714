"""Headings and the lines under them: what each is for, and where it may stand."""

from collections.abc import Iterator

from engine.rubric.editor.keywords import KEYWORDS
from engine.rubric.headings import allowed
from engine.rubric.manual.markdown import code, codes, table
from engine.rubric.words import ALSO, ELSEWHERE, HEADS, MARKS
from engine.rubric.words import KEYWORDS as WORDS

__all__ = ["headings", "other_words", "places", "signs"]

_WHOLE, _PART = ("rubric", "library", "group", "end group"), ("criterion", "checklist")
_COLUMNS = {"rubric": "rubric", "group": "group", "criterion": "criterion …", "checklist": "checklist"}
_ANYWHERE = "anywhere"
_NUMBERED = (
    "a number counts as much; below 0 it describes something bad. `[must]` counts 1, and unless it is met in full the"
    " whole checklist is 0."
)
_INSIDE_RUBRIC = {"use": "the rubric, or the group that it stands in"}


def headings() -> str:
    """Every heading."""
    return table(("heading", "what it says", "for example"), (_row(key) for key in HEADS))


def _row(key: str) -> tuple[str, str, str]:
    keyword = KEYWORDS[key]
    first, _, more = keyword.example.partition("\n")
    return code(f"{key}:"), keyword.about, code(f"{first} …" if more else first)


def places() -> str:
    """Every line that is no heading, and the headings that it may stand under."""
    rows = [(*_row(key), _under(key)) for key in WORDS if key not in HEADS]
    return table(("line", "what it says", "for example", "stands under"), rows)


def _under(key: str) -> str:
    found = [shown for heading, shown in _COLUMNS.items() if key in allowed(heading)]
    return ", ".join(found) or _INSIDE_RUBRIC.get(key, _ANYWHERE)


def signs() -> str:
    """Lines that start with a sign."""
    marks = ", ".join(f"{code(f'[{mark}]')} counts {weight}" for mark, weight in MARKS.items() if mark != "must")
    rows = (
        (code("#"), "A remark for people. It changes nothing.", code("# agreed with the support team")),
        (
            code("# ok"),
            "The next line is meant so; no warning with this code.",
            code("# ok R609: a yes is good"),
        ),
        (code(">"), "Goes on with the text of the line above.", code("> and goes on here")),
        (code("|"), "A level of the scale above.", code("| good | 1.0 | Just what was needed |")),
        (
            code("-"),
            f"An item of a checklist. {marks}, no mark counts 1, {_NUMBERED}",
            code("- [vital] Refunds take 30 days"),
        ),
    )
    return table(("sign", "what it says", "for example"), rows)


def other_words() -> Iterator[str]:
    """Other words for the same thing: those that are taken, and those that only get a message."""
    yield "These are taken too, and `assay rubric format` writes the usual one:"
    yield table(("you write", "it means"), ((code(f"{other}:"), code(f"{word}:")) for other, word in ALSO.items()))
    yield "These are what other tools say. They get a message that names the word of this language (R105):"
    wanted: dict[str, list[str]] = {}
    for other, word in ELSEWHERE.items():
        wanted.setdefault(word, []).append(other)
    yield table(
        ("here it is called", "elsewhere"), ((code(f"{word}:"), codes(others)) for word, others in wanted.items())
    )
