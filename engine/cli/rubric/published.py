"""The file of published versions that belongs to a rubric, as commands need it."""

from pathlib import Path

from engine.model.rubric_lock import RubricLock
from engine.rubric import Diagnostic, Rubric
from engine.rubric.lock import lock_problems
from engine.store.rubric_lock import lock_path, read_lock

__all__ = ["broken_promises", "lock_of"]


def lock_of(path: Path) -> RubricLock:
    """What was published of the rubrics beside this one. Raises UsageError when the file is damaged."""
    return read_lock(lock_path(path))


def broken_promises(path: Path | None, rubric: Rubric | None, text: str) -> tuple[Diagnostic, ...]:
    """R801 and R802 of a rubric that was read without errors; nothing where nothing was published.

    Raises:
        UsageError: the file of published versions is damaged.
    """
    return () if path is None or rubric is None else lock_problems(rubric, lock_of(path), text)
