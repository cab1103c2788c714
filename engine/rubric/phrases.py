"""From the tree of a check or a condition to its noun. One small function for each shape of the grammar."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise

from engine.rubric import expression as say
from engine.rubric import names, patterns
from engine.rubric.amounts import Amount, fill, phrase, read_amount, score_out_of_range, text_of, unit_factor
from engine.rubric.context import Context, Slip
from engine.rubric.diagnostic import Diagnostic, Edit, Line, Span
from engine.rubric.lookup import known_value, number_called, resolve, unknown_name
from engine.rubric.numbers import as_scores_are, plain, unit_of
from engine.rubric.parse import Node, Word
from engine.rubric.syntax import Check

__all__ = ["check"]


@dataclass(frozen=True, slots=True)
class _Reader:
    """One line being read."""

    line: Line
    context: Context

    def span(self, part: Node | Word) -> Span:
        words = part.words() if isinstance(part, Node) else [part]
        return Span(self.line, words[0].start, words[-1].end)


def check(node: Node, line: Line, context: Context) -> Check:
    """The check of a line. Raises Slip when it makes no sense."""
    reader = _Reader(line, context)
    span = _trimmed(reader.span(node))
    holds = _expression(node, reader)
    return Check(holds, " ".join(fill(span, context).split()), span)


# ---- the shapes -------------------------------------------------------------------------------


def _expression(node: Node, reader: _Reader) -> say.Expression:
    return _SHAPES[node.rule](node, reader)


def _line(node: Node, reader: _Reader) -> say.Expression:
    return _expression(_nodes(node)[0], reader)


def _all_of(node: Node, reader: _Reader) -> say.Expression:
    parts = _nodes(node)
    _one_meaning(node, reader)
    return say.All(_repeated(parts, reader), reader.span(node))


def _any_of(node: Node, reader: _Reader) -> say.Expression:
    parts = _nodes(node)
    _one_meaning(node, reader)
    return say.Any(_repeated(parts, reader), reader.span(node))


def _one_meaning(node: Node, reader: _Reader) -> None:
    """Refuses `does not contain "a" or "b"`. Raises Slip."""
    parts = _nodes(node)
    negative = {"NOT_CONTAINS", "NOT_CITES", "IS_NOT"}
    for before, part in pairwise(parts):
        if part.rule != "again" or not any(word.kind in negative for word in before.words()):
            continue
        joint = next(word for word in node.parts if isinstance(word, Word))
        raise Slip(
            Diagnostic(
                "R113",
                f'"not ... {joint.text}" can be read in two ways: neither of them, or not both of them',
                reader.span(joint),
                "which one?",
                ('write: does not contain any of "...", "..."', "or two check: lines"),
            )
        )


def _repeated(parts: list[Node], reader: _Reader) -> tuple[say.Expression, ...]:
    """`contains "a" or "b"`: a bare text repeats the verb before it."""
    found: list[say.Expression] = []
    for part in parts:
        if part.rule != "again":
            found.append(_expression(part, reader))
            continue
        found.append(_once_more(found[-1], part, reader))
    return tuple(found)


def _once_more(before: say.Expression, part: Node, reader: _Reader) -> say.Expression:
    word = part.words()[0]
    at = reader.span(part)
    if isinstance(before, say.NameIs):
        value = phrase(part, reader.line)
        known_value(before.name, value, at, reader.context)
        return replace(before, values=(value,), at=at)
    if isinstance(before, say.Not) and isinstance(before.part, say.NameIs):
        return say.Not(_once_more(before.part, part, reader), at)
    if word.kind == "STRING":
        text = text_of(word, reader.line, reader.context)
        inner = before.part if isinstance(before, say.Not) else before
        again: say.Expression | None = None
        match inner:
            case say.Contains(texts=(_,)):
                again = say.Contains((text,), at=at)
            case say.HasWord() | say.Starts() | say.Ends() | say.Equals():
                again = replace(inner, text=text, at=at)
            case say.CitesSource():
                again = say.CitesSource(text, at)
            case say.ResultsContain():
                again = replace(inner, sources=(text,), at=at)
            case _:
                pass
        if again is not None:
            return say.Not(again, at) if isinstance(before, say.Not) else again
    message = f'I don\'t know what "{at.text}" should do here'
    raise Slip(Diagnostic("R101", message, at, help=('say the whole check again, for example: answer contains "..."',)))


def _contains(node: Node, reader: _Reader) -> say.Expression:
    return say.Contains(_texts(node, reader), at=reader.span(node))


def _contains_many(node: Node, reader: _Reader) -> say.Expression:
    texts, at = _texts(node, reader), reader.span(node)
    kinds = {word.kind for word in node.words()}
    if "ALL_OF" in kinds:
        return say.Contains(texts, len(texts), at)
    some = say.Contains(texts, 1, at)
    return say.Not(some, at) if "NONE_OF" in kinds or "NOT_CONTAINS" in kinds else some


def _contains_n(node: Node, reader: _Reader) -> say.Expression:
    texts, at = _texts(node, reader), reader.span(node)
    word = _word(node, "NUMBER")
    count = _whole(word, reader)
    if count > len(texts):
        message = f"At least {count} of {len(texts)} texts can never be there"
        raise Slip(Diagnostic("R514", message, reader.span(word), help=("add texts, or ask for fewer",)))
    return say.Contains(texts, count, at)


def _contains_expected(node: Node, reader: _Reader) -> say.Expression:
    found = say.Expected("contains", reader.span(node))
    return _unless(node, "NOT_CONTAINS", found)


def _not_contains(node: Node, reader: _Reader) -> say.Expression:
    return say.Not(_contains(node, reader), reader.span(node))


def _has_word(node: Node, reader: _Reader) -> say.Expression:
    return say.HasWord(_texts(node, reader)[0], reader.span(node))


def _affix(node: Node, reader: _Reader) -> say.Expression:
    kind = say.Starts if any(word.kind == "STARTS" for word in node.words()) else say.Ends
    return kind(_texts(node, reader)[0], reader.span(node))


def _equals(node: Node, reader: _Reader) -> say.Expression:
    at = reader.span(node)
    if _has(node, "EXPECTED"):
        return say.Expected("equals", at)
    return say.Equals(_texts(node, reader)[0], at)


def _matches(node: Node, reader: _Reader) -> say.Expression:
    word = _word(node, "REGEX")
    pattern, any_case = word.text.removesuffix("i"), word.text.endswith("i")
    pattern = pattern[1:-1].replace("\\/", "/")
    patterns.screen(pattern, reader.span(word))
    return _unless(node, "NOT_MATCHES", say.Matches(pattern, any_case, reader.span(node)))


def _looks_like(node: Node, reader: _Reader) -> say.Expression:
    return say.LooksLike(_texts(node, reader)[0], reader.span(node))


def _length(node: Node, reader: _Reader) -> say.Expression:
    word = _word(node, "UNIT")
    unit = unit_of(word.text)
    if unit is None or unit.kind != "text":
        message = f'The length of an answer is not counted in "{word.text}"'
        step = "count words, characters, sentences or lines"
        raise Slip(Diagnostic("R421", message, reader.span(word), help=(step,)))
    _whole_amounts(node, unit.name, reader)
    return say.Length(unit.name, _range(node, reader).range, reader.span(node))


def _whole_amounts(node: Node, unit: str, reader: _Reader) -> None:
    """Refuses `1.000 words`, which to some is a thousand. Raises Slip."""
    for word in node.words():
        if word.kind == "NUMBER" and "." in word.text:
            at, cure = reader.span(word), word.text.replace(".", "")
            thousand = len(word.text.partition(".")[2]) == 3
            step = f"write: {cure} {unit}" if thousand else "write a whole number"
            edit = Edit(at, cure) if thousand else None
            message = f"There are no parts of {unit}, so {word.text} is no number of them"
            raise Slip(Diagnostic("R114", message, at, f"write {cure}" if thousand else "", (step,), edit=edit))


def _cites_some(node: Node, reader: _Reader) -> say.Expression:
    return say.CitesSources(say.Between(low=Decimal(1)), reader.span(node))


def _cites_n(node: Node, reader: _Reader) -> say.Expression:
    return say.CitesSources(_range(node, reader).range, reader.span(node))


def _cites_this(node: Node, reader: _Reader) -> say.Expression:
    return _unless(node, "NOT_CITES", say.CitesSource(_texts(node, reader)[0], reader.span(node)))


def _cites_none(node: Node, reader: _Reader) -> say.Expression:
    return say.CitesSources(say.Between(high=Decimal(0)), reader.span(node))


def _valid_json(node: Node, reader: _Reader) -> say.Expression:
    fields = _texts(node, reader) if _has(node, "STRING") else ()
    return _unless(node, "IS_NOT", say.ValidJson(fields, reader.span(node)))


def _empty(node: Node, reader: _Reader) -> say.Expression:
    return _unless(node, "IS_NOT", say.IsEmpty(reader.span(node)))


def _tool_called(node: Node, reader: _Reader) -> say.Expression:
    wanted = _range(node, reader).range if _has_rule(node, "compare") else say.Between(low=Decimal(1))
    return say.ToolCalled(_texts(node, reader)[0], wanted, reader.span(node))


def _tool_not_called(node: Node, reader: _Reader) -> say.Expression:
    return say.ToolCalled(_texts(node, reader)[0], say.Between(high=Decimal(0)), reader.span(node))


def _tool_order(node: Node, reader: _Reader) -> say.Expression:
    one, other = _texts(node, reader)
    first, second = (one, other) if _has(node, "BEFORE") else (other, one)
    return say.ToolOrder(first, second, reader.span(node))


def _tool_arg(node: Node, reader: _Reader) -> say.Expression:
    tool, argument, text = _texts(node, reader)
    return say.ToolArgument(tool, argument, text, reader.span(node))


def _results_have(node: Node, reader: _Reader) -> say.Expression:
    return say.ResultsContain(_texts(node, reader), _top(node, reader), at=reader.span(node))


def _results_lack(node: Node, reader: _Reader) -> say.Expression:
    found = say.ResultsContain(_texts(node, reader), _top(node, reader), any_of=True, at=reader.span(node))
    return say.Not(found, reader.span(node))


def _top_result(node: Node, reader: _Reader) -> say.Expression:
    return say.TopResult(_texts(node, reader)[0], reader.span(node))


def _compare_name(node: Node, reader: _Reader) -> say.Expression:
    words = _nodes(node)[0]
    at = reader.span(words)
    name = phrase(words, reader.line)
    found = number_called(name, at, reader.context)
    wanted = _range(node, reader)
    return say.NameNumber(found.name, _in_base_unit(found, wanted, reader), reader.span(node))


def _name_is(node: Node, reader: _Reader) -> say.Expression:
    subject, values = _nodes(node)
    at = reader.span(subject)
    name = names.plain_name(phrase(subject, reader.line))
    listed = _has(values, "ONE_OF")
    parts = _nodes(values)[0].parts if listed else values.parts
    options = [part for part in parts if isinstance(part, Node | Word)]
    texts = tuple(phrase(option, reader.line) for option in options)
    if name not in reader.context.fields and name not in names.FIELDS:
        raise Slip(unknown_name(phrase(subject, reader.line), at, reader.context, ""))
    reader.context.used.add("field " + name)
    for option, text in zip(options, texts, strict=True):
        known_value(name, text, reader.span(option), reader.context)
    return _unless(node, "IS_NOT", say.NameIs(name, texts, reader.span(node)))


def _name_given(node: Node, reader: _Reader) -> say.Expression:
    subject = _nodes(node)[0]
    name = names.plain_name(phrase(subject, reader.line))
    if name not in reader.context.fields and name not in names.FIELDS and names.quantity(name) is None:
        raise Slip(unknown_name(phrase(subject, reader.line), reader.span(subject), reader.context, ""))
    reader.context.used.add("field " + name)
    return _given(node, say.NameGiven(name, reader.span(node)))


def _expected_given(node: Node, reader: _Reader) -> say.Expression:
    return _given(node, say.Expected("is given", reader.span(node)))


def _compare_ref(node: Node, reader: _Reader) -> say.Expression:
    return say.RefScore(_ref(node, reader), _score_range(node, reader), reader.span(node))


def _ref_passes(node: Node, reader: _Reader) -> say.Expression:
    return _unless(node, "FAILS", say.RefPasses(_ref(node, reader), reader.span(node)))


def _ref_ungraded(node: Node, reader: _Reader) -> say.Expression:
    return say.RefUngraded(_ref(node, reader), reader.span(node))


def _compare_score(node: Node, reader: _Reader) -> say.Expression:
    return say.Score(_score_range(node, reader), reader.span(node))


def _any_must_fails(node: Node, reader: _Reader) -> say.Expression:
    return say.AnyMustFails(reader.span(node))


def _all_musts_pass(node: Node, reader: _Reader) -> say.Expression:
    return say.Not(say.AnyMustFails(reader.span(node)), reader.span(node))


def _ungraded(node: Node, reader: _Reader) -> say.Expression:
    return say.ScoreUngraded(reader.span(node))


_SHAPES: dict[str, Callable[[Node, _Reader], say.Expression]] = {
    "paren": _line,
    "all_of": _all_of,
    "any_of": _any_of,
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
    "expected_given": _expected_given,
    "compare_ref": _compare_ref,
    "ref_passes": _ref_passes,
    "ref_ungraded": _ref_ungraded,
    "compare_score": _compare_score,
    "any_must_fails": _any_must_fails,
    "all_musts_pass": _all_musts_pass,
    "ungraded": _ungraded,
}


# ---- parts of shapes --------------------------------------------------------------------------


def _nodes(node: Node) -> list[Node]:
    return [part for part in node.parts if isinstance(part, Node)]


def _has(node: Node, kind: str) -> bool:
    return any(word.kind == kind for word in node.words())


def _has_rule(node: Node, rule: str) -> bool:
    return any(part.rule == rule for part in _nodes(node))


def _word(node: Node, kind: str) -> Word:
    return next(word for word in node.words() if word.kind == kind)


def _texts(node: Node, reader: _Reader) -> tuple[str, ...]:
    return tuple(text_of(word, reader.line, reader.context) for word in node.words() if word.kind == "STRING")


def _unless(node: Node, kind: str, expression: say.Expression) -> say.Expression:
    return say.Not(expression, expression.at) if _has(node, kind) else expression


def _given(node: Node, expression: say.Expression) -> say.Expression:
    """`is given`, `is not missing` against `is missing`, `is not given`."""
    negative = _has(node, "MISSING") != _has(node, "IS_NOT")
    return say.Not(expression, expression.at) if negative else expression


def _whole(word: Word, reader: _Reader) -> int:
    value = read_amount(word, None, reader.line, reader.context).value
    if value != value.to_integral_value() or value < 1:
        message = f"{word.text} is not a whole number of at least 1"
        raise Slip(Diagnostic("R118", message, reader.span(word), help=("write how many, in digits",)))
    return int(value)


def _top(node: Node, reader: _Reader) -> int | None:
    return _whole(_word(node, "NUMBER"), reader) if _has(node, "IN_TOP") else None


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A range as written, with its amounts."""

    range: say.Between
    amounts: tuple[Amount, ...]


