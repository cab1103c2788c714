"""Judges: more votes asked for than there are judges."""

from collections.abc import Iterator

from engine.rubric.check.draft import Draft
from engine.rubric.diagnostic import Diagnostic, Span
from engine.rubric.syntax import Asked, Checklist, Criterion, criteria
from engine.text import count

__all__ = ["quorums"]


def quorums(draft: Draft) -> Iterator[Diagnostic]:
    """R515: a quorum above the number of judges. A line that stands for many criteria is one message."""
    said: set[Span] = set()
    for criterion in criteria(draft.rubric.root):
        grading = criterion.grading
        if not isinstance(grading, Asked | Checklist):
            continue
        panel = grading.panel
        if panel.quorum is None or panel.quorum <= panel.size:
            continue
        at = _quorum(draft, criterion)
        if at in said:
            continue
        said.add(at)
        who = count(panel.size, "judge")
        message = f'"{criterion.title}" needs {panel.quorum} answers, and has {who}'
        steps = (f"write: judge: {panel.quorum} llm", "or lower the quorum")
        yield Diagnostic("R515", message, at, help=steps)


def _quorum(draft: Draft, criterion: Criterion) -> Span:
    """The quorum line that counts for a criterion: its own, or that of the nearest group."""
    block = draft.block(criterion)
    while block is not None:
        entry = block.find("quorum")
        if entry is not None:
            return entry.value or entry.at
        block = block.parent or (draft.outline.root if block is not draft.outline.root else None)
    return criterion.at
