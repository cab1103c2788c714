"""Rubric files as they are typed on the command line: finding them, reading them, and the files that they use."""

from pathlib import Path

from engine.errors import Problem, UsageError
from engine.store.rubric_files import RubricFiles
from engine.store.workspace import Workspace
from engine.text import one_line, safe

__all__ = ["found", "library", "say", "text_of"]


def found(file: Path, workspace: Workspace) -> Path:
    """A file as it was typed, from here or from the workspace, else a rubric by its name.

    Raises:
        UsageError: there is none, with the nearest name.
    """
    for path in (file, workspace.folder / file):
        if path.is_file():
            return path
    return workspace.find_rubric(str(file).removesuffix(".rubric"))


def text_of(path: Path, name: str) -> str:
    """The text of a rubric file, exactly as it is stored (line ends too). Raises UsageError when it has none."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(Problem("this rubric is not UTF-8 text", one_line(name), "save it again as UTF-8")) from None
    except OSError as error:
        raise UsageError(Problem(f"this rubric cannot be read: {error.strerror}", one_line(name))) from error


def library(path: Path, workspace: Workspace) -> RubricFiles:
    """Used files lie beside the rubric, in a rubrics folder above it, or among the workspace's rubrics."""
    above = [folder for folder in path.resolve().parents if folder.name == "rubrics"]
    return RubricFiles((*above[:1], path.resolve().parent, *workspace.rubric_folders), text_of)


def say(text: str) -> None:
    """Print text that may hold an author's words, made harmless for a terminal."""
    for line in text.split("\n"):
        print(safe(line))
