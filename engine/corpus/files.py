"""One file as documents: Markdown, plain text, HTML, or JSON lines."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from engine.corpus.documents import Document
from engine.corpus.sections import first_heading
from engine.corpus.web_page import page_text
from engine.errors import Problem, UsageError
from engine.text import count, nearest, one_line

__all__ = ["LARGEST", "SUFFIXES", "Loads", "Unread", "read_file"]

LARGEST = 16 * 2**20  # bytes in one document: more is a data file or a mistake, not something to read
SUFFIXES = (".md", ".markdown", ".txt", ".html", ".htm", ".jsonl")

Loads = Callable[[bytes, str], object]
"""Strict JSON: (text, place) → value, or UsageError. An argument, because the disk formats live in another room."""

Placed = tuple[Document, str]


class Unread:
    """Fields of JSON lines that are not read: in how many lines each of them stands."""

    def __init__(self) -> None:
        self._lines: Counter[str] = Counter()

    def add(self, line: Mapping[str, object]) -> None:
        """Take note of the fields of a line that a document has no place for."""
        if line.keys() - _KEYS:
            self._lines.update(key for key in line if key not in _KEYS)

    def note(self) -> str:
        """For people; empty when every field was read."""
        if not self._lines:
            return ""
        most = sorted(self._lines.items(), key=lambda field: (-field[1], field[0]))
        named = [
            f"{one_line(name, 60)} (in {count(lines, 'line')}{_meant(name)})" for name, lines in most[:_MOST_NAMED]
        ]
        more = [f"{len(most) - _MOST_NAMED:,} more"] if len(most) > _MOST_NAMED else []
        return f"fields that are not read: {', '.join((*named, *more))}"


_MOST_NAMED = 10


def _meant(name: str) -> str:
    close = nearest(name, _KEYS)
    return f'; did you mean "{close}"?' if close else ""


def read_file(path: Path, source: str, shown: str, loads: Loads, unread: Unread) -> tuple[list[Placed], list[Problem]]:
    """The documents of one file, each with its place, and everything that is wrong with it.

    Args:
        source: identity of a file that is one document: its path inside the folder.
        shown: the path as a person knows it, for messages.
        unread: hears of fields that other tools have written.
    """
    if path.suffix.lower() == ".jsonl":
        return _documents(path, shown, loads, unread)
    try:
        return [(_document(path, source, shown), shown)], []
    except UsageError as error:
        return [], list(error.problems)


def _document(path: Path, source: str, shown: str) -> Document:
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise UsageError(_too_large(shown))
    text = _text(data, shown)
    title = ""
    if path.suffix.lower() in (".html", ".htm"):
        title, text = page_text(text)
    return Document(source, title or first_heading(text) or PurePosixPath(source).stem, text)


def _text(data: bytes, shown: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"byte 0x{data[error.start]:02x} is not UTF-8, so the document cannot be read"
        raise UsageError(Problem(message, f"{shown}:{line}", "save the file as UTF-8, or move it away")) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise UsageError(Problem("a NUL character: this is not a text file", f"{shown}:{line}", "move the file away"))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _documents(path: Path, shown: str, loads: Loads, unread: Unread) -> tuple[list[Placed], list[Problem]]:
    found: list[Placed] = []
    problems: list[Problem] = []
    for number, line in _lines(path):
        place = f"{shown}:{number}"
        try:
            if line.strip():
                found.append((_entry(line, place, loads, unread), place))
        except UsageError as error:
            problems.extend(error.problems)
    return found, problems


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Numbered lines. One that is too long is handed out cut, and the rest of it is passed over."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(LARGEST + 1):
            number += 1
            yield number, line
            while len(line) > LARGEST and not line.endswith(b"\n"):
                line = file.readline(LARGEST + 1)


_KEYS = ("id", "title", "text")


def _entry(line: bytes, place: str, loads: Loads, unread: Unread) -> Document:
    """One line's document: `{"id": …, "title": … (may be missing), "text": …}`; other fields are not read."""
    if len(line) > LARGEST:
        raise UsageError(_too_large(place))
    value = loads(line, place)
    if not isinstance(value, dict):
        raise UsageError(Problem('a line must be an object: {"id": …, "title": …, "text": …}', place))
    problems: list[Problem] = []
    parts = {key: value.get(key, "" if key == "title" else None) for key in _KEYS}
    for key, part in parts.items():
        if not isinstance(part, str):
            state = "must be text; write it in quotes" if key in value else "is missing"
            problems.append(Problem(f'"{key}" {state}', place, "" if key in value else _slip(key, value)))
        elif "\0" in part:
            problems.append(Problem(f'"{key}" holds a NUL character', place))
    if isinstance(parts["id"], str) and not parts["id"].strip():
        problems.append(Problem('"id" is empty', place, "give every document an id of its own"))
    if problems:
        raise UsageError(*problems)
    unread.add(value)
    source, title, text = (str(parts[key]) for key in _KEYS)
    return Document(source, title.strip() or source, text.replace("\r\n", "\n").replace("\r", "\n"))


def _slip(missing: str, value: Mapping[str, object]) -> str:
    """What to do about a field that is missing: another one may be it, under a slip of a name."""
    close = [key for key in value if key not in _KEYS and nearest(key.strip("_"), _KEYS) == missing]
    if close:
        return f'did you mean "{missing}"? the line has "{one_line(close[0], 60)}"'
    return 'a document is {"id": …, "title": …, "text": …}'


def _too_large(place: str) -> Problem:
    return Problem(f"larger than {LARGEST // 2**20} MiB, too large for one document", place, "split it or move it away")
