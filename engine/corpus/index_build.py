"""Writing a search index: beside its place first, then moved there when it is whole."""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from engine.corpus.documents import Corpus, Document, Reading, content_sha256, document_sha256
from engine.corpus.index_file import APPLICATION_ID, SCHEMA, SECTION_BITS, Tokenizer
from engine.corpus.sections import split
from engine.errors import EngineError, Problem, UsageError

__all__ = ["write"]

_ABANDONED_S = 3_600.0  # a build that nobody has written to for so long was killed


def write(path: Path, corpus: Corpus, tokenizer: Tokenizer) -> str:
    """Build the index beside its place and move it there when it is whole. Two at once do no harm.

    What builds that were killed have left in the folder is removed. The answer is the note of the reading.

    Raises:
        UsageError: a document cannot be read, or this SQLite has no such tokenizer.
        EngineError: no FTS5 in this Python's SQLite, or the disk refused.
    """
    reading = corpus.read()
    try:
        for folder in (path.parent.parent, path.parent):  # mkdir gives its mode to the last folder only
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=".building")
        os.close(handle)
    except OSError as error:
        raise EngineError(_unwritable(path, error.strerror or str(error))) from error
    building = Path(name)
    _remove_abandoned(building)
    try:
        with closing(sqlite3.connect(building, isolation_level=None)) as connection:
            _fill(connection, corpus, reading, tokenizer)
        with building.open("rb+") as file:
            os.fsync(file.fileno())
        building.replace(path)
    except sqlite3.Error as error:
        raise _refused(error, path, tokenizer) from error
    except OSError as error:
        raise EngineError(_unwritable(path, error.strerror or str(error))) from error
    finally:
        with suppress(OSError):  # gone already when all went well
            building.unlink()
    return reading.note


def _remove_abandoned(building: Path) -> None:
    """Compared with the file that was made just now, whatever clock the disk goes by."""
    with suppress(OSError):  # another build may remove the same, and litter is no reason to fail
        abandoned_before = building.stat().st_mtime - _ABANDONED_S
        for path in building.parent.glob(".*.building"):
            if path.is_file() and path.stat().st_mtime < abandoned_before:
                path.unlink()


def _fill(connection: sqlite3.Connection, corpus: Corpus, reading: Reading, tokenizer: Tokenizer) -> None:
    documents = reading.documents
    # No journal and no syncing: a build that does not finish is thrown away.
    for line in (
        "PRAGMA journal_mode = OFF",
        "PRAGMA synchronous = OFF",
        f"PRAGMA application_id = {APPLICATION_ID}",
        f"PRAGMA user_version = {SCHEMA}",
        "BEGIN",
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        "CREATE TABLE documents (source TEXT PRIMARY KEY, sha256 TEXT NOT NULL) WITHOUT ROWID",
        f"CREATE VIRTUAL TABLE pages USING fts5(title, body, source UNINDEXED, tokenize = '{tokenizer}')",
    ):
        connection.execute(line)
    hashes = [(document.source, document_sha256(document)) for document in documents]
    connection.executemany("INSERT INTO documents VALUES (?, ?)", hashes)
    connection.executemany("INSERT INTO pages (rowid, title, body, source) VALUES (?, ?, ?, ?)", _rows(documents))
    (sections,) = connection.execute("SELECT count(*) FROM pages").fetchone()
    meta = {
        "corpus": corpus.name,
        "tokenizer": str(tokenizer),
        "fingerprint": corpus.fingerprint,
        "sha256": content_sha256(sha for _, sha in hashes),
        "documents": str(len(documents)),
        "sections": str(sections),
        "sqlite": sqlite3.sqlite_version,
        "note": reading.note,
    }
    connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
    connection.execute("INSERT INTO pages (pages) VALUES ('optimize')")
    connection.execute("COMMIT")


def _rows(documents: tuple[Document, ...]) -> Iterator[tuple[int, str, str, str]]:
    for number, document in enumerate(documents):
        for part, section in enumerate(split(document)):
            yield number << SECTION_BITS | part, section.title, section.body, document.source


def _refused(error: sqlite3.Error, path: Path, tokenizer: Tokenizer) -> UsageError | EngineError:
    message = str(error)
    if "no such module: fts5" in message:
        help_ = "use a Python whose sqlite3 has FTS5; those from python.org and most systems do"
        return EngineError(Problem("the SQLite of this Python has no full-text search (FTS5)", help=help_))
    if "tokenizer" in message:
        version = f"SQLite {sqlite3.sqlite_version} of this Python"
        return UsageError(
            Problem(f"the {version} has no tokenizer {tokenizer.tokens}", "target.tokenizer", "choose unicode61")
        )
    return EngineError(_unwritable(path, message))


def _unwritable(path: Path, why: str) -> Problem:
    return Problem(f"the search index cannot be written: {why}", str(path), "make room, or mend the folder")
