"""Values of one-line keys: weights, marks, versions, yes or no. Each gives a value or reports one problem."""

import re
from decimal import Decimal

from engine.rubric.amounts import score_out_of_range
from engine.rubric.blocks import Entry
from engine.rubric.context import Slip
from engine.rubric.diagnostic import Diagnostic, Edit, Span
from engine.rubric.numbers import as_scores_are, number, plain
from engine.rubric.syntax import Combine, Weight

__all__ = ["combiner", "language", "pass_mark", "share", "version", "weight", "whole_number", "written", "yes_no"]


def written(entry: Entry) -> tuple[str, Span]:
    """The value of a one-line key without the full stop of a sentence. Raises Slip when there is none."""
    span = entry.value
    if span is None or not span.text.strip(". "):
        raise Slip(Diagnostic("R118", f"Nothing stands after {entry.key}:", entry.at, help=("write its value",)))
    text = span.line.folded[span.start : span.end]
    remark = text.find("#")
    if remark >= 0:
        at = Span(span.line, span.start + remark, span.end)
        before = Span(span.line, span.start + len(text[:remark].rstrip()), span.end)
        step = "move it to the line above, starting with #"
        raise Slip(
            Diagnostic(
                "R110",
                "A comment needs a line of its own here",
                at,
                "comment starts here",
                (step,),
                edit=Edit(before, ""),
            )
        )
    bare = text.removesuffix(".").rstrip()
    return bare, Span(span.line, span.start, span.start + len(bare))


def weight(entry: Entry) -> Weight:
    """`3` or `30%`. Raises Slip."""
    value, text, at = _number(entry)
    if value < 0:
        step = 'to take marks away for something bad, start the criterion with "penalty:"'
        raise Slip(Diagnostic("R402", f"A weight is not negative, and this is {text}", at, help=(step,)))
    return Weight(value, text.endswith("%"), at)


def pass_mark(entry: Entry) -> Decimal:
    """A score from 0 to 1. Raises Slip."""
    return as_scores_are(share(entry))


def version(entry: Entry) -> int:
    """A whole number from 1. Raises Slip."""
    value, text, at = _number(entry)
    if value != value.to_integral_value() or value < 1 or "%" in text:
        message = f"A version is a whole number from 1, and this is {text}"
        raise Slip(Diagnostic("R403", message, at, help=("write: version: 1",)))
    return int(value)


def whole_number(entry: Entry) -> int:
    """A whole number from 1, such as a quorum. Raises Slip."""
    value, text, at = _number(entry)
    if value != value.to_integral_value() or value < 1 or "%" in text:
        message = f"{entry.key}: is a whole number from 1, and this is {text}"
        raise Slip(Diagnostic("R403", message, at, help=(f"write, for example: {entry.key}: 2",)))
    return int(value)


def share(entry: Entry) -> Decimal:
    """A part of a whole, `80%` or `0.8`. Raises Slip."""
    value, _, at = _number(entry)
    if not 0 <= value <= 1:
        raise Slip(score_out_of_range(value, at))
    return value


def language(entry: Entry) -> str:
    """The language that a rubric is written in, as a word or a tag: `German`, `de`, `pt-BR`. Raises Slip."""
    text, at = written(entry)
    if not re.fullmatch(r"[^\W\d_]+([ -][\w]+){0,3}", text):
        message = f'"{text}" is not the name of a language'
        raise Slip(Diagnostic("R302", message, at, help=("write, for example: language: German, or: language: de",)))
    return text


def yes_no(entry: Entry) -> bool:
    """Raises Slip for anything but yes and no."""
    text, at = written(entry)
    if text.casefold() not in ("yes", "no"):
        message = f'{entry.key}: is yes or no, and this is "{text}"'
        raise Slip(Diagnostic("R404", message, at, help=(f"write: {entry.key}: yes",)))
    return text.casefold() == "yes"


def combiner(entry: Entry) -> tuple[Combine, int]:
    """How a group makes one score, and how many members `at least n` needs. Raises Slip."""
    text, at = written(entry)
    words = text.casefold().split()
    if words[:2] == ["at", "least"] and len(words) == 3:
        count = number(words[2])
        if count is not None and count == count.to_integral_value() and count >= 1:
            return Combine.AT_LEAST, int(count)
    try:
        return Combine(" ".join(words)), 0
    except ValueError:
        listed = ", ".join(each.value for each in Combine)
        message = f'I don\'t know how to combine by "{text}"'
        raise Slip(Diagnostic("R302", message, at, help=(f"it can be: {listed} 2",))) from None


_PERCENT = re.compile(r"\s*(?:per\s?cent|pct)\.?$", re.I)
_OUT_OF = re.compile(r"\s+(?:out\s+)?of\s+", re.I)


def _number(entry: Entry) -> tuple[Decimal, str, Span]:
    text, at = written(entry)
    value = number(text)
    if value is not None:
        return value, text, at
    cure = text.replace(",", ".", 1)
    if "," in text and number(cure) is not None:
        step = f"write: {entry.key}: {cure}"
        message = "Numbers use a full stop, not a comma"
        raise Slip(Diagnostic("R114", message, at, f"write {cure}", (step,), edit=Edit(at, cure)))
    cure = _OUT_OF.sub("/", _PERCENT.sub("%", text))
    if number(cure) is not None:
        step = f"write: {entry.key}: {cure}"
        message = f'I expected a number here, and found "{text}"'
        raise Slip(Diagnostic("R118", message, at, f"write {cure}", (step,), edit=Edit(at, cure)))
    message = f'I expected a number here, and found "{text}"'
    step = f"write it in digits, for example: {entry.key}: {plain(Decimal(1))}"
    raise Slip(Diagnostic("R118", message, at, "a number goes here", (step,)))
