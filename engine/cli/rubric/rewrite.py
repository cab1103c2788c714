"""Putting a new text in the place of a rubric that a person wrote: whole, or not at all."""

import os
from pathlib import Path

from engine.errors import Problem, UsageError
from engine.store.shared_file import write_shared
from engine.text import one_line

__all__ = ["rewrite"]


def rewrite(path: Path, before: str, after: str) -> None:
    """Replace the text of a file. Its permissions stay; of a symbolic link the file it leads to is replaced.

    Raises:
        UsageError: it may not be written, or it is not `before` any more, so somebody's work would be lost.
        EngineError: the disk is full or fails; the old text is still there.
    """
    target = path.resolve()
    name = one_line(str(path))
    if not os.access(target, os.W_OK):
        raise UsageError(Problem("this file may not be written", name, "make it writable, then try again"))
    if target.read_bytes() != before.encode("utf-8"):
        problem = "this file was changed by somebody else at the same moment, and is left as it is"
        raise UsageError(Problem(problem, name, "try again"))
    write_shared(target, after.encode("utf-8"))
