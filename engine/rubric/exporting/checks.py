"""One check of a rubric as promptfoo assertions, where there are any that say the same."""

from dataclasses import dataclass
from decimal import Decimal

from engine.rubric import expression as say
from engine.rubric.exporting.yaml_text import Yaml

__all__ = ["Bare", "CannotError", "assertions", "denied"]


class CannotError(Exception):
    """promptfoo has no assertion like it. The message says what is missing."""


@dataclass(frozen=True, slots=True)
class Bare:
    """An assertion without weight and name. `less`: in what it differs, or empty."""

    type: str
    value: Yaml | None = None
    threshold: Decimal | None = None
    less: str = ""


_CASE = "promptfoo tells capital and small letters apart here"
_PYTHON_ONLY = ("(?i", "(?s", "(?m", "(?x", "(?a", "(?u", "(?P", "\\A", "\\Z", "(?#")


def denied(expression: say.Expression) -> say.Expression:
    """The opposite."""
    return expression.part if isinstance(expression, say.Not) else say.Not(expression)


def assertions(expression: say.Expression) -> tuple[Bare, ...]:
    """Assertions that hold together exactly when the check holds. Raises CannotError."""
    match expression:
        case say.All(parts=parts):
            return tuple(bare for part in parts for bare in assertions(part))
        case say.Any(parts=parts) if (texts := _texts(parts)) is not None:
            return (Bare("icontains-any", texts),)
        case say.Not(part=part):
            return (_denied(part),)
        case _:
            return (_one(expression),)


def _one(expression: say.Expression) -> Bare:
    match expression:
        case say.Contains():
            return _contains(expression)
        case say.Starts(text=text):
            return Bare("starts-with", text, less=_CASE)
        case say.Equals(text=text):
            return Bare("equals", text, less=_CASE)
        case say.Matches(pattern=pattern, any_case=any_case):
            return Bare("regex", _pattern(pattern, any_case))
        case say.ValidJson(fields=fields):
            return Bare("is-json", {"type": "object", "required": fields} if fields else None)
        case say.Length(unit="words", range=wanted):
            return Bare("word-count", _words(wanted))
        case say.NameNumber(name="latency" | "cost" as name, range=wanted):
            return Bare(name, threshold=_at_most(wanted) * (1000 if name == "latency" else 1))
        case _:
            raise CannotError("promptfoo has no assertion like it")


def _contains(expression: say.Contains) -> Bare:
    texts, needed = expression.texts, expression.at_least
    if len(texts) == 1:
        return Bare("icontains", texts[0])
    if needed not in (1, len(texts)):
        raise CannotError(f"promptfoo has no assertion for at least {needed} of several texts")
    return Bare("icontains-any" if needed == 1 else "icontains-all", texts)


_DENIABLE = frozenset({"icontains", "icontains-any", "regex", "is-json"})


def _denied(expression: say.Expression) -> Bare:
    found = _one(expression)
    if found.type not in _DENIABLE or (found.type == "is-json" and found.value is not None):
        raise CannotError("promptfoo has no opposite of it")
    return Bare(f"not-{found.type}", found.value, found.threshold, found.less)


def _texts(parts: tuple[say.Expression, ...]) -> tuple[str, ...] | None:
    """The texts of `contains "a" or contains "b"`."""
    found: list[str] = []
    for part in parts:
        if not isinstance(part, say.Contains) or (part.at_least > 1 and len(part.texts) > 1):
            return None
        found += part.texts
    return tuple(found)


def _pattern(pattern: str, any_case: bool) -> str:
    if any_case:
        raise CannotError("promptfoo has no pattern that ignores capital letters")
    if any(sign in pattern for sign in _PYTHON_ONLY):
        raise CannotError("its pattern uses signs that mean nothing to promptfoo")
    return pattern


def _words(wanted: say.Between) -> Yaml:
    found: dict[str, Yaml] = {}
    if wanted.low is not None:
        found["min"] = wanted.low + 1 if wanted.low_open else wanted.low
    if wanted.high is not None:
        found["max"] = wanted.high - 1 if wanted.high_open else wanted.high
    low, high = found.get("min"), found.get("max")
    return low if low is not None and low == high else found


def _at_most(wanted: say.Between) -> Decimal:
    if wanted.high is None or wanted.high_open or wanted.low is not None:
        raise CannotError("promptfoo only says at most for it")
    return wanted.high
