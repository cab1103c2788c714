"""The rubrics that another one can use: files below the rubrics folders, by their path from there."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

__all__ = ["RubricFiles"]

_MOST_FOLDERS, _DEEPEST = 200, 2


@dataclass(frozen=True, slots=True)
class RubricFiles:
    """What the rubric reader asks for the files that a rubric uses. The first folder that has a file wins.

    Attributes:
        text: the text of a file, given where it is and the path that was asked for.
    """

    folders: tuple[Path, ...]
    text: Callable[[Path, str], str]

    def __call__(self, path: str, /) -> str | None:
        """The text of a file inside one of the folders, or None."""
        for folder in self.folders:
            file = folder / path
            if file.is_file() and folder.resolve() in file.resolve().parents:
                return self.text(file, path)
        return None

    def names(self) -> Iterator[str]:
        """The path of every rubric in the folders, with forward slashes, each once."""
        seen: set[str] = set()
        for folder in self.folders:
            for name in _below(folder):
                if name not in seen:
                    seen.add(name)
                    yield name


def _below(folder: Path) -> Iterator[str]:
    """Rubrics a few levels down; a rubric may lie in somebody's home, and nobody waits for all of that to be read."""
    for here, folders, files in islice(os.walk(folder), _MOST_FOLDERS):
        depth = len(Path(here).relative_to(folder).parts)
        folders[:] = sorted(name for name in folders if not name.startswith(".")) if depth < _DEEPEST else []
        for name in sorted(files):
            if name.endswith(".rubric") and not name.startswith("."):
                yield (Path(here) / name).relative_to(folder).as_posix()