def _range(node: Node, reader: _Reader) -> _Wanted:
    compare = next(part for part in _nodes(node) if part.rule == "compare")
    unit = next((word for word in node.words() if word.kind == "UNIT"), None)
    how = compare.words()[0].kind
    words = [word for word in compare.words() if word.kind in ("NUMBER", "MONEY", "PARAM")]
    amounts = tuple(read_amount(word, unit, reader.line, reader.context) for word in words)
    at = Span(reader.line, words[0].start, words[-1].end)
    value = amounts[0].value
    match how:
        case "AT_LEAST":
            wanted = say.Between(low=value, at=at)
        case "AT_MOST":
            wanted = say.Between(high=value, at=at)
        case "GT":
            wanted = say.Between(low=value, low_open=True, at=at)
        case "LT":
            wanted = say.Between(high=value, high_open=True, at=at)
        case "EXACTLY":
            wanted = say.Between(low=value, high=value, at=at)
        case _:
            wanted = say.Between(low=value, high=amounts[1].value, at=at)
            if value > amounts[1].value:
                low, high = plain(value), plain(amounts[1].value)
                raise Slip(
                    Diagnostic(
                        "R424",
                        f"between {low} and {high} is backwards, so nothing fits",
                        amounts[0].at,
                        help=(f"write: between {high} and {low}",),
                        edit=Edit(at, f"{high} and {low}"),
                    )
                )
    return _Wanted(wanted, amounts)


