"""The listing index: what a listing shows of each run, kept beside the runs so that no records are read.

It is a cache: it can be deleted at any time, and a listing works without it.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from engine.errors import Problem, UsageError
from engine.model.run import RunInfo
from engine.store import run_json, runs, strict_json
from engine.store.plain_file import unreadable
from engine.store.run_folder import stamp as _stamp
from engine.store.runs import RunFolder

__all__ = ["EARLIER", "INDEX", "list_runs", "look", "order", "run_paths"]

INDEX = ".index.sqlite"
EARLIER = ".jsonl"  # a file of an earlier tool is a whole run
_VERSION = 2  # of what is kept; another one starts a new index


def list_runs(folder: Path, keep: bool = True) -> tuple[tuple[RunInfo, ...], tuple[Problem, ...]]:
    """Every run in a folder, newest first, and what could not be read.

    Runs are folders of this engine, and `.jsonl` files of earlier tools, there or one level below.

    Args:
        folder: the folder of runs. A missing one has none.
        keep: whether an index may be read and written there.
    """
    stamps = _stamps(folder)
    kept = _read(folder / INDEX) if keep else {}
    found: list[RunInfo] = []
    problems: list[Problem] = []
    fresh: dict[str, tuple[str, RunInfo]] = {}
    for name, stamp in stamps.items():
        known = _usable(kept.get(name), stamp)
        if known is None or known.folder != str(folder / name):  # the folder was moved, or named otherwise
            try:
                known = look(folder / name)
            except UsageError as error:
                problems.extend(error.problems)
                continue
            fresh[name] = (stamp, known)
        found.append(runs.settled(known))
    if keep and (fresh or kept.keys() - stamps.keys()):
        _write(folder / INDEX, fresh, kept.keys() - stamps.keys())
    return order(found), tuple(problems)


def order(found: Iterable[RunInfo]) -> tuple[RunInfo, ...]:
    """Newest first: by instant, then by the sequence in which they began."""
    return tuple(sorted(found, key=lambda run: (_instant(run.started_at), run.sequence, run.id), reverse=True))


def _instant(text: str) -> float:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return 0.0  # an earlier tool's file without a time: last
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def run_paths(folder: Path) -> tuple[Path, ...]:
    """Where each run of the folder is (see `list_runs`); nothing is read."""
    return tuple(folder / name for name in _stamps(folder))


def look(path: Path) -> RunInfo:
    """What a listing shows of the run at a place that `run_paths` named.

    Raises:
        UsageError: it is damaged, or no run.
    """
    if path.suffix != EARLIER:
        return runs.info(RunFolder(path))
    from engine.store import earlier  # a listing of kept rows reads no file, so it needs no reader

    return earlier.info(path)


def _stamps(folder: Path) -> dict[str, str]:
    """Name → what changes when the run does. Only looks at folders, reads no file."""
    stamps: dict[str, str] = {}
    for entry in _entries(folder):
        if entry.is_dir(follow_symlinks=False):
            stamp = _stamp(f"{entry.path}/run.json")
            try:
                inside = _earlier_in(Path(entry.path)) if stamp is None else []
            except UsageError:
                inside, stamp = [], "unreadable"  # whoever looks at it says why; the other runs are listed
            stamps |= {f"{entry.name}/{path.name}": _stamp(str(path)) or "" for path in inside}
            if not inside and (stamp or runs.is_run_id(entry.name)):
                stamps[entry.name] = f"{stamp} {_stamp(f'{entry.path}/results.jsonl')}"
        elif entry.name.endswith(EARLIER) and entry.is_file(follow_symlinks=False):
            stamps[entry.name] = _stamp(entry.path) or ""
    return stamps


def _earlier_in(folder: Path) -> list[Path]:
    return [
        Path(entry.path)
        for entry in _entries(folder)
        if entry.name.endswith(EARLIER) and entry.name != "results.jsonl" and entry.is_file(follow_symlinks=False)
    ]


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return [entry for entry in found if not entry.name.startswith(".")]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise UsageError(unreadable(folder, error)) from error


def _usable(row: tuple[str, str] | None, stamp: str) -> RunInfo | None:
    if row is None or row[0] != stamp:
        return None
    try:
        return run_json.from_json(strict_json.loads(row[1], INDEX), INDEX)
    except UsageError:
        return None


@contextlib.contextmanager
def _database(path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(path, timeout=0.2, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous=OFF")  # a power cut costs a cache
        yield connection
    finally:
        connection.close()


def _read(path: Path) -> dict[str, tuple[str, str]]:
    if not path.is_file() or path.is_symlink():
        return {}
    try:
        with _database(path) as database:
            if database.execute("PRAGMA user_version").fetchone() != (_VERSION,):
                return {}
            return {name: (stamp, info) for name, stamp, info in database.execute("SELECT name, stamp, info FROM runs")}
    except sqlite3.Error:
        return {}


def _write(path: Path, fresh: Mapping[str, tuple[str, RunInfo]], gone: Iterable[str]) -> None:
    """Add and remove rows. When that cannot be done, the next listing tries again."""
    try:
        _update(path, fresh, gone)
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):  # locked, full or read-only: not broken
            return
        with contextlib.suppress(OSError, sqlite3.Error):
            path.unlink()
            _update(path, fresh, ())
    except OSError:
        return


def _update(path: Path, fresh: Mapping[str, tuple[str, RunInfo]], gone: Iterable[str]) -> None:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    with _database(path) as database:
        database.execute("BEGIN IMMEDIATE")
        if database.execute("PRAGMA user_version").fetchone() != (_VERSION,):
            database.execute("DROP TABLE IF EXISTS runs")
            database.execute("CREATE TABLE runs (name TEXT PRIMARY KEY, stamp TEXT NOT NULL, info TEXT NOT NULL)")
            database.execute(f"PRAGMA user_version={_VERSION}")
        database.executemany("DELETE FROM runs WHERE name = ?", [(name,) for name in gone])
        rows = [(name, stamp, strict_json.dumps(run_json.to_json(info))) for name, (stamp, info) in fresh.items()]
        database.executemany("INSERT OR REPLACE INTO runs VALUES (?, ?, ?)", rows)
        database.execute("COMMIT")
