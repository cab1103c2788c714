"""Phrases about what was recorded and what was graded: tools, results, names, other criteria, the score."""

from collections.abc import Mapping
from decimal import Decimal

from engine.rubric import expression as say
from engine.rubric import names
from engine.rubric.amounts import phrase
from engine.rubric.context import Slip
from engine.rubric.lookup import known_value, number_called, resolve, unknown_name
from engine.rubric.parse import Node, Word
from engine.rubric.phrases.ranges import in_base_unit, range_of, score_range
from engine.rubric.phrases.reader import Reader, Shape, given, has, has_rule, unless, word_of

__all__ = ["SHAPES"]


def _tool_called(node: Node, reader: Reader) -> say.Expression:
    wanted = range_of(node, reader).range if has_rule(node, "compare") else say.Between(low=Decimal(1))
    return say.ToolCalled(reader.texts(node)[0], wanted, reader.span(node))


def _tool_not_called(node: Node, reader: Reader) -> say.Expression:
    return say.ToolCalled(reader.texts(node)[0], say.Between(high=Decimal(0)), reader.span(node))


def _tool_order(node: Node, reader: Reader) -> say.Expression:
    one, other = reader.texts(node)
    first, second = (one, other) if has(node, "BEFORE") else (other, one)
    return say.ToolOrder(first, second, reader.span(node))


def _tool_arg(node: Node, reader: Reader) -> say.Expression:
    tool, argument, text = reader.texts(node)
    return say.ToolArgument(tool, argument, text, reader.span(node))


def _results_have(node: Node, reader: Reader) -> say.Expression:
    return say.ResultsContain(reader.texts(node), _top(node, reader), at=reader.span(node))


def _results_lack(node: Node, reader: Reader) -> say.Expression:
    found = say.ResultsContain(reader.texts(node), _top(node, reader), any_of=True, at=reader.span(node))
    return say.Not(found, reader.span(node))


def _top(node: Node, reader: Reader) -> int | None:
    return reader.whole(word_of(node, "NUMBER")) if has(node, "IN_TOP") else None


def _top_result(node: Node, reader: Reader) -> say.Expression:
    return say.TopResult(reader.texts(node)[0], reader.span(node))


def _compare_name(node: Node, reader: Reader) -> say.Expression:
    words = node.nodes()[0]
    at = reader.span(words)
    name = phrase(words, reader.line)
    found = number_called(name, at, reader.context)
    wanted = range_of(node, reader)
    return say.NameNumber(found.name, in_base_unit(found, wanted), reader.span(node))


def _name_is(node: Node, reader: Reader) -> say.Expression:
    subject, values = node.nodes()
    at = reader.span(subject)
    name = names.plain_name(phrase(subject, reader.line))
    listed = has(values, "ONE_OF")
    parts = values.nodes()[0].parts if listed else values.parts
    options = [part for part in parts if isinstance(part, Node | Word)]
    texts = tuple(phrase(option, reader.line) for option in options)
    if name not in reader.context.fields and name not in names.FIELDS:
        raise Slip(unknown_name(phrase(subject, reader.line), at, reader.context, ""))
    reader.context.used.add("field " + name)
    for option, text in zip(options, texts, strict=True):
        known_value(name, text, reader.span(option), reader.context)
    return unless(node, "IS_NOT", say.NameIs(name, texts, reader.span(node)))


def _name_given(node: Node, reader: Reader) -> say.Expression:
    subject = node.nodes()[0]
    name = names.plain_name(phrase(subject, reader.line))
    if name not in reader.context.fields and name not in names.FIELDS and names.quantity(name) is None:
        raise Slip(unknown_name(phrase(subject, reader.line), reader.span(subject), reader.context, ""))
    reader.context.used.add("field " + name)
    return given(node, say.NameGiven(name, reader.span(node)))


def _compare_ref(node: Node, reader: Reader) -> say.Expression:
    return say.RefScore(_ref(node, reader), score_range(node, reader), reader.span(node))


def _ref_passes(node: Node, reader: Reader) -> say.Expression:
    return unless(node, "FAILS", say.RefPasses(_ref(node, reader), reader.span(node)))


def _ref_ungraded(node: Node, reader: Reader) -> say.Expression:
    return say.RefUngraded(_ref(node, reader), reader.span(node))


def _ref(node: Node, reader: Reader) -> str:
    return resolve(reader.span(word_of(node, "REF")), reader.context)


def _compare_score(node: Node, reader: Reader) -> say.Expression:
    return say.Score(score_range(node, reader), reader.span(node))


def _any_must_fails(node: Node, reader: Reader) -> say.Expression:
    return say.AnyMustFails(reader.span(node))


def _all_musts_pass(node: Node, reader: Reader) -> say.Expression:
    return say.Not(say.AnyMustFails(reader.span(node)), reader.span(node))


def _ungraded(node: Node, reader: Reader) -> say.Expression:
    return say.ScoreUngraded(reader.span(node))


SHAPES: Mapping[str, Shape] = {
    "tool_called": _tool_called,
    "tool_not_called": _tool_not_called,
    "tool_order": _tool_order,
    "tool_arg": _tool_arg,
    "results_have": _results_have,
    "results_lack": _results_lack,
    "top_result": _top_result,
    "compare_name": _compare_name,
    "name_is": _name_is,
    "name_given": _name_given,
    "compare_ref": _compare_ref,
    "ref_passes": _ref_passes,
    "ref_ungraded": _ref_ungraded,
    "compare_score": _compare_score,
    "any_must_fails": _any_must_fails,
    "all_musts_pass": _all_musts_pass,
    "ungraded": _ungraded,
}
