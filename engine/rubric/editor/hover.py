"""What an author wants to know about the word under the pointer, as Markdown: keywords, names, measures, messages."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.rubric.codes import CODES
from engine.rubric.diagnostic import Diagnostic, Span
from engine.rubric.editor.completion import about_measure
from engine.rubric.editor.keywords import KEYWORDS
from engine.rubric.editor.mentions import Mention, Sort, mention_at
from engine.rubric.editor.navigation import Target, definition
from engine.rubric.editor.page import Page, Place, Row
from engine.rubric.editor.sayings import SHAPES
from engine.rubric.highlight import Kind
from engine.rubric.library import TextOf
from engine.rubric.line_tokens import tokens
from engine.rubric.names import plain_name, quantity
from engine.rubric.shares import Counts, Share, permille, shares
from engine.rubric.syntax import Asked, Checklist, Checks, Criterion, Group, Measured, Rubric, parts
from engine.rubric.words import HEADS

__all__ = ["Known", "Note", "hover"]


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a page. `rubric` is the last one that could be read, or None."""

    page: Page
    library: TextOf
    rubric: Rubric | None = None
    problems: Sequence[Diagnostic] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """Markdown, and the piece of the page that it is about."""

    text: str
    span: Span


def hover(known: Known, place: Place) -> Note | None:
    """What is known about what stands at a place; messages about it come first."""
    row = known.page.rows[place.row]
    about = _about(known, place)
    said = [_said(problem) for problem in known.problems if _over(problem.span, known.page, place)]
    if not said and about is None:
        return None
    span = about.span if about else row.value
    return Note("\n\n---\n\n".join((*said, *((about.text,) if about else ()))), span)


def _over(span: Span, page: Page, place: Place) -> bool:
    here = span.line.file == page.name and span.line.number == place.row + 1
    return here and span.start <= place.column <= max(span.end, span.start + 1)


def _said(problem: Diagnostic) -> str:
    steps = "".join(f"\n- {_plain(step)}" for step in problem.help)
    row = CODES.get(problem.code)
    why = "" if row is None else f"\n\n{_plain(row.why)}"
    return f"**{_plain(problem.message)}** ({problem.code})\n{steps}".rstrip() + why


def _about(known: Known, place: Place) -> Note | None:
    row = known.page.rows[place.row]
    if row.at is not None and row.at.start <= place.column < row.at.end and row.key in KEYWORDS:
        keyword = KEYWORDS[row.key]
        return Note(f"**{row.key}:** {keyword.about}\n{_code(keyword.example)}", row.at)
    if row.key == "#":
        return _code_of_a_message(row, place)
    mention = mention_at(known.page, place)
    if mention is not None:
        return _name(known, mention, place)
    return _word(known.page, place)


def _code_of_a_message(row: Row, place: Place) -> Note | None:
    """`# ok R609: reason`: which warning is allowed here."""
    for found in re.finditer(r"\bR\d{3}\b", row.line.text):
        code = CODES.get(found[0])
        if code is not None and found.start() <= place.column <= found.end():
            text = f"**{code.code}** {_plain(code.title)}\n\n{_plain(code.why)}"
            return Note(text, Span(row.line, found.start(), found.end()))
    return None


# ---- names --------------------------------------------------------------------------------------


def _name(known: Known, mention: Mention, place: Place) -> Note | None:
    if mention.sort is Sort.PART and known.rubric is not None:
        part = next((each for each in parts(known.rubric.root) if plain_name(each.title) == mention.name), None)
        if part is not None:
            share = shares(known.rubric.root).get(part.id)
            return Note(_summary(part, share, permille(known.rubric.root).get(part.id, 0)), mention.span)
    target = definition(known.page, place, known.library)
    if target is None:
        return None
    if mention.sort is Sort.FILE:
        return Note(f"**{_plain(target.span.text)}**\n{_code(_headings(target.page))}", mention.span)
    return Note(_code(_declaration(target)), mention.span)


