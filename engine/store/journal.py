"""The journal of a run: one line per thing that happened, only ever added to.

A line is `{"type", "v", "at", "seq", "data"}`. It is written with one `write`, so that a process that
is killed leaves it whole or torn at the end of the file; a torn end is moved aside before anything is
added after it.
"""

import errno
import fcntl
import os
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Self

from engine.errors import EngineError, Problem, UsageError
from engine.store import strict_json
from engine.store.entries import VERSION, Entry, EntryType, read
from engine.store.journal_end import mend, write_rest
from engine.store.whole_file import disk_problem

__all__ = [
    "Durability",
    "Entry",
    "EntryType",
    "Journal",
    "RecordTooLongError",
    "is_held",
    "open_journal",
    "read",
    "timestamp",
]


class Durability(StrEnum):
    """When a line is on the disk and not only with the system: what a power cut can cost."""

    ROW = "row"
    BATCH = "batch"
    NONE = "none"


def timestamp(seconds: float) -> str:
    """Seconds since 1970 as `2026-11-30T20:04:46.123Z`."""
    whole, milliseconds = divmod(int(seconds * 1000), 1000)
    return f"{_second(whole)}.{milliseconds:03d}Z"


@lru_cache(maxsize=1)
def _second(whole: int) -> str:
    """Many lines are written in one second."""
    return datetime.fromtimestamp(whole, UTC).isoformat().removesuffix("+00:00")


def open_journal(
    path: Path,
    clock: Callable[[], float],
    durability: Durability = Durability.BATCH,
    steady: Callable[[], float] = time.monotonic,
) -> "Journal":
    """Become the one writer of a journal, new or old, and mend its end if the last writer was cut off.

    Args:
        path: the file; its folder must exist.
        clock: seconds since 1970, for `at`.
        durability: when lines are synced to the disk.
        steady: seconds on a clock that is never set, for the time between two syncs.

    Raises:
        UsageError: another process is writing it, or it is not a plain file.
        EngineError: the disk is full or fails.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        descriptor = os.open(path, flags, 0o600)
    except OSError as error:
        raise _cannot_open(path, error) from error
    try:
        _claim(descriptor, path)
        length, seq = mend(descriptor, path)
    except OSError as error:
        os.close(descriptor)
        raise EngineError(disk_problem(path, error)) from error
    except BaseException:
        os.close(descriptor)
        raise
    return Journal(path, descriptor, _Position(length, seq), _Sync(clock, steady, durability))


def is_held(path: Path) -> bool:
    """Whether some process is writing the journal at this moment."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False  # no locks on this file system: nobody could have taken one
    finally:
        os.close(descriptor)  # gives the lock back
    return False


class RecordTooLongError(EngineError):
    """The record was not written, because no reader would take it. The journal goes on."""


@dataclass(slots=True)
class _Position:
    length: int
    seq: int


@dataclass(frozen=True, slots=True)
class _Sync:
    clock: Callable[[], float]
    steady: Callable[[], float]
    durability: Durability
    records: int = 100
    seconds: float = 0.2


class Journal:
    """The open journal of one run, made by `open_journal`. Not for use from several threads at once."""

    def __init__(self, path: Path, descriptor: int, end: _Position, sync: _Sync) -> None:
        self._path, self._descriptor, self._end, self._rule = path, descriptor, end, sync
        self._waiting = 0
        self._synced_at = sync.steady()
        self._broken: Problem | None = None

    def append(self, type: EntryType, data: Mapping[str, object]) -> int:  # noqa: A002 - the name on disk
        """Write one line and return its `seq`. When this returns, killing the process cannot lose it.

        Raises:
            EngineError: the line could not be written; nothing of it stays in the file, and every
                line before it is safe.
        """
        seq = self._write(type, data)
        rule = self._rule
        if rule.durability is Durability.ROW or (
            rule.durability is Durability.BATCH
            and (self._waiting >= rule.records or rule.steady() - self._synced_at >= rule.seconds)
        ):
            self.sync()
        return seq

    def append_synced(self, type: EntryType, data: Mapping[str, object]) -> int:  # noqa: A002 - the name on disk
        """As `append`, and a power cut cannot lose it either: for what people did and what starts a run."""
        seq = self._write(type, data)
        self.sync()
        return seq

    def sync(self) -> None:
        """Bring every line so far to the disk."""
        self._refuse_broken()
        try:
            os.fdatasync(self._descriptor)
        except OSError as error:
            # After a failed sync the system may have dropped the lines, and says so only once.
            self._broken = disk_problem(self._path, error)
            raise EngineError(self._broken) from error
        self._waiting = 0
        self._synced_at = self._rule.steady()

    def sync_group(self) -> None:
        """Sync what waits longer than a group may: for a writer that has nothing to append at the moment."""
        if self._waiting and self._rule.durability is Durability.BATCH:
            self.sync()

    def close(self) -> None:
        """Sync and let go. Closing twice does nothing."""
        if self._descriptor < 0:
            return
        try:
            if self._waiting and self._broken is None and self._rule.durability is not Durability.NONE:
                self.sync()
        finally:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, type_: EntryType, data: Mapping[str, object]) -> int:
        self._refuse_broken()
        seq = self._end.seq + 1
        try:
            body = strict_json.encode(data)
        except ValueError as error:
            raise EngineError(Problem(f"a value cannot be recorded: {error}", str(self._path))) from error
        at = timestamp(self._rule.clock()).encode()
        line = b'{"type":"%b","v":%d,"at":"%b","seq":%d,"data":%b}\n' % (type_.encode(), VERSION, at, seq, body)
        if len(line) > strict_json.LONGEST_LINE:
            longest = strict_json.LONGEST_LINE // 2**20
            message = f"a record of {len(line) // 2**20} MiB is too long to be read again ({longest} MiB are the most)"
            raise RecordTooLongError(Problem(message, str(self._path)))
        whole = False
        try:
            written = os.write(self._descriptor, line)
            if written < len(line):
                write_rest(self._descriptor, memoryview(line)[written:])
            whole = True
        except OSError as error:
            raise EngineError(disk_problem(self._path, error)) from error
        finally:
            if not whole:
                self._take_back()
        self._end.seq = seq
        self._end.length += len(line)
        self._waiting += 1
        return seq

    def _take_back(self) -> None:
        """Cut off what a failed write left. If even that fails, the next `open_journal` mends it."""
        try:
            if os.fstat(self._descriptor).st_size != self._end.length:
                os.ftruncate(self._descriptor, self._end.length)
        except OSError as error:
            self._broken = disk_problem(self._path, error)

    def _refuse_broken(self) -> None:
        if self._broken is not None:
            raise EngineError(self._broken)


def _cannot_open(path: Path, error: OSError) -> EngineError | UsageError:
    if error.errno in {errno.ELOOP, errno.ENXIO, errno.EISDIR}:
        return UsageError(Problem("is not a plain file", str(path), "remove the link or folder that stands there"))
    return EngineError(disk_problem(path, error))


_TRIES = 5  # a listing that looks whether the journal is held does so for some microseconds


def _claim(descriptor: int, path: Path) -> None:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise UsageError(Problem("is not a plain file", str(path)))
    for left in reversed(range(_TRIES)):
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not left:
                help_ = "wait until it is done, or end it first"
                raise UsageError(Problem("is being written by another process", str(path), help_)) from None
            time.sleep(0.01)
        except OSError as error:
            if error.errno in {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS}:
                help_ = "put the workspace on a local disk"
                raise EngineError(Problem("this file system has no file locks", str(path), help_)) from error
            raise
    return None
