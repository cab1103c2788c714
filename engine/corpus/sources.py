"""Where documents come from: the Python language reference, or a folder of files."""

import hashlib
import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from engine.corpus.documents import Corpus, Document, content_sha256, document_sha256
from engine.corpus.files import SUFFIXES, Loads, read_file
from engine.corpus.sections import first_heading
from engine.errors import Problem, UsageError
from engine.text import count

__all__ = ["folder", "python_docs"]

_MOST_PROBLEMS = 20


def python_docs() -> Corpus:
    """The language reference that comes with every Python; a source is its topic: `with`, `context-managers`."""
    from pydoc_data.topics import topics  # half a megabyte of text that only this corpus needs

    documents = tuple(Document(key, first_heading(topics[key]) or key, topics[key]) for key in sorted(topics))
    return Corpus("python_docs", content_sha256(map(document_sha256, documents)), lambda: documents)


def folder(path: Path, shown: str, loads: Loads) -> Corpus:
    """The documents under a folder. A source is the path inside it, with `/`; in JSON lines it is the id.

    Files and folders whose name starts with a dot are left out, and so are links that lead outside,
    links to folders, and files of other kinds; `notes` says how many.

    Args:
        shown: the folder as the person wrote it, for messages.
        loads: strict JSON, (bytes, place) → value.

    Raises:
        UsageError: no such folder, nothing in it to read, or a file that cannot be opened.
    """
    root = _root(path, shown)
    walk = _Walk(root, shown)
    found = sorted(walk.files(root))
    if not walk.problems and not found:
        walk.problems.append(_empty(shown, walk.notes()))
    digest = hashlib.sha256()
    for source, file in found:
        try:
            with file.open("rb") as opened:
                digest.update(f"{len(source)}:{source}{hashlib.file_digest(opened, 'sha256').hexdigest()}".encode())
        except OSError as error:
            walk.problems.append(_unreadable(f"{shown}/{source}", error))
    _refuse(walk.problems)
    return Corpus(f"folder {shown}", digest.hexdigest(), lambda: _read(found, shown, loads), walk.notes())


def _root(path: Path, shown: str) -> Path:
    help_ = "target.path is relative to the workspace"
    if not path.exists():
        raise UsageError(Problem(f"there is no folder {shown}", "target.path", help_))
    if not path.is_dir():
        raise UsageError(Problem(f"{shown} is a file, not a folder", "target.path", help_))
    return path.resolve()


@dataclass(slots=True)
class _Walk:
    """A walk through a folder, and what it met."""

    root: Path
    shown: str
    problems: list[Problem] = field(default_factory=list)
    other_kinds: Counter[str] = field(default_factory=Counter)
    links: list[str] = field(default_factory=list)
    hidden: int = 0

    def files(self, here: Path) -> Iterator[tuple[str, Path]]:
        """(source, path) of every file that can be read."""
        try:
            with os.scandir(here) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            self.problems.append(_unreadable(f"{self.shown}/{here.relative_to(self.root).as_posix()}", error))
            return
        for entry in entries:
            path = here / entry.name
            if entry.name.startswith("."):
                self.hidden += 1
            elif entry.is_dir(follow_symlinks=False):
                yield from self.files(path)
            else:
                yield from self._file(path, entry)

    def _file(self, path: Path, entry: os.DirEntry[str]) -> Iterator[tuple[str, Path]]:
        source = path.relative_to(self.root).as_posix()
        if entry.is_symlink() and not self._stays_inside(path):
            self.links.append(source)
        elif path.suffix.lower() not in SUFFIXES or not stat.S_ISREG(path.stat().st_mode):
            self.other_kinds[path.suffix.lower() or "no suffix"] += 1
        elif not _is_text(source):
            self.problems.append(Problem("the name of the file is not UTF-8", f"{self.shown}/{source!r}", "rename it"))
        else:
            yield source, path

    def _stays_inside(self, link: Path) -> bool:
        """A link to a file of this folder that is not hidden. Links to folders could go round in circles."""
        try:
            aim = link.resolve(strict=True)
        except (OSError, RuntimeError):  # dangling, or a circle
            return False
        inside = aim.is_relative_to(self.root) and aim.is_file()
        return inside and not any(part.startswith(".") for part in aim.relative_to(self.root).parts)

    def notes(self) -> tuple[str, ...]:
        """What was left out, for people."""
        notes = []
        if self.other_kinds:
            kinds = ", ".join(f"{number} × {kind}" for kind, number in sorted(self.other_kinds.items()))
            notes.append(f"left out {count(self.other_kinds.total(), 'file')} of other kinds ({kinds})")
        if self.links:
            some = ", ".join(self.links[:3]) + (" …" if len(self.links) > 3 else "")
            notes.append(f"left out {count(len(self.links), 'link')} that lead outside or to a folder ({some})")
        if self.hidden:
            notes.append(f"left out {count(self.hidden, 'hidden file or folder', 'hidden files or folders')}")
        return tuple(notes)


def _read(found: Iterable[tuple[str, Path]], shown: str, loads: Loads) -> tuple[Document, ...]:
    documents: dict[str, tuple[Document, str]] = {}
    problems: list[Problem] = []
    for source, path in found:
        try:
            placed, wrong = read_file(path, source, f"{shown}/{source}", loads)
        except OSError as error:
            problems.append(_unreadable(f"{shown}/{source}", error))
            continue
        problems.extend(wrong)
        for document, place in placed:
            if (first := documents.setdefault(document.source, (document, place))) != (document, place):
                message = f'the source "{document.source}" is used twice; the first is {first[1]}'
                problems.append(Problem(message, place, "give every document a source of its own"))
    if not problems and not documents:
        problems.append(_empty(shown, ()))
    _refuse(problems)
    return tuple(documents[source][0] for source in sorted(documents))


def _refuse(problems: list[Problem]) -> None:
    """Raise them all, or the first of very many with the number of the rest."""
    if len(problems) > _MOST_PROBLEMS:
        rest = len(problems) - _MOST_PROBLEMS
        problems = [*problems[:_MOST_PROBLEMS], Problem(f"… and {count(rest, 'more problem')} like these")]
    if problems:
        raise UsageError(*problems)


def _empty(shown: str, notes: tuple[str, ...]) -> Problem:
    left_out = f" ({'; '.join(notes)})" if notes else ""
    return Problem(f"{shown} holds no documents{left_out}", "target.path", f"it may hold {', '.join(SUFFIXES)} files")


def _unreadable(place: str, error: OSError) -> Problem:
    return Problem(f"cannot be read: {error.strerror or error}", place, "mend its permissions, or move it away")


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
