"""A rubric as it was named on the command line: a file, the name of a rubric, or `-` for standard input."""

import sys
from dataclasses import dataclass
from pathlib import Path

from engine import rubric as language
from engine.cli.screen import typed
from engine.errors import Problem, UsageError
from engine.rubric import Library, Reading, Rubric
from engine.store.rubric_files import RubricFiles
from engine.store.rubric_text import read_text, text_of, unreadable
from engine.store.workspace import Workspace
from engine.text import nearest, one_line

__all__ = ["A_RUBRIC", "STDIN", "Source", "library", "opened", "whole"]

STDIN = Path("-")
A_RUBRIC = "a .rubric file, the name of a rubric, or - for stdin"
"""What `--help` says about such an argument."""


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
        raise UsageError(unreadable(error, str(file))) from error
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
    return read_text(sys.stdin.buffer, "stdin")
