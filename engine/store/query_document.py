"""Reads one file of queries (YAML, JSON or JSONL) into a query set, or says everything that is wrong with it."""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from engine.errors import Problem, UsageError
from engine.model.query import Member, Query, QuerySet, Source
from engine.store import strict_json, strict_yaml
from engine.store.query_fields import Header, Problems, read_header, read_query
from engine.store.query_places import JsonLine, JsonText, Places, YamlText
from engine.text import count

__all__ = ["ENDINGS", "content_sha256", "read_file"]

ENDINGS = (".yaml", ".json", ".jsonl")


def read_file(path: Path, name: str, shown: str = "") -> QuerySet:
    """The query set in one file.

    YAML is our own format: unknown fields are mistakes. JSON and JSONL may come from another tool:
    fields we do not know are set aside, and a note says so. JSONL has what stands above the queries
    in its first line, then one query a line; it is read line by line.

    Args:
        name: what a person types, `generated/2025-12-17`; a set below `generated/` is ai-generated
            whatever the file says.
        shown: the file as named in messages; its path when empty.

    Raises:
        UsageError: every problem in the file, each with its place.
    """
    shown, problems = shown or str(path), Problems()
    try:
        if path.suffix == ".jsonl":
            header, queries = _read_lines(path, shown, problems)
        else:
            header, queries = _read_document(path, shown, problems)
    except OSError as error:
        raise UsageError(Problem(f"the file cannot be read: {error.strerror or error}", shown)) from error
    if not queries and not problems.count:
        problems.add("there are no queries in this set", shown, "an empty set cannot be run; write a query")
    if problems.count:
        raise UsageError(*problems.all())
    return _assemble(name, header, tuple(queries), problems)


def content_sha256(queries: Iterable[Query]) -> str:
    """The hash of what is asked and what is known about it, in order; layout and remarks do not count."""
    digest = hashlib.sha256(b"assay.queries/1\n")
    for query in queries:
        row = (query.id, query.text, query.intent, query.category, query.task_context, query.relevant, query.split)
        # what a query does not have leaves no trace, so that sets from before these fields keep their hash
        more = (query.expected_answer, query.fields) if query.expected_answer is not None or query.fields else ()
        digest.update(strict_json.canonical((*row, *more)) + b"\n")
    return digest.hexdigest()


def _assemble(name: str, header: Header, queries: tuple[Query, ...], problems: Problems) -> QuerySet:
    sha256 = content_sha256(queries)
    generated = name.startswith("generated/")
    notes = [*_look_alikes(queries), *_unread(problems)]
    if generated and header.source is Source.CURATED:
        notes.append("the file says source: curated, but sets in generated/ are ai-generated")
    return QuerySet(
        name=name,
        version=header.version,
        description=header.description,
        source=Source.AI_GENERATED if generated else header.source or Source.CURATED,
        categories=header.categories or tuple(dict.fromkeys(query.category for query in queries)),
        queries=queries,
        members=(Member(name, header.version, sha256, len(queries)),),
        sha256=sha256,
        notes=tuple(notes),
    )


def _read_document(path: Path, shown: str, problems: Problems) -> tuple[Header, list[Query]]:
    value, places = _document(path, shown)
    if not isinstance(value, dict):
        advice = "a query set begins with version: 1.0.0"
        raise UsageError(Problem("this is not a query set: it has no fields", places.at(()), advice))
    if "scenarios" in value:
        message = "conversations (scenarios) cannot be run yet, only single questions (queries)"
        raise UsageError(Problem(message, places.key_at(("scenarios",)), "they come with the work on conversations"))
    header = read_header(value, places, problems)
    items = value.get("queries")
    if not isinstance(items, list):
        wrong = "is missing" if items is None else "must be a list"
        problems.add(f"queries: {wrong}", places.at(("queries",)), "begin each query with - id:")
        return header, []
    unique = _Unique(problems, lambda n: places.at(("queries", n, "id")))
    for n, item in enumerate(items):
        unique.add(item, read_query(item, ("queries", n), places, header.categories, problems), n)
    return header, unique.queries


def _document(path: Path, shown: str) -> tuple[object, Places]:
    text = strict_json.decode(path.read_bytes(), shown)
    if path.suffix == ".json":
        return strict_json.loads(text, shown), JsonText(shown, text)
    loaded = strict_yaml.load(text, shown)
    return loaded.value, YamlText(shown, loaded)


def _read_lines(path: Path, shown: str, problems: Problems) -> tuple[Header, list[Query]]:
    rows = _rows(path, shown, problems)
    places, value = next(rows, (JsonLine(shown, 1, ""), None))
    if not isinstance(value, dict) or "query" in value:
        advice = 'write {"version": "1.0.0", "description": "…"} above the queries'
        raise UsageError(
            *problems.all(), Problem("the first line must say the version of the set", f"{shown}:1", advice)
        )
    header = read_header(value, places, problems)
    unique = _Unique(problems, lambda number: f"{shown}:{number}")
    for places, value in rows:
        unique.add(value, read_query(value, (), places, header.categories, problems), places.number)
    return header, unique.queries


def _rows(path: Path, shown: str, problems: Problems) -> Iterator[tuple[JsonLine, object]]:
    for number, data in strict_json.lines(path):
        if not data.strip():
            continue
        place = f"{shown}:{number}"
        try:
            text = strict_json.decode(data, place)
            yield JsonLine(shown, number, text), strict_json.loads(text, place)
        except UsageError as error:
            for problem in error.problems:
                problems.add(problem.message, problem.place, problem.help)


class _Unique:
    """Collects the good queries; an id that came before is a problem that names both places."""

    def __init__(self, problems: Problems, place: Callable[[int], str]) -> None:
        self.queries: list[Query] = []
        self._seen: dict[str, int] = {}
        self._problems, self._place = problems, place

    def add(self, raw: object, query: Query | None, position: int) -> None:
        """Also the id of a query that is wrong elsewhere counts: one look finds every problem."""
        query_id = query.id if query else raw.get("id") if isinstance(raw, dict) else None
        if query:
            self.queries.append(query)
        if not isinstance(query_id, str):
            return
        first = self._seen.setdefault(query_id, position)
        if first != position:
            message = f'the id "{query_id}" is given twice, first at {self._place(first)}'
            self._problems.add(message, self._place(position), "an id is unique and never used again")


def _look_alikes(queries: Sequence[Query]) -> list[str]:
    """Ids that are different, but only for a computer: Q1 and q1, 1 and 01, two forms of é."""
    seen: dict[str, str] = {}
    pairs = []
    for query in queries:
        first = seen.setdefault(_folded(query.id), query.id)
        if first != query.id:
            pairs.append(f'"{first}" and "{query.id}"')
    more = (
        [f"{count(len(pairs) - _MOST_NOTES, 'more pair')} of ids that look alike"] if len(pairs) > _MOST_NOTES else []
    )
    return [f"these ids look alike: {pair}" for pair in pairs[:_MOST_NOTES]] + more


_MOST_NOTES = 10
_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")


def _folded(query_id: str) -> str:
    return _ZEROS.sub("", unicodedata.normalize("NFKC", query_id).casefold())


def _unread(problems: Problems) -> list[str]:
    if not problems.unread:
        return []
    named = (f'{name} (did you mean "{near}"?)' if near else name for name, near in sorted(problems.unread.items()))
    return [f"fields that are not read: {', '.join(named)}"]