_COUNTS = {
    Counts.PART: "{}% of the whole score",
    Counts.TAKES_OFF: "takes off up to {}% of the whole score",
    Counts.ADDS: "adds up to {}% of the whole score",
    Counts.GATE: "a condition, no part of the score",
    Counts.INFO: "reported, never counted",
    Counts.TOGETHER: "counts together with the others of its group",
}


def _summary(part: Criterion | Group, share: Share | None, permille: int) -> str:
    role = "group" if isinstance(part, Group) else part.role
    lines = [f"**{_plain(part.title)}** ({role})"]
    if share is not None:
        lines.append(_COUNTS[share.counts].format(f"{permille / 10:g}"))
    if part.pass_mark is not None:
        lines.append(f"passes from {_percent(float(part.pass_mark))}")
    if part.only_when is not None:
        lines.append(f"only when {_plain(part.only_when.said)}")
    if isinstance(part, Group):
        lines.append(f"{part.combine} of {len(part.members)} members")
    else:
        lines += _graded(part)
    if part.about:
        lines.append(_plain(part.about))
    return "\n\n".join(lines)


def _graded(part: Criterion) -> list[str]:
    match part.grading:
        case Checks(checks=checks):
            return [f"check: {_plain(check.said)}" for check in checks]
        case Measured(name=name):
            return [f"measure: {_plain(name)}"]
        case Asked(question=question, scale=scale):
            return [f"ask: {_plain(question)}", f"scale: {_plain(scale.name)}" if scale.name else "scale of its own"]
        case Checklist(items=items):
            return [f"{len(items)} items"]


def _percent(share: float) -> str:
    return f"{share * 100:.1f}".removesuffix(".0") + "%"


def _declaration(target: Target) -> str:
    """The line that declares it, with its rows."""
    start = target.span.line.number - 1
    found = [target.page.rows[start].line.text.strip()]
    for row in target.page.rows[start + 1 : start + 12]:
        if row.key != "|":
            break
        found.append("  " + row.line.text.strip())
    return "\n".join(found)


def _headings(page: Page) -> str:
    found = [row.line.text.rstrip() for row in page.rows if row.at is not None and _is_heading(row.key)]
    return "\n".join(found[:20] + ["..."] * (len(found) > 20))


def _is_heading(key: str) -> bool:
    return key in (*HEADS, "define scale", "setting") and key != "end group"


# ---- words --------------------------------------------------------------------------------------


def _word(page: Page, place: Place) -> Note | None:
    row = page.rows[place.row]
    token = next((each for each in tokens(row.line.folded) if each.start <= place.column < each.end), None)
    if token is None or row.at is None or token.start < row.at.end:
        return None
    span = Span(row.line, token.start, token.end)
    if token.kind is Kind.OTHER:
        return _measure(span)
    if token.kind in (Kind.WORD, Kind.SUBJECT):
        word = " ".join(span.text.casefold().split())
        shapes = [shape for shape in SHAPES if f" {word} " in f" {shape.example} ".casefold()]
        text = "\n\n".join(f"`{shape.example}`  \n{shape.about}" for shape in shapes[:4])
        return Note(text, span) if text else None
    return None


def _measure(span: Span) -> Note | None:
    name = span.text
    found = quantity(name)
    if found is None:
        return None
    unit = {"ratio": "from 0 to 1, 1 is best", "time": "in seconds or ms", "money": "in dollars or cents"}
    about = about_measure(name) or "Recorded with each answer."
    marks = f", {found.example}" if found.example else ""
    text = f"**{found.name}** {about} ({unit.get(found.kind, 'a number')})\n{_code(f'measure: {found.name}{marks}')}"
    return Note(text, span)


def _code(text: str) -> str:
    """A block in which an author's text stays text. Its fence is longer than any in the text."""
    fence = "`" * max(3, max((len(run) + 1 for run in _runs(text)), default=3))
    return f"\n{fence}rubric\n{text}\n{fence}"


def _runs(text: str) -> Iterator[str]:
    run = ""
    for char in text + " ":
        if char == "`":
            run += char
        elif run:
            yield run
            run = ""


def _plain(text: str) -> str:
    """An author's words in Markdown, where they shall neither be a picture nor a link nor a tag."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]()<>#+!|~$&" else char for char in " ".join(text.split()))
