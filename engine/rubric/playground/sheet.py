"""What the page needs to grade by itself: the compiled rubric, patterns in JavaScript, and where numbers are from."""

import dataclasses
import re
from collections.abc import Iterator
from functools import cache

from engine import measures
from engine.rubric import expression as say
from engine.rubric import names, patterns
from engine.rubric.canonical import Json, to_json
from engine.rubric.closures.texts import SHAPE_REACH
from engine.rubric.fold import fold
from engine.rubric.playground.translation import translated
from engine.rubric.syntax import Measured, Rubric, criteria

__all__ = ["sheet"]

_WHOLE_TEXT = 1_000_000_000
_KEPT = {"latency": "latency", "cost": "cost", "number of results": "results", "tool calls": "tools"}


def sheet(rubric: Rubric) -> dict[str, Json]:
    """The rubric in its JSON form, and beside it all that depends on Python.

    Keys: `rubric`; `casefold`, see text.js; `patterns`, by kind, case and source, `source` None where this page
    cannot check one; `quantities`, by the name in a check; `words`, names that stand for a word about the query.
    """
    content = to_json(rubric)
    assert isinstance(content, dict)
    found = tuple(_expressions(rubric))
    numbers = {each.name for each in found if isinstance(each, say.NameNumber)}
    numbers |= {each.grading.name for each in criteria(rubric.root) if isinstance(each.grading, Measured)}
    given = {each.name for each in found if isinstance(each, say.NameGiven)}
    known = {name for name in given if names.quantity(name) is not None}
    said = {each.name for each in found if isinstance(each, say.NameIs)}
    return {
        "rubric": content["rubric"],
        "casefold": dict(_casefold()),
        "patterns": dict(
            _pattern(each) for each in found if isinstance(each, say.Matches | say.LooksLike | say.HasWord)
        ),
        "quantities": {name: _quantity(name) for name in sorted(numbers | known)},
        "words": [*sorted((given - known) | said)],
    }


def _expressions(value: object) -> Iterator[object]:
    """Every noun inside another."""
    if isinstance(value, tuple):
        for each in value:
            yield from _expressions(each)
    elif dataclasses.is_dataclass(value):
        yield value
        for field in dataclasses.fields(value):
            if field.name != "at":
                yield from _expressions(getattr(value, field.name))


def _pattern(check: say.Matches | say.LooksLike | say.HasWord) -> tuple[str, Json]:
    match check:
        case say.Matches():
            key = f"Matches:{'i' if check.any_case else ''}:{check.pattern}"
            source, reach = translated(check.pattern, any_case=check.any_case), patterns.reach(check.pattern)
        case say.LooksLike():
            key, reach = f"LooksLike::{check.shape}", SHAPE_REACH
            source = translated(patterns.shape(check.shape), any_case=True)
        case say.HasWord():
            key, reach = f"HasWord::{check.text}", _WHOLE_TEXT
            source = translated(rf"(?<!\w){re.escape(fold(check.text))}(?!\w)", any_case=False)
    return key, {"source": source, "reach": reach}


def _quantity(name: str) -> Json:
    """Its name in full, its kind, and where the page gets it: `measured` numbers have to be typed in."""
    found = names.quantity(name)
    if found is None:
        return {"name": name, "kind": names.field_number(name).kind, "source": "field"}
    plain = names.plain_name(name)
    measured = "recorded" if measures.measure(plain) is None else "measured"
    source = "citations" if found.name == "citations" else _KEPT.get(found.name, measured)
    return {"name": found.name, "kind": found.kind, "source": source}


@cache
def _casefold() -> tuple[tuple[str, Json], ...]:
    """Characters whose case-folded form is not their lower-case form. There is none above U+1FFFF."""
    every = map(chr, range(0x20000))
    return tuple((char, char.casefold()) for char in every if char.casefold() != char.lower())
