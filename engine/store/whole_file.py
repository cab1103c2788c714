"""Files that are replaced whole: a reader sees the old content or the new one, never a part."""

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.errors import EngineError, Problem

__all__ = ["disk_problem", "make_private", "write_parts", "write_shared", "write_whole"]


def write_whole(path: Path, data: bytes) -> None:
    """Put `data` in the place of whatever the file held, and on the disk before returning.

    The file is 0600. Its folder must exist. After a failure the old file is as it was.

    Raises:
        EngineError: the disk is full or fails, or a symbolic link stands where the file should be.
    """
    write_parts(path, (data,))


def write_parts(path: Path, parts: Iterable[bytes]) -> str:
    """As `write_whole`, for content that is made piece by piece; memory depends on one piece.

    Returns:
        The SHA-256 of everything written, 64 hexadecimal digits.
    """
    digest = hashlib.sha256()
    try:
        with _folder(path.parent) as folder:
            _refuse_link(path, folder)
            part = f".{path.name}.{os.urandom(4).hex()}.part"
            try:
                _write_part(part, folder, _hashed(parts, digest.update))
                os.replace(part, path.name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with suppress(OSError):
                    os.unlink(part, dir_fd=folder)
                raise
            os.fsync(folder)
    except OSError as error:
        raise EngineError(disk_problem(path, error)) from error
    return digest.hexdigest()


def write_shared(path: Path, data: bytes) -> None:
    """As `write_whole`, for files that people share: with the mode that the file has; a new one is 0644.

    Raises:
        EngineError: the disk is full or fails, or a symbolic link stands where the file should be.
    """
    try:
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o644
        write_whole(path, data)
        os.chmod(path, mode)  # noqa: PTH101 - as elsewhere here; it has just put a plain file there
    except OSError as error:
        raise EngineError(disk_problem(path, error)) from error


def make_private(folder: Path) -> None:
    """Make a folder and those above it that are missing, all 0700: `mkdir` gives its mode to the last one only.

    Raises:
        OSError: the disk is full or fails.
    """
    if not folder.is_dir():
        make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def disk_problem(path: Path, error: OSError) -> Problem:
    """What the system refused, in words, with what a person can do about it."""
    message = f"cannot be written: {os.strerror(error.errno).lower() if error.errno else error}"
    return Problem(message, str(path), _NEXT_STEPS.get(error.errno or 0, ""))


_NEXT_STEPS = {
    errno.ENOSPC: "free some space on this disk, then try again",
    errno.EDQUOT: "your quota on this disk is used up: free some space, then try again",
    errno.EFBIG: "a limit on the size of files is set (ulimit -f): raise it, then try again",
    errno.EIO: "the disk reports an error: check it before you go on",
    errno.EACCES: "check who may write there",
    errno.EROFS: "the disk can only be read: choose another folder",
    errno.ELOOP: "a symbolic link stands there: remove it, or choose another folder",
}


@contextmanager
def _folder(path: Path) -> Iterator[int]:
    """One descriptor for every step, so that a folder swapped in between cannot redirect a write."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield folder
    finally:
        os.close(folder)


def _refuse_link(path: Path, folder: int) -> None:
    try:
        found = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    if stat.S_ISLNK(found.st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _hashed(parts: Iterable[bytes], update: Callable[[bytes], None]) -> Iterator[bytes]:
    for part in parts:
        update(part)
        yield part


def _write_part(name: str, folder: int, parts: Iterable[bytes]) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, 0o600, dir_fd=folder)
    try:
        for part in _gathered(parts):
            left = memoryview(part)
            while left:
                left = left[os.write(descriptor, left) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _gathered(parts: Iterable[bytes], size: int = 2**18) -> Iterator[bytes]:
    """Pieces joined to about `size` bytes: a plan of 100,000 short lines needs few writes."""
    gathered = bytearray()
    for part in parts:
        gathered += part
        if len(gathered) >= size:
            yield bytes(gathered)
            gathered.clear()
    yield bytes(gathered)
