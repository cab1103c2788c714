"""The search index of a corpus, opened: made when it is missing, made again when it is stale, and asked.

FTS5's bm25 has k1 = 1.2 and b = 0.75 built in; they cannot be set. What can be set is in `Tokenizer`
(how text becomes words: part of the file) and in `Search` (how a question is answered: free to vary).
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.corpus.documents import Corpus
from engine.corpus.index_build import write
from engine.corpus.index_file import (
    SECTION_BITS,
    Contents,
    Standing,
    State,
    Tokenizer,
    index_path,
    inspect,
    open_read_only,
    read_contents,
)
from engine.corpus.words import Match, Tokens, expression, words
from engine.errors import EngineError, Problem, UsageError
from engine.model.exchange import Hit

__all__ = [
    "Contents",
    "Index",
    "Match",
    "Search",
    "Standing",
    "State",
    "Tokenizer",
    "Tokens",
    "build",
    "index_path",
    "inspect",
    "opened",
]

_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Search:
    """How a question is answered. Weights multiply bm25's term frequency in titles and in texts."""

    match: Match = Match.ANY
    limit: int = 10
    title_weight: float = 1.0
    body_weight: float = 1.0
    snippet_words: int = 30


class Index:
    """An open index. Use it from one thread at a time. `sqlite` is the version that searches it."""

    sqlite = sqlite3.sqlite_version

    def __init__(self, connection: sqlite3.Connection, contents: Contents, tokenizer: Tokenizer) -> None:
        self.contents = contents
        self._connection = connection
        self._tokens = tokenizer.tokens

    def search(self, query: str, how: Search) -> tuple[Hit, ...]:
        """The best sections, one per source, best first; higher scores are better, and none is below 0.

        Equal scores come in code point order of their sources; within a source the first section wins.
        A query without a single word finds nothing.

        Raises:
            EngineError: the index is damaged.
        """
        asked = expression(words(query, self._tokens), how.match)
        if not asked:
            return ()
        try:
            best = self._best(asked, how)
            return tuple(self._hit(rank, row, asked, how) for rank, row in enumerate(best, start=1))
        except sqlite3.DatabaseError as error:
            raise _damaged(error) from error

    def sources(self) -> frozenset[str]:
        """The names of all documents. Raises EngineError when the index is damaged."""
        try:
            return frozenset(source for (source,) in self._connection.execute("SELECT source FROM documents"))
        except sqlite3.DatabaseError as error:
            raise _damaged(error) from error

    def _best(self, asked: str, how: Search) -> list[tuple[int, float]]:
        """(rowid, score) of the best section of each of the best documents."""
        rows = self._connection.execute(_RANKED, (how.title_weight, how.body_weight, asked))
        best: dict[int, tuple[int, float]] = {}
        with closing(rows):
            for rowid, score in rows:  # sorted already, so the first section of a document is its best
                best.setdefault(rowid >> SECTION_BITS, (rowid, score))
                if len(best) == how.limit:
                    break
        return list(best.values())

    def _hit(self, rank: int, row: tuple[int, float], asked: str, how: Search) -> Hit:
        rowid, score = row
        shown = self._connection.execute(_SHOWN, (how.snippet_words, asked, rowid))
        source, title, snippet = shown.fetchone()
        return Hit(rank, source, score, title, " ".join(snippet.split()))


_RANKED = """SELECT rowid, max(0.0, -bm25(pages, ?, ?)) AS score
             FROM pages WHERE pages MATCH ? ORDER BY score DESC, rowid"""
_SHOWN = """SELECT source, title, snippet(pages, 1, '', '', '…', ?) FROM pages WHERE pages MATCH ? AND rowid = ?"""


@contextmanager
def opened(path: Path, corpus: Corpus, tokenizer: Tokenizer, notice: Callable[[str], None]) -> Iterator[Index]:
    """The fresh index of a corpus; built first when it has to be, after one line that says so.

    Raises:
        UsageError: the file at `path` is not an index of this corpus, or a document cannot be read.
        EngineError: it cannot be built here.
    """
    for _ in range(_ATTEMPTS):
        standing = inspect(path, corpus, tokenizer)
        if standing.state is State.FRESH:
            with closing(open_read_only(path)) as connection:
                contents = read_contents(connection)
                if contents.fingerprint == corpus.fingerprint:  # nobody replaced it since we looked
                    yield Index(connection, contents, tokenizer)
                    return
            continue
        doing = "building" if standing.state is State.MISSING else "rebuilding"
        _refuse_foreign(standing, path)
        notice("; ".join((f"{doing} the search index of {corpus.name}: {standing.reason}", *corpus.notes)))
        note = write(path, corpus, tokenizer)
        if note:
            notice(f"{corpus.name}: {note}")
    raise EngineError(
        Problem("another program keeps replacing the search index", str(path), "end it, or give it another workspace")
    )


def build(path: Path, corpus: Corpus, tokenizer: Tokenizer) -> None:
    """Make the index anew, fresh or not. A foreign file is refused (UsageError)."""
    _refuse_foreign(inspect(path, corpus, tokenizer), path)
    write(path, corpus, tokenizer)


def _damaged(error: sqlite3.DatabaseError) -> EngineError:
    return EngineError(Problem(f"the search index is damaged: {error}", help="make it again: assay corpus build"))


def _refuse_foreign(standing: Standing, path: Path) -> None:
    if standing.state is State.FOREIGN:
        raise UsageError(Problem(standing.reason, str(path), "move it away; it is not overwritten"))
