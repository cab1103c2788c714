"""Questions that people and models answer badly: two in one, negatives, a yes that is bad, counting."""

import re
from collections.abc import Iterator

from engine.rubric.check.draft import Draft
from engine.rubric.diagnostic import Diagnostic, Severity, Span
from engine.rubric.syntax import Asked, Criterion, criteria

__all__ = ["bad_yes", "counting", "double_negative", "two_questions"]

_TWO = re.compile(r"\band (?:is|are|does|do|has|have|was|were|can) (?:it|they|he|she|this)\b", re.I)
_NEGATIVE = re.compile(r"\b(?:avoids?|refrains?|free (?:of|from))\b", re.I)
_BAD = re.compile(
    r"\b(?:mistakes?|errors?|falsehoods?|inaccurac(?:y|ies)|hallucinations?|contradictions?|typos?|offensive|insults?"
    r"|misleading|made[- ]up|invented|irrelevant|unsupported|spam|slurs?)\b",
    re.I,
)
_DENIED = re.compile(r"\b(?:no|not|without|avoids?|free|never|corrects?|fix(?:es)?|admits?|explains?)\b|n['’]t\b", re.I)
_FINDS = re.compile(
    r"\b(?:names?|reports?|finds?|spots?|points? out|identif(?:y|ies)|notices?|detects?|flags?|catch(?:es)?)\b"
    r".*\b(?:mistakes?|errors?|falsehoods?|inaccurac(?:y|ies)|contradictions?|typos?)\b",
    re.I,
)
_COUNT = re.compile(
    r"^how many\b|\b(?:at (?:least|most)|more than|fewer than|exactly) \w+ (?:words|characters|sentences|lines)\b", re.I
)


def two_questions(draft: Draft) -> Iterator[Diagnostic]:
    """R606: a judge cannot say yes to one half and no to the other."""
    step = "if one holds and the other does not, the judge can't answer; split it in two"
    yield from _found(draft, _TWO, "R606", "This asks two things at once", step)


def double_negative(draft: Draft) -> Iterator[Diagnostic]:
    """R608: under must not and penalty the question asks whether the bad thing happens."""
    for criterion, at in _questions(draft):
        found = _NEGATIVE.search(at.text)
        if criterion.role.bad and found:
            message = (
                f'"{criterion.role}:" already says this is a bad thing, so the question must ask whether it HAPPENS'
            )
            step = f"write it so that a yes is bad, for example: {_turned(at.text)}"
            yield _warning("R608", message, _part(at, found), "double negative", step)


def bad_yes(draft: Draft) -> Iterator[Diagnostic]:
    """R609: a yes earns marks, and sounds bad."""
    for criterion, at in _questions(draft):
        grading = criterion.grading
        assert isinstance(grading, Asked)
        found = _BAD.search(at.text)
        yes = re.match(r"(?:is|are|does|do|did|has|have|was|were)\b", at.text, re.I)
        earns = next((level.label for level in grading.scale.levels), "")
        denied = _DENIED.search(at.text) or _FINDS.search(at.text)
        if criterion.role.bad or not found or not yes or denied or earns != "yes":
            continue
        message = f'A yes to this question sounds bad, and under "{criterion.role}:" a yes earns full marks'
        steps = (
            "ask it the other way round, so that a yes is good",
            'or start the criterion with "penalty:" or "must not:"',
        )
        yield _warning("R609", message, _part(at, found), "which way round?", *steps)


def counting(draft: Draft) -> Iterator[Diagnostic]:
    """R610: models count badly, and the computer counts well."""
    step = "let the computer count, for example: check: answer has at most 200 words"
    yield from _found(draft, _COUNT, "R610", "A judge is asked to count here, and judges count badly", step)


def _found(draft: Draft, pattern: re.Pattern[str], code: str, message: str, step: str) -> Iterator[Diagnostic]:
    for _, at in _questions(draft):
        found = pattern.search(at.text)
        if found:
            yield _warning(code, message, _part(at, found), "", step)


def _questions(draft: Draft) -> Iterator[tuple[Criterion, Span]]:
    for criterion in criteria(draft.rubric.root):
        if isinstance(criterion.grading, Asked):
            yield criterion, criterion.grading.at


def _part(at: Span, found: re.Match[str]) -> Span:
    return Span(at.line, at.start + found.start(), at.start + found.end())


def _warning(code: str, message: str, at: Span, label: str, *steps: str) -> Diagnostic:
    return Diagnostic(code, message, at, label, steps, severity=Severity.WARNING)


def _turned(question: str) -> str:
    turned = re.sub(r"\b(?:avoids?|refrains?(?: from)?)\b", "contain", question, count=1, flags=re.I)
    return re.sub(r"\bfree (?:of|from)\b", "full of", turned, count=1, flags=re.I)
