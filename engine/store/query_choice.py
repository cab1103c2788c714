"""Takes part of a query set: by category, by split, by id, by number."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from engine.errors import Problem, UsageError
from engine.model.query import Query, QuerySet
from engine.text import nearest, one_line

__all__ = ["choose"]


def choose(queries: QuerySet, where: Mapping[str, Sequence[str]], cases: Sequence[str], limit: int | None) -> QuerySet:
    """The queries that fit every selector, in the order of the set.

    Name, version and hash stay those of the whole set: they say where the queries came from.

    Args:
        where: `category`, `split`, `id` or `set`, each with the values that fit.
        cases: ids; in a combined set also without `set:` where only one member has that id.
        limit: how many at most, from the start; None for all.

    Raises:
        UsageError: a selector, or all of them together, matches nothing.
    """
    problems = [problem for key, values in where.items() for problem in _unmatched(queries, key, values)]
    ids, unknown = _ids(queries, cases)
    problems += unknown
    if limit is not None and limit < 1:
        problems.append(Problem(f"limit: {limit} leaves no query", help="write 1 or more, or null for all"))
    if problems:
        raise UsageError(*problems)
    tests = [(_reader(queries, key), values) for key, values in where.items()]
    kept = tuple(
        query
        for query in queries.queries
        if (not cases or query.id in ids) and all(read(query) in values for read, values in tests)
    )
    if not kept:
        selectors = ", ".join((*where, *(("cases",) if cases else ())))
        message = f"no query of {queries.name} fits all of {selectors}"
        raise UsageError(Problem(message, help="each of them fits some query; leave one out"))
    return queries if len(kept) == len(queries.queries) and limit is None else replace(queries, queries=kept[:limit])


_VALUES: Mapping[str, Callable[[Query], str | None]] = {
    "category": lambda query: query.category,
    "split": lambda query: query.split,
    "id": lambda query: query.id,
    "set": lambda query: query.id.partition(":")[0],
}


def _reader(queries: QuerySet, key: str) -> Callable[[Query], str | None]:
    if key == "set" and len(queries.members) == 1:
        return lambda _: queries.name
    return _VALUES[key]


def _unmatched(queries: QuerySet, key: str, values: Sequence[str]) -> list[Problem]:
    if key not in _VALUES:
        near = nearest(key, _VALUES)
        advice = f'did you mean "{near}"?' if near else f"known: {', '.join(_VALUES)}"
        return [Problem(f"where.{one_line(key, 60)}: queries cannot be chosen by this", help=advice)]
    read = _reader(queries, key)
    present = dict.fromkeys(map(read, queries.queries))
    known = [value for value in present if value is not None]
    if not values:
        return [Problem(f"where.{key}: no value is given", help=_advice("", known))]
    return [
        Problem(f'where.{key}: no query of {queries.name} has "{one_line(str(value), 60)}"', help=_advice(value, known))
        for value in values
        if value not in present
    ]


def _ids(queries: QuerySet, cases: Sequence[str]) -> tuple[set[str], list[Problem]]:
    if not cases:
        return set(), []
    known = {query.id: query.id for query in queries.queries}
    short: dict[str, list[str]] = {}
    if len(queries.members) > 1:
        for query in queries.queries:
            short.setdefault(query.id.partition(":")[2], []).append(query.id)
    ids, problems = set(), []
    for case in cases:
        found = [case] if case in known else short.get(case, [])
        if len(found) == 1:
            ids.add(found[0])
        elif found:
            message = f'cases: "{case}" is the id of {len(found)} queries'
            problems.append(Problem(message, help=f"write one of {', '.join(found)}"))
        else:
            message = f'cases: {queries.name} has no query "{one_line(str(case), 60)}"'
            problems.append(Problem(message, help=_advice(case, [*known, *short])))
    return ids, problems


def _advice(value: str, known: Sequence[str]) -> str:
    near = nearest(str(value), known) if value else None
    if near:
        return f'did you mean "{one_line(near, 60)}"?'
    if not known:
        return "no query says so"
    shown = ", ".join(one_line(word, 40) for word in known[:10])
    return f"there is: {shown}{', …' if len(known) > 10 else ''}"
