"""Cells of a table that hold a number or a kind of criterion, as people type them."""

import re
from dataclasses import dataclass
from decimal import Decimal

from engine.errors import Problem, UsageError
from engine.rubric.syntax import Role
from engine.text import nearest, one_line

__all__ = ["Amount", "amount", "role"]

_NUMBER = re.compile(r"([+-]?)(\d{1,12})(?:([.,])(\d{1,12}))?\s*(%?)")
_ROLES = {
    **dict.fromkeys(("criterion", "normal", "should", "graded"), Role.CRITERION),
    **dict.fromkeys(("must", "must have", "must pass", "mandatory", "required"), Role.MUST),
    **dict.fromkeys(("must not", "mustnot", "forbidden", "prohibited", "never"), Role.MUST_NOT),
    **dict.fromkeys(("penalty", "negative", "deduction"), Role.PENALTY),
    **dict.fromkeys(("bonus", "extra credit", "extra"), Role.BONUS),
    **dict.fromkeys(("info", "information", "informational", "report only"), Role.INFO),
}


@dataclass(frozen=True, slots=True)
class Amount:
    """A number as it was typed; `percent` remembers the sign. `30%` is 30."""

    number: Decimal
    percent: bool = False

    @property
    def value(self) -> Decimal:
        """The number that it means: 30% is 0.3."""
        return self.number / 100 if self.percent else self.number


def amount(text: str, place: str) -> Amount:
    """`3`, `0.7`, `0,7`, `30 %`.

    Raises:
        UsageError: it is no number, or `1,000`, which is one or a thousand.
    """
    found = _NUMBER.fullmatch(text.strip().replace("−", "-"))
    if found is None:
        raise UsageError(Problem(f'"{one_line(text, 60)}" is not a number', place, "write it in digits: 3, 0.7 or 30%"))
    sign, whole, point, rest, percent = found.groups()
    if point == "," and len(rest) == 3 and int(whole):
        message = f'"{one_line(text, 60)}" can be read in two ways: a thousand times more, or with three decimals'
        raise UsageError(Problem(message, place, f"write {whole}{rest} or {whole}.{rest}"))
    return Amount(Decimal(f"{sign}{whole}.{rest or 0}"), bool(percent))


def role(text: str, place: str) -> Role | None:
    """What kind of criterion a word says; None for an empty cell. Raises UsageError for an unknown word."""
    word = " ".join(re.sub(r"[_\-:]", " ", text.casefold()).split())
    if not word:
        return None
    if word not in _ROLES:
        near = nearest(word, _ROLES)
        step = f'did you mean "{near}"?' if near else f"it can be: {', '.join(Role)}"
        raise UsageError(Problem(f'"{one_line(text, 60)}" is no kind of criterion', place, step))
    return _ROLES[word]
