"""A line of a rubric taken apart, as far as damaging it needs."""

from dataclasses import dataclass

from engine.rubric.words import KEYWORDS, key_of, keyword

__all__ = ["STRUCTURED", "Row", "row_of"]

STRUCTURED = frozenset(
    {
        *("version", "weight", "pass mark", "scale", "combine", "combine judges", "allow n/a", "partial credit"),
        *("minimum graded", "quorum", "disagreement limit", "check", "only when", "measure", "field", "setting"),
        *("use", "judge", "cap", "verdict"),
    }
)
"""Keywords with a value that is not free text."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line that is neither blank nor a remark.

    Attributes:
        key: the keyword as it is written, "" for rows, items and continued texts.
        before: everything up to where the value starts.
    """

    text: str
    key: str
    before: str
    value: str


def row_of(line: str) -> Row | None:
    """The line taken apart; None for a blank one and for a remark."""
    if not line.strip() or line.lstrip().startswith("#"):
        return None
    head, colon, rest = line.partition(":")
    key = key_of(head)
    if not colon or keyword(head) not in KEYWORDS:
        return Row(line, "", "", line)
    value = rest.lstrip()
    return Row(line, key, line[: len(line) - len(value)], value)
