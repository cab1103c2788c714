"""From the tree of a check or a condition to its noun: which shape of the grammar is read how, and what joins them."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from engine.rubric import expression as say
from engine.rubric.amounts import fill, phrase, text_of
from engine.rubric.context import Context, Slip
from engine.rubric.diagnostic import Diagnostic, Line, Span
from engine.rubric.lookup import known_value
from engine.rubric.parse import Node, Word
from engine.rubric.phrases import answer, recorded
from engine.rubric.phrases.reader import Reader, Shape
from engine.rubric.syntax import Check

__all__ = ["check"]


def check(node: Node, line: Line, context: Context) -> Check:
    """The check of a line. Raises Slip when it makes no sense."""
    reader = Reader(line, context)
    span = _trimmed(reader.span(node))
    holds = _expression(node, reader)
    return Check(holds, " ".join(fill(span, context).split()), span)


def _expression(node: Node, reader: Reader) -> say.Expression:
    return _SHAPES[node.rule](node, reader)


def _line(node: Node, reader: Reader) -> say.Expression:
    return _expression(node.nodes()[0], reader)


def _all_of(node: Node, reader: Reader) -> say.Expression:
    parts = node.nodes()
    _one_meaning(node, reader)
    found, at = _repeated(parts, reader), reader.span(node)
    texts = _one_list(parts, found)
    return say.Contains(texts, len(texts), at) if texts else say.All(found, at)


def _any_of(node: Node, reader: Reader) -> say.Expression:
    parts = node.nodes()
    _one_meaning(node, reader)
    found, at = _repeated(parts, reader), reader.span(node)
    texts = _one_list(parts, found)
    return say.Contains(texts, 1, at) if texts else say.Any(found, at)


def _one_meaning(node: Node, reader: Reader) -> None:
    """Refuses `does not contain "a" or "b"`. Raises Slip."""
    parts = node.nodes()
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


def _repeated(parts: list[Node], reader: Reader) -> tuple[say.Expression, ...]:
    """`contains "a" or "b"`: a bare text repeats the verb before it."""
    found: list[say.Expression] = []
    for part in parts:
        if part.rule != "again":
            found.append(_expression(part, reader))
            continue
        found.append(_once_more(found[-1], part, reader))
    return tuple(found)


def _one_list(parts: list[Node], found: tuple[say.Expression, ...]) -> tuple[str, ...]:
    """The texts of `contains "a" or "b"`, which is `contains any of "a", "b"`; empty for anything else."""
    if any(part.rule != "again" for part in parts[1:]):
        return ()
    texts = [each.texts for each in found if isinstance(each, say.Contains) and len(each.texts) == 1]
    return tuple(text for (text,) in texts) if len(texts) == len(found) else ()


def _once_more(before: say.Expression, part: Node, reader: Reader) -> say.Expression:
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


_SHAPES: Mapping[str, Shape] = {
    "paren": _line,
    "all_of": _all_of,
    "any_of": _any_of,
    **answer.SHAPES,
    **recorded.SHAPES,
}


def _trimmed(span: Span) -> Span:
    text = span.line.folded[span.start : span.end]
    return Span(span.line, span.start, span.start + len(text.rstrip(" .")))
