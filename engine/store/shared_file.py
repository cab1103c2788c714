"""Files that people share with each other: replaced whole, and read by whoever could read them before."""

import os
import stat
from pathlib import Path

from engine.errors import EngineError
from engine.store.whole_file import disk_problem, write_whole

__all__ = ["write_shared"]


def write_shared(path: Path, data: bytes) -> None:
    """As `write_whole`, with the mode that the file has; a new one is 0644.

    Raises:
        EngineError: the disk is full or fails, or a symbolic link stands where the file should be.
    """
    try:
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o644
        write_whole(path, data)
        os.chmod(path, mode)  # noqa: PTH101 - as in whole_file, which has just put a plain file there
    except OSError as error:
        raise EngineError(disk_problem(path, error)) from error
