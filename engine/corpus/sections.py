"""A document in titled sections: what the index searches, and what a snippet is taken from. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.corpus.documents import Document

__all__ = ["LONGEST", "Section", "first_heading", "split"]

LONGEST = 2_000  # characters; a longer section is cut between two paragraphs

_UNDERLINE = re.compile(r"([*=\-~^\"'+#])\1{2,}[ \t]*$")
_HASHES = re.compile(r"(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_SLACK = 2  # an underline may be this much shorter than its heading


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document. `title` is the whole path: `document › section`."""

    title: str
    body: str


def split(document: Document) -> tuple[Section, ...]:
    """The sections in order; at least one. Every line but headings and their underlines is in exactly one body.

    Two ways to write a heading are understood: a line that is underlined (`====`, as in pydoc's topics,
    reStructuredText and Markdown) and a line that starts with `#`. Code between fences holds no headings.
    """
    found: list[Section] = []
    for heading, lines in _parts(document.text.split("\n")):
        title = document.title if heading in ("", document.title) else f"{document.title} › {heading}"
        body = "\n".join(lines).strip("\n")
        if body.strip():
            found.extend(Section(title, piece) for piece in _pieces(body))
        elif heading not in ("", document.title):
            found.append(Section(title, ""))
    return tuple(found) or (Section(document.title, ""),)


def first_heading(text: str) -> str:
    """The first heading of a text, or nothing when it has none."""
    return next((heading for heading, _ in _parts(text.split("\n")) if heading), "")


def _parts(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """(heading, lines under it); the first heading is empty when the text starts without one."""
    heading, under, fence = "", list[str](), ""
    at = 0
    while at < len(lines):
        line = lines[at]
        marker = _FENCE.match(line)
        if marker and not fence:
            fence = marker[1]
        elif marker and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        title, used = ("", 1) if fence or marker else _heading(lines, at)
        if title:
            yield heading, under
            heading, under = title, []
        else:
            under.append(line)
        at += used
    yield heading, under


def _heading(lines: list[str], at: int) -> tuple[str, int]:
    """The heading that starts here and how many lines it takes, or ("", 1)."""
    line = lines[at]
    if hashes := _HASHES.match(line):
        return hashes[2], 1
    alone = at == 0 or not lines[at - 1].strip()
    if alone and line.strip() and not line[0].isspace() and at + 1 < len(lines):
        below = lines[at + 1].rstrip()
        if _UNDERLINE.match(below) and len(below) >= len(line.strip()) - _SLACK and not _UNDERLINE.match(line):
            return line.strip(), 2
    return "", 1


def _pieces(body: str) -> Iterator[str]:
    """The body in pieces of whole paragraphs, each as long as LONGEST allows; one paragraph is never cut."""
    piece, size = list[str](), 0
    for paragraph in re.split(r"\n[ \t]*\n", body):
        if piece and size + len(paragraph) > LONGEST:
            yield "\n\n".join(piece)
            piece, size = [], 0
        piece.append(paragraph)
        size += len(paragraph) + 2
    yield "\n\n".join(piece)
