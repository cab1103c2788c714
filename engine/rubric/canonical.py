"""A rubric as JSON and back, and the two hashes of what it means. Needs no grammar, so a run can skip the parser."""

import dataclasses
import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from decimal import Context, Decimal
from enum import StrEnum
from functools import cache
from typing import get_args

from engine.rubric import expression, syntax
from engine.rubric.diagnostic import Span
from engine.rubric.syntax import Asked, Checklist, Criterion, Group, Item, Rubric

__all__ = ["LANGUAGE", "Json", "criterion_sha256", "from_json", "meaning_of", "meaning_sha256", "to_json"]

LANGUAGE = 2
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
    """Of what decides a score or a verdict. A score binds to it.

    Inside: the tree of ids, kinds, weights, conditions, pass marks, combiners, judges and criterion hashes; caps
    and verdicts. Outside: everything else, and the order of all but verdicts and the rows of a scale.
    """
    caps = _sorted(meaning_of(cap) for cap in rubric.caps)
    return _sha256({"root": _group(rubric.root), "caps": caps, "verdicts": meaning_of(rubric.verdicts)})


def criterion_sha256(criterion: Criterion) -> str:
    """Of what a person or a judge decides about. A label binds to it.

    Inside: checks, measure, question, guidance, items, scale with its descriptions, what is shown, examples of
    judged criteria, whether it describes a bad thing, n/a. Outside: who judges, every weight (those of items too),
    pass mark, condition, id, title: changing one of them leaves every label valid.
    """
    polarity = "bad" if criterion.role.bad else "good"
    meaning: dict[str, Json] = {"polarity": polarity, "grading": meaning_of(criterion.grading)}
    if isinstance(criterion.grading, Asked | Checklist):
        meaning["guidance"] = meaning_of(criterion.guidance)
        for name, texts in (("good", criterion.good), ("bad", criterion.bad), ("show", criterion.shown)):
            meaning[name] = _sorted(meaning_of(text) for text in texts)
    return _sha256(meaning)


# ---- JSON -------------------------------------------------------------------------------------


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
    for name, (default, _) in _fields(noun.__name__).items():
        inner = getattr(value, name)
        if default is _MISSING or inner != default:
            coded[name] = _encode(inner)
    return coded


_MISSING = object()


@cache
def _fields(noun: str) -> Mapping[str, tuple[object, Callable[[Json], object]]]:
    """Fields of a noun: the default, and how its JSON is read. Places are left out."""
    return {
        each.name: (_MISSING if each.default is dataclasses.MISSING else each.default, _reader(each.type))
        for each in dataclasses.fields(_NOUNS[noun])
        if not isinstance(each.default, Span)
    }


def _reader(kind: object) -> Callable[[Json], object]:
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return kind
    return _decimal if Decimal in (kind, *get_args(kind)) else _decode


def _decimal(data: Json) -> object:
    """Some writers turn 1.0 into 1."""
    return Decimal(repr(data)) if isinstance(data, int | float) else data


def _decode(data: Json) -> object:
    if isinstance(data, list):
        return tuple(_decode(each) for each in data)
    if not isinstance(data, dict):
        return data
    kind = str(data[_KIND])
    fields = _fields(kind)
    return _NOUNS[kind](**{name: fields[name][1](inner) for name, inner in data.items() if name != _KIND})


# ---- meaning ----------------------------------------------------------------------------------


def _group(group: Group) -> Json:
    return {
        "id": group.id,
        "weight": _number(Decimal(1) if group.weight is None else group.weight.value),
        "combine": group.combine.value,
        "need": group.need,
        "pass_mark": meaning_of(group.pass_mark),
        "minimum_graded": meaning_of(group.minimum_graded),
        "only_when": meaning_of(group.only_when),
        "members": _sorted(_group(each) if isinstance(each, Group) else _criterion(each) for each in group.members),
    }


def _criterion(criterion: Criterion) -> Json:
    """A criterion in its place: all that is not said by its own hash."""
    meaning: dict[str, Json] = {
        "id": criterion.id,
        "kind": criterion.role.value,
        "counts": criterion.counts,
        "pass_mark": meaning_of(criterion.pass_mark),
        "only_when": meaning_of(criterion.only_when),
        "criterion": criterion_sha256(criterion),
    }
    if criterion.counts:
        meaning["weight"] = _number(Decimal(1) if criterion.weight is None else criterion.weight.value)
    grading = criterion.grading
    if isinstance(grading, Asked | Checklist):
        panel = grading.panel
        meaning["judges"] = _sorted(meaning_of(judge) for judge in panel.judges)
        meaning["settle"] = [panel.settle.value, panel.needed, meaning_of(panel.disagreement)]
    if isinstance(grading, Checklist):
        meaning["items"] = _sorted([meaning_of(item.text), _number(item.weight), item.must] for item in grading.items)
    return meaning


_OUTSIDE: Mapping[str, frozenset[str]] = {
    "Check": frozenset({"said"}),
    "Scale": frozenset({"name"}),
    "Between": frozenset({"unit"}),  # the noun around it says what is counted; amounts are in the base unit
    "Asked": frozenset({"panel"}),
    "Checklist": frozenset({"panel"}),
    "Item": frozenset({"id", "weight", "must", "mark"}),
}
_ANY_ORDER = frozenset({"parts", "texts", "sources", "values", "fields", "checks", "items"})
_EXACT = frozenset({"pattern"})  # every character of a pattern means something
_QUOTES = str.maketrans("“”„«»‘’‚", '"""""\'\'\'')
_BLANKS = re.compile(r"\s+")
_TWELVE = Context(prec=12)


def meaning_of(value: object) -> Json:
    """The encoded form without what does not matter, every list that has no order sorted."""
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, str):
        return _BLANKS.sub(" ", unicodedata.normalize("NFC", value).translate(_QUOTES)).strip()
    if isinstance(value, Decimal):
        return _number(value)
    if isinstance(value, tuple):
        return [meaning_of(each) for each in value]
    if not dataclasses.is_dataclass(value):
        return _encode(value)
    noun = type(value).__name__
    coded: dict[str, Json] = {_KIND: noun}
    outside = _OUTSIDE.get(noun, frozenset())
    for name, (default, _) in _fields(noun).items():
        inner = getattr(value, name)
        if name in outside or (default is not _MISSING and inner == default):
            continue
        part = inner if name in _EXACT else meaning_of(inner)
        coded[name] = _sorted(part) if name in _ANY_ORDER and isinstance(part, list) else part
    if isinstance(value, Item):
        coded["bad"] = value.weight < 0
    if isinstance(value, syntax.Level) and value.low is not None:
        del coded["label"]  # `1-2` and `1 to 2` describe the same points
    return coded


def _number(value: Decimal) -> str:
    """Digits without an exponent, at most 12 that count: `1`, `1.0` and `100%` are the same number."""
    text = f"{_TWELVE.plus(value):f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def _sorted(parts: Iterable[Json]) -> list[Json]:
    return sorted(parts, key=_text)


def _text(value: Json) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _sha256(meaning: Json) -> str:
    return hashlib.sha256(_text(meaning).encode("utf-8", "surrogatepass")).hexdigest()
