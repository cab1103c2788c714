"""What is searched: documents, the corpus they make, and the hash of its content."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

__all__ = ["Change", "Corpus", "Document", "Reading", "content_sha256", "document_sha256"]


@dataclass(frozen=True, slots=True)
class Document:
    """One document. `source` is its identity: unique in its corpus, never a path of this machine."""

    source: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """The documents of a corpus, in code point order of their sources.

    Attributes:
        note: what stands in them and was not read, for people; empty when everything was.
    """

    documents: tuple[Document, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents that have been found, and are read only when an index has to be built.

    Attributes:
        name: what messages call it: `python_docs`, `folder docs`.
        fingerprint: hash of the bytes of every file. Equal fingerprints mean equal documents; the
            reverse does not hold (a line end can change), which is what the content hash is for.
        read: the documents. Raises UsageError with every problem in them.
        notes: which files were left out, and why: for people.
    """

    name: str
    fingerprint: str
    read: Callable[[], Reading]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """How many documents differ between two states of a corpus."""

    added: int
    removed: int
    changed: int

    @classmethod
    def between(cls, before: Mapping[str, str], after: Mapping[str, str]) -> "Change":
        """From the hashes of two states, source → hash."""
        both = before.keys() & after.keys()
        return cls(
            added=len(after.keys() - both),
            removed=len(before.keys() - both),
            changed=sum(before[source] != after[source] for source in both),
        )

    def __str__(self) -> str:
        if not (self.added or self.removed or self.changed):
            return "files were touched, the documents are the same"
        return f"documents changed: +{self.added} −{self.removed} ~{self.changed}"


def document_sha256(document: Document) -> str:
    """Hash of source, title and text; their lengths keep them apart."""
    parts = [part.encode("utf-8", "surrogatepass") for part in (document.source, document.title, document.text)]
    return hashlib.sha256(b"".join(b"%d:%b" % (len(part), part) for part in parts)).hexdigest()


def content_sha256(hashes: Iterable[str]) -> str:
    """Hash of a corpus from the hashes of its documents. Their order does not matter."""
    return hashlib.sha256("\n".join(sorted(hashes)).encode()).hexdigest()
