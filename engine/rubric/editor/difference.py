"""One text made into another by changing as few lines as possible, so that an editor keeps its place."""

from dataclasses import dataclass
from itertools import takewhile

from engine.rubric.editor.page import Page, Position

__all__ = ["Change", "change"]


@dataclass(frozen=True, slots=True)
class Change:
    """What stands from `start` up to `end` becomes `text`."""

    start: Position
    end: Position
    text: str


def change(page: Page, text: str) -> Change | None:
    """The lines in which a new text differs from a page, or None when it does not."""
    if text == page.text:
        return None
    old, new = _lines(page), _lines(Page.of(text, page.name))
    same = sum(1 for _ in takewhile(_alike, zip(old, new, strict=False)))
    most = min(len(old), len(new)) - same
    below = sum(1 for _ in takewhile(_alike, zip(old[: -most - 1 : -1], new[: -most - 1 : -1], strict=False)))
    last = len(old) - below
    start = Position(same, 0) if same < len(old) else page.end
    return Change(start, page.end if last == len(old) else Position(last, 0), "".join(new[same : len(new) - below]))


def _lines(page: Page) -> list[str]:
    ends = (*page.breaks[1:], len(page.text))
    return [page.text[start:end] for start, end in zip(page.breaks, ends, strict=True)]


def _alike(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1]
