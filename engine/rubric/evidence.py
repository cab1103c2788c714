"""What checks look at: the exchange, with every feature of its text computed at most once."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.measures import Measured, Sight
from engine.model.exchange import Exchange
from engine.model.grade import Grade, Vote
from engine.rubric.fold import fold, words

__all__ = ["INVALID", "Evidence", "Outcome"]

_RUN = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")


@dataclass(slots=True, eq=False)
class Outcome:
    """What a part came to. `low` and `high` are not rounded; they are 0 and 1 when it does not apply.

    `score` is rounded, None unless it is known. `grade` is None for a group. `may_skip`: it may turn out not to
    apply; then it is not graded, and the ends differ.
    """

    low: float
    high: float
    applies: bool = True
    passed: bool | None = None
    grade: Grade | None = None
    may_skip: bool = False
    score: float | None = None


class Evidence(Sight):
    """One exchange under judgement. None means that it was not recorded, which is never "no".

    Features of the exchange are computed when one is first asked for, and then stand in the instance's dictionary:
    reading one costs no call, and a rubric reads the same ones dozens of times.

    Attributes:
        memo: outcomes of parts by their place in the rubric, None for one that is not evaluated yet; empty before
            a rubric has seen this.
        order: the id of the criterion at each place.
        votes: what judges said, by the id of the question.
        total: the rounded score of the whole at both ends, as far as it is known by now.
        may_skip: it may turn out that nothing in the rubric applies.
        folded: the answer as texts are compared.
        expected: the expected answer as texts are compared; None when nobody wrote one.
        cited: different sources the answer cites, folded.
        sources: sources of the results, best first, folded.
        called: names of the tools that were used, folded, in order.
        json: the answer read as JSON; `INVALID` when it is none.
        numbers: every number that was read so far, with why it is not known.
        found: whether the answer contains a text, for the texts that were looked for so far.
        told: words about the query, folded, that were read so far.
        words, characters, sentences, lines: how many the answer has.
    """

    __slots__ = ("__dict__", "may_skip", "memo", "order", "total", "votes")

    exchange: Exchange
    text: str | None
    folded: str | None
    expected: str | None
    cited: tuple[str, ...] | None
    sources: tuple[str, ...] | None
    called: tuple[str, ...] | None
    json: object
    words: int | None
    characters: int | None
    sentences: int | None
    lines: int | None

    numbers: dict[str, Measured]
    found: dict[str, bool]
    told: dict[str, str | None]

    def __init__(self, exchange: Exchange, votes: Mapping[str, Sequence[Vote]]) -> None:
        super().__init__(exchange)
        self.votes = votes
        self.memo: list[Outcome | None] = []
        self.order: tuple[str, ...] = ()
        self.may_skip = False
        self.total: tuple[float, float] | None = None

    def __getattr__(self, name: str) -> object:
        """A feature that nobody has asked for yet."""
        if name not in _COMPUTE:
            raise AttributeError(name)
        value = self.__dict__[name] = _COMPUTE[name](self.exchange)
        return value

    def again(self, votes: Mapping[str, Sequence[Vote]]) -> "Evidence":
        """The same exchange with other votes and no outcome; every feature is computed once for both."""
        other = Evidence(self.exchange, votes)
        other.__dict__ = self.__dict__
        return other

    @property
    def measures(self) -> dict[str, float | None]:
        """Every number that was read so far, None for one that is not known."""
        return {name: value for name, (value, _) in self.numbers.items()}

    def measured(self, name: str, read: Callable[["Evidence"], Measured]) -> Measured:
        """A measure, computed once however many criteria use it."""
        found = self.numbers.get(name)
        if found is None:
            found = self.numbers[name] = read(self)
        return found


class _Invalid:
    """The answer is not JSON."""


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
    """Runs with a word in them that end where a blank or nothing follows; `3.5` ends none. Time is linear."""
    return sum(
        1
        for run in _RUN.finditer(text)
        if re.search(r"\w", run[0]) and (run.end() == len(text) or text[run.end()].isspace())
    )


def _lines(text: str) -> int:
    return sum(1 for line in text.splitlines() if line.strip())


def _of_text(compute: Callable[[str], object]) -> Callable[[Exchange], object]:
    def feature(exchange: Exchange) -> object:
        text = exchange.answer.text
        return None if text is None else compute(text)

    return feature


def _folded_all(texts: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if texts is None else tuple(map(fold, texts))


def _expected(exchange: Exchange) -> str | None:
    wanted = exchange.query.expected_answer
    return None if wanted is None else fold(wanted)


def _cited(exchange: Exchange) -> tuple[str, ...] | None:
    cited = _folded_all(exchange.answer.citations)
    return None if cited is None else tuple(dict.fromkeys(cited))


def _called(exchange: Exchange) -> tuple[str, ...] | None:
    calls = exchange.answer.tool_calls
    return None if calls is None else _folded_all([call.name for call in calls])


def _sources(exchange: Exchange) -> tuple[str, ...] | None:
    hits = exchange.answer.hits
    return None if hits is None else _folded_all([hit.source for hit in hits])


_COMPUTE: Mapping[str, Callable[[Exchange], object]] = {
    "text": lambda exchange: exchange.answer.text,
    "folded": _of_text(fold),
    "expected": _expected,
    "cited": _cited,
    "sources": _sources,
    "called": _called,
    "json": lambda exchange: _read_json(exchange.answer.text or ""),
    "words": _of_text(words),
    "characters": _of_text(len),
    "sentences": _of_text(_sentences),
    "lines": _of_text(_lines),
    "numbers": lambda exchange: {},
    "found": lambda exchange: {},
    "told": lambda exchange: {},
}
