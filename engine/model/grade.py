"""What grading concluded about one exchange."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

__all__ = ["NOT_APPLICABLE", "Grade", "GradeStatus", "Grading", "Vote", "cause"]

NOT_APPLICABLE = "n/a"
"""What a judge says when a question does not fit the answer."""


class GradeStatus(StrEnum):
    """UNGRADED is a result in its own right: never a fail, never 0."""

    GRADED = "graded"
    NOT_APPLICABLE = "not-applicable"
    UNGRADED = "ungraded"


def cause(reason: str) -> str:
    """Why something is ungraded, without the name of the measure: several criteria often share a cause."""
    name, colon, rest = reason.partition(": ")
    return rest if colon and " " not in name else reason


class Vote(NamedTuple):
    """What one judge said about one question.

    Attributes:
        said: a label of the scale, a number within it, or `n/a`; None when nothing usable came back
            (refused, cut off, timed out, off the menu).
        judge: who: `llm`, `human`, or the name of one.
        model: which model answered, as it named itself; empty for a person.
        reason: why, in the judge's own words; of a vote without `said` a sentence about what was wrong with it.
        problem: a code of what was wrong, so that it can be counted; empty for a usable vote.
        cached: it was given in an earlier run, so how long it took is not measured.
    """

    said: str | float | None
    judge: str = ""
    model: str = ""
    reason: str = ""
    problem: str = ""
    cached: bool = False


class Grade(NamedTuple):
    """One criterion applied to one exchange. A named tuple: a run makes several for each answer.

    Attributes:
        criterion: its id, `ranking/graded-order`.
        score: in [0, 1], rounded half up to 4 decimals; None unless graded.
        low, high: what the score can still become; equal to `score` when graded.
        passed: None when there is no pass mark, or when it cannot be told yet.
        reason: one sentence that a person can check.
    """

    criterion: str
    status: GradeStatus
    score: float | None
    low: float
    high: float
    passed: bool | None
    reason: str


class Grading(NamedTuple):
    """A rubric applied to one exchange. A named tuple as well: it is made in a third of the time.

    Attributes:
        scores: every dimension (top-level criterion or group that counts) that applies, then
            `overall`; None means ungraded. What does not apply is not in it.
        low, high: what `overall` can still become.
        verdict: None when the rubric declares none.
        could_be: the verdicts still possible when it is ungraded.
        measures: every number that a criterion read, as it was measured: `ndcg@10`, `latency`. None means
            that it is not known.
    """

    grades: tuple[Grade, ...]
    scores: Mapping[str, float | None]
    low: float
    high: float
    verdict: str | None
    could_be: tuple[str, ...] = ()
    measures: Mapping[str, float | None] = MappingProxyType({})
