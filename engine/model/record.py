"""What happened to one trial: the line that goes into the journal."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from engine.model.exchange import Exchange
from engine.model.grade import Grading, Vote
from engine.model.query import Query

__all__ = ["Failure", "Record", "Status", "TargetFailure"]


class Status(StrEnum):
    """CUT: stopped between turns; what was paid for is kept and not graded."""

    DONE = "done"
    FAILED = "failed"
    CUT = "cut"


class Failure(StrEnum):
    """Why a trial failed. A closed list: an unknown error is OTHER."""

    TIMEOUT = "timeout"
    RATE_LIMITED = "rate_limited"
    PROVIDER_ERROR = "provider_error"
    UNAUTHORIZED = "unauthorized"
    TRANSPORT = "transport"
    SCHEMA_INVALID = "schema_invalid"
    TOOL_ERROR = "tool_error"
    RETRIEVAL_EMPTY = "retrieval_empty"
    VALIDATION = "validation"
    FOLLOW_UPS = "follow_ups"
    GRADER_ERROR = "grader_error"
    BUDGET_EXHAUSTED = "budget_exhausted"
    CANCELLED = "cancelled"
    OTHER = "other"


class TargetFailure(Exception):
    """The system under test could not answer: evidence about it, not a fault of the engine."""

    def __init__(self, failure: Failure, message: str) -> None:
        self.failure = failure
        super().__init__(message)


class Record(NamedTuple):
    """One trial as it went.

    Attributes:
        key: identity of the trial, from content: never a position, a clock or a job number.
        set_name: the member set the query came from.
        position: place in the plan, from 1.
        exchange: None when the target gave no answer.
        grading: None when there is no answer to grade.
        error: one sentence for people, None when the trial is done.
        latency_s: seconds per operation: the target's own, and `grade`.
        attempts: how often the target was asked, at least 1.
        votes: what judges said, by the id of the question.
        analysis: what a judge said about the results one by one, as JSON values; None when it was not asked.
    """

    key: str
    set_name: str
    position: int
    repeat: int
    query: Query
    status: Status
    exchange: Exchange | None = None
    grading: Grading | None = None
    failure: Failure | None = None
    error: str | None = None
    latency_s: Mapping[str, float] | None = None
    attempts: int = 1
    votes: Mapping[str, Sequence[Vote]] = MappingProxyType({})
    analysis: Mapping[str, object] | None = None
