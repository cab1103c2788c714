"""Seventeen ways in which a text comes to harm, each at a random place: none may change what a rubric means unseen."""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from benchmarks.forgiveness.lines import STRUCTURED, row_of
from benchmarks.forgiveness.sources import Source

__all__ = ["DAMAGE", "Fates", "Harm", "harmed"]

Harm = Callable[[list[str], random.Random], list[str] | None]
"""The damaged lines, or None when there is nothing in them to damage like that."""


@dataclass(frozen=True, slots=True)
class Fates:
    """What became of damaged texts.

    Attributes:
        unseen: the texts accepted with another meaning and without a new warning.
    """

    texts: int
    same: int
    refused: int
    warned: int
    unseen: tuple[str, ...]


def harmed(name: str, among: Sequence[Source], times: int = 1, seed: int = 3) -> Fates:
    """What becomes of rubrics after one kind of damage, `times` times each."""
    rng = random.Random(f"{name} {seed}")
    texts = [
        (source, "\n".join(rows))
        for source in among
        for _ in range(times)
        if (rows := DAMAGE[name](source.rows, rng)) is not None
    ]
    fates = [(_fate(source, text), source, text) for source, text in texts]
    kinds = [kind for kind, _, _ in fates]
    unseen = tuple(_difference(source, text) for kind, source, text in fates if kind == "unseen")
    return Fates(len(texts), kinds.count("same"), kinds.count("refused"), kinds.count("warned"), unseen)


def _fate(source: Source, text: str) -> str:
    reading = source.read(text)
    if reading.rubric is None:
        return "refused"
    if source.same(reading):
        return "same"
    return "warned" if len(reading.problems) > source.problems else "unseen"


def _difference(source: Source, text: str) -> str:
    new = [row.strip() for row in text.split("\n") if row not in source.rows]
    return f"{source.name}: {' / '.join(new) or 'a line twice'}"


# ---- one line at a time ---------------------------------------------------------------------------


def _line(change: Callable[[str, random.Random], str | None]) -> Harm:
    """A change to one random line that it can be made to."""

    def harm(rows: list[str], rng: random.Random) -> list[str] | None:
        for place in rng.sample(range(len(rows)), len(rows)):
            if row_of(rows[place]) is None:
                continue
            changed = change(rows[place], rng)
            if changed is not None and changed != rows[place]:
                return [*rows[:place], *changed.split("\n"), *rows[place + 1 :]]
        return None

    return harm


def _value(pattern: str, cure: str) -> Harm:
    """A change to one random place in a value that is not free text."""

    def change(line: str, rng: random.Random) -> str | None:
        row = row_of(line)
        if row is None or not (row.key in STRUCTURED or line.lstrip().startswith("|")):
            return None
        start = len(row.before)
        places = [found for found in re.finditer(pattern, line) if found.start() >= start]
        if not places:
            return None
        found = rng.choice(places)
        return line[: found.start()] + found.expand(cure) + line[found.end() :]

    return _line(change)


def _indented(line: str, rng: random.Random) -> str:
    return " " * rng.choice((1, 3, 7)) + line.lstrip()


def _wrapped(line: str, _: random.Random) -> str | None:
    return "\n".join(wrap(line, 50)) if len(line) > 50 else None


def _without_colon(line: str, _: random.Random) -> str | None:
    row = row_of(line)
    return line.replace(":", "", 1) if row is not None and row.key else None


def _split_keyword(line: str, rng: random.Random) -> str | None:
    row = row_of(line)
    if row is None or len(row.key) < 3:
        return None
    at = line.index(row.key.split()[0][0]) + rng.randrange(1, len(row.key))
    return line[:at] + " " + line[at:]


def _joined(rows: list[str], rng: random.Random) -> list[str] | None:
    places = [place for place in range(len(rows) - 1) if row_of(rows[place]) and row_of(rows[place + 1])]
    place = rng.choice(places)
    return [*rows[:place], f"{rows[place]} {rows[place + 1].strip()}", *rows[place + 2 :]]


def _doubled(rows: list[str], rng: random.Random) -> list[str] | None:
    place = rng.choice([place for place, row in enumerate(rows) if row_of(row)])
    return [*rows[: place + 1], *rows[place:]]


def _curly(rows: list[str], _: random.Random) -> list[str]:
    return re.sub(r'"([^"\n]*)"', "“\\1”", "\n".join(rows)).split("\n")


def _mixed_ends(rows: list[str], rng: random.Random) -> list[str]:
    return [row + rng.choice(("", "\r")) for row in rows]


DAMAGE: Mapping[str, Harm] = {
    "a line loses its indentation": _line(lambda line, _: line.lstrip()),
    "a line is indented otherwise": _line(_indented),
    "a tab for the indentation": _line(lambda line, _: "\t" + line.lstrip()),
    "curly quotes": _curly,
    "one quote curly, one straight": _value(r'"([^"]*)"', r'“\1"'),
    "CRLF and LF mixed": _mixed_ends,
    "a decimal comma": _value(r"(\d)\.(\d)", r"\1,\2"),
    "a long line wrapped": _line(_wrapped),
    "a line doubled": _doubled,
    "two lines joined": _joined,
    "a colon lost": _line(_without_colon),
    "a keyword split": _line(_split_keyword),
    "a quote lost": _value(r'"', ""),
    "a bracket lost": _value(r'[\[\]()](?=(?:[^"]*"[^"]*")*[^"]*$)|\{(?=\w)|(?<=\w)\}', ""),
    "a percent sign lost": _value("%", ""),
    "a bar of a row lost": _value(r"\|", ""),
    "a unit lost": _value(r"(\d) (?:seconds?|words?|ms|dollars?|characters?)\b", r"\1"),
}
