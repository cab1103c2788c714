"""The end of a journal: made whole again after a writer that was cut off."""

import errno
import os
from contextlib import suppress
from pathlib import Path

from engine.errors import UsageError
from engine.store import strict_json
from engine.store.entries import Entry, parse, read

__all__ = ["mend", "write_rest"]


def mend(descriptor: int, path: Path) -> tuple[int, int]:
    """Make the file end with a whole line.

    The end is what follows the last line end before it: a line without its line end (which gets one
    when it is JSON), a fragment (which is moved to `….torn`), blank lines (which go).

    Args:
        descriptor: the file, open for reading and appending, and locked.
        path: the same file, for messages and for the file beside it.

    Returns:
        The length of the file in bytes and the last `seq` in it, 0 when it has no lines.
    """
    length = os.fstat(descriptor).st_size
    start, line = _last_line(descriptor, length)
    text = line.rstrip(b"\r\n")
    if not _is_json(text):
        if text:
            _put_aside(path, text)
        if line:
            _cut(descriptor, start)
        length = start
        _, line = _last_line(descriptor, length)
    elif line != text + b"\n":
        length = start + len(text)
        _cut(descriptor, length)
        length += write_rest(descriptor, memoryview(b"\n"))
        os.fdatasync(descriptor)
    return length, _last_seq(path, line)


def write_rest(descriptor: int, left: memoryview) -> int:
    """Write all of it, however often the system takes only a part; how many bytes that was."""
    total = len(left)
    while left:
        written = os.write(descriptor, left)
        if not written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left = left[written:]
    return total


def _cut(descriptor: int, length: int) -> None:
    os.ftruncate(descriptor, length)
    os.fdatasync(descriptor)


def _last_line(descriptor: int, length: int) -> tuple[int, bytes]:
    """Where the last line begins and its bytes, with the blank lines after it; empty for no line."""
    size = 2**16
    while True:
        start = max(0, length - size)
        tail = _pread(descriptor, length - start, start)
        at = tail.rstrip(b"\r\n").rfind(b"\n")
        if at >= 0:
            return start + at + 1, tail[at + 1 :]
        if start == 0:
            return 0, tail
        size *= 8


def _pread(descriptor: int, size: int, offset: int) -> bytes:
    parts: list[bytes] = []
    while size > 0 and (part := os.pread(descriptor, min(size, 2**30), offset)):
        parts.append(part)
        size -= len(part)
        offset += len(part)
    return b"".join(parts)


def _is_json(text: bytes) -> bool:
    try:
        strict_json.loads(text, "")
    except UsageError:
        return False
    return True


def _last_seq(path: Path, line: bytes) -> int:
    """The highest `seq`: the last line has it, unless that line is whole JSON but no entry."""
    if not line:
        return 0
    with suppress(UsageError):
        return parse(line, str(path)).seq
    return max((item.seq for _, item in read(path) if isinstance(item, Entry)), default=0)


def _put_aside(path: Path, fragment: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path.with_name(path.name + ".torn"), flags, 0o600)
    try:
        write_rest(descriptor, memoryview(fragment + b"\n"))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
