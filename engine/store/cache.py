"""Derived files that can be made again at any time: writing one may fail without harm."""

from pathlib import Path

from engine.errors import EngineError
from engine.store.whole_file import make_private, write_whole

__all__ = ["write_cache"]


def write_cache(path: Path, data: bytes) -> None:
    """Keep `data` for the next time; a folder that cannot be written only costs that time."""
    try:
        make_private(path.parent)
        write_whole(path, data)
    except (EngineError, OSError):
        return
