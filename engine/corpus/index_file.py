"""The file of a search index: how it is told apart, and whether it is fresh. Nothing is written here."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from itertools import product
from pathlib import Path

from engine.corpus.documents import Change, Corpus, document_sha256
from engine.corpus.words import Tokens
from engine.errors import EngineError, Problem
from engine.text import slug

__all__ = [
    "APPLICATION_ID",
    "SCHEMA",
    "SECTION_BITS",
    "Contents",
    "Standing",
    "State",
    "Tokenizer",
    "index_path",
    "inspect",
    "open_read_only",
    "read_contents",
]

SCHEMA = 1  # raise it when the tables change, and when files are read or split differently
SECTION_BITS = 20  # rowid = document number << 20 | section number, so a row tells its document
APPLICATION_ID = 0x41535359  # "ASSY", in the header of every index we wrote
_MAGIC = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """How text becomes words. `remove_diacritics` (é finds e) is an option of unicode61 alone."""

    tokens: Tokens = Tokens.UNICODE61
    stemming: bool = True
    remove_diacritics: bool = True

    def unlike(self, other: "Tokenizer") -> tuple[str, ...]:
        """What is set otherwise here, as settings of a target are written: `stemming=false`."""
        options = (
            ("tokenizer", self.tokens, other.tokens),
            ("stemming", self.stemming, other.stemming),
            ("remove_diacritics", self.remove_diacritics, other.remove_diacritics),
        )
        return tuple(f"{name}={str(own).lower()}" for name, own, its in options if own != its)

    def __str__(self) -> str:
        """As FTS5 spells it: `porter unicode61 remove_diacritics 2`."""
        diacritics = f" remove_diacritics {2 if self.remove_diacritics else 0}"
        return (
            f"{'porter ' if self.stemming else ''}{self.tokens}{diacritics if self.tokens is Tokens.UNICODE61 else ''}"
        )


class State(StrEnum):
    """FOREIGN: a file that is not ours, or of another corpus. It is never overwritten."""

    FRESH = "fresh"
    MISSING = "missing"
    STALE = "stale"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class Contents:
    """What an index holds, as it says itself. `sha256` is the hash of the documents, whatever the tokenizer.

    `note` says what stands in the documents and was not read; empty when everything was.
    """

    corpus: str
    tokenizer: str
    fingerprint: str
    sha256: str
    documents: int
    sections: int
    sqlite: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """How an index file stands to its corpus. `contents` is None when they cannot be known."""

    state: State
    reason: str
    contents: Contents | None = None


def index_path(cache: Path, corpus: Corpus, tokenizer: Tokenizer) -> Path:
    """One file per corpus and tokenizer, so that the arms of an experiment do not rebuild each other's."""
    key = sha256(f"{corpus.name}\n{tokenizer}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return cache / "corpus" / f"{slug(corpus.name, 40)}-{key}.sqlite"


def inspect(path: Path, corpus: Corpus, tokenizer: Tokenizer) -> Standing:
    """Look at the file and at the corpus; nothing is written."""
    if not path.exists():
        return Standing(State.MISSING, _why_missing(path, corpus, tokenizer))
    if not _is_ours(path):
        return Standing(State.FOREIGN, "the file is not a search index of this engine")
    try:
        with closing(open_read_only(path)) as connection:
            return _compare(connection, corpus, tokenizer)
    except (sqlite3.DatabaseError, ValueError):
        return Standing(State.STALE, "the index is damaged")


def open_read_only(path: Path) -> sqlite3.Connection:
    """Without locks: a finished index never changes, it is replaced as a whole."""
    # One thread at a time uses it, but not always the one that opened it.
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    return sqlite3.connect(uri, uri=True, check_same_thread=False, isolation_level=None)


def _why_missing(path: Path, corpus: Corpus, tokenizer: Tokenizer) -> str:
    """Whether these documents were never indexed, or only with other options; then it names the nearest ones."""
    others = (
        Tokenizer(tokens, stemming, diacritics)
        for tokens, stemming, diacritics in product(Tokens, (True, False), (True, False))
    )
    found = [
        tokenizer.unlike(other)
        for other in others
        if path.with_name(index_path(path.parent, corpus, other).name).exists()
    ]
    options = min(found, key=len, default=())
    return f"there is none with {', '.join(options)} yet" if options else "there is no index yet"


def _is_ours(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        raise EngineError(Problem(f"the index cannot be read: {error.strerror or error}", str(path))) from error
    return header.startswith(_MAGIC) and header[68:72] == APPLICATION_ID.to_bytes(4, "big")


def _compare(connection: sqlite3.Connection, corpus: Corpus, tokenizer: Tokenizer) -> Standing:
    if connection.execute("PRAGMA user_version").fetchone() != (SCHEMA,):
        return Standing(State.STALE, "the index was written by another version of this engine")
    contents = read_contents(connection)
    if contents.corpus != corpus.name:
        return Standing(State.FOREIGN, f"the file is the index of another corpus, {contents.corpus}", contents)
    if contents.tokenizer != str(tokenizer):
        return Standing(State.STALE, f"the index has other tokenizer options, {contents.tokenizer}", contents)
    if contents.fingerprint == corpus.fingerprint:
        return Standing(State.FRESH, "the documents are those in the index", contents)
    before = dict(connection.execute("SELECT source, sha256 FROM documents"))
    after = {document.source: document_sha256(document) for document in corpus.read().documents}
    return Standing(State.STALE, str(Change.between(before, after)), contents)


def read_contents(connection: sqlite3.Connection) -> Contents:
    """What the index says it holds. Raises ValueError or sqlite3.DatabaseError when it does not say."""
    meta = {str(key): str(value) for key, value in connection.execute("SELECT key, value FROM meta")}
    if missing := {"corpus", "tokenizer", "fingerprint", "sha256", "documents", "sections", "sqlite"} - meta.keys():
        raise ValueError(f"no {missing} in the index")
    return Contents(
        corpus=meta["corpus"],
        tokenizer=meta["tokenizer"],
        fingerprint=meta["fingerprint"],
        sha256=meta["sha256"],
        documents=int(meta["documents"]),
        sections=int(meta["sections"]),
        sqlite=meta["sqlite"],
        note=meta.get("note", ""),
    )
