"""A rubric applied to exchanges: grades, scores, caps and the verdict. Compiled once, then only closures run."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from engine.model.exchange import Exchange
from engine.model.grade import Grading, Vote
from engine.rubric.evidence import Evidence
from engine.rubric.groups import outcomes_at
from engine.rubric.syntax import Question, Role, Rubric, criteria, questions
from engine.rubric.tree import Tree
from engine.rubric.verdicts import NOT_APPLICABLE, UNGRADED, Verdicts

__all__ = ["NOT_APPLICABLE", "OVERALL", "UNGRADED", "Grader", "compile_rubric"]

OVERALL = "overall"
_NO_VOTES: Mapping[str, Sequence[Vote]] = MappingProxyType({})


def compile_rubric(rubric: Rubric) -> "Grader":
    """The grader of a rubric that `read` or `from_json` gave."""
    return Grader(rubric)


class Grader:
    """Grades exchanges with one rubric. Keeps nothing between two of them.

    Attributes:
        rubric: what it was compiled from.
        dimensions: ids of the top-level criteria and groups that make the score, in order, then `overall`.
        questions: everything that judges are asked, by the id that votes are given by.
        asks: how many criteria need a judge.
    """

    def __init__(self, rubric: Rubric) -> None:
        self.rubric = rubric
        self._tree = tree = Tree(rubric)
        self._verdicts = Verdicts(rubric, tree)
        self._criteria = outcomes_at([tree.place[criterion.id] for criterion in criteria(rubric.root)])
        shown = tuple(part.id for part in tree.top if part.counts and part.role not in (Role.PENALTY, Role.BONUS))
        self._lowered = tuple(name for name in shown if name in tree.lowered)
        self._shown = outcomes_at([tree.place[name] for name in shown])
        self.dimensions: tuple[str, ...] = (*shown, OVERALL)
        self.questions: Mapping[str, Question] = {question.id: question for question in questions(rubric.root)}
        self.asks = len({question.criterion for question in self.questions.values()})

    def grade(self, exchange: Exchange, votes: Mapping[str, Sequence[Vote]] = _NO_VOTES) -> Grading:
        """Every criterion, the scores, and the verdict.

        Args:
            exchange: what was asked and what came back.
            votes: what judges and people said, by the id of the question. For a must not and a
                penalty a yes means that the bad thing is there. A vote that is not on the scale
                counts as no answer.

        Raises:
            ValueError: votes for something that this rubric does not ask.
        """
        for name in votes:
            if name not in self.questions:
                raise ValueError(f"this rubric asks no question with the id {name!r}")
        return self.conclude(Evidence(exchange, votes))

    def reweigh(self, evidence: Evidence) -> Grading:
        """What this rubric says about an exchange whose criteria have been graded already.

        Args:
            evidence: as `conclude` left it, of this rubric or of one that differs from it only in weights,
                groups, caps and verdicts. No criterion is looked at again.
        """
        return self.conclude(self._tree.keep(evidence))

    def conclude(self, evidence: Evidence) -> Grading:
        """The same as `grade`, for evidence that is kept: its outcomes stay in its memo."""
        memo = self._tree.fill(evidence)
        total = self._tree.whole(evidence)
        grades = tuple([part.grade for part in self._criteria(memo) if part.grade is not None])
        parts = zip(self.dimensions, self._shown(memo), strict=False)
        scores = {name: part.score for name, part in parts if part.applies}
        for name in self._lowered:
            if name in scores:
                scores[name] = self._score(name, evidence)
        low, high = total or (0.0, 1.0)
        if total is not None:
            scores[OVERALL] = low if low == high else None
        verdict, could_be = self._verdicts.of(total, evidence)
        return Grading(grades, scores, low, high, verdict, could_be, evidence.measures)

    def still_needed(self, exchange: Exchange, votes: Mapping[str, Sequence[Vote]] = _NO_VOTES) -> tuple[str, ...]:
        """Ids of the questions whose answers can still change the verdict, in order; often none.

        Of a rubric without verdicts: those that can still change the score. A judge that is asked
        only these gives the same verdict, and costs less.
        """
        evidence = Evidence(exchange, votes)
        return self.needed(evidence, self.conclude(evidence))

    def needed(self, evidence: Evidence, found: Grading) -> tuple[str, ...]:
        """The same as `still_needed`, for evidence that has been graded, with its grading."""
        if self.rubric.verdicts and not found.could_be:
            return ()
        from engine.rubric.needed import still_open  # only where judges are asked

        still = still_open(self.rubric, evidence)
        return tuple(question.id for question in self.questions.values() if question.criterion in still)

    def _score(self, name: str, evidence: Evidence) -> float | None:
        bounds = self._tree.bounds(name, evidence)
        return None if bounds is None or bounds[0] != bounds[1] else bounds[0]
