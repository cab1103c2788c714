"""Writing a new file that a person named: never over one that is there, unless they say so."""

from pathlib import Path

from engine.errors import Problem, UsageError
from engine.store.shared_file import write_shared
from engine.text import one_line

__all__ = ["refuse_existing", "write_new"]


def refuse_existing(path: Path) -> None:
    """Raises UsageError when something is there already."""
    if path.exists() or path.is_symlink():
        step = "choose another name, or add --force to write over it"
        raise UsageError(Problem("there is a file of this name already, and it is left as it is", _name(path), step))


def write_new(path: Path, text: str) -> None:
    """Write the whole file, or nothing of it.

    Raises:
        UsageError: its folder is not there, or a folder has its name.
        EngineError: the disk is full or fails.
    """
    if path.is_dir():
        raise UsageError(Problem("this is a folder, and a file is needed", _name(path), "name a file in it"))
    if not path.parent.is_dir():
        folder = one_line(str(path.parent))
        raise UsageError(Problem(f"there is no folder {folder}", _name(path), f"make it first: mkdir -p {folder}"))
    write_shared(path.resolve(), text.encode("utf-8"))


def _name(path: Path) -> str:
    return one_line(str(path))
