"""From a name to where it is declared, to everywhere it is used, and to a new name for all of them."""

from collections.abc import Iterator
from dataclasses import dataclass

from engine.rubric.diagnostic import Edit, Span
from engine.rubric.editor.mentions import Mention, Sort, declared, mention_at, mentions
from engine.rubric.editor.page import Page, Place, Row
from engine.rubric.library import TextOf
from engine.rubric.names import plain_name
from engine.rubric.words import HEADS
from engine.text import slug

__all__ = ["Renaming", "Target", "definition", "references", "renamed"]


@dataclass(frozen=True, slots=True)
class Target:
    """A place in this page or in a used file; `page.name` says which."""

    page: Page
    span: Span


@dataclass(frozen=True, slots=True)
class Renaming:
    """What a new name changes. `refused` says why it cannot be had; `warning` what to know about it."""

    edits: tuple[Edit, ...] = ()
    refused: str = ""
    warning: str = ""


def definition(page: Page, place: Place, library: TextOf) -> Target | None:
    """Where the name at a place is declared: in this page, or in a file that it uses."""
    mention = mention_at(page, place)
    if mention is None:
        return None
    if mention.sort is Sort.FILE:
        path = mention.span.text.strip()
        text = library(path)
        return None if text is None else _top(Page.of(text, path))
    found = next((each for each in declared(page, library) if _meant(mention, each[1])), None)
    return None if found is None else Target(found[0], found[1].span)


def references(page: Page, place: Place) -> tuple[Span, ...]:
    """Every place in the page where the name at a place stands, its heading included."""
    mention = mention_at(page, place)
    return () if mention is None else tuple(each.span for each in _same(page, mention))


def renamed(page: Page, place: Place, name: str) -> Renaming:
    """A new name for what stands at a place, everywhere in the page."""
    mention = mention_at(page, place)
    if mention is None or mention.sort is Sort.FILE:
        return Renaming(refused="There is nothing here that can be renamed. Stand on a title, or on a [name].")
    new = " ".join(name.split())
    all_here = _same(page, mention)
    if not any(each.declares for each in all_here):
        return Renaming(refused=f"{mention.span.text} is declared in another file. Rename it there.")
    refused = _unfit(new, mention, page)
    if refused:
        return Renaming(refused=refused)
    return Renaming(tuple(Edit(each.span, new) for each in all_here), warning=_labels(page, mention))


def _top(page: Page) -> Target:
    row = next((row for row in page.rows if row.key in ("rubric", "library")), page.rows[0])
    return Target(page, row.value)


def _meant(mention: Mention, other: Mention) -> bool:
    if mention.name != other.name:
        return False
    # `use: [quality] from ...` takes criteria and scales alike
    return mention.sort is other.sort or (mention.sort is Sort.PART and other.sort is Sort.SCALE)


def _same(page: Page, mention: Mention) -> list[Mention]:
    return [each for each in mentions(page) if (each.sort, each.name) == (mention.sort, mention.name)]


_FORBIDDEN = {Sort.PART: "[]", Sort.SETTING: "{}=", Sort.SCALE: "|", Sort.FIELD: '"=,'}


def _unfit(new: str, mention: Mention, page: Page) -> str:
    if not new:
        return "A name has at least one letter."
    bad = next((char for char in new if char in _FORBIDDEN[mention.sort]), "")
    is_group = any(row.key == "group" and row.at for row in _rows_of(page, mention))
    if bad or (is_group and ">" in new):
        return f"A name cannot have {bad or '>'} in it."
    taken = {each.name for each in mentions(page) if each.sort is mention.sort and each.declares}
    if plain_name(new) != mention.name and plain_name(new) in taken:
        return f"There is already a {mention.sort} called {new}."
    return ""


def _rows_of(page: Page, mention: Mention) -> Iterator[Row]:
    for each in _same(page, mention):
        if each.declares:
            yield page.rows[each.span.line.number - 1]


def _labels(page: Page, mention: Mention) -> str:
    """Labels and reports are kept under the id, which comes from the title where no `id:` line gives one."""
    if mention.sort is not Sort.PART:
        return ""
    start = next(each.span.line.number for each in _same(page, mention) if each.declares)
    for row in page.rows[start:]:
        if row.key == "id":
            return ""
        if row.at is not None and row.key in HEADS:
            break
    own = slug(mention.span.text)
    return f"Its id changes with the title, and labels are kept under the id. To keep them, write under it: id: {own}"
