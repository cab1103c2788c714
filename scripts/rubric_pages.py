"""Writes what is made about the rubric language: docs/rubric-reference.md and the pictures of scored answers.

python scripts/rubric_pages.py

The reference comes from the tables of the engine. A picture comes from the rubric and the case that stand on its page:
they are graded, and what came out is drawn.
"""

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from engine import rubric as language
from engine.rubric.manual import picture, reference
from engine.store.rubric_cases import read_cases

__all__ = ["PICTURES", "Picture", "made", "main"]

ROOT = Path(__file__).resolve().parents[1]


class Picture(NamedTuple):
    """A picture: the page that holds its rubric and its cases, what they are called there, and the case by number."""

    file: str
    page: str
    rubric: str
    cases: str
    case: int = 0


PICTURES = (
    Picture("rubrics/scored-answer.svg", "rubrics/README.md", "rubrics/refunds.rubric", "rubrics/refunds.cases.yaml"),
    Picture("docs/pictures/ungraded.svg", "docs/rubric-guide.md", "rubrics/open.rubric", "rubrics/open.cases.yaml"),
)


def main() -> None:
    """Write every file that differs."""
    for name, text in made().items():
        file = ROOT / name
        if not file.is_file() or file.read_text("utf-8") != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
            sys.stdout.write(f"written: {name}\n")


def made() -> dict[str, str]:
    """Every file that is made, with its text."""
    return {"docs/rubric-reference.md": reference(), **{each.file: _drawn(each) for each in PICTURES}}


def _drawn(wanted: Picture) -> str:
    page = (ROOT / wanted.page).read_text("utf-8")
    reading = language.read(_block(page, wanted.rubric), wanted.rubric, lambda _: None)
    if reading.rubric is None:
        raise ValueError("\n".join(map(str, reading.errors)))
    with TemporaryDirectory() as folder:
        file = Path(folder) / "cases.yaml"
        file.write_text(_block(page, wanted.cases), "utf-8")
        case = read_cases(file).cases[wanted.case]
    grading = language.compile(reading.rubric).grade(case.exchange, case.votes)
    return picture(reading.rubric, case.exchange.answer.text or "", grading)


def _block(page: str, name: str) -> str:
    found = re.search(rf"^<!-- file: {re.escape(name)} -->\n```\w*\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    if found is None:
        raise ValueError(f"no block is called {name}")
    return found[1]


if __name__ == "__main__":
    main()