def _in_base_unit(found: names.Quantity, wanted: _Wanted, reader: _Reader) -> say.Between:
    """The range in the measure's own unit: seconds, dollars or none."""
    factors = [unit_factor(found, amount) for amount in wanted.amounts]
    low, high = wanted.range.low, wanted.range.high
    scaled = replace(
        wanted.range,
        low=None if low is None else low * factors[0],
        high=None if high is None else high * factors[-1],
    )
    return _as_scores_are(scaled) if found.kind == "ratio" else scaled


def _as_scores_are(wanted: say.Between) -> say.Between:
    """Compared with rounded numbers, so rounded itself: one of three is at least 1/3."""
    low, high = (None if end is None else as_scores_are(end) for end in (wanted.low, wanted.high))
    return replace(wanted, low=low, high=high)


def _score_range(node: Node, reader: _Reader) -> say.Between:
    wanted = _range(node, reader)
    unit = next((word for word in node.words() if word.kind == "UNIT"), None)
    if unit is not None or any(amount.unit for amount in wanted.amounts):
        at = reader.span(unit) if unit else wanted.amounts[0].at
        raise Slip(Diagnostic("R421", "A score has no unit", at, help=("write a number from 0 to 1, or a percentage",)))
    for amount in wanted.amounts:
        if not 0 <= amount.value <= 1:
            raise Slip(score_out_of_range(amount.value, amount.at))
    return _as_scores_are(wanted.range)


def _ref(node: Node, reader: _Reader) -> str:
    return resolve(reader.span(_word(node, "REF")), reader.context)


def _trimmed(span: Span) -> Span:
    text = span.line.folded[span.start : span.end]
    return Span(span.line, span.start, span.start + len(text.rstrip(" .")))
