"""Pieces of a Markdown page: tables, and code inside them."""

from collections.abc import Iterable, Sequence

__all__ = ["code", "codes", "table"]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a bar inside a cell does not end it."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def code(text: str) -> str:
    """A piece of a rubric as it is typed."""
    return f"`{text}`"


def codes(texts: Iterable[str]) -> str:
    """Several, with commas between them."""
    return ", ".join(map(code, texts))
