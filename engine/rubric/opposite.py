"""An expression in the shapes that the language has words for: Not moved inwards, ranges cut at their ends."""

from dataclasses import fields, replace
from decimal import Decimal

from engine.rubric import expression as say

__all__ = ["sayable"]

_SOME, _NO = say.Between(low=Decimal(1)), say.Between(high=Decimal(0))


def sayable(expression: say.Expression) -> say.Expression:
    """The same meaning in shapes with words of their own; what the reader makes comes back as it is.

    A Not that has neither words nor an equivalent stays where it is.
    """
    match expression:
        case say.All(parts=parts) | say.Any(parts=parts):
            inner = tuple(sayable(part) for part in parts)
            return inner[0] if len(inner) == 1 else replace(expression, parts=inner)
        case say.Not(part=say.ResultsContain(any_of=True)):
            return expression
        case say.Not(part=part):
            return _opposite(sayable(part))
        case say.ResultsContain(sources=sources, any_of=True) if len(sources) > 1:
            return say.Any(tuple(say.ResultsContain((source,), expression.top) for source in sources))
        case say.ResultsContain(any_of=True):
            return replace(expression, any_of=False)
    return _ranged(expression)


def _opposite(part: say.Expression) -> say.Expression:
    match part:
        case say.Not(part=inner):
            return sayable(inner)
        case say.All(parts=parts):
            return say.Any(tuple(_opposite(each) for each in parts))
        case say.Any(parts=parts):
            return say.All(tuple(_opposite(each) for each in parts))
        case say.Contains(texts=texts, at_least=least) if least == len(texts) > 1:
            return say.Any(tuple(say.Not(say.Contains((text,))) for text in texts))
        case say.ResultsContain(sources=sources, top=top) if not part.any_of:
            lacks = tuple(say.Not(say.ResultsContain((source,), top, any_of=True)) for source in sources)
            return lacks[0] if len(lacks) == 1 else say.Any(lacks)
        case say.CitesSources(range=many) | say.ToolCalled(range=many) if many in (_SOME, _NO):
            return replace(part, range=_NO if many == _SOME else _SOME)
    wanted = _range(part)
    if wanted is None:
        return say.Not(part)
    outside = [
        *([] if wanted.low is None else [say.Between(high=wanted.low, high_open=not wanted.low_open)]),
        *([] if wanted.high is None else [say.Between(low=wanted.high, low_open=not wanted.high_open)]),
    ]
    turned = tuple(_with(part, each) for each in outside)
    return turned[0] if len(turned) == 1 else say.Any(turned) if turned else say.Not(part)


def _ranged(expression: say.Expression) -> say.Expression:
    """A range with two ends has words only when both belong to it, and the lower one is not above the other."""
    wanted = _range(expression)
    if wanted is None or wanted.low is None or wanted.high is None:
        return expression
    if not wanted.low_open and not wanted.high_open and wanted.low <= wanted.high:
        return expression
    low = say.Between(low=wanted.low, low_open=wanted.low_open)
    high = say.Between(high=wanted.high, high_open=wanted.high_open)
    return say.All((_with(expression, low), _with(expression, high)))


def _range(expression: say.Expression) -> say.Between | None:
    return next(
        (value for each in fields(expression) if isinstance(value := getattr(expression, each.name), say.Between)), None
    )


def _with(expression: say.Expression, wanted: say.Between) -> say.Expression:
    """The same thing counted or measured, in another range."""
    match expression:
        case say.Length() | say.CitesSources() | say.ToolCalled() | say.NameNumber() | say.RefScore() | say.Score():
            return replace(expression, range=wanted)
    return expression
