"""A rubric as JSON and back, and the hash of what it means. Needs no grammar, so a run can skip the parser."""

import dataclasses
import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from functools import cache

from engine.rubric import expression, syntax
from engine.rubric.diagnostic import Span
from engine.rubric.syntax import Criterion, Rubric

__all__ = ["LANGUAGE", "Json", "criterion_sha256", "from_json", "meaning_sha256", "to_json"]

LANGUAGE = 1
"""Version of the language and of this JSON form. Another version is read from the text again."""

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

_NOUNS: Mapping[str, type] = {
    name: noun
    for module in (syntax, expression)
    for name, noun in vars(module).items()
    if name in module.__all__ and dataclasses.is_dataclass(noun) and isinstance(noun, type)
}
_KIND = "is"


def to_json(rubric: Rubric) -> Json:
    """Everything but places. Numbers that are decimals are JSON numbers with a point."""
    return {"language": LANGUAGE, "rubric": _encode(rubric)}


def from_json(data: Json) -> Rubric:
    """The rubric again.

    Raises:
        ValueError: it was written by another version of the language, or is no rubric at all.
    """
    content = data if isinstance(data, dict) else {}
    if content.get("language") != LANGUAGE:
        raise ValueError("written by another version of the rubric language")
    try:
        rubric = _decode(content.get("rubric"))
    except (TypeError, KeyError, ArithmeticError, ValueError) as fault:
        raise ValueError(f"not a rubric: {fault}") from fault
    if isinstance(rubric, Rubric):
        return rubric
    raise ValueError("not a rubric")


def meaning_sha256(rubric: Rubric) -> str:
    """Of what decides a score or a verdict; layout, remarks, order, owner, about and notes are outside."""
    kept = dataclasses.replace(rubric, version=0, about="", owner="", note="", sha256="", title="", id="", scales=())
    return _sha256(_meaning(kept))


def criterion_sha256(criterion: Criterion) -> str:
    """Of what a label on this criterion depends on: weights and marks are outside."""
    polarity = syntax.Role.PENALTY if criterion.role.bad else syntax.Role.CRITERION
    kept = dataclasses.replace(criterion, id="", role=polarity, weight=None, pass_mark=None, only_when=None)
    return _sha256(_meaning(kept))


def _encode(value: object) -> Json:
    if isinstance(value, StrEnum):
        return value.value
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, tuple):
        return [_encode(each) for each in value]
    noun = type(value)
    coded: dict[str, Json] = {_KIND: noun.__name__}
    for name, default in _fields(noun.__name__):
        inner = getattr(value, name)
        if default is _MISSING or inner != default:
            coded[name] = _encode(inner)
    return coded


_MISSING = object()
_ENUMS: Mapping[str, type[StrEnum]] = {"role": syntax.Role, "combine": syntax.Combine}
_DECIMALS = frozenset({"low", "high", "score", "value", "full", "none", "at_most", "pass_mark"})


@cache
def _fields(noun: str) -> tuple[tuple[str, object], ...]:
    """Field names of a noun with their defaults; places are left out."""
    return tuple(
        (each.name, _MISSING if each.default is dataclasses.MISSING else each.default)
        for each in dataclasses.fields(_NOUNS[noun])
        if not isinstance(each.default, Span)
    )


def _decode(data: Json) -> object:
    if isinstance(data, list):
        return tuple(_decode(each) for each in data)
    if not isinstance(data, dict):
        return data
    noun = _NOUNS[str(data[_KIND])]
    return noun(**{name: _field(name, inner) for name, inner in data.items() if name != _KIND})


def _field(name: str, data: Json) -> object:
    if name in _ENUMS and isinstance(data, str):
        return _ENUMS[name](data)
    if name in _DECIMALS and isinstance(data, int | float):  # some writers turn 1.0 into 1
        return Decimal(repr(data))
    return _decode(data)


# ---- meaning ----------------------------------------------------------------------------------

_OUTSIDE = frozenset({"note", "said", "tags", "title", "at", "about"})
_ANY_ORDER = frozenset({"members", "checks", "tags", "caps", "fields", "show"})
_QUOTES = str.maketrans("“”„«»‘’‚", '"""""\'\'\'')
_BLANKS = re.compile(r"\s+")


def _meaning(value: object) -> Json:
    """The encoded form without what does not matter, every list that has no order sorted."""
    if isinstance(value, str) and not isinstance(value, StrEnum):
        return _BLANKS.sub(" ", unicodedata.normalize("NFC", value.translate(_QUOTES))).strip()
    if isinstance(value, tuple):
        return [_meaning(each) for each in value]
    if not dataclasses.is_dataclass(value):
        return _encode(value)
    value = _bare(value)
    coded: dict[str, Json] = {_KIND: type(value).__name__}
    for name, default in _fields(type(value).__name__):
        inner = getattr(value, name)
        if name in _OUTSIDE or (default is not _MISSING and inner == default):
            continue
        part = _meaning(inner)
        coded[name] = sorted(part, key=_text) if name in _ANY_ORDER and isinstance(part, list) else part
    return coded


def _bare(value: object) -> object:
    """Without what only a judge would read where no judge is asked, and without the name of a scale."""
    if isinstance(value, syntax.Scale):
        return dataclasses.replace(value, name="")
    if isinstance(value, syntax.Weight):
        return dataclasses.replace(value, percent=False)
    if isinstance(value, syntax.Criterion) and not isinstance(value.grading, syntax.Asked):
        return dataclasses.replace(value, good=(), bad=(), guidance="", show=())
    return value


def _text(value: Json) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _sha256(meaning: Json) -> str:
    return hashlib.sha256(_text(meaning).encode("utf-8", "surrogatepass")).hexdigest()
