"""Words that every judge understands in another way."""

import re
from collections.abc import Iterator

from engine.rubric.check.draft import Draft
from engine.rubric.diagnostic import Diagnostic, Severity, Span
from engine.rubric.syntax import Asked, Criterion, Level, Scale, parts

__all__ = ["mere_adjectives", "vague_words"]

_VAGUE = re.compile(
    r"\b(?:appropriate(?:ly)?|adequate(?:ly)?|reasonabl[ey]|suitabl[ey]|satisfactor(?:y|ily)|acceptabl[ey]|proper(?:ly)?"
    r"|sufficient(?:ly)?|decent|nice(?:ly)?|good|high[- ]quality|well[- ]written|excellent|great)\b",
    re.IGNORECASE,
)
_ADJECTIVE = re.compile(
    r"(?:(?:very|quite|rather|really|somewhat|fairly|mostly|not|not so|an?|the)\s+)*"
    r"(?:good|bad|great|poor|fine|okay|ok|excellent|terrible|perfect|awful|average|mediocre|medium|decent|nice|weak|strong"
    r"|high|low|best|worst|acceptable|satisfactory|adequate|fair|superb|outstanding|insufficient|sufficient)"
    r"(?:\s+(?:answer|response|reply|quality|one|level|work|enough))?[.!]?",
    re.IGNORECASE,
)


def vague_words(draft: Draft) -> Iterator[Diagnostic]:
    """R607: a question hangs on such a word, and nothing explains it."""
    for criterion in parts(draft.rubric.root):
        if not isinstance(criterion, Criterion) or not isinstance(criterion.grading, Asked) or _explained(criterion):
            continue
        at = criterion.grading.at
        found = _VAGUE.search(at.text)
        if found:
            message = f'"{found[0]}" means something else to every judge'
            steps = (
                "say what it means here, under the question: guidance: ...",
                "or describe the levels of a scale, or give a good and a bad example",
            )
            place = Span(at.line, at.start + found.start(), at.start + found.end())
            yield Diagnostic("R607", message, place, help=steps, severity=Severity.HINT)


def _explained(criterion: Criterion) -> bool:
    assert isinstance(criterion.grading, Asked)
    described = any(level.meaning for level in criterion.grading.scale.levels)
    return bool(criterion.guidance or criterion.good or criterion.bad or described)


def mere_adjectives(draft: Draft) -> Iterator[Diagnostic]:
    """R611: a level is described by what it is called, or by another such word."""
    for scale in _scales(draft):
        for level in scale.levels:
            if level.meaning and level.at.line.file == draft.rubric.at.line.file and _says_nothing(level):
                message = f'"{level.meaning}" does not tell a judge when to choose "{level.label}"'
                step = "write what an answer on this level has or lacks, for example: Something important is missing"
                yield Diagnostic("R611", message, level.at, help=(step,), severity=Severity.HINT)


def _says_nothing(level: Level) -> bool:
    meaning = level.meaning.strip(" .!").casefold()
    return meaning == level.label.strip(" .!").casefold() or _ADJECTIVE.fullmatch(level.meaning) is not None


def _scales(draft: Draft) -> Iterator[Scale]:
    seen: set[Span] = set()
    asked = (
        part.grading.scale
        for part in parts(draft.rubric.root)
        if isinstance(part, Criterion) and isinstance(part.grading, Asked)
    )
    for scale in (*draft.rubric.scales, *asked):
        if scale.at not in seen:
            seen.add(scale.at)
            yield scale
