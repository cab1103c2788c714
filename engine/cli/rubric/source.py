"""A rubric as it was named on the command line: a file, the name of a rubric, or `-` for standard input."""

import sys
from dataclasses import dataclass
from pathlib import Path

from engine import rubric as language
from engine.errors import Problem, UsageError
from engine.rubric import Library, Reading, Rubric
from engine.store.rubric_files import RubricFiles
from engine.store.workspace import Workspace
from engine.text import nearest, one_line

__all__ = ["A_RUBRIC", "STDIN", "Source", "library", "opened", "text_of", "whole"]

STDIN = Path("-")
A_RUBRIC = "a .rubric file, the name of a rubric, or - for stdin"
"""What `--help` says about such an argument."""


@dataclass(frozen=True, slots=True)
class Source:
    """A rubric's text.

    Attributes:
        name: what it is called in messages: as it was typed.
        path: where it is stored; None when it came through standard input.
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
    if file.is_absolute() and not file.exists():
        raise UsageError(_absent(file))
    path = _found(file, workspace)
    return Source(str(file), path, text_of(path, str(file)), library(path, workspace))


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
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(_no_text(one_line(name))) from None
    except OSError as error:
        raise UsageError(Problem(f"this rubric cannot be read: {error.strerror}", one_line(name))) from error


def _found(file: Path, workspace: Workspace) -> Path:
    """From here or from the workspace, else a rubric by its name."""
    for path in (file, workspace.folder / file):
        if path.is_file():
            return path
    return workspace.find_rubric(str(file).removesuffix(".rubric"))


def _absent(file: Path) -> Problem:
    near = nearest(file.name, [other.name for other in file.parent.glob("*.rubric")])
    step = f"did you mean {one_line(near)}?" if near else "check how it is spelled"
    return Problem(f"there is no file {one_line(str(file))}", "command line", step)


def _stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(_no_text("stdin")) from None


def _no_text(place: str) -> Problem:
    return Problem("this rubric is not UTF-8 text", place, "save it again as UTF-8")
