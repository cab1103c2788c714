"""Writing files that people named: whole or not at all, and never over somebody's work unless they say so."""

import os
from collections.abc import Mapping
from pathlib import Path

from engine.cli.screen import typed
from engine.errors import EngineError, Problem, UsageError
from engine.store.whole_file import disk_problem, write_shared
from engine.text import one_line

__all__ = [
    "FORCE",
    "TAKEN",
    "refuse_a_rubric",
    "refuse_existing",
    "refuse_losing",
    "rewrite",
    "write_new",
    "write_together",
]

TAKEN = "is there already, and is left as it is"
FORCE = "write over a file that is there already"
"""What `--help` says about `--force`."""


def refuse_existing(path: Path) -> None:
    """Raises UsageError when something is there already."""
    _refuse_folder(path)
    if path.exists() or path.is_symlink():
        step = "choose another name, or add --force to write over it"
        raise UsageError(Problem("there is a file of this name already, and it is left as it is", _name(path), step))


def refuse_a_rubric(path: Path, problem: str, instead: str) -> None:
    """Raises UsageError where something else would stand under a rubric's name, whatever was given up for it."""
    if path.suffix.casefold() == ".rubric":
        raise UsageError(Problem(problem, one_line(str(path)), f"name it, for example, {instead}"))


def refuse_losing(path: Path, *read: Path) -> None:
    """Raises UsageError when the new file would take the place of one that it is made from: not even --force does."""
    if path.exists() and any(other.exists() and path.samefile(other) for other in read):
        raise UsageError(
            Problem("this is the file that is read, and it would be lost", _name(path), "choose another name")
        )


def write_new(path: Path, text: str) -> None:
    """Write the whole file, or nothing of it.

    Raises:
        UsageError: its folder is not there, or a folder has its name.
        EngineError: the disk is full or fails.
    """
    _refuse_folder(path)
    if path == Path("-"):
        step = "leave --out away to see it on the screen"
        raise UsageError(Problem("- is no name for a file", "command line", step))
    if not path.parent.is_dir():
        folder = str(path.parent)
        step = f"make it first: mkdir -p {typed(folder)}"
        raise UsageError(Problem(f"there is no folder {one_line(folder)}", _name(path), step))
    write_shared(path.resolve(), text.encode("utf-8"))


def write_together(contents: Mapping[Path, bytes]) -> None:
    """Make several new files and the folders they lie in: all of them or none.

    Raises:
        UsageError: one of them is there already.
        EngineError: the disk is full or fails.
    """
    written: list[Path] = []
    try:
        for path, data in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:  # x: never over a file that somebody made meanwhile
                written.append(path)
                file.write(data)
    except OSError as error:
        for path in written:
            path.unlink(missing_ok=True)
        if isinstance(error, FileExistsError):
            raise UsageError(Problem(TAKEN, one_line(str(error.filename)), "choose another name")) from None
        raise EngineError(disk_problem(next(iter(contents)), error)) from error


def rewrite(path: Path, before: str, after: str) -> None:
    """Replace the text of a file. Its permissions stay; of a symbolic link the file it leads to is replaced.

    Raises:
        UsageError: it may not be written, or it is not `before` any more, so somebody's work would be lost.
        EngineError: the disk is full or fails; the old text is still there.
    """
    target = path.resolve()
    name = _name(path)
    if not os.access(target, os.W_OK):
        raise UsageError(Problem("this file may not be written", name, "make it writable, then try again"))
    if target.read_bytes() != before.encode("utf-8"):
        problem = "this file was changed by somebody else at the same moment, and is left as it is"
        raise UsageError(Problem(problem, name, "try again"))
    write_shared(target, after.encode("utf-8"))


def _refuse_folder(path: Path) -> None:
    if path.is_dir():
        raise UsageError(Problem("this is a folder, and a file is needed", _name(path), "name a file in it"))


def _name(path: Path) -> str:
    return one_line(str(path))
