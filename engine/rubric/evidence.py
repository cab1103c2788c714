"""What checks look at: the exchange, with every feature of its text computed at most once."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.measures import Measured, Sight
from engine.model.exchange import Exchange
from engine.model.grade import Grade
from engine.rubric.fold import fold, words

__all__ = ["INVALID", "Evidence", "Outcome"]

_SENTENCE = re.compile(r"[^.!?。！？\n]*[\w][^.!?。！？\n]*(?:[.!?。！？]+(?=\s|$)|\n|$)|[.!?。！？]")


@dataclass(slots=True)
class Outcome:
    """What a part came to. `low` and `high` are not rounded; they mean nothing when it does not apply.

    `grade` is None for a group.
    """

    low: float
    high: float
    applies: bool = True
    passed: bool | None = None
    grade: Grade | None = None


class Evidence(Sight):
    """One exchange under judgement. None means that it was not recorded, which is never "no".

    `memo` holds outcomes of parts by id, so that a part is evaluated once.
    `answers` are scores that judges or people gave, by criterion id.
    `total` is the rounded score of the whole at both ends, as far as it is known by now.
    """

    __slots__ = (
        "_cited",
        "_counts",
        "_folded",
        "_json",
        "_measured",
        "_sources",
        "answers",
        "memo",
        "text",
        "total",
    )

    exchange: Exchange

    def __init__(self, exchange: Exchange, answers: Mapping[str, float]) -> None:
        super().__init__(exchange)
        self.answers = answers
        self.text = exchange.answer.text
        self.memo: dict[str, Outcome] = {}
        self.total: tuple[float, float] | None = None
        self._folded: str | None = None
        self._counts: dict[str, int] | None = None
        self._cited: tuple[str, ...] | None = None
        self._sources: tuple[str, ...] | None = None
        self._json: object = _UNREAD
        self._measured: dict[str, Measured] = {}

    @property
    def folded(self) -> str | None:
        """The answer as texts are compared."""
        if self._folded is None and self.text is not None:
            self._folded = fold(self.text)
        return self._folded

    @property
    def cited(self) -> tuple[str, ...] | None:
        """Different sources the answer cites, folded."""
        if self._cited is None and self.exchange.answer.citations is not None:
            self._cited = tuple(dict.fromkeys(map(fold, self.exchange.answer.citations)))
        return self._cited

    @property
    def sources(self) -> tuple[str, ...] | None:
        """Sources of the results, best first, folded."""
        if self._sources is None and self.exchange.answer.hits is not None:
            self._sources = tuple(fold(hit.source) for hit in self.exchange.answer.hits)
        return self._sources

    @property
    def json(self) -> object:
        """The answer read as JSON; `INVALID` when it is none."""
        if self._json is _UNREAD:
            self._json = _read_json(self.text or "")
        return self._json

    def length(self, unit: str) -> int | None:
        """How many words, characters, sentences or lines the answer has."""
        if self.text is None:
            return None
        if self._counts is None:
            self._counts = {}
        if unit not in self._counts:
            self._counts[unit] = _LENGTH[unit](self.text)
        return self._counts[unit]

    @property
    def measures(self) -> dict[str, float | None]:
        """Every number that was read so far, None for one that is not known."""
        return {name: found[0] for name, found in self._measured.items()}

    def measured(self, name: str, read: Callable[["Evidence"], Measured]) -> Measured:
        """A measure, computed once however many criteria use it."""
        found = self._measured.get(name)
        if found is None:
            found = self._measured[name] = read(self)
        return found


class _Invalid:
    """The answer is not JSON."""


_UNREAD = object()
INVALID = _Invalid()
_FENCE = re.compile(r"\s*```(?:json)?[ \t]*\n(.*?)\n?```\s*", re.DOTALL | re.IGNORECASE)


def _read_json(text: str) -> object:
    fenced = _FENCE.fullmatch(text)
    try:
        return json.loads(fenced[1] if fenced else text, parse_constant=_not_json)
    except (ValueError, RecursionError):
        return INVALID


def _not_json(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


def _sentences(text: str) -> int:
    return sum(1 for found in _SENTENCE.finditer(text) if re.search(r"\w", found[0]))


def _lines(text: str) -> int:
    return sum(1 for line in text.splitlines() if line.strip())


_LENGTH: Mapping[str, Callable[[str], int]] = {
    "words": words,
    "characters": len,
    "sentences": _sentences,
    "lines": _lines,
}
