"""Grading with judges: what the computer sees first, then only the questions whose answers can still matter."""

import asyncio
from collections.abc import Mapping

from engine.execute.loop import Judged
from engine.execute.paying import TrialCalls
from engine.judges.analysis import analyse, to_json
from engine.judges.asking import Judges
from engine.judges.canary import canaries, due, failed, spoiled
from engine.judges.model import ModelJudge
from engine.judges.questionnaire import Questionnaire
from engine.judges.task import Task
from engine.model.exchange import Exchange
from engine.rubric import Grader
from engine.rubric.evidence import Evidence

__all__ = ["Judging"]


class Judging:
    """A rubric with judges (`engine.execute.loop.Jury`). A judge that fails a canary is not believed from there on.

    Attributes:
        canaries: examples with a known verdict that are asked about, those of the start and those in between.
        distrusted: by judge, which canary it failed, as a sentence.
    """

    def __init__(self, grader: Grader, judges: Judges, *, with_canaries: bool) -> None:
        tried = with_canaries and any(judge.believes for judge in judges.members.values())
        self.canaries = canaries(grader.rubric) if tried else ()
        self._before: set[int] = set()
        self.distrusted: dict[str, str] = {}
        self._grader, self._judges, self._questionnaire = grader, judges, Questionnaire(grader.rubric)
        self._begun = 0
        self._first = asyncio.Lock()

    async def grade(self, exchange: Exchange, repeat: int, calls: TrialCalls) -> Judged:
        """Grade, ask what can still change the verdict, grade again.

        Raises:
            GuardStop: the cost guard allows no further call.
        """
        evidence = Evidence(exchange, {})
        found = self._grader.conclude(evidence)
        needed = self._grader.needed(evidence, found)
        if not needed:
            return Judged(found, {}, await self._analysed(exchange, calls))
        await self._try_out(calls)
        votes = await self._judges.votes(
            Task(self._questionnaire, needed, exchange, repeat=repeat), calls, self.distrusted
        )
        for judge in self.distrusted:
            votes = spoiled(votes, judge)
        return Judged(self._grader.conclude(evidence.again(votes)), votes, await self._analysed(exchange, calls))

    async def _analysed(self, exchange: Exchange, calls: TrialCalls) -> Mapping[str, object] | None:
        """What the first judge that analyses says about the results; None when there are none, or no such judge."""
        models = [each for each in self._judges.members.values() if isinstance(each, ModelJudge)]
        judge = next((each for each in models if each.analyses and each.name not in self.distrusted), None)
        if judge is None or not exchange.answer.hits:
            return None
        return to_json(await analyse(self._grader.rubric, exchange, judge, calls))

    def close(self) -> None:
        """Close the votes of earlier runs."""
        self._judges.close()

    async def _try_out(self, calls: TrialCalls) -> None:
        """Ask about the canaries that are due. The first ones come before any answer that counts.

        A run that goes on after a stop looks first at what its canaries came to before.
        """
        if not self.canaries:
            return
        async with self._first:
            if self._begun == 0:
                for key in calls.answered_beside(_CANARY):
                    at = int(key.rsplit(" ", 1)[1])
                    self._before.add(at)
                    await self._ask(at, calls.beside(key))
            for canary in due(self.canaries, self._begun):
                at = self.canaries.index(canary)
                if self._begun or at not in self._before:
                    await self._ask(at, calls.beside(f"{_CANARY}{len(self._before)}-{self._begun} {at}"))
            self._begun += 1

    async def _ask(self, at: int, own: TrialCalls) -> None:
        for judge in self._judges.members.values():
            if judge.believes and judge.name not in self.distrusted:
                wrong = failed(self.canaries[at], await judge.votes(self.canaries[at].task(), own), judge.name)
                if wrong is not None:
                    self.distrusted[judge.name] = str(wrong)


_CANARY = "canary "  # how the calls of canaries are named in the journal
