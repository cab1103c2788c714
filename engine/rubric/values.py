"""What stands after the keys of a block: texts with their settings filled in, lists, and values read one at a time."""

from collections.abc import Callable
from typing import TypeVar

from engine.rubric import amounts, phrases
from engine.rubric.blocks import Block, Entry
from engine.rubric.context import Context, Slip
from engine.rubric.diagnostic import Diagnostic, Severity, Span, not_known
from engine.rubric.names import plain_name
from engine.rubric.parse import Node, Word
from engine.rubric.syntax import Check
from engine.rubric.words import SHOW
from engine.text import nearest, slug

__all__ = ["check", "each", "examples", "filled", "own_id", "shown", "tags", "text", "value", "words"]

T = TypeVar("T")


def value(block: Block, key: str, read: Callable[[Entry], T], otherwise: T, context: Context) -> T:
    """The value of the line with this key; `otherwise` when there is none, or when it cannot be read."""
    entry = block.find(key)
    if entry is None:
        return otherwise
    try:
        return read(entry)
    except Slip as slip:
        context.problems.append(slip.diagnostic)
        return otherwise


def each(entries: list[Entry], read: Callable[[Entry], T], context: Context) -> tuple[T, ...]:
    """The values of several lines; a line that cannot be read is a problem and left out."""
    found = []
    for entry in entries:
        try:
            found.append(read(entry))
        except Slip as slip:
            context.problems.append(slip.diagnostic)
    return tuple(found)


def check(block: Block, key: str, context: Context) -> Check | None:
    """The condition of a line such as `only when:`."""
    return value(block, key, lambda entry: phrases.check(entry.node.nodes()[0], entry.line, context), None, context)


def text(block: Block, key: str, context: Context) -> str:
    """The text of all lines with this key."""
    texts = [filled(entry, context) for entry in block.entries if entry.key == key]
    return "\n".join(each for each in texts if each)


def examples(block: Block, key: str, context: Context) -> tuple[str, ...]:
    """One text for each line with this key."""
    texts = [filled(entry, context) for entry in block.entries if entry.key == key]
    return tuple(each for each in texts if each)


def filled(entry: Entry, context: Context) -> str:
    """A text with the lines that continue it, settings in their place."""
    rows = []
    for span in entry.texts:
        try:
            rows.append(" ".join(amounts.fill(span, context).split()))
        except Slip as slip:
            context.problems.append(slip.diagnostic)
    return "\n".join(row for row in rows if row)


def tags(block: Block) -> tuple[str, ...]:
    """The words of all `tags:` lines."""
    lines = [_plain(entry) for entry in block.entries if entry.key == "tags"]
    words = [" ".join(part.split()) for line in lines for part in line.split(",")]
    return tuple(dict.fromkeys(word for word in words if word))


def shown(block: Block, context: Context) -> tuple[str, ...]:
    """What a judge gets to see (`show:`)."""
    entry = block.find("show")
    if entry is None or entry.value is None:
        return ()
    found: list[str] = []
    start = entry.value.start
    for part in entry.value.text.removesuffix(".").split(","):
        word = plain_name(part)
        at = Span(entry.line, start + len(part) - len(part.lstrip()), start + len(part.rstrip()))
        start += len(part) + 1
        if word and word not in SHOW:
            context.problems.append(_not_shown(part.strip(), at))
        elif word in found:
            message = f'"{word}" stands in this list twice'
            context.problems.append(Diagnostic("R303", message, at, help=("remove one",), severity=Severity.WARNING))
        elif word:
            found.append(word)
    return tuple(found)


def _not_shown(said: str, at: Span) -> Diagnostic:
    near = nearest(plain_name(said), SHOW)
    return not_known("R302", f'A judge cannot be shown "{said}"', at, near, f"it can be: {', '.join(SHOW)}")


def own_id(block: Block) -> str:
    """The slug that an `id:` line gives; empty when there is none."""
    entry = block.find("id")
    return slug(_plain(entry)) if entry is not None else ""


def words(node: Node, kind: str) -> list[Word]:
    """The words of one kind that stand directly in a tree."""
    return [part for part in node.parts if isinstance(part, Word) and part.kind == kind]


def _plain(entry: Entry) -> str:
    return "" if entry.value is None else " ".join(entry.value.text.removesuffix(".").split())
