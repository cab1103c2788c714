"""Trials in the journal: a record as the line that is written, and lines back as results."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import Problem, UsageError
from engine.model.run import Average, QueryResult, RunInfo
from engine.store import entries
from engine.store.calls import rounded_s
from engine.store.tally import Tally
from engine.text import count, one_line

if TYPE_CHECKING:  # reading needs neither, and they cost 10 ms
    from engine.model.exchange import Exchange
    from engine.model.grade import Grade, Vote
    from engine.model.record import Record

__all__ = ["Folded", "Recorded", "damage", "fold", "judged", "lost", "read_trials", "recorded", "trial_data"]


def trial_data(record: "Record", graded_by: str = "measured") -> dict[str, object]:
    """What the journal keeps of a trial: everything, with full precision and hits in their order.

    Members that have no value, and `attempts` where it was one, are left out, so that a
    record of a short answer stays short. What it cost stands in the lines of its calls.
    """
    query, grading, exchange = record.query, record.grading, record.exchange
    optional = {
        "failure": None if record.failure is None else str(record.failure),
        "error": record.error,
        "task_context": query.task_context,
        "expected_answer": query.expected_answer,
        "fields": {**query.fields},
        "verdict": None if grading is None else grading.verdict,
        "could_be": [] if grading is None else [*grading.could_be],
        "measures": {} if grading is None else {**grading.measures},
        "attempts": 0 if record.attempts == 1 else record.attempts,
        "votes": {name: [_vote(vote) for vote in given] for name, given in record.votes.items()},
        "analysis": record.analysis,
    }
    return {
        "key": record.key,
        "query_id": query.id,
        "set": record.set_name,
        "position": record.position,
        "repeat": record.repeat,
        "status": str(record.status),
        "query": query.text,
        "intent": query.intent,
        "category": query.category,
        "turns": [] if exchange is None else [_turn(exchange)],
        "grades": [] if grading is None else [_grade(grade) for grade in grading.grades],
        "scores": {} if grading is None else {**grading.scores},
        "graded_by": graded_by,
        "latency_s": {} if record.latency_s is None else rounded_s(record.latency_s),
        **{name: value for name, value in optional.items() if value},
    }


def _grade(grade: "Grade") -> dict[str, object]:
    """One with a score is graded, and its ends are the score: neither is said again."""
    data: dict[str, object] = {"criterion": grade.criterion, "score": grade.score}
    if grade.score is None:
        data["status"] = str(grade.status)
    if grade.low != grade.score or grade.high != grade.score:
        data |= {"low": grade.low, "high": grade.high}
    if grade.passed is not None:
        data["passed"] = grade.passed
    data["reason"] = grade.reason
    return data


def _vote(vote: "Vote") -> dict[str, object]:
    """What was said, by whom; a member that is empty is left out."""
    members = vote._asdict()
    return {"said": members.pop("said"), **{name: value for name, value in members.items() if value}}


def _turn(exchange: "Exchange") -> dict[str, object]:
    """What was said and what came back; a part that the target does not report is left out."""
    answer = exchange.answer
    parts: dict[str, object] = {} if answer.text is None else {"text": answer.text}
    if answer.hits is not None:
        parts["hits"] = [
            {"rank": hit.rank, "source": hit.source, "title": hit.title, "score": hit.score, "snippet": hit.snippet}
            for hit in answer.hits
        ]
    if answer.citations is not None:
        parts["citations"] = [*answer.citations]
    if answer.tool_calls is not None:
        parts["tool_calls"] = [{"name": call.name, "arguments": {**call.arguments}} for call in answer.tool_calls]
    if answer.numbers:
        parts["numbers"] = {**answer.numbers}
    if answer.model is not None:
        parts["model"] = answer.model
    if answer.notes:
        parts["notes"] = [*answer.notes]
    return {"say": exchange.turn.say, "answer": parts}


def read_trials(path: Path, damaged: Callable[[Problem], None] | None = None) -> Iterator[Mapping[str, object]]:
    """The data of each trial line, in the order written; memory depends on one line.

    Args:
        path: a `results.jsonl`.
        damaged: is told about each line that cannot be read; the default stops there.
    """
    for _, item in entries.read(path, "trial"):
        if not isinstance(item, Problem):
            yield item.data
        elif damaged is None:
            raise UsageError(item)
        else:
            damaged(item)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a run has so far, enough to go on with it. Grows with the number of trials, not with their size.

    Attributes:
        keys: trials that are done or failed: they are not run again.
        tally: the scores so far; goes on counting when the run is resumed.
        measures: the same for what was measured.
        failed: how many of `keys` failed.
        queries: how many different queries have a recorded trial.
        problems: damaged lines, and trials that stand there a second time.
    """

    keys: frozenset[str]
    tally: Tally
    measures: Tally
    failed: int
    queries: int
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Folded:
    """Every trial of a run, each once, in plan order, with exact averages. `cut` trials are not among them."""

    results: tuple[QueryResult, ...]
    averages: Mapping[str, Average]
    problems: tuple[Problem, ...]


def recorded(path: Path) -> Recorded:
    """Read a journal once, line by line. A trial that was written twice counts once, as it was first."""
    keys: set[str] = set()
    queries: set[str] = set()
    tally, measures, failed, problems = Tally(), Tally(), 0, []
    for trial in _trials(path):
        if isinstance(trial, Problem):
            problems.append(trial)
        else:
            keys.add(trial.key)
            queries.add(trial.query_id)
            failed += trial.status == "failed"
            if trial.status == "done":
                tally.add(trial.query_id, trial.repeat, trial.scores)
                measures.add(trial.query_id, trial.repeat, trial.measures)
    return Recorded(frozenset(keys), tally, measures, failed, len(queries), tuple(problems))


