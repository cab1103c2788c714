"""The wording of requests to judges as a hash, so that a record says by which wording a grade was given."""

from decimal import Decimal
from functools import cache
from hashlib import sha256

from engine.model.exchange import Answer, Exchange, Hit, Turn
from engine.model.query import Query
from engine.rubric.request import LONGEST, LONGEST_HIT, sheet
from engine.rubric.syntax import (
    YES_NO,
    Asked,
    Checklist,
    Criterion,
    Group,
    Item,
    Level,
    Role,
    Rubric,
    Scale,
    questions,
)

__all__ = ["prompt_sha256"]

_LEVELS = Scale("", (Level("high", Decimal(1), "much"), Level("low", Decimal(0)), Level("none", None, "nothing")))
_POINTS = Scale("", low=Decimal(1), high=Decimal(5))
_ITEMS = (Item("one", "One"), Item("two", "Two", Decimal(-1)))
_SAMPLE = Rubric(
    "sample",
    "Sample",
    1,
    Group(
        "",
        "",
        (
            Criterion("a", "A", Role.CRITERION, Asked("Is it?", YES_NO, skippable=True), good=("yes",), bad=("no",)),
            Criterion("b", "B", Role.MUST_NOT, Asked("Is it?", YES_NO), guidance="look", good=("no",), bad=("yes",)),
            Criterion("c", "C", Role.PENALTY, Asked("How much?", _LEVELS)),
            Criterion("d", "D", Role.CRITERION, Asked("How much?", _POINTS, skippable=True)),
            Criterion("e", "E", Role.CRITERION, Checklist(_ITEMS, YES_NO)),
        ),
    ),
    language="English",
)
_LONG = "x" * (max(LONGEST, LONGEST_HIT) + 1)
_EXCHANGE = Exchange(
    Query("q", "q", "", "", expected_answer=None),
    Turn("q", "q"),
    Answer((Hit(1, "s", None, "t", _LONG), Hit(2, "s2")), _LONG + "0123456789abcdef"),
)


@cache
def prompt_sha256(*notes: str) -> str:
    """Of every wording that a request can have, tried on a small sample. `notes` are further sentences."""
    found = sheet(_SAMPLE, tuple(questions(_SAMPLE.root))).filled(_EXCHANGE, "0123456789abcdef")
    return sha256("\0".join((found.system, found.user, repr(found.schema), *notes)).encode()).hexdigest()
