"""One promptfoo assertion as the lines of a criterion: each type that has a counterpart, and what is lost with it."""

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from engine.rubric.importing.pen import FITS, Pen, question, short, visible
from engine.rubric.numbers import plain
from engine.text import one_line

__all__ = ["Assertion", "CannotError", "Grading", "grading"]


class CannotError(Exception):
    """An assertion has no counterpart in the rubric language. The message says why."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """`type` is without `not-`. `threshold` None: none was written. `other` are keys without a counterpart."""

    type: str
    negated: bool
    value: object
    threshold: Decimal | None
    other: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Grading:
    """What a criterion is called when nobody named it, the lines that grade it, and what of it was lost."""

    title: str
    lines: tuple[str, ...]
    less: tuple[str, ...] = ()


def grading(assertion: Assertion, pen: Pen) -> Grading:
    """The lines of an assertion. Raises CannotError when it has no counterpart."""
    make = _TYPES.get(assertion.type)
    if make is None:
        reason = _CODE if assertion.type in _PROGRAMS else "a rubric has no check like it"
        raise CannotError(reason)
    if assertion.negated and assertion.type not in _NEGATABLE:
        raise CannotError("a rubric has no opposite of it")
    found = make(assertion, pen)
    less = (*found.less, *(f'its setting "{key}"' for key in assertion.other))
    return Grading(found.title, found.lines, less)


_CODE = "a program can do anything, and a rubric runs none"
_PROGRAMS = frozenset({"javascript", "python", "ruby", "webhook"})
_NEGATABLE = frozenset(
    {
        "contains",
        "icontains",
        "contains-any",
        "icontains-any",
        "regex",
        "is-json",
        "llm-rubric",
        "model-graded-closedqa",
    }
)
_CASE = "capital and small letters: promptfoo tells them apart here, a rubric never does"


def _contains(assertion: Assertion, pen: Pen) -> Grading:
    text = _text(assertion)
    verb, title = ("does not contain", "Does not contain") if assertion.negated else ("contains", "Contains")
    return Grading(f"{title} {_named(text)}", _check(f"answer {verb} {pen.quoted(text)}"), _cased(assertion, (text,)))


def _contains_many(assertion: Assertion, pen: Pen) -> Grading:
    texts = _list(assertion)
    every = assertion.type.endswith("all")
    if len(texts) == 1:
        return _contains(Assertion(assertion.type, assertion.negated, texts[0], None), pen)
    how = "contains all of" if every else "does not contain any of" if assertion.negated else "contains any of"
    title = f"{how[:1].upper()}{how[1:]} {', '.join(map(_named, texts))}"
    listed = ", ".join(map(pen.quoted, texts))
    return Grading(title, _check(f"answer {how} {listed}"), _cased(assertion, texts))


def _cased(assertion: Assertion, texts: Sequence[str]) -> tuple[str, ...]:
    told = not assertion.type.startswith("icontains") and any(text.upper() != text.lower() for text in texts)
    blanks = any(" ".join(text.split()) != text for text in texts)
    return (*([_CASE] if told else []), *(["blanks at the ends, and more than one blank in a row"] if blanks else []))


def _equals(assertion: Assertion, pen: Pen) -> Grading:
    text = _text(assertion)
    return Grading(
        f"Is exactly {_named(text)}", _check(f"answer equals {pen.quoted(text)}"), _cased(assertion, (text,))
    )


def _starts(assertion: Assertion, pen: Pen) -> Grading:
    text = _text(assertion)
    lines = _check(f"answer starts with {pen.quoted(text)}")
    return Grading(f"Starts with {_named(text)}", lines, _cased(assertion, (text,)))


def _regex(assertion: Assertion, _: Pen) -> Grading:
    pattern = _scalar(assertion.value)
    if not pattern:
        raise CannotError("its pattern is missing")
    if any(char in pattern for char in "\n\r\u2028\u2029\x85"):
        raise CannotError("its pattern goes over several lines")
    if visible(pattern) != [" ".join(pattern.split())] or "\t" in pattern:
        raise CannotError("its pattern holds characters that nobody can see")
    verb = "does not match" if assertion.negated else "matches"
    title = f"{'Does not match' if assertion.negated else 'Matches'} /{short(pattern, 60)}/"
    return Grading(title, _check(f"answer {verb} /{_slashed(pattern)}/"))


def _slashed(pattern: str) -> str:
    """Every slash with a backslash before it, and none with two."""
    written, rest = "", iter(pattern)
    for char in rest:
        following = next(rest, "") if char == "\\" else ""
        written += "\\/" if char == "/" else char + following
    return written


def _json(assertion: Assertion, pen: Pen) -> Grading:
    schema = assertion.value if isinstance(assertion.value, dict) else {}
    if assertion.value not in (None, "") and not isinstance(assertion.value, dict):
        raise CannotError("its schema is not written out")
    required = schema.get("required")
    fields = [each for each in required if isinstance(each, str) and each] if isinstance(required, list) else []
    rest = schema.keys() - {"required", "type"} or schema.get("type", "object") != "object"
    less = ("the rest of its JSON schema; only the fields that must be there are looked for",) if rest else ()
    if assertion.negated and schema:
        raise CannotError("a rubric has no opposite of it")
    how = "is not valid JSON" if assertion.negated else "is valid JSON"
    named = f" with fields {', '.join(map(pen.quoted, fields))}" if fields else ""
    return Grading(f"{how[:1].upper()}{how[1:]}", _check(f"answer {how}{named}"), less)


def _latency(assertion: Assertion, _: Pen) -> Grading:
    return Grading("Fast enough", _check(f"latency is at most {plain(_threshold(assertion))} ms"))


def _cost(assertion: Assertion, _: Pen) -> Grading:
    return Grading("Cheap enough", _check(f"cost is at most ${plain(_threshold(assertion))}"))


def _words(assertion: Assertion, _: Pen) -> Grading:
    value = assertion.value
    if isinstance(value, dict):
        low, high = (_whole(value.get(key)) for key in ("min", "max"))
        if low is not None and high is not None:
            return Grading("Length", _check(f"answer has between {low} and {high} words"))
        if low is not None or high is not None:
            how = f"at most {high}" if low is None else f"at least {low}"
            return Grading("Length", _check(f"answer has {how} words"))
    exact = _whole(value)
    if exact is None:
        raise CannotError("how many words is not a number")
    return Grading("Length", _check(f"answer has exactly {exact} words"))


def _judged(assertion: Assertion, pen: Pen) -> Grading:
    text = _text(assertion)
    less = (
        ()
        if assertion.threshold is None
        else (f"its threshold {plain(assertion.threshold)}: the judge says yes or no",)
    )
    lines = pen.prose("ask", question(text, FITS))
    if assertion.negated:
        turned = ("  scale:", pen.row("no", "1", "That is not so"), pen.row("yes", "0", "That is so"))
        return Grading(f"Not: {text}", (*lines, *turned), less)
    return Grading(text, lines, less)


def _factual(assertion: Assertion, pen: Pen) -> Grading:
    text = _text(assertion)
    lines = pen.prose("ask", f"Do the facts in the answer agree with this reference?\n{text}")
    return Grading("Agrees with the reference", lines, ("the grades that promptfoo gives for each way of agreeing",))


def _similar(assertion: Assertion, pen: Pen) -> Grading:
    text = _text(assertion)
    lines = pen.prose("ask", f"Does the answer say the same as this?\n{text}")
    return Grading(
        f"Says the same as {_named(text)}", lines, ("the distance between embeddings: a judge compares instead",)
    )


def _relevant(_: Assertion, pen: Pen) -> Grading:
    lines = pen.prose("ask", "Does the answer address what was asked?")
    return Grading("Relevance", lines, ("the distance between embeddings: a judge decides instead",))


def _faithful(_: Assertion, pen: Pen) -> Grading:
    lines = pen.prose("ask", "Is every claim in the answer supported by the retrieved passages?")
    return Grading("Faithfulness", lines, ("the share of supported claims: the judge says yes or no",))


_TYPES: Mapping[str, Callable[[Assertion, Pen], Grading]] = {
    **dict.fromkeys(("contains", "icontains"), _contains),
    **dict.fromkeys(("contains-any", "contains-all", "icontains-any", "icontains-all"), _contains_many),
    "equals": _equals,
    "starts-with": _starts,
    "regex": _regex,
    "is-json": _json,
    "latency": _latency,
    "cost": _cost,
    "word-count": _words,
    **dict.fromkeys(("llm-rubric", "model-graded-closedqa", "g-eval"), _judged),
    **dict.fromkeys(("factuality", "model-graded-factuality"), _factual),
    "similar": _similar,
    "answer-relevance": _relevant,
    "context-faithfulness": _faithful,
}


# ---- values -----------------------------------------------------------------------------------


def _check(said: str) -> tuple[str, ...]:
    return (f"  check: {said}",)


def _named(text: str) -> str:
    return f'"{short(one_line(text), 60)}"'


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else ""


def _text(assertion: Assertion) -> str:
    text = _scalar(assertion.value)
    if not visible(text):
        raise CannotError("it has no text to compare with" if assertion.value in (None, "") else "its value is no text")
    if text.startswith("file://"):
        raise CannotError(f"its text stands in another file, {text}")
    return text


def _list(assertion: Assertion) -> tuple[str, ...]:
    value = assertion.value
    if isinstance(value, str):
        value = next(csv.reader([" ".join(value.splitlines())], skipinitialspace=True), [])
    texts = tuple(_scalar(each).strip() for each in value) if isinstance(value, list) else ()
    if not texts or not all(map(visible, texts)):
        raise CannotError("its texts are missing")
    return texts


def _threshold(assertion: Assertion) -> Decimal:
    if assertion.threshold is None or assertion.threshold < 0:
        raise CannotError("it has no threshold")
    return assertion.threshold


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
