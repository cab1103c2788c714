"""Grading with judges: what the computer sees first, then only the questions whose answers can still matter."""

import asyncio
from collections.abc import Mapping

from engine.execute.loop import Judged
from engine.execute.paying import TrialCalls
from engine.judges.analysis import analyse, to_json
from engine.judges.asking import Judges
from engine.judges.canary import Canary, canaries, due, failed, spoiled
from engine.judges.model import ModelJudge
from engine.judges.questionnaire import Questionnaire
from engine.judges.task import Judge, Task
from engine.model.exchange import Exchange
from engine.rubric import Grader
from engine.rubric.evidence import Evidence

__all__ = ["Judging"]


class Judging:
    """A rubric with judges (`engine.execute.loop.Jury`). A judge that fails a canary is not believed from there on.

    Attributes:
        canaries: examples with a known verdict that are asked about, those of the start and those in between.
        asked: how many canaries were asked about so far, counted for each judge.
        distrusted: by judge, which canary it failed, as a sentence.
    """

    def __init__(self, grader: Grader, judges: Judges, *, with_canaries: bool) -> None:
        tried = with_canaries and any(judge.believes for judge in judges.members.values())
        self.canaries = canaries(grader.rubric) if tried else ()
        self.asked = 0
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
        """Ask about the canaries that are due. The first ones come before any answer that counts."""
        if not self.canaries:
            return
        async with self._first:
            for canary in due(self.canaries, self._begun):
                for judge in self._judges.members.values():
                    if judge.believes:
                        await self._ask(canary, judge, calls)
            self._begun += 1

    async def _ask(self, canary: Canary, judge: Judge, calls: TrialCalls) -> None:
        self.asked += 1
        own = calls.beside(f"canary {self._begun} {self.canaries.index(canary)}")
        wrong = failed(canary, await judge.votes(canary.task(), own), judge.name)
        if wrong is not None:
            self.distrusted.setdefault(judge.name, str(wrong))
