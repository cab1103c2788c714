"""Every code that a message can have."""

from collections.abc import Iterator

from engine.rubric.codes import CODES
from engine.rubric.manual.markdown import table

__all__ = ["messages"]

_PARTS = {
    "R1": "Lines and words",
    "R2": "Headings and what stands under them",
    "R3": "Names",
    "R4": "Numbers, weights and scales",
    "R5": "What cannot be, or never matters",
    "R6": "Patterns and wording",
    "R7": "Remarks and lines without effect",
    "R8": "Published versions",
}


def messages() -> Iterator[str]:
    """A table for each hundred."""
    for start, title in _PARTS.items():
        rows = [
            (row.code, f"{row.severity}", f"**{_plain(row.title)}.** {_plain(row.why)}", "yes" if row.fix else "")
            for row in CODES.values()
            if row.code.startswith(start)
        ]
        yield f"### {title}"
        yield table(("code", "", "what is wrong, and what to do", "`--fix`"), rows)


def _plain(text: str) -> str:
    """Text in a cell: signs that Markdown would obey stand for themselves."""
    return "".join(f"\\{char}" if char in "\\`*_<>[]#" else char for char in text)
