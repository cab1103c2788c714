"""Where documents come from: the Python language reference, or a folder of files."""

import hashlib
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from engine.corpus.documents import Corpus, Document, Reading, content_sha256, document_sha256
from engine.corpus.files import SUFFIXES, Loads, Unread, read_file
from engine.corpus.sections import first_heading
from engine.errors import Problem, UsageError
from engine.text import count, one_line

__all__ = ["folder", "python_docs"]

_MOST_PROBLEMS = 20


def python_docs() -> Corpus:
    """The language reference that comes with every Python; a source is its topic: `with`, `context-managers`."""
    from pydoc_data.topics import topics  # half a megabyte of text that only this corpus needs

    documents = tuple(Document(key, first_heading(topics[key]) or key, topics[key]) for key in sorted(topics))
    return Corpus("python_docs", content_sha256(map(document_sha256, documents)), lambda: Reading(documents))


def folder(path: Path, shown: str, loads: Loads, is_own: Callable[[Path], bool] = lambda _: False) -> Corpus:
    """The documents under a folder. A source is the path inside it, with `/`; in JSON lines it is the id.

    Files and folders whose name starts with a dot are left out, and so are links that lead outside,
    links to folders, and files of other kinds; `notes` says how many.

    Args:
        shown: the folder as the person wrote it, for messages.
        loads: strict JSON, (bytes, place) → value.
        is_own: whether a folder (resolved) is one that the engine itself writes; such are left out.

    Raises:
        UsageError: no such folder, nothing in it to read, or a file that cannot be opened.
    """
    root = _root(path, shown)
    walk = _Walk(root, shown, is_own)
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
    is_own: Callable[[Path], bool]
    problems: list[Problem] = field(default_factory=list)
    other_kinds: Counter[str] = field(default_factory=Counter)
    links: list[str] = field(default_factory=list)
    own: list[str] = field(default_factory=list)
    special: list[str] = field(default_factory=list)
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
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_folder and self.is_own(path):
                self.own.append(path.relative_to(self.root).as_posix())
            elif entry.name.startswith("."):
                self.hidden += 1
            elif is_folder:
                yield from self.files(path)
            else:
                yield from self._file(path, entry)

    def _file(self, path: Path, entry: os.DirEntry[str]) -> Iterator[tuple[str, Path]]:
        source = path.relative_to(self.root).as_posix()
        if entry.is_symlink() and not self._stays_inside(path):
            self.links.append(source)
        elif not stat.S_ISREG(path.stat().st_mode):
            self.special.append(source)
        elif path.suffix.lower() not in SUFFIXES:
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
        if not (aim.is_relative_to(self.root) and aim.is_file()):
            return False
        above = [folder for folder in aim.parents if folder != self.root and folder.is_relative_to(self.root)]
        return not any(part.name.startswith(".") for part in (aim, *above)) and not any(map(self.is_own, above))

    def notes(self) -> tuple[str, ...]:
        """What was left out, for people."""
        notes = []
        if self.other_kinds:
            kinds = ", ".join(f"{number:,} × {kind}" for kind, number in sorted(self.other_kinds.items()))
            notes.append(f"left out {count(self.other_kinds.total(), 'file')} of other kinds ({kinds})")
        if self.links:
            notes.append(f"left out {count(len(self.links), 'link')} to elsewhere or to a folder ({_some(self.links)})")
        if self.special:
            notes.append(
                f"left out {count(len(self.special), 'pipe or device', 'pipes or devices')} ({_some(self.special)})"
            )
        if self.own:
            notes.append(f"left out {count(len(self.own), 'folder')} that assay itself writes ({_some(self.own)})")
        if self.hidden:
            notes.append(f"left out {count(self.hidden, 'hidden file or folder', 'hidden files or folders')}")
        return tuple(notes)


def _some(names: list[str]) -> str:
    return ", ".join(one_line(name, 60) for name in names[:3]) + (", …" if len(names) > 3 else "")


def _read(found: Iterable[tuple[str, Path]], shown: str, loads: Loads) -> Reading:
    documents: dict[str, tuple[Document, str]] = {}
    unread = Unread()
    problems: list[Problem] = []
    for source, path in found:
        try:
            placed, wrong = read_file(path, source, f"{shown}/{source}", loads, unread)
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
    return Reading(tuple(documents[source][0] for source in sorted(documents)), unread.note())


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
