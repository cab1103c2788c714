"""Run files of earlier tools: one JSONL file per run, with `run_start`, `query_evaluation` and `run_summary` lines.

They are only ever read. Early ones have no query ids, declare another number of queries than they asked,
or repeat all evaluations in the summary; runs that were stopped have no summary.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import Problem, UsageError
from engine.model.run import QueryResult, RunInfo, RunStatus
from engine.store import strict_json
from engine.store.plain_file import unreadable
from engine.store.records import Folded
from engine.store.tally import Tally
from engine.text import slug

__all__ = ["fold", "info"]

_RENAMED = {"snippetQuality": "snippet"}
_LONGEST_ID = 60


def info(path: Path) -> RunInfo:
    """What a listing shows of the run; numbers are counted and added up from its evaluations.

    Raises:
        UsageError: it is not a run file of an earlier tool.
    """
    return _read(path).info(path)


def fold(path: Path) -> Folded:
    """Every evaluation in the order of the file, with exact averages and what was damaged."""
    found = _read(path)
    return Folded(tuple(found.results), found.tally.averages(len(found.results)), tuple(found.problems))


@dataclass(slots=True)
class _Run:
    """What one file holds."""

    start: Mapping[str, object]
    summary: Mapping[str, object] | None
    results: list[QueryResult]
    tally: Tally
    content: str
    reviewed: int
    problems: list[Problem]

    def info(self, path: Path) -> RunInfo:
        config = _mapping(self.start.get("config"))
        count = len(self.results)
        declared = _whole(config.get("queryCount"))
        complete = self.summary is not None
        planned = max(_whole((self.summary or {}).get("totalQueries")) or 0, count) if complete else declared
        return RunInfo(
            id=path.stem,
            started_at=_text(self.start.get("timestamp")) or "",
            status=RunStatus.COMPLETE if complete else RunStatus.INTERRUPTED,
            queries=_text(config.get("querySet")) or "unnamed",
            planned=planned,
            done=sum(result.failure is None for result in self.results),
            failed=_whole((self.summary or {}).get("failedQueries")) or 0,
            set_sha256=self.content,
            corpus=_text(config.get("corpusVersion")),
            graded_by="AI",
            settings=_settings(config),
            averages=self.tally.averages(planned or count),
            reviewed=self.reviewed,
            folder=str(path),
            query_count=planned if complete else count,
            notes=tuple(_declared(declared, count, complete)),
            damage=tuple(self.problems),
        )


def _declared(declared: int | None, count: int, complete: bool) -> Iterator[str]:
    if complete and declared is not None and declared != count:
        yield f"declares {declared} queries, holds {count} evaluations"


def _read(path: Path) -> _Run:
    start: Mapping[str, object] | None = None
    summary: Mapping[str, object] | None = None
    evaluations: list[Mapping[str, object]] = []
    problems: list[Problem] = []
    for place, line in _values(path, problems):
        match line:
            case dict(beginning) if beginning.get("type") == "run_start":
                start = beginning
            case {"type": "query_evaluation", "data": dict(evaluation)} if _is_evaluation(evaluation):
                if _in_range(evaluation):
                    evaluations.append(evaluation)
                else:
                    problems.append(Problem("a score in it is not between 0 and 1", place))
            case {"type": "run_summary", "data": dict(ending)}:
                summary = ending
            case _:
                problems.append(Problem("the line is not one of a run", place))
    if start is None:
        raise UsageError(Problem("this is not a file of a run: it has no run_start line", str(path)), *problems[:5])
    tally, results = Tally(), list[QueryResult]()
    content: list[list[object]] = []
    repeats: dict[str, int] = {}
    for position, data in enumerate(evaluations, 1):
        result = _result(data, position, repeats)
        results.append(result)
        tally.add(result.query_id, result.repeat, result.scores)
        query = _mapping(data["query"])
        content.append([result.query_id, result.query, query.get("intent")])
    reviewed = sum(_mapping(data.get("hil")).get("reviewed") is True for data in evaluations)
    digest = strict_json.sha256(sorted(content, key=str))
    return _Run(start, summary, results, tally, digest, reviewed, problems)


def _values(path: Path, problems: list[Problem]) -> Iterator[tuple[str, object]]:
    """Each line that can be read; the others are added to `problems`, a torn last line is passed over."""
    last: Problem | None = None
    for number, line in _lines(path):
        if last is not None:
            problems.append(last)
        last = None
        place = f"{path}:{number}"
        try:
            yield place, strict_json.loads(line, place)
        except UsageError as error:
            last = Problem("the line is blank", place) if not line.strip() else error.problems[0]
    if last is not None and path.read_bytes().endswith(b"\n"):
        problems.append(last)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        yield from strict_json.lines(path)
    except OSError as error:
        raise UsageError(unreadable(path, error)) from error


def _is_evaluation(data: Mapping[str, object]) -> bool:
    match data:
        case {"query": {"query": str()}, "evaluation": {"scores": dict(scores)}}:
            return all(score is None or type(score) in {int, float} for score in scores.values())
    return False


def _in_range(data: Mapping[str, object]) -> bool:
    scores = map(_number, _mapping(_mapping(data["evaluation"])["scores"]).values())
    return all(score is None or 0 <= score <= 1 for score in scores)


def _result(data: Mapping[str, object], position: int, repeats: dict[str, int]) -> QueryResult:
    query = _mapping(data["query"])
    text = _text(query["query"]) or ""
    query_id = _text(query.get("id")) or _id_of(text)
    repeats[query_id] = repeats.get(query_id, 0) + 1
    scores = _mapping(_mapping(data["evaluation"])["scores"])
    return QueryResult(
        query_id=query_id,
        query=text,
        category=_text(query.get("category")),
        position=position,
        repeat=repeats[query_id],
        scores={_RENAMED.get(name, name): _number(score) for name, score in scores.items()},
        hits=tuple(_hits(data.get("searchResults"))),
        judgment=_text(_mapping(data.get("hil")).get("judgment")),
    )


def _id_of(text: str) -> str:
    """An id for a query that has none: its words, so that it is the same in every run."""
    words = slug(text, longest=10_000)
    if words and len(words) <= _LONGEST_ID:
        return words
    return f"{words[:_LONGEST_ID]}-{hashlib.sha256(text.encode()).hexdigest()[:6]}".lstrip("-")


def _hits(results: object) -> Iterator[tuple[str, float | None, str]]:
    for hit in results if isinstance(results, list) else []:
        match hit:
            case {"source": str(source)}:
                yield source, _number(hit.get("score")), _text(hit.get("snippet")) or ""


def _settings(config: Mapping[str, object]) -> dict[str, str | int | float | bool | None]:
    """What can change a score: how it searched and where. Not what was named or counted."""
    stores = config.get("stores")
    found: dict[str, str | int | float | bool | None] = {}
    for key in ("searchMode", "searchLimit"):
        value = config.get(key)
        if isinstance(value, str | int | float | bool):
            found[key] = value
    if isinstance(stores, list):
        found["stores"] = ", ".join(map(str, stores))
    return found


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: object) -> float | None:
    return value if type(value) in {int, float} else None  # type: ignore[return-value] # 1 and True are no floats


def _whole(value: object) -> int | None:
    return value if type(value) is int else None
