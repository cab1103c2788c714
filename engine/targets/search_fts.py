"""Targets that search documents on this machine: the Python language reference, or the person's own folder."""

import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from engine.corpus.documents import Corpus
from engine.corpus.index import Index, Match, Search, Tokenizer, Tokens, index_path, opened
from engine.corpus.sources import folder, python_docs
from engine.errors import Problem, UsageError
from engine.model.base import Frozen
from engine.model.calls import Calls
from engine.model.exchange import Answer, Exchange, Turn
from engine.model.target import Scalar, Surroundings
from engine.store import strict_json
from engine.targets.own_folders import own_folders

__all__ = ["Folder", "PythonDocs", "SearchSettings", "SearchTarget"]


class SearchSettings(Frozen):
    """What can be set about a search. FTS5's bm25 has k1 = 1.2 and b = 0.75 built in."""

    limit: int = Field(default=10, ge=1, le=1_000, description="how many documents an answer has at most")
    match: Literal["any", "all"] = Field(
        default="any", description="a section must hold any word of the question, or all of them"
    )
    stemming: bool = Field(default=True, description="search word stems (English), so that raising also finds raise")
    tokenizer: Literal["unicode61", "ascii", "trigram"] = Field(
        default="unicode61", description="what a word is: unicode61, ascii, or trigram (parts of words; not stemmed)"
    )
    remove_diacritics: bool = Field(default=True, description="cafe also finds café (unicode61 only)")
    title_weight: float = Field(default=1.0, ge=0, le=1_000, description="how much a match in a title counts")
    body_weight: float = Field(default=1.0, ge=0, le=1_000, description="how much a match in the text counts")
    snippet_words: int = Field(default=30, ge=1, le=64, description="how long a snippet is, in words")
    corpus_version: str | None = Field(default=None, description="what you call this state of the documents")
    corpus_sha256: str | None = Field(
        default=None,
        description="the documents must have this content hash, or begin with it (see assay corpus show)",
    )

    @field_validator("corpus_sha256")
    @classmethod
    def _is_a_hash(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch("[0-9a-f]{8,64}", value):
            raise ValueError("must be 8 to 64 of 0-9 and a-f; see it with: assay corpus show")
        return value

    @model_validator(mode="after")
    def _can_be_searched(self) -> Self:
        if self.tokenizer == "trigram" and self.stemming:
            raise ValueError("trigram cannot be stemmed; set stemming: false")
        if not (self.title_weight or self.body_weight):
            raise ValueError("title_weight and body_weight are both 0: nothing would count")
        return self

    @abstractmethod
    def corpus(self, workspace: Path) -> Corpus:
        """The documents that are searched, found but not read yet."""

    def terms(self) -> Tokenizer:
        """How text becomes words: the part of the settings that an index is built with."""
        return Tokenizer(Tokens(self.tokenizer), self.stemming, self.remove_diacritics)

    @contextmanager
    def open(self, surroundings: Surroundings) -> Iterator["SearchTarget"]:
        """Find the documents, make or mend their index, compare the declared hash; then search."""
        corpus, terms = self.corpus(surroundings.workspace), self.terms()
        path = index_path(surroundings.cache, corpus, terms)
        with opened(path, corpus, terms, surroundings.notice) as index:
            self._check_declared(corpus.name, index.contents.sha256)
            how = Search(Match(self.match), self.limit, self.title_weight, self.body_weight, self.snippet_words)
            yield SearchTarget(index, how, self._identity(index.sqlite), index.contents.sha256)

    def _check_declared(self, name: str, actual: str) -> None:
        if self.corpus_sha256 is None or actual.startswith(self.corpus_sha256):
            return
        version = f"version {self.corpus_version!r} of " if self.corpus_version else ""
        raise UsageError(
            Problem(
                f"{version}{name} was declared with the content hash {self.corpus_sha256}, "
                f"but the documents have {actual[: max(12, len(self.corpus_sha256))]}",
                "target.corpus_sha256",
                "bring the declared documents back, or declare the new hash and a new version",
            )
        )

    def _identity(self, sqlite: str) -> dict[str, Scalar]:
        """Everything that can change an answer, apart from the documents. No path of this machine."""
        left_out = {"path", "corpus_sha256"} | (set() if self.tokenizer == "unicode61" else {"remove_diacritics"})
        settings: dict[str, Scalar] = self.model_dump(exclude=left_out)
        return {**settings, "sqlite": sqlite}


class PythonDocs(SearchSettings):
    """The Python language reference that comes with every Python."""

    kind: Literal["python_docs"] = "python_docs"

    def corpus(self, workspace: Path) -> Corpus:
        return python_docs()


class Folder(SearchSettings):
    """A folder of Markdown, text, HTML and JSON lines."""

    kind: Literal["folder"] = "folder"
    path: str = Field(min_length=1, description="the folder with the documents, relative to the workspace")

    def corpus(self, workspace: Path) -> Corpus:
        """The files under the folder, but none that the engine wrote. `..` may lead to a neighbour of the workspace."""
        if "\0" in self.path:
            raise UsageError(Problem("a path cannot hold a NUL character", "target.path"))
        return folder(workspace / self.path, self.path, strict_json.loads, own_folders(workspace))


@dataclass(frozen=True, slots=True)
class SearchTarget:
    """An open index, as a system under test."""

    index: Index
    how: Search
    identity: Mapping[str, Scalar]
    corpus_sha256: str | None

    @property
    def sources(self) -> frozenset[str]:
        """The names of all documents in the index."""
        return self.index.sources()

    def most(self, turn: Turn) -> int:
        """Nothing is paid here."""
        return 0

    async def answer(self, turn: Turn, history: tuple[Exchange, ...], calls: Calls) -> Answer:
        """The hits for what is said. Finding nothing is a valid answer."""
        started = perf_counter()
        hits = self.index.search(turn.say, self.how)
        return Answer(hits=hits, latency_s={"search": perf_counter() - started})
