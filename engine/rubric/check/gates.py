"""Musts that a judge can wave through."""

from collections.abc import Iterator

from engine.rubric.check.draft import Draft
from engine.rubric.diagnostic import Diagnostic, Severity
from engine.rubric.syntax import Asked, Checklist, criteria

__all__ = ["skippable_gates"]


def skippable_gates(draft: Draft) -> Iterator[Diagnostic]:
    """R513: "n/a" is an answer to a must, and what does not apply cannot fail."""
    for criterion in criteria(draft.rubric.root):
        grading = criterion.grading
        if not criterion.role.gate or not isinstance(grading, Asked | Checklist):
            continue
        row = next((level for level in grading.scale.levels if level.score is None and level.low is None), None)
        if not grading.skippable and row is None:
            continue
        key = "allow n/a" if grading.skippable else "scale"
        message = f'A judge can answer n/a to "{criterion.title}", and then nothing keeps the answer from passing'
        steps = ('say when it applies with "only when:" instead', "or leave n/a out, so that every answer is judged")
        at = draft.place(criterion, key)
        yield Diagnostic("R513", message, at, help=steps, severity=Severity.WARNING)
