"""The page itself: style, program and rubric in one HTML file that may load nothing and send nothing."""

import base64
import hashlib
import html
import json
import re
from functools import cache
from importlib.resources import files

from engine.rubric.canonical import Json
from engine.rubric.playground.sheet import sheet
from engine.rubric.syntax import Rubric
from engine.text import encodable, one_line

__all__ = ["GRADING", "page", "source"]

GRADING = (
    "text.js",
    "numbers.js",
    "evidence.js",
    "checks.js",
    "votes.js",
    "outcomes.js",
    "parts.js",
    "groups.js",
    "grade.js",
)
"""What grades, in the order it is read; knows nothing of a page."""

_PAGE = ("elements.js", "inputs.js", "weights.js", "rows.js", "page.js")
_PLACE = re.compile(r"\{\{(\w+)\}\}")


def page(rubric: Rubric, answer: str | None = None) -> str:
    """One HTML page that grades answers with this rubric. `answer` stands in its box at first.

    Everything foreign is in one block of data; the page shows it as text, never as markup.
    """
    style = source("page.css")
    script = "\n".join(source(name) for name in (*GRADING, *_PAGE))
    content: dict[str, Json] = {**sheet(rubric), "answer": None if answer is None else encodable(answer)}
    parts = {
        "title": html.escape(one_line(rubric.title)),
        "policy": f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'",
        "style": style,
        "data": json.dumps(content, separators=(",", ":")).replace("<", "\\u003c"),
        "script": script,
    }
    return _PLACE.sub(lambda found: parts[found[1]], source("page.html"))


@cache
def source(name: str) -> str:
    """One of the files that the page is made of."""
    return files(__package__).joinpath(name).read_text("utf-8")


def _hash(inline: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()}'"
