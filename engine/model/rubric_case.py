"""One worked case of a rubric: an answer, what judges said about it, and what should come out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from engine.model.exchange import Exchange
from engine.model.grade import Vote

__all__ = ["Case", "Expected", "Standing"]


class Standing(StrEnum):
    """How a criterion can stand, beside having a score."""

    PASSES = "pass"
    FAILS = "fail"
    UNGRADED = "ungraded"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, slots=True)
class Expected:
    """What should come out. None: nothing is said about it; something is always said.

    Attributes:
        score: of the whole rubric; a number as precise as its author wrote it.
        criteria: id of a criterion → its score, or how it stands.
    """

    verdict: str | None = None
    score: float | Standing | None = None
    criteria: Mapping[str, float | Standing] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Case:
    """An answer with votes. What is not given in it was not recorded.

    Attributes:
        votes: what judges said, by the id of the question.
        about: why somebody wrote it; may be empty.
    """

    name: str
    exchange: Exchange
    votes: Mapping[str, tuple[Vote, ...]]
    expected: Expected
    about: str = ""
