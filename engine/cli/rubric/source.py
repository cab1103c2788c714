"""A rubric as it was named on the command line: a file, the name of a rubric, or `-` for standard input."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from engine import rubric as language
from engine.cli.screen import typed
from engine.errors import Problem, UsageError
from engine.rubric import Library, Reading, Rubric
from engine.rubric.source import MOST_BYTES
from engine.store.rubric_files import RubricFiles
from engine.store.workspace import Workspace
from engine.text import nearest, one_line

__all__ = ["A_RUBRIC", "STDIN", "Source", "library", "opened", "text_of", "whole"]

STDIN = Path("-")
A_RUBRIC = "a .rubric file, the name of a rubric, or - for stdin"
"""What `--help` says about such an argument."""
_MOST_READ = 8 * MOST_BYTES
_AS_UTF8 = "save it again as UTF-8: most editors have that in Save as, as the encoding"


@dataclass(frozen=True, slots=True)
class Source:
    """A rubric's text.

    Attributes:
        name: what it is called in messages: as it was typed.
        path: where it is stored; None when it came through standard input or a pipe.
        library: the files that it can use.
    """

    name: str
    path: Path | None
    text: str
    library: Library

    def read(self) -> Reading:
        """The rubric, and everything that is wrong with it."""
        return language.read(self.text, self.name, self.library)


def opened(file: Path, workspace: Workspace) -> Source:
    """Find it and read its text. Raises UsageError when it is not there, with the nearest name, or is no text."""
    if file == STDIN:
        return Source("stdin", None, _stdin(), library(Path.cwd() / "stdin", workspace))
    try:
        path = _found(file, workspace)
        stored = path if path.is_file() else None
    except OSError as error:  # a folder on the way may not be entered, or the name is too long
        raise UsageError(_unreadable(error, str(file))) from error
    return Source(str(file), stored, text_of(path, str(file)), library(path, workspace))


def whole(file: Path, workspace: Workspace) -> tuple[Rubric, Source]:
    """A rubric that has to be without errors for the command to go on, with its text.

    Raises:
        UsageError: it cannot be read, or every mistake that is in it.
    """
    source = opened(file, workspace)
    reading = source.read()
    if reading.rubric is None:
        raise UsageError(*(problem.problem() for problem in reading.errors))
    return reading.rubric, source


def library(path: Path, workspace: Workspace) -> RubricFiles:
    """Used files lie beside the rubric, in a rubrics folder above it, or among the workspace's rubrics."""
    above = [folder for folder in path.resolve().parents if folder.name == "rubrics"]
    return RubricFiles((*above[:1], path.resolve().parent, *workspace.rubric_folders), text_of)


def text_of(path: Path, name: str) -> str:
    """The text of a rubric file, exactly as it is stored (line ends too). Raises UsageError when it has none."""
    try:
        with path.open("rb") as stream:
            return _text(stream, one_line(name))
    except OSError as error:
        raise UsageError(_unreadable(error, name)) from error


def _found(file: Path, workspace: Workspace) -> Path:
    """From here or from the workspace, else a rubric by its name; a pipe, `<(git show ...)`, is as good as a file."""
    places = (file, workspace.folder / file)
    for path in places:
        if path.is_file():
            return path
    for path in places:
        if path.exists() and not path.is_dir():
            return path
    wrong = next(filter(None, map(_no_file, places)), None) or _misspelt(file)
    try:
        return workspace.find_rubric(str(file).removesuffix(".rubric"))
    except UsageError:
        if wrong is None:
            raise
    raise UsageError(wrong)


def _no_file(path: Path) -> Problem | None:
    """What stands there when it is nothing that can be read."""
    name = one_line(str(path))
    if path.is_dir():
        return Problem("this is a folder, and a file is needed", name, f"name the files in it: {name}/*.rubric")
    if path.is_symlink():
        return Problem("this is a link, and the file it leads to is not there", name, "name the file itself")
    return None


def _misspelt(file: Path) -> Problem | None:
    """A path names a file, so the files beside it are looked at before the rubrics are."""
    if not file.is_absolute() and file.suffix != ".rubric":
        return None
    near = nearest(file.name, [other.name for other in file.parent.glob("*.rubric")])
    if near is None and not file.is_absolute():
        return None
    step = f"did you mean {typed(str(file.with_name(near)))}?" if near else "check how it is spelled"
    return Problem(f"there is no file {one_line(str(file))}", "command line", step)


def _stdin() -> str:
    return _text(sys.stdin.buffer, "stdin")


def _text(stream: BinaryIO, place: str) -> str:
    """No more is read than a rubric can have: a wrong name may lead to a film, or to a device that never ends."""
    data = stream.read(_MOST_READ + 1)
    if len(data) > _MOST_READ:
        limit = f"at most {MOST_BYTES // 1024} KiB"
        raise UsageError(Problem(f"this file is too big for a rubric: {limit}", place, "is it the right file?"))
    if b"\0" in data:  # would pass for UTF-8, and a line written into UTF-16 would ruin it
        halves = data[:200:2].count(0), data[1:200:2].count(0)
        what = "stored as UTF-16, and UTF-8 is needed" if max(halves) > 2 * min(halves) + 2 else "no text file"
        raise UsageError(Problem(f"this rubric is {what}", place, _AS_UTF8))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        raise UsageError(Problem("this rubric is not UTF-8 text", f"{place}:{number}", _AS_UTF8)) from None


def _unreadable(error: OSError, name: str) -> Problem:
    reason = (error.strerror or "no reason is known").lower()
    return Problem(f"this rubric cannot be read: {reason}", one_line(name), "check who may read it, and its name")
