"""Things that are written twice and count once, or count twice by mistake."""

from collections.abc import Hashable, Iterator
from decimal import Decimal

from engine.rubric import expression as say
from engine.rubric.check.draft import Draft
from engine.rubric.check.walk import every_test
from engine.rubric.diagnostic import Diagnostic, Severity, Span
from engine.rubric.expression import Expression, leaves
from engine.rubric.fold import fold
from engine.rubric.names import plain_name
from engine.rubric.syntax import Asked, Cap, Check, Checklist, Checks, Criterion, Item, Verdict, criteria

__all__ = [
    "doubled_caps",
    "doubled_checks",
    "doubled_criteria",
    "doubled_items",
    "doubled_texts",
    "doubled_values",
    "doubled_verdicts",
]


def doubled_checks(draft: Draft) -> Iterator[Diagnostic]:
    """R517: the same check twice in one criterion."""
    for criterion in criteria(draft.rubric.root):
        if not isinstance(criterion.grading, Checks):
            continue
        seen: dict[Expression, Check] = {}
        for check in criterion.grading.checks:
            twin = seen.setdefault(check.holds, check)
            if twin is not check:
                yield _twice("R517", f'"{criterion.title}" has this check twice', check.at, twin.at)


def doubled_caps(draft: Draft) -> Iterator[Diagnostic]:
    """R517: the same cap twice."""
    seen: dict[tuple[str | None, Decimal, Expression], Cap] = {}
    for cap in draft.rubric.caps:
        twin = seen.setdefault((cap.ref, cap.at_most, cap.when.holds), cap)
        if twin is not cap:
            yield _twice("R517", "This cap is written twice", cap.at, twin.at)


def doubled_verdicts(draft: Draft) -> Iterator[Diagnostic]:
    """R517: the same verdict for the same reason twice."""
    seen: dict[tuple[str, Expression], Verdict] = {}
    for verdict in draft.rubric.verdicts:
        if verdict.when is None:
            continue
        twin = seen.setdefault((plain_name(verdict.name), verdict.when.holds), verdict)
        if twin is not verdict:
            yield _twice("R517", "This verdict is written twice", verdict.at, twin.at)


def doubled_texts(draft: Draft) -> Iterator[Diagnostic]:
    """R517: the same text twice in one list."""
    for test in every_test(draft.rubric):
        for leaf in leaves(test.holds):
            again = _again(map(fold, _texts(leaf)))
            if again is not None:
                text = _texts(leaf)[again]
                at = _last(leaf.at, text)
                yield _twice("R517", f'"{text}" stands in this list twice', at, None)


def doubled_values(draft: Draft) -> Iterator[Diagnostic]:
    """R303: the same value twice in one list."""
    for test in every_test(draft.rubric):
        for leaf in leaves(test.holds):
            if isinstance(leaf, say.NameIs):
                again = _again(map(plain_name, leaf.values))
                if again is not None:
                    value = leaf.values[again]
                    at = _last(leaf.at, value)
                    yield _twice("R303", f'"{value}" stands in this list twice', at, None)


def doubled_items(draft: Draft) -> Iterator[Diagnostic]:
    """R517: the same fact twice in one checklist."""
    for criterion in criteria(draft.rubric.root):
        if isinstance(criterion.grading, Checklist):
            seen: dict[str, Item] = {}
            for item in criterion.grading.items:
                twin = seen.setdefault(fold(item.text), item)
                if twin is not item:
                    yield _twice("R517", "This item stands in the checklist twice", item.at, twin.at)


def doubled_criteria(draft: Draft) -> Iterator[Diagnostic]:
    """R517: two criteria that look at the same in the same way, so that it counts twice."""
    seen: dict[Hashable, Criterion] = {}
    for criterion in criteria(draft.rubric.root):
        conditions = tuple(condition.holds for condition in draft.conditions[criterion.id])
        looks_at = _looks_at(criterion)
        if looks_at is None:
            continue
        twin = seen.setdefault((criterion.role, conditions, looks_at, criterion.show), criterion)
        if twin is not criterion:
            message = f'"{criterion.title}" looks at the same as "{twin.title}", so it counts twice'
            yield _twice("R517", message, criterion.at, twin.at)


def _looks_at(criterion: Criterion) -> Hashable:
    """What it is graded by; None where nothing can be said. Another scale or panel makes another question."""
    match criterion.grading:
        case Asked() as asked:
            return fold(asked.question), asked.scale, asked.panel, asked.skippable
        case Checks(checks=checks, partial=partial) if checks:
            return frozenset(check.holds for check in checks), partial
        case _:
            return None


def _texts(leaf: Expression) -> tuple[str, ...]:
    match leaf:
        case say.Contains():
            return leaf.texts
        case say.ResultsContain():
            return leaf.sources
        case say.ValidJson():
            return leaf.fields
        case _:
            return ()


def _again(words: Iterator[str]) -> int | None:
    """Where a word stands that was there before."""
    seen: set[str] = set()
    for index, word in enumerate(words):
        if word in seen:
            return index
        seen.add(word)
    return None


def _last(at: Span, text: str) -> Span:
    """The last place of a text in a piece of a line; the whole piece where a setting stands for it."""
    found = at.text.casefold().rfind(text.casefold())
    return (
        at
        if found < 0 or len(at.text.casefold()) != len(at.text)
        else Span(at.line, at.start + found, at.start + found + len(text))
    )


def _twice(code: str, message: str, at: Span, first: Span | None) -> Diagnostic:
    other = None if first is None else (first, "first time")
    return Diagnostic(code, message, at, "", ("remove one",), other, severity=Severity.WARNING)
