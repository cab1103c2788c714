"""A first rubric from a template and a few answers. Whatever was typed, what comes out reads without a problem."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import NamedTuple

from engine.rubric.fold import fold
from engine.rubric.numbers import number, plain
from engine.rubric.reading import read_text
from engine.rubric.syntax import Rubric, criteria
from engine.text import encodable, one_line

__all__ = ["LEAST_GOOD", "LONGEST", "Started", "Wishes", "cleaned", "score_typed", "started"]

LONGEST = 100
"""Characters of a title, an owner or a thing that must never happen; what is longer is cut."""
LEAST_GOOD = Decimal("0.3")
"""Below it there would be no room for the verdicts under "good"."""

_TITLE, _OWNER, _NEVER, _GOOD, _OKAY = "@TITLE@", "@OWNER@", "@NEVER@\n", "@GOOD@", "@OKAY@"
_USUAL = "My rubric"
_NO_OWNER = "# owner: who looks after it (write the name, and take the # away)"
_NOT_WORDS = re.compile(r"[^\w\s.,'’?!%&()+/-]|_")
_NEGATION = re.compile(
    r"^(?:(?:it|the answer|the agent|the assistant)\s+)?"
    r"(?:(?:must|should|may|can|shall)\s+(?:not|never)|never|do\s+not|don['’]t|does\s+not|doesn['’]t|no|not)\s+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person answered. `owner` and `never` may be empty."""

    title: str
    owner: str = ""
    never: tuple[str, ...] = ()
    good: Decimal = Decimal("0.75")


class Started(NamedTuple):
    """A new rubric. `left_out`: what must never happen and could not be written, as it was typed."""

    text: str
    title: str
    left_out: tuple[str, ...]


def started(template: str, wishes: Wishes) -> Started:
    """A rubric from a template. What the language cannot take as it was typed is said in another way, or left out."""
    draft = _Draft(template, Wishes(_USUAL, good=wishes.good))
    told: dict[str, str] = {}  # the same thing twice is one thing
    for said in filter(None, map(cleaned, wishes.never)):
        told.setdefault(fold(said), said)
    left_out: list[str] = []
    for title in _forms(wishes.title):
        if draft.takes(replace(draft.wishes, title=title)):
            break
    for owner in _forms(wishes.owner):
        if draft.takes(replace(draft.wishes, owner=owner)):
            break
    for count, said in enumerate(told.values(), start=1):
        if not any(draft.takes(draft.wishes, gate) for gate in _gates(said, count)):
            left_out.append(said)
    return Started(draft.text, draft.wishes.title, tuple(left_out))


def cleaned(text: str) -> str:
    """One line without anything that a terminal obeys or hides, and not too long."""
    line = one_line(encodable(text).replace("\ufffd", " ")).replace("\ufffd", " ")
    return " ".join(" ".join(line.split())[:LONGEST].split())


def score_typed(text: str) -> Decimal | None:
    """A score as people write one: 0.75, 0,75, 75%, 75 or 3/4. None when it is none, or too low to be good."""
    said = text.strip().replace(",", ".")
    found = number(said)
    if found is None:
        return None
    if found > 1 and "%" not in said and "/" not in said:
        found /= 100
    found = found.quantize(Decimal("0.01"))
    return found if LEAST_GOOD <= found <= 1 else None


def _forms(text: str) -> Iterator[str]:
    """As it was typed, then with nothing in it but words."""
    line = cleaned(text)
    plain_words = " ".join(_NOT_WORDS.sub(" ", line).split())
    yield from (form for form in (line, plain_words) if form)


def _gates(said: str, count: int) -> Iterator[str]:
    """A must not, from the clearest way of saying it to the one that always reads."""
    for form in _forms(said):
        what = _NEGATION.sub("", form).strip(" .!?") or form
        title = what[:1].upper() + what[1:]
        yield f"must not: {title}\n  ask: Does this happen: {what}?\n"
        yield f"must not: {title}\n  ask: Does this happen?\n  guidance: {what}\n"
        yield f"must not: Must never happen {count}\n  ask: Does this happen?\n  guidance: {what}\n"


class _Draft:
    """A rubric that grows by one answer at a time, and is without a problem after each."""

    def __init__(self, template: str, wishes: Wishes) -> None:
        self.wishes = wishes
        self.text = _filled(template, wishes, ())
        self._template = template
        self._gates: tuple[str, ...] = ()
        self._usual = _size(_rubric(self.text))

    def takes(self, wishes: Wishes, *gate: str) -> bool:
        """Take an answer if the rubric still reads, with this title and nothing in it but what is meant to be."""
        gates = (*self._gates, *gate)
        text = _filled(self._template, wishes, gates)
        rubric = _rubric(text)
        if rubric is None or fold(rubric.title) != fold(wishes.title) or _size(rubric) != self._usual + len(gates):
            return False
        self.wishes, self.text, self._gates = wishes, text, gates
        return True


def _filled(template: str, wishes: Wishes, gates: tuple[str, ...]) -> str:
    okay = (wishes.good * Decimal("0.6")).quantize(Decimal("0.01"))
    never = "".join(f"{gate}\n" for gate in gates)
    owner = f"owner: {wishes.owner}" if wishes.owner else _NO_OWNER
    # Each mark once and from the end on, so that nothing that was typed is taken for a mark.
    for mark, value in (
        (_OKAY, plain(okay)),
        (_GOOD, plain(wishes.good)),
        (_NEVER, never),
        (_OWNER, owner),
        (_TITLE, wishes.title),
    ):
        before, _, after = template.partition(mark)
        template = f"{before}{value}{after}"
    return template


def _rubric(text: str) -> Rubric | None:
    """Only when nothing at all is wrong with it."""
    rubric, problems = read_text(text, "new.rubric", lambda _: None)
    return None if problems else rubric


def _size(rubric: Rubric | None) -> int:
    return 0 if rubric is None else sum(1 for _ in criteria(rubric.root))
