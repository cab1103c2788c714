"""Canaries: examples whose verdict is known, asked among the real answers. A judge that fails one is not believed.

They are a rubric's own examples of judged criteria. An example stands alone, without the question and the passages
that a judge would need to call it good; so a good example is asked only where nothing but the answer is shown. A bad
one is bad beside anything.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.judges.problems import VoteProblem, unusable
from engine.judges.questionnaire import Questionnaire
from engine.judges.task import Task
from engine.model.exchange import Answer, Exchange, Turn
from engine.model.grade import Vote
from engine.model.query import Query
from engine.rubric.grade import Grader, compile_rubric
from engine.rubric.syntax import Asked, Checklist, Criterion, Group, Role, Rubric, criteria
from engine.text import one_line

__all__ = ["Canary", "CanaryFailed", "canaries", "due", "failed", "spoiled"]

_MOST = 20  # at the start of a run
_MIDDLE = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Canary:
    """One example that is asked about.

    Attributes:
        criterion: whose example it is.
        good: a good example of it; else a bad one.
        text: the example.
        questionnaire: of this criterion alone, without this example in it.
    """

    criterion: str
    good: bool
    text: str
    questionnaire: Questionnaire
    _grader: Grader

    def task(self, number: int = 1) -> Task:
        """What a judge is asked: as every answer is, with the example as the answer."""
        exchange = Exchange(Query("", "", "", ""), Turn("", ""), Answer(text=self.text))
        return Task(self.questionnaire, tuple(self.questionnaire.questions), exchange, number)


@dataclass(frozen=True, slots=True)
class CanaryFailed:
    """A judge that was wrong about an example.

    Attributes:
        said: its votes, by the id of the question.
    """

    judge: str
    criterion: str
    good: bool
    text: str
    said: Mapping[str, str | float | None]

    def __str__(self) -> str:
        side = "good" if self.good else "bad"
        said = ", ".join(dict.fromkeys(str(each) for each in self.said.values()))
        return (
            f"the judge “{self.judge}” said {said} about the {side} example of “{self.criterion}”: "
            f"{one_line(self.text, 80)}"
        )


def canaries(rubric: Rubric) -> tuple[Canary, ...]:
    """Every example that can be asked about, those of different criteria first. Empty: there is no canary."""
    rows = [[*_of(rubric, criterion)] for criterion in criteria(rubric.root)]
    longest = max(map(len, rows), default=0)
    return tuple(row[at] for at in range(longest) for row in rows if at < len(row))


def due(found: Sequence[Canary], done: int, every: int = 100) -> tuple[Canary, ...]:
    """Which canaries are asked before the next answer.

    Args:
        done: how many answers were graded so far. Before the first one all are asked, at most 20; then one after
            every so many, in turn.
        every: how many answers lie between two of them.
    """
    if not found or done % every:
        return ()
    return tuple(found[:_MOST]) if done == 0 else (found[(done // every - 1) % len(found)],)


def failed(canary: Canary, votes: Mapping[str, Vote], judge: str) -> CanaryFailed | None:
    """What a judge got wrong; None when it was right, or said nothing that could be used."""
    grading = canary._grader.grade(canary.task().exchange, {name: (vote,) for name, vote in votes.items()})
    score = grading.grades[0].score
    if score is None:
        return None
    owner = next(criteria(canary.questionnaire.rubric.root))
    high = (owner.role is Role.PENALTY) is not canary.good  # of a penalty the score says how bad it is
    listed = isinstance(owner.grading, Checklist)  # a bad example may have some of the items, and a good one not all
    wrong = score < _MIDDLE if high else score >= 1 if listed else score > _MIDDLE
    if not wrong:
        return None
    said = {name: vote.said for name, vote in votes.items()}
    return CanaryFailed(judge, canary.criterion, canary.good, canary.text, said)


def _of(rubric: Rubric, criterion: Criterion) -> Sequence[Canary]:
    grading, shown = criterion.grading, criterion.shown
    if not isinstance(grading, Asked | Checklist) or not {"answer", "conversation"} & {*shown}:
        return ()
    texts = [(True, text) for text in (criterion.good if shown == ("answer",) else ())]
    texts += [(False, text) for text in criterion.bad]
    return [_canary(rubric, criterion, good, text) for good, text in texts]


def _canary(rubric: Rubric, criterion: Criterion, good: bool, text: str) -> Canary:
    """The criterion alone, unconditional, without the example: it would give the answer away."""
    alone = replace(
        criterion,
        only_when=None,
        good=tuple(each for each in criterion.good if each != text),
        bad=tuple(each for each in criterion.bad if each != text),
    )
    asked = replace(rubric, root=Group("", "", (alone,)), caps=(), verdicts=())
    return Canary(criterion.id, good, text, Questionnaire(asked), compile_rubric(asked))


def spoiled(votes: Mapping[str, Sequence[Vote]], judge: str) -> dict[str, tuple[Vote, ...]]:
    """Votes without those of a judge that failed a canary: each becomes one that cannot be used, and says why."""
    return {
        name: tuple(unusable(VoteProblem.CANARY, judge, vote.model) if vote.judge == judge else vote for vote in row)
        for name, row in votes.items()
    }
