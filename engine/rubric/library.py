"""Where the files that a rubric uses come from. The language itself never touches a disk."""

from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import PurePosixPath
from typing import Protocol, runtime_checkable

from engine.text import nearest

__all__ = ["Library", "TextOf", "listed", "near"]

TextOf = Callable[[str], str | None]
"""The text of a file by its path from the rubrics folder, or None when there is none."""

_MOST = 1000
_EVERYBODY = ("shared/safety.rubric", "shared/scales.rubric")


@runtime_checkable
class Library(Protocol):
    """A `TextOf` that can also say which files there are, which makes better advice about a path that is wrong."""

    def __call__(self, path: str, /) -> str | None:
        """The text of a file."""

    def names(self) -> Iterable[str]:
        """The paths of all files, from the rubrics folder, with forward slashes."""


def listed(library: TextOf) -> tuple[str, ...]:
    """The files there are, as far as the library can tell: a bare function only knows those that it is asked for."""
    if isinstance(library, Library):
        return tuple(sorted(islice(library.names(), _MOST)))
    return tuple(name for name in _EVERYBODY if library(name) is not None)


def near(path: str, names: Iterable[str]) -> str | None:
    """The file that was most likely meant: the same name in another folder, or one that is spelt like it."""
    known = tuple(names)
    wanted = PurePosixPath(path.replace("\\", "/").removesuffix(".rubric")).name.casefold()
    same = [name for name in known if PurePosixPath(name.removesuffix(".rubric")).name.casefold() == wanted]
    if len(same) == 1:
        return same[0]
    bare = nearest(path.removesuffix(".rubric"), [name.removesuffix(".rubric") for name in known])
    return None if bare is None else f"{bare}.rubric"
