"""A rubric as it was named on the command line: a file, or `-` for standard input."""

import sys
from dataclasses import dataclass
from pathlib import Path

from engine.cli.rubric.files import found, library, text_of
from engine.errors import Problem, UsageError
from engine.rubric import Library
from engine.store.workspace import Workspace
from engine.text import nearest, one_line

__all__ = ["STDIN", "Source", "opened"]

STDIN = Path("-")


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


def opened(file: Path, workspace: Workspace) -> Source:
    """Find it and read it. Raises UsageError when it is not there or is no text."""
    if file == STDIN:
        return Source("stdin", None, _stdin(), library(Path.cwd() / "stdin", workspace))
    if file.is_absolute() and not file.exists():
        raise UsageError(_absent(file))
    path = found(file, workspace)
    return Source(str(file), path, text_of(path, str(file)), library(path, workspace))


def _absent(file: Path) -> Problem:
    near = nearest(file.name, [other.name for other in file.parent.glob("*.rubric")])
    step = f"did you mean {one_line(near)}?" if near else "check how it is spelled"
    return Problem(f"there is no file {one_line(str(file))}", "command line", step)


def _stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(Problem("this rubric is not UTF-8 text", "stdin", "save it again as UTF-8")) from None
