"""Lines that do not do what they seem to: remarks inside texts, ids of several words, lines without effect."""

import re
from collections.abc import Iterator

from engine.rubric.blocks import Entry
from engine.rubric.check.draft import Draft
from engine.rubric.diagnostic import Diagnostic, Edit, Severity, Span
from engine.rubric.syntax import Asked, Checklist, Checks, Criterion, Group, Panel, Role, parts
from engine.text import slug

__all__ = ["idle_lines", "ids", "remarks"]

_TEXTS = frozenset({"about", "ask", "guidance", "good example", "bad example", "owner", "item"})
_REMARK = re.compile(r"\s(#\s.*)")


def remarks(draft: Draft) -> Iterator[Diagnostic]:
    """R701: what looks like a remark at the end of a text is a part of the text."""
    for block in draft.blocks:
        for entry in (block.head, *(entry for entry in block.entries if entry.key in _TEXTS)):
            yield from _remarks_in(entry)


def _remarks_in(entry: Entry) -> Iterator[Diagnostic]:
    if entry.more or "#" in entry.line.folded:  # nearly no line has one
        for span in entry.texts:
            found = _REMARK.search(span.text)
            if found:
                at = Span(span.line, span.start + found.start(1), span.start + found.end(1))
                message = "This is read as a part of the text; a remark needs a line of its own"
                steps = ("move it to the line above, starting with #",)
                yield Diagnostic("R701", message, at, help=steps, severity=Severity.WARNING)


def ids(draft: Draft) -> Iterator[Diagnostic]:
    """R207: an id is one word, so that it can stand in file names and tables."""
    for block in draft.blocks:
        entry = block.find("id")
        if entry is None:
            continue
        said = "" if entry.value is None else entry.value.text.removesuffix(".").strip()
        if not re.fullmatch(r"[\w-]+", said) or not slug(said):
            near = slug(said)
            at = entry.value or entry.at
            message = f'An id is one word, and this is "{said}"' if said else "The id is missing after id:"
            step = f"write: id: {near}" if near else "write one word, for example: id: tone"
            yield Diagnostic("R207", message, at, help=(step,), edit=Edit(at, near) if near and said else None)


def idle_lines(draft: Draft) -> Iterator[Diagnostic]:
    """R702: lines that change nothing."""
    for part in parts(draft.rubric.root):
        for key, why in _idle(part):
            entry = draft.line(part, key)
            if entry is not None:
                message = f"This line changes nothing: {why}"
                at, steps = entry.at, ("remove the line",)
                yield Diagnostic("R702", message, at, help=steps, severity=Severity.WARNING)


def _idle(part: Criterion | Group) -> Iterator[tuple[str, str]]:
    if isinstance(part, Group):
        return
    if part.role is Role.INFO:
        yield "weight", "info: is reported and never counted"
    if part.role in (Role.PENALTY, Role.BONUS):
        yield "pass mark", f"a {part.role} neither passes nor fails"
    grading = part.grading
    if isinstance(grading, Checks) and len(grading.checks) == 1:
        yield "partial credit", "there is only one check"
    if not isinstance(grading, Asked | Checklist):
        yield "guidance", "no judge reads it, because no judge grades this"
        yield "show", "no judge sees it, because no judge grades this"
    elif grading.panel.size == 1:
        yield from _alone(grading.panel)


def _alone(panel: Panel) -> Iterator[tuple[str, str]]:
    yield "combine judges", "there is only one judge"
    yield "disagreement limit", "there is only one judge"
    if panel.quorum == 1:
        yield "quorum", "there is only one judge"
