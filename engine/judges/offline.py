"""A stand-in for a judge that needs no network: it counts words in common. It understands nothing.

The score of a question is made of the words that carry meaning, cut to their stems:

- for an item of a checklist, and for anything bad that is asked about, the share of the question's own words that
  stand in the answer;
- where the expected answer is shown, the share of its words that stand in the answer;
- else the mean of two shares, as far as they are known: of the words of the person's question that stand in the
  answer (or, where there is no answer, in the results), and of the answer's words that stand in the passages.

It is then put on the scale: the nearest level, the lower of two; the nearest whole number on a scale of points.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import floor
from typing import Literal

from engine.judges.problems import VoteProblem, unusable
from engine.judges.questionnaire import Questionnaire
from engine.judges.task import Judge, Task
from engine.measures.words import content_stems, stems
from engine.model.base import Frozen
from engine.model.calls import Calls
from engine.model.exchange import Exchange
from engine.model.grade import Vote
from engine.model.network import Network
from engine.model.target import Scalar
from engine.model.usage import PriceTable
from engine.rubric.syntax import Checklist, Scale

__all__ = ["Offline", "OfflineJudge"]

_MODEL = "word overlap, not AI"
_VERSION = 1  # of the formula above


class Offline(Frozen):
    """Word overlap in the place of a judge: for trying things out."""

    kind: Literal["offline"] = "offline"

    def judges(self, network: Network, prices: PriceTable, name: str = "") -> tuple[Judge, ...]:
        """The stand-in."""
        return (OfflineJudge(name or "offline"),)


class OfflineJudge:
    """Answers from words alone; the same answer always."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.believes = False
        self.label = f"offline ({_MODEL})"
        self.identity: Mapping[str, Scalar] = {"kind": "offline", "formula": _VERSION}

    def calls(self, questionnaire: Questionnaire, ids: Sequence[str]) -> int:
        """Nobody is called."""
        return 0

    async def votes(self, task: Task, calls: Calls) -> dict[str, Vote]:
        """A vote for every question; without one where there is nothing to compare."""
        return {name: self._vote(task.questionnaire, name, task.exchange) for name in task.ids}

    def _vote(self, asked: Questionnaire, name: str, exchange: Exchange) -> Vote:
        shares = _shares(asked, name, exchange)
        if not shares:
            return unusable(VoteProblem.NOTHING_SHOWN, self.name, _MODEL)
        score = sum(shares.values()) / len(shares)
        told = ", ".join(f"{what} {share:.0%}" for what, share in shares.items())
        return Vote(_on(asked.questions[name].scale, score), self.name, _MODEL, f"words in common: {told}")


def _shares(asked: Questionnaire, name: str, exchange: Exchange) -> dict[str, float]:
    """What is compared, and the share of words in common, for what is shown and was recorded."""
    owner, question = asked.owners[name], asked.questions[name]
    shown, answer = owner.shown, exchange.answer
    said = _said(shown, exchange)
    if said is None:
        return {}
    if isinstance(owner.grading, Checklist) or owner.role.bad:
        return _share("of the question", content_stems(question.text), said)
    if "expected answer" in shown and exchange.query.expected_answer is not None:
        return _share("of the expected answer", content_stems(exchange.query.expected_answer), said)
    found = _share("of what was asked", content_stems(exchange.turn.say), said)
    if "passages" in shown and answer.hits is not None and answer.text is not None:
        passages = frozenset(stem for hit in answer.hits for stem in stems(f"{hit.title} {hit.snippet}"))
        found |= _share("of the answer", content_stems(answer.text), passages)
    return found


def _said(shown: Sequence[str], exchange: Exchange) -> frozenset[str] | None:
    """The words of the answer, or of the results where a criterion is about those; None when not recorded."""
    answer = exchange.answer
    if answer.text is not None and ("answer" in shown or "conversation" in shown):
        return frozenset(stems(answer.text))
    if answer.hits is not None and ("results" in shown or "passages" in shown):
        return frozenset(stem for hit in answer.hits for stem in stems(f"{hit.source} {hit.title} {hit.snippet}"))
    return None


def _share(what: str, wanted: frozenset[str], found: frozenset[str]) -> dict[str, float]:
    return {what: len(wanted & found) / len(wanted)} if wanted else {}


def _on(scale: Scale, score: float) -> str | float:
    if scale.low is not None and scale.high is not None:
        point = float(scale.low) + score * float(scale.high - scale.low)
        return min(floor(point + 0.5), int(scale.high)) if scale.high - scale.low >= Decimal(2) else round(point, 2)
    levels = [(level.score, level.label) for level in scale.levels if level.score is not None]
    return min(levels, key=lambda level: (abs(float(level[0]) - score), level[0]))[1]
