"""Rubric text made of foreign texts: whatever stands in them, what is written reads, and what was not kept is said."""

from collections.abc import Iterator
from dataclasses import dataclass

from engine import rubric
from engine.errors import Problem, UsageError
from engine.rubric.diagnostic import Diagnostic
from engine.rubric.importing.pen import Pen, short
from engine.rubric.names import plain_name
from engine.rubric.source import MOST_BYTES, MOST_LINES
from engine.text import one_line, slug

__all__ = ["Draft", "Imported", "Part", "Section", "write"]


@dataclass(frozen=True, slots=True)
class Part:
    """One criterion, or another piece of a rubric that can be left out when it does not read.

    Attributes:
        what: how it is called when it could not be brought over.
        lines: its lines, heading first.
        title: of a criterion; empty for anything else.
        less: what of it could not be brought over.
    """

    what: str
    lines: tuple[str, ...]
    title: str = ""
    less: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A group with its criteria. `lines` stand under its heading."""

    title: str
    parts: tuple[Part, ...]
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A rubric before it is written: lines under its name, criteria outside groups, groups, and what ends it."""

    title: str
    head: tuple[str, ...]
    parts: tuple[Part, ...]
    sections: tuple[Section, ...] = ()
    tail: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """A rubric that reads without an error.

    Attributes:
        text: with a remark line for everything in `lost`.
        lost: what could not be brought over, one line each.
        criteria: how many were brought over.
    """

    text: str
    lost: tuple[str, ...]
    criteria: int


def write(draft: Draft, pen: Pen, place: str) -> Imported:
    """The text of a draft. A part that does not read becomes a remark with the reason.

    Raises:
        UsageError: nothing can be brought over, or it is more than a rubric may hold.
    """
    _own_up(pen)
    refused: dict[Part, str] = {}
    while True:
        placed = tuple(_lines(draft, pen, refused))
        text = "\n".join(line for line, _ in placed) + "\n"
        errors = rubric.read(text, place, lambda _: None).errors
        if not errors:
            break
        guilty = {owner: problem.message for problem in errors if (owner := _owner(problem, placed))}
        if not guilty:
            raise UsageError(_nothing(errors[0], pen, refused, place))
        refused |= guilty
    kept = [part for part in _parts(draft) if part not in refused]
    less = (f"{part.title}: {short(one_line(what), 400)}" for part in kept for what in part.less)
    lost = (*pen.lost, *less, *(f"{part.what}: {reason}" for part, reason in refused.items()))
    return Imported(text, lost, sum(1 for part in kept if part.title))


def _own_up(pen: Pen) -> None:
    if pen.hidden:
        pen.lose("characters that nobody can see; each is \ufffd now")
    if pen.braces:
        pen.lose("curly brackets round words stand for settings in a rubric; here they are written ｛ ｝")
    if pen.colons:
        pen.lose("a colon in a name, after a word that begins a line of a rubric; here it is written –")


def _nothing(problem: Diagnostic, pen: Pen, refused: dict[Part, str], place: str) -> Problem:
    reasons = [*(f"{part.what}: {reason}" for part, reason in refused.items()), *pen.lost]
    if problem.code == "R213":
        why = f": {one_line(reasons[0], 200)}" if reasons else ""
        return Problem(f"nothing in this file can be brought over{why}", place, "a rubric needs at least one criterion")
    message = f"no rubric can be made of this file: {one_line(problem.message, 200)}"
    if problem.code == "R106":  # said of the rubric, which nobody has seen
        message = f"there is too much in this file for one rubric: {MOST_BYTES // 1024} KiB or {MOST_LINES:,} lines"
        return Problem(message, place, "cut the file into parts, and import each of them")
    return Problem(message, place)


def _parts(draft: Draft) -> Iterator[Part]:
    yield from draft.parts
    for section in draft.sections:
        yield from section.parts
    yield from draft.tail


def _owner(problem: Diagnostic, placed: tuple[tuple[str, Part | None], ...]) -> Part | None:
    number = problem.span.line.number
    return placed[number - 1][1] if 0 < number <= len(placed) else None


def _lines(draft: Draft, pen: Pen, refused: dict[Part, str]) -> Iterator[tuple[str, Part | None]]:
    """Every line with the part that it belongs to."""
    ids = _Ids(set())
    for what in pen.lost:
        yield _remark(what), None
    yield f"rubric: {draft.title}", None
    yield from ((line, None) for line in draft.head)
    for part in draft.parts:
        yield from _part(part, "", refused, ids)
    for section in draft.sections:
        above = ""
        if any(part not in refused for part in section.parts):
            above = ids.own("", section.title, "group")
            yield "", None
            yield f"group: {section.title}", None
            yield from ((line, None) for line in (*ids.line(above, section.title), *section.lines))
        for part in section.parts:
            yield from ((f"  {line}".rstrip(), owner) for line, owner in _part(part, above, refused, ids))
    for part in draft.tail:
        yield from _part(part, "", refused, ids)


def _part(part: Part, above: str, refused: dict[Part, str], ids: "_Ids") -> Iterator[tuple[str, Part | None]]:
    yield "", None
    if part in refused:
        yield _remark(f"{part.what}: {refused[part]}"), None
        return
    yield from ((_remark(what), None) for what in part.less)
    yield part.lines[0], part
    if part.title:
        own = ids.own(above, part.title, "criterion")
        yield from ((line, part) for line in ids.line(own, part.title))
    yield from ((line, part) for line in part.lines[1:])


def _remark(what: str) -> str:
    return f"# not brought over: {short(one_line(what), 400)}"


@dataclass(slots=True)
class _Ids:
    """Ids so far; titles that differ in signs only, or have no letters, are given one of their own."""

    taken: set[str]

    def own(self, above: str, title: str, what: str) -> str:
        """The part of an id that a title gives, or another one when it is taken."""
        base = slug(title, 50) or what
        own, number = (slug(title) or f"{what}-1"), 1
        while (path := f"{above}/{own}".lstrip("/")) in self.taken or path == "overall":
            number += 1
            own = f"{base}-{number}"
        self.taken |= {path, plain_name(title)}
        return own

    def line(self, own: str, title: str) -> tuple[str, ...]:
        """`id:`, when the title does not give it by itself."""
        return () if own == slug(title) else (f"  id: {own}",)
