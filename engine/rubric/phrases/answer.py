"""Phrases about the answer: its texts, its length, its sources, its form. One small function for each shape."""

from collections.abc import Mapping
from decimal import Decimal

from engine.rubric import expression as say
from engine.rubric import patterns
from engine.rubric.context import Slip
from engine.rubric.diagnostic import Diagnostic, Edit
from engine.rubric.numbers import unit_of
from engine.rubric.parse import Node
from engine.rubric.phrases.ranges import range_of
from engine.rubric.phrases.reader import Reader, Shape, given, has, unless, word_of

__all__ = ["SHAPES"]


def _contains(node: Node, reader: Reader) -> say.Expression:
    return say.Contains(reader.texts(node), at=reader.span(node))


def _contains_many(node: Node, reader: Reader) -> say.Expression:
    texts, at = reader.texts(node), reader.span(node)
    kinds = {word.kind for word in node.words()}
    if "ALL_OF" in kinds:
        return say.Contains(texts, len(texts), at)
    some = say.Contains(texts, 1, at)
    return say.Not(some, at) if "NONE_OF" in kinds or "NOT_CONTAINS" in kinds else some


def _contains_n(node: Node, reader: Reader) -> say.Expression:
    texts, at = reader.texts(node), reader.span(node)
    word = word_of(node, "NUMBER")
    count = reader.whole(word)
    if count > len(texts):
        message = f"At least {count} of {len(texts)} texts can never be there"
        raise Slip(Diagnostic("R514", message, reader.span(word), help=("add texts, or ask for fewer",)))
    return say.Contains(texts, count, at)


def _contains_expected(node: Node, reader: Reader) -> say.Expression:
    found = say.Expected("contains", reader.span(node))
    return unless(node, "NOT_CONTAINS", found)


def _not_contains(node: Node, reader: Reader) -> say.Expression:
    return say.Not(_contains(node, reader), reader.span(node))


def _has_word(node: Node, reader: Reader) -> say.Expression:
    return say.HasWord(reader.texts(node)[0], reader.span(node))


def _affix(node: Node, reader: Reader) -> say.Expression:
    kind = say.Starts if any(word.kind == "STARTS" for word in node.words()) else say.Ends
    return kind(reader.texts(node)[0], reader.span(node))


def _equals(node: Node, reader: Reader) -> say.Expression:
    at = reader.span(node)
    if has(node, "EXPECTED"):
        return say.Expected("equals", at)
    return say.Equals(reader.texts(node)[0], at)


def _matches(node: Node, reader: Reader) -> say.Expression:
    word = word_of(node, "REGEX")
    pattern, any_case = word.text.removesuffix("i"), word.text.endswith("i")
    pattern = pattern[1:-1].replace("\\/", "/")
    patterns.screen(pattern, reader.span(word))
    return unless(node, "NOT_MATCHES", say.Matches(pattern, any_case, reader.span(node)))


def _looks_like(node: Node, reader: Reader) -> say.Expression:
    return say.LooksLike(reader.texts(node)[0], reader.span(node))


def _length(node: Node, reader: Reader) -> say.Expression:
    word = word_of(node, "UNIT")
    unit = unit_of(word.text)
    if unit is None or unit.kind != "text":
        message = f'The length of an answer is not counted in "{word.text}"'
        step = "count words, characters, sentences or lines"
        raise Slip(Diagnostic("R421", message, reader.span(word), help=(step,)))
    _whole_amounts(node, unit.name, reader)
    return say.Length(unit.name, range_of(node, reader).range, reader.span(node))


def _whole_amounts(node: Node, unit: str, reader: Reader) -> None:
    """Refuses `1.000 words`, which to some is a thousand. Raises Slip."""
    for word in node.words():
        if word.kind == "NUMBER" and "." in word.text:
            at, cure = reader.span(word), word.text.replace(".", "")
            thousand = len(word.text.partition(".")[2]) == 3
            step = f"write: {cure} {unit}" if thousand else "write a whole number"
            edit = Edit(at, cure) if thousand else None
            message = f"There are no parts of {unit}, so {word.text} is no number of them"
            raise Slip(Diagnostic("R114", message, at, f"write {cure}" if thousand else "", (step,), edit=edit))


def _cites_some(node: Node, reader: Reader) -> say.Expression:
    return say.CitesSources(say.Between(low=Decimal(1)), reader.span(node))


def _cites_n(node: Node, reader: Reader) -> say.Expression:
    return say.CitesSources(range_of(node, reader).range, reader.span(node))


def _cites_this(node: Node, reader: Reader) -> say.Expression:
    return unless(node, "NOT_CITES", say.CitesSource(reader.texts(node)[0], reader.span(node)))


def _cites_none(node: Node, reader: Reader) -> say.Expression:
    return say.CitesSources(say.Between(high=Decimal(0)), reader.span(node))


def _valid_json(node: Node, reader: Reader) -> say.Expression:
    fields = reader.texts(node) if has(node, "STRING") else ()
    return unless(node, "IS_NOT", say.ValidJson(fields, reader.span(node)))


def _empty(node: Node, reader: Reader) -> say.Expression:
    return unless(node, "IS_NOT", say.IsEmpty(reader.span(node)))


def _expected_given(node: Node, reader: Reader) -> say.Expression:
    return given(node, say.Expected("is given", reader.span(node)))


SHAPES: Mapping[str, Shape] = {
    "contains": _contains,
    "contains_many": _contains_many,
    "contains_n": _contains_n,
    "not_contains": _not_contains,
    "not_contains_many": _contains_many,
    "contains_expected": _contains_expected,
    "has_word": _has_word,
    "affix": _affix,
    "equals": _equals,
    "matches": _matches,
    "looks_like": _looks_like,
    "length": _length,
    "cites_some": _cites_some,
    "cites_n": _cites_n,
    "cites_this": _cites_this,
    "cites_none": _cites_none,
    "valid_json": _valid_json,
    "empty": _empty,
    "expected_given": _expected_given,
}
