"""A line that is being read, and what to look for in the tree of one of its phrases."""

from collections.abc import Callable
from dataclasses import dataclass

from engine.rubric import expression as say
from engine.rubric.amounts import read_amount, text_of
from engine.rubric.context import Context, Slip
from engine.rubric.diagnostic import Diagnostic, Line, Span
from engine.rubric.parse import Node, Word, span_of

__all__ = ["Reader", "Shape", "given", "has", "has_rule", "unless", "word_of"]


@dataclass(frozen=True, slots=True)
class Reader:
    """One line being read."""

    line: Line
    context: Context

    def span(self, part: Node | Word) -> Span:
        """Where a part stands."""
        return span_of(part, self.line)

    def texts(self, node: Node) -> tuple[str, ...]:
        """What stands between the quotes of a phrase. Raises Slip where nothing does."""
        return tuple(text_of(word, self.line, self.context) for word in node.words() if word.kind == "STRING")

    def whole(self, word: Word) -> int:
        """A whole number from 1. Raises Slip."""
        value = read_amount(word, None, self.line, self.context).value
        if value != value.to_integral_value() or value < 1:
            message = f"{word.text} is not a whole number of at least 1"
            raise Slip(Diagnostic("R118", message, self.span(word), help=("write how many, in digits",)))
        return int(value)


Shape = Callable[[Node, Reader], say.Expression]
"""How one shape of the grammar becomes a noun."""


def has(node: Node, kind: str) -> bool:
    """A word of this kind stands in it."""
    return any(word.kind == kind for word in node.words())


def has_rule(node: Node, rule: str) -> bool:
    """A tree of this rule is a part of it."""
    return any(part.rule == rule for part in node.nodes())


def word_of(node: Node, kind: str) -> Word:
    """Its first word of this kind."""
    return next(word for word in node.words() if word.kind == kind)


def unless(node: Node, kind: str, expression: say.Expression) -> say.Expression:
    """The opposite where a word of this kind stands in it."""
    return say.Not(expression, expression.at) if has(node, kind) else expression


def given(node: Node, expression: say.Expression) -> say.Expression:
    """`is given`, `is not missing` against `is missing`, `is not given`."""
    negative = has(node, "MISSING") != has(node, "IS_NOT")
    return say.Not(expression, expression.at) if negative else expression
