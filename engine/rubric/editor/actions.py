"""Mends that an editor can offer: the fix of a message, all of them at once, and a remark that allows a warning."""

from collections.abc import Iterable
from dataclasses import dataclass

from engine.rubric import read
from engine.rubric.diagnostic import Diagnostic, Edit, Severity, Span
from engine.rubric.editor.difference import Change, change
from engine.rubric.editor.page import Page
from engine.rubric.fixes import fixed
from engine.rubric.library import TextOf
from engine.text import one_line

__all__ = ["Fix", "all_fixed", "fixes"]


@dataclass(frozen=True, slots=True)
class Fix:
    """One thing that a person can choose to do. `sure` means that the message itself offers it."""

    title: str
    problem: Diagnostic
    edit: Edit
    sure: bool = True


def fixes(problems: Iterable[Diagnostic], first: int, last: int, name: str) -> tuple[Fix, ...]:
    """What can be done about the problems on the lines `first` to `last` (from 1) of the file `name`."""
    found = []
    for problem in problems:
        line = problem.span.line
        if line.file != name or not first <= line.number <= last:
            continue
        if problem.edit is not None:
            found.append(Fix(_title(problem), problem, problem.edit))
        if problem.severity is not Severity.ERROR:
            indent = line.text[: len(line.folded) - len(line.folded.lstrip())]
            remark = Edit(Span(line, 0, 0), f"{indent}# ok {problem.code}: write why here\n")
            found.append(Fix(f"Allow this here ({problem.code})", problem, remark, sure=False))
    return tuple(found)


def all_fixed(page: Page, library: TextOf) -> Change | None:
    """Every fix that helps and harms nothing, as `assay rubric check --fix` makes them; None when there is none."""
    found = fixed(page.text, lambda text: read(text, page.name, library).problems)
    return change(page, found.text) if found.applied else None


def _title(problem: Diagnostic) -> str:
    assert problem.edit is not None
    old, new = one_line(problem.edit.span.text, 40), one_line(problem.edit.text, 60)
    if not new:
        return f"Remove {old}"
    return f"Change {old} to {new}" if old else f"Add {new}"
