"""Everybody who can be asked in a run: which judge votes how often on which question, and what is remembered."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import NamedTuple

from engine.errors import Problem
from engine.judges.problems import VoteProblem, unusable
from engine.judges.questionnaire import Questionnaire
from engine.judges.task import Judge, Task
from engine.model.calls import Calls
from engine.model.grade import Vote
from engine.rubric.syntax import Judge as Wanted
from engine.rubric.syntax import Panel
from engine.store.vote_cache import VoteCache
from engine.text import nearest, one_line

__all__ = ["Judges", "Seat", "seats", "unknown_judges"]

Seat = tuple[str, int]
"""The name of a judge, and which of its votes on a question this is, from 1."""


class Judges:
    """The judges of a run. None at all is possible: then every question stays open.

    Attributes:
        members: by name, in order. Votes for which a rubric names nobody go round among them.
        caches: what they said in earlier runs, by the name of the judge.
    """

    def __init__(self, members: Sequence[Judge], caches: Mapping[str, VoteCache] = MappingProxyType({})) -> None:
        self.members: Mapping[str, Judge] = {judge.name: judge for judge in members}
        self.caches = caches
        self._orders: dict[tuple[Questionnaire, tuple[str, ...]], _Order] = {}

    def calls(self, questionnaire: Questionnaire) -> int:
        """How many calls one answer takes at most, when every question is open."""
        names = tuple(self.members)
        rows = {each: seats(question.panel, names) for each, question in questionnaire.questions.items()}
        return sum(
            judge.calls(questionnaire, [each for each, row in rows.items() if (name, number) in row])
            for name, judge in self.members.items()
            for number in range(1, 1 + max((of for row in rows.values() for who, of in row if who == name), default=0))
        )

    async def votes(self, task: Task, calls: Calls, distrusted: Collection[str] = ()) -> dict[str, tuple[Vote, ...]]:
        """What the judges say about the questions, in the order of their seats. The seats of people stay empty.

        Calls are made one after the other, so that a resumed run finds what was paid for in the same order.

        Args:
            task: its number is 1; the seats of the panels say how often each judge votes.
            distrusted: judges that are not asked any more: their votes could not be used.

        Raises:
            GuardStop: the cost guard allows no further call.
        """
        order = self._order(task.questionnaire, task.ids)
        keys = task.questionnaire.keys(task.ids, task.exchange) if self.caches else {}
        given: dict[tuple[str, Seat], Vote] = {}
        for seat, wanted in order.rounds:
            own = Task(task.questionnaire, wanted, task.exchange, seat[1], task.repeat)
            if seat[0] in distrusted:
                given |= {(each, seat): unusable(VoteProblem.CANARY, seat[0]) for each in own.ids}
                continue
            for each, vote in (await self._seat(seat[0], own, keys, calls)).items():
                given[each, seat] = vote
        return {each: tuple([given[each, seat] for seat in row]) for each, row in order.rows.items()}

    def close(self) -> None:
        """Close what was opened for the run."""
        for cache in self.caches.values():
            cache.close()

    def _order(self, questionnaire: Questionnaire, ids: tuple[str, ...]) -> "_Order":
        """Worked out once: most answers need the same questions."""
        found = self._orders.get((questionnaire, ids))
        if found is None:
            names = tuple(self.members)
            rows = {each: seats(questionnaire.questions[each].panel, names) for each in ids}
            every = sorted(
                {seat for row in rows.values() for seat in row}, key=lambda seat: (names.index(seat[0]), seat)
            )
            rounds = tuple((seat, tuple(each for each in ids if seat in rows[each])) for seat in every)
            found = self._orders[questionnaire, ids] = _Order(rows, rounds)
        return found

    async def _seat(self, name: str, task: Task, keys: Mapping[str, str], calls: Calls) -> dict[str, Vote]:
        """One vote of one judge on each question: remembered, or asked for now."""
        judge, cache = self.members[name], self.caches.get(name)
        if cache is None:
            return await judge.votes(task, calls)
        entries = {each: _entry(keys[each], task) for each in task.ids}
        found = {each: vote for each, entry in entries.items() if (vote := cache.find(entry, name)) is not None}
        left = tuple(each for each in task.ids if each not in found)
        if not left:
            return found
        own = Task(task.questionnaire, left, task.exchange, task.number, task.repeat)
        new = await judge.votes(own, calls)
        cache.keep({entries[each]: vote for each, vote in new.items() if vote.said is not None})
        return {**found, **new}


class _Order(NamedTuple):
    """Who votes on each question, and who is asked what, one after the other."""

    rows: Mapping[str, tuple[Seat, ...]]
    rounds: tuple[tuple[Seat, tuple[str, ...]], ...]


def seats(panel: Panel, names: Sequence[str]) -> tuple[Seat, ...]:
    """Who votes on a question, of the judges that a run has: `3 llm` of two judges is first, second, first again.

    A judge whom nobody knows has no seat; neither have people, whose votes come later.
    """
    found: list[Seat] = []
    turn = 0
    for wanted in panel.judges or (Wanted("llm"),):
        for _ in range(wanted.count if wanted.kind != "human" and names else 0):
            name = wanted.name or names[turn % len(names)]
            turn += not wanted.name
            if name in names:
                found.append((name, 1 + sum(who == name for who, _ in found)))
    return tuple(found)


def unknown_judges(questionnaire: Questionnaire, names: Sequence[str]) -> Iterator[Problem]:
    """Judges that a rubric asks for by name and the run does not have. Their votes would be missing."""
    asked: dict[str, str] = {}
    for question in questionnaire.questions.values() if names else ():
        for wanted in question.panel.judges:
            if wanted.name and wanted.kind != "human" and wanted.name not in names:
                asked.setdefault(wanted.name, question.criterion)
    for name, criterion in asked.items():
        near = nearest(name, names)
        hint = f"did you mean “{near}”?" if near else f"this run has: {', '.join(names)}"
        message = f"the rubric wants “{criterion}” judged by “{one_line(name, 60)}”, whom this run does not have."
        yield Problem(message, "judge", f"{hint}; name the judges under members with: judge=panel")


def _entry(key: str, task: Task) -> str:
    return sha256(f"{key} {task.number} {task.repeat}".encode()).hexdigest()[:32]