def fold(path: Path, planned: int) -> Folded:
    """Read a whole journal, with every hit.

    Args:
        path: a `results.jsonl`.
        planned: how many trials there should be: the denominator of the averages.
    """
    found: list[QueryResult] = []
    tally, problems = Tally(), []
    judgments = judged(path)
    for trial in _trials(path):
        if isinstance(trial, Problem):
            problems.append(trial)
        else:
            found.append(_result(trial, judgments.get(trial.query_id)))
            if trial.status == "done":
                tally.add(trial.query_id, trial.repeat, trial.scores)
    ordered = sorted(found, key=lambda result: (result.position, result.repeat))
    return Folded(tuple(ordered), tally.averages(planned), tuple(problems))


def damage(run: RunInfo, path: Path, found: Recorded | Folded) -> tuple[Problem, ...]:
    """Why the records of a finished run cannot stand for it; empty when they are whole.

    Whole is: every planned trial is there, once; every line can be read, with scores in 0-1; and their
    averages are those with which the run ended.

    Args:
        run: what `run.json` says.
        path: its `results.jsonl`.
        found: what was read there.
    """
    planned = run.planned if run.planned is not None else run.done + run.failed
    if isinstance(found, Folded):
        seen, averages = len(found.results), found.averages
    else:
        seen, averages = len(found.keys), found.tally.averages(planned)
    problems = list(found.problems)
    if seen != planned:
        problems.append(Problem(f"holds {count(seen, 'record')}, {planned:,} were planned", str(path), _AGAIN))
    elif not problems and _sums(averages) != _sums(run.averages):
        message = "its scores are not those with which the run ended: a line was changed afterwards"
        problems.append(Problem(message, str(path), _AGAIN))
    return tuple(problems)


def lost(path: Path) -> Problem:
    """The whole journal of a finished run is not there."""
    return Problem("the records are missing", str(path), _AGAIN)


def judged(path: Path) -> dict[str, str | None]:
    """Query id → the judgment of each query that a person reviewed; None for a remark alone.

    The last word on a query counts; a skip never takes back an earlier judgment, a retraction does.
    """
    found: dict[str, str | None] = {}
    for _, item in entries.read(path, "human"):
        if isinstance(item, Problem):
            continue
        match item.data:
            case {"query_id": str(query_id), "retract": True}:
                found.pop(query_id, None)
            case {"skip": True}:
                pass
            case {"query_id": str(query_id), "judgment": str(judgment)}:
                found[query_id] = judgment
            case {"query_id": str(query_id)}:
                found.setdefault(query_id, None)
    return found


_AGAIN = "put the file back from a copy of it, or run again"


def _sums(averages: Mapping[str, Average]) -> dict[str, tuple[str | None, int]]:
    return {name: (average.total, average.graded) for name, average in averages.items()}


@dataclass(frozen=True, slots=True)
class _Trial:
    key: str
    query_id: str
    position: int
    repeat: int
    status: str
    scores: Mapping[str, float | None]
    measures: Mapping[str, float | None]
    data: Mapping[str, object]


def _trials(path: Path) -> Iterator["_Trial | Problem"]:
    """Each trial that counts, once, and what is wrong with the other lines. One that was cut does not count."""
    first: dict[str, int] = {}
    for number, item in entries.read(path, "trial"):
        trial = item if isinstance(item, Problem) else _trial(item.data, f"{path}:{number}")
        if isinstance(trial, Problem):
            yield trial
        elif trial.status == "cut":
            continue
        elif trial.key in first:
            again = f"the record of {one_line(trial.query_id, 80)} is there twice, first in line {first[trial.key]}"
            yield Problem(again, f"{path}:{number}", "remove this line")
        else:
            first[trial.key] = number
            yield trial


def _trial(data: Mapping[str, object], place: str) -> _Trial | Problem:
    match data:
        case {
            "key": str(key),
            "query_id": str(query_id),
            "position": int(position),
            "repeat": int(repeat),
            "status": "done" | "failed" | "cut" as status,
            "query": str(),
        }:
            scores, measures = _numbers(data.get("scores")), _numbers(data.get("measures", {}))
            if scores is None or measures is None:
                return Problem("a score or a measure in it is not a number", place)
            if not _in_range(scores):
                return Problem("a score in it is not between 0 and 1", place)
            if status != "done":
                scores = measures = {}
            return _Trial(key, query_id, position, repeat, status, scores, measures, data)
    return Problem("the line is not a whole trial", place)


def _numbers(values: object) -> Mapping[str, float | None] | None:
    """The mapping when it holds numbers and None alone (True is no number)."""
    if isinstance(values, dict) and all(value is None or type(value) in {int, float} for value in values.values()):
        return values
    return None


def _in_range(scores: Mapping[str, float | None]) -> bool:
    return all(score is None or 0 <= score <= 1 for score in scores.values())


def _result(trial: _Trial, judgment: str | None) -> QueryResult:
    data = trial.data
    return QueryResult(
        query_id=trial.query_id,
        query=str(data["query"]),
        category=_text(data.get("category")),
        position=trial.position,
        repeat=trial.repeat,
        scores=trial.scores,
        hits=tuple(_hits(data.get("turns"))),
        failure=_text(data.get("failure")) or "other" if trial.status == "failed" else None,
        reason=_text(data.get("error")),
        verdict=_text(data.get("verdict")),
        judgment=judgment,
    )


def _hits(turns: object) -> Iterator[tuple[str, float | None, str]]:
    match turns:
        case [*_, {"answer": {"hits": [*hits]}}]:
            for hit in hits:
                match hit:
                    case {"source": str(source), "score": score, "snippet": str(snippet)}:
                        yield source, float(score) if type(score) in {int, float} else None, snippet


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
