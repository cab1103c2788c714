"""Sources that a query set names and a corpus does not have: mostly slips, each of which lowers a score. Pure."""

from itertools import islice

from engine.model.query import QuerySet
from engine.text import count, nearest, one_line

__all__ = ["unknown_sources"]

_MOST_NAMED = 5
_MOST_COMPARED = 2_000  # names that a slip is compared with; 0.1 ms each


def unknown_sources(queries: QuerySet, sources: frozenset[str]) -> tuple[str, ...]:
    """A sentence for each source under `relevant` that is no document, those of most queries first.

    At most five are named; one more sentence then says how many there are in all.
    """
    named: set[str] = set()
    unknown: dict[str, list[str]] = {}
    for query in queries.queries:
        if query.relevant:
            named.update(query.relevant)
            for source in query.relevant.keys() - sources:
                unknown.setdefault(source, []).append(query.id)
    most = sorted(unknown.items(), key=lambda item: (-len(item[1]), item[0]))
    said = tuple(_sentence(source, ids, sources) for source, ids in most[:_MOST_NAMED])
    if len(most) <= _MOST_NAMED:
        return said
    more = count(len(most) - _MOST_NAMED, "more source")
    return (*said, f"and {more}: {len(most):,} of the {len(named):,} that relevant names are not in this corpus")


def _sentence(source: str, ids: list[str], sources: frozenset[str]) -> str:
    rest = f" and {count(len(ids) - 1, 'more query', 'more queries')}" if len(ids) > 1 else ""
    close = nearest(source, _alike(source, sources))
    meant = f"; did you mean {one_line(close, 60)}?" if close else ""
    return f"relevant names {one_line(source, 60)} ({ids[0]}{rest}), which is not in this corpus{meant}"


def _alike(source: str, sources: frozenset[str]) -> list[str]:
    """What a slip may have meant: of very many names those with the same first or last half, where no slip is."""
    if len(sources) <= _MOST_COMPARED:
        return sorted(sources)
    half = max(len(source) // 2, 1)
    start, end = source[:half], source[-half:]
    alike = (name for name in sorted(sources) if name.startswith(start) or name.endswith(end))
    return list(islice(alike, _MOST_COMPARED))
