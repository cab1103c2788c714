"""Opening a file of a run to read it: a plain file, never through a link."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from engine.errors import Problem, UsageError

__all__ = ["open_plain", "unreadable"]


def open_plain(path: Path) -> BinaryIO:
    """The file, open for reading.

    Raises:
        UsageError: it is missing, may not be read, or is a link, a folder or a pipe.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise UsageError(unreadable(path, error)) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UsageError(Problem("cannot be read: it is not a plain file", str(path)))
    return os.fdopen(descriptor, "rb", buffering=2**18)


def unreadable(path: Path, error: OSError) -> Problem:
    """Why a file could not be read."""
    if error.errno == errno.ELOOP:
        return Problem("cannot be read: it is a symbolic link", str(path))
    return Problem(f"cannot be read: {os.strerror(error.errno or 0).lower()}", str(path))
