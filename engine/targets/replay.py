"""The replay target: answers that were recorded before, by a run of this engine or by somebody's own system."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Literal, Self

from pydantic import Field, model_validator

from engine.errors import Problem, UsageError
from engine.model.base import Frozen
from engine.model.calls import Calls
from engine.model.exchange import Answer, Exchange, Turn
from engine.model.record import Failure, TargetFailure
from engine.model.target import Scalar, Surroundings
from engine.targets.answer_file import AnswerFile, answer_claim, trial_claim
from engine.targets.recorded import MalformedError, read_answer
from engine.targets.replayed_run import replayed_run
from engine.text import count

__all__ = ["Replay", "ReplayTarget"]


class Replay(Frozen):
    """Answers from a recorded run, or from a file. A query without an answer is a failed trial, not a zero."""

    kind: Literal["replay"] = "replay"
    run: str | None = Field(default=None, description="a recorded run, by its id or the beginning of it")
    file: str | None = Field(default=None, description="a JSONL file of answers, relative to the workspace")

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.run is None) == (self.file is None):
            raise ValueError("set one of run and file: a recorded run, or a JSONL file of answers")
        return self

    @contextmanager
    def open(self, surroundings: Surroundings) -> Iterator["ReplayTarget"]:
        """Check the whole file, then answer from it."""
        run = None if self.run is None else replayed_run(surroundings.runs, self.run)
        path, shown = self._place(surroundings, run)
        try:
            opened = path.open("rb")
        except OSError as error:
            message = f"cannot be read: {error.strerror or error}"
            raise UsageError(Problem(message, shown, f"target.{'run' if self.run else 'file'} names it")) from error
        with opened:
            answers = AnswerFile.scan(opened, shown, trial_claim if self.run else answer_claim)
            if not len(answers):
                raise UsageError(Problem("there are no answers in it", shown))
            if answers.torn:
                surroundings.notice(f"{shown}: the last line is incomplete and is left out (the run was killed)")
            if answers.repeats_left_out:
                left_out = count(answers.repeats_left_out, "further repeat")
                surroundings.notice(f"{shown}: only the first repeat of each query is replayed; {left_out} left out")
            yield ReplayTarget(answers, self._identity(answers.sha256, run))

    def _place(self, surroundings: Surroundings, run: str | None) -> tuple[Path, str]:
        if run is not None:
            return surroundings.runs / run / "results.jsonl", f"runs/{run}/results.jsonl"
        file = self.file or ""
        if not file or "\0" in file:
            raise UsageError(Problem("target.file does not name a file", "target.file"))
        return surroundings.workspace / file, file

    def _identity(self, sha256: str, run: str | None) -> dict[str, Scalar]:
        """The content of the file, not its name: the same answers are the same target."""
        return {"kind": self.kind, "sha256": sha256, **({"run": run} if run else {})}


@dataclass(frozen=True, slots=True)
class ReplayTarget:
    """An open file of answers, as a system under test. Which documents were searched is not known."""

    answers: AnswerFile
    identity: Mapping[str, Scalar]
    corpus_sha256: str | None = None
    sources: frozenset[str] | None = None

    def most(self, turn: Turn) -> int:
        """Nothing is paid here."""
        return 0

    async def answer(self, turn: Turn, history: tuple[Exchange, ...], calls: Calls) -> Answer:
        """The recorded answer. Its latency is that of reading it: what was recorded is not replayed."""
        started = perf_counter()
        value, place = self.answers.read(turn.query_id)
        try:
            answer = read_answer(_answer_of(value, place))
        except MalformedError as error:
            raise TargetFailure(Failure.SCHEMA_INVALID, f"{place}: {error}") from error
        timed = {"replay": perf_counter() - started}
        return Answer(
            answer.hits, answer.text, answer.citations, answer.tool_calls, timed, answer.notes, answer.numbers
        )


def _answer_of(value: object, place: str) -> Mapping[str, object]:
    """The answer in a line: the line itself, or the last turn of a recorded trial."""
    if not isinstance(value, dict) or "data" not in value:
        return value if isinstance(value, dict) else {}
    data = value["data"]
    turns = data.get("turns")
    last = turns[-1] if isinstance(turns, list) and turns else None
    answer = last.get("answer") if isinstance(last, dict) else None
    if isinstance(answer, dict):
        return answer
    recorded = data.get("failure")
    failure = Failure(recorded) if recorded in tuple(Failure) else Failure.OTHER
    raise TargetFailure(failure, f"{place}: the recorded trial has no answer ({failure})")
