"""A rubric that has to be without errors for the command to go on."""

from pathlib import Path

from engine import rubric as language
from engine.cli.rubric.source import Source, opened
from engine.errors import UsageError
from engine.rubric import Rubric
from engine.store.workspace import Workspace

__all__ = ["whole"]


def whole(file: Path, workspace: Workspace) -> tuple[Rubric, Source]:
    """The rubric of a file, of a name or of standard input (`-`), with its text.

    Raises:
        UsageError: it cannot be read, or every mistake that is in it.
    """
    source = opened(file, workspace)
    reading = language.read(source.text, source.name, source.library)
    if reading.rubric is None:
        raise UsageError(*(problem.problem() for problem in reading.errors))
    return reading.rubric, source
