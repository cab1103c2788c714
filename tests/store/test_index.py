"""The listing index: fast, never wrong, never needed."""

import errno
import os
import random
import sqlite3
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.model.run import Average, RunInfo, RunStatus
from engine.store import runs
from engine.store.index import INDEX, list_runs, order
from engine.store.journal import open_journal
from engine.store.runs import BeginRun, RunFolder

INFO = RunInfo("", "", RunStatus.RUNNING, "core", None, 0, settings={"target.limit": 10}, query_count=1)


def made(folder: Path, now: float, complete: bool = True) -> RunFolder:
    run = runs.begin(folder, BeginRun(INFO, [{"key": "k"}], ""), now, random.Random(int(now)))
    if complete:
        averages = {"overall": Average("0.5", 0.5, 1, 1)}
        run.finish(replace(INFO, status=RunStatus.COMPLETE, planned=1, done=1, averages=averages))
    return run


def ids(folder: Path) -> list[str]:
    return [run.id for run in list_runs(folder)[0]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "runs"


def test_a_listing_is_the_same_from_the_index_and_without(folder: Path) -> None:
    """A99: newest first; the second listing reads the index, the third has none."""
    made_ids = [made(folder, now).id for now in (1e9, 1e9 + 60, 1e9 + 30)]
    expected = [made_ids[1], made_ids[2], made_ids[0]]

    first = list_runs(folder)
    assert (folder / INDEX).stat().st_mode & 0o777 == 0o600
    assert list_runs(folder) == first
    (folder / INDEX).unlink()
    assert list_runs(folder) == first
    assert list_runs(folder, keep=False) == first
    assert [run.id for run in first[0]] == expected
    assert first[0][0].folder == str(folder / expected[0])


def test_a_kept_row_is_used_without_reading_the_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = made(folder, 1e9)
    list_runs(folder)

    monkeypatch.setattr(runs, "info", None)  # reading a run would fail

    assert ids(folder) == [run.id]


def test_a_changed_run_is_read_again(folder: Path) -> None:
    """Finished, reviewed, deleted: each is seen at the next listing."""
    run = made(folder, 1e9, complete=False)
    assert [found.status for found in list_runs(folder)[0]] == [RunStatus.INTERRUPTED]

    run.finish(replace(INFO, status=RunStatus.COMPLETE, planned=1, done=1))
    assert [found.status for found in list_runs(folder)[0]] == [RunStatus.COMPLETE]

    with open_journal(run.journal, time.time) as journal:
        journal.append("human", {"query_id": "a", "judgment": "good"})
    assert [found.reviewed for found in list_runs(folder)[0]] == [1]

    for path in sorted(run.path.rglob("*"), reverse=True):
        path.unlink()
    run.path.rmdir()
    assert list_runs(folder) == ((), ())
    with sqlite3.connect(folder / INDEX) as database:
        assert database.execute("SELECT count(*) FROM runs").fetchone() == (0,)
    database.close()


def test_a_journal_that_went_is_noticed_by_the_next_listing(folder: Path) -> None:
    """A98: the kept row is not believed."""
    run = made(folder, 1e9, complete=False)
    with open_journal(run.journal, time.time) as journal:
        journal.append("run_start", {})
    run.finish(replace(INFO, status=RunStatus.COMPLETE, planned=0, done=0))
    assert list_runs(folder)[0][0].damage == ()
    run.journal.unlink()

    for _ in range(2):
        (found,) = list_runs(folder)[0]
        assert [problem.message for problem in found.damage] == ["the records are missing"]


def test_a_folder_that_was_moved_is_where_it_is_now(folder: Path, tmp_path: Path) -> None:
    made(folder, 1e9)
    list_runs(folder)
    moved = folder.rename(tmp_path / "moved")

    (found,) = list_runs(moved)[0]
    assert found.folder == str(moved / found.id)


def test_a_folder_that_cannot_be_opened_is_named_and_the_others_are_listed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A102. Root may open everything, so the system's refusal is played. Nobody is told to delete the folder."""
    good, bad = made(folder, 1e9), made(folder, 2e9)
    for name in ("scandir", "stat", "lstat", "open"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name), str(bad.path)))

    found, problems = list_runs(folder)

    assert [run.id for run in found] == [good.id]
    (problem,) = problems
    assert problem.place == str(bad.path / "run.json")
    assert "permission denied" in problem.message
    assert "delete" not in problem.help


def refusing(call: Callable[..., object], closed: str) -> Callable[..., object]:
    """The call, which may not look into one folder."""

    def instead(path: object, *more: object, **named: object) -> object:
        inside = str(path).startswith(f"{closed}/") or (str(path) == closed and call.__name__ == "scandir")
        if inside:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return call(path, *more, **named)

    return instead


def test_whether_a_run_is_running_is_never_kept(folder: Path) -> None:
    """A68."""
    run = made(folder, 1e9, complete=False)
    with open_journal(run.journal, time.time) as journal:
        journal.append_synced("run_start", {})
        assert list_runs(folder)[0][0].status is RunStatus.RUNNING
    assert list_runs(folder)[0][0].status is RunStatus.INTERRUPTED


@pytest.mark.parametrize("damage", ["garbage", "cut", "version", "row", "column", "link", "folder"])
def test_a_damaged_index_is_made_anew_or_left_alone(folder: Path, tmp_path: Path, damage: str) -> None:
    """It is a cache: whatever stands there, the listing is right."""
    run = made(folder, 1e9)
    right = list_runs(folder)
    path = folder / INDEX
    if damage == "garbage":
        path.write_bytes(b"not a database" * 1000)
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:5000])
    elif damage == "version":
        _change(path, "PRAGMA user_version=99")
    elif damage == "row":
        _change(path, "UPDATE runs SET info = '{\"id\":1}'")
    elif damage == "column":
        _change(path, "DROP TABLE runs")
    else:
        path.unlink()
        if damage == "link":
            path.symlink_to(tmp_path / "elsewhere")
        else:
            path.mkdir()

    assert list_runs(folder) == right
    made(folder, 2e9)
    assert ids(folder)[1:] == [run.id]
    assert len(list_runs(folder)[0]) == 2
    assert not (tmp_path / "elsewhere").exists()


def _change(path: Path, statement: str) -> None:
    database = sqlite3.connect(path, isolation_level=None)
    database.execute(statement)
    database.close()


def test_an_index_that_another_process_holds_is_done_without(folder: Path) -> None:
    made(folder, 1e9)
    list_runs(folder)
    database = sqlite3.connect(folder / INDEX, isolation_level=None)
    database.execute("BEGIN EXCLUSIVE")
    made(folder, 2e9)

    assert len(list_runs(folder)[0]) == 2
    database.close()


def test_an_index_that_cannot_be_written_is_done_without(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(folder, 1e9)

    open_ = os.open

    def refuse(path: str | Path, flags: int, mode: int = 0o777) -> int:
        if str(path).endswith(INDEX):
            raise PermissionError
        return open_(path, flags, mode)

    monkeypatch.setattr(os, "open", refuse)

    assert len(list_runs(folder)[0]) == 1
    assert not (folder / INDEX).exists()


def test_a_damaged_run_is_named_and_the_others_are_listed(folder: Path) -> None:
    """A102, A7 in spirit."""
    good, bad = made(folder, 1e9), made(folder, 2e9)
    (bad.path / "run.json").write_bytes(b"{")
    (folder / "2026-11-30T10-00-00-abcd").mkdir()
    (folder / "notes").mkdir()
    (folder / "readme.txt").write_bytes(b"")

    found, problems = list_runs(folder)

    assert [run.id for run in found] == [good.id]
    named = {Path(problem.place.split(":")[0]).parent.name for problem in problems}
    assert named == {bad.id, "2026-11-30T10-00-00-abcd"}


def test_the_newest_is_by_instant_not_by_text() -> None:
    """F83: the second began later, although its text is smaller; equal instants go by sequence."""
    first = replace(INFO, id="first", started_at="2026-03-02T01:10:00+09:00")
    second = replace(INFO, id="second", started_at="2026-03-01T17:00:00+00:00")
    same = replace(INFO, id="a-same", started_at="2026-03-01T17:00:00.000Z", sequence=2)
    odd = replace(INFO, id="odd", started_at="yesterday")

    assert [run.id for run in order((first, odd, same, second))] == ["a-same", "second", "first", "odd"]


def test_no_folder_has_no_runs_and_none_is_made(folder: Path) -> None:
    """A100."""
    assert list_runs(folder) == ((), ())
    assert not folder.exists()


def test_a_thousand_runs_list_fast(folder: Path) -> None:
    """At most 0.15 s of CPU, with a stat of each; best of five, because the machine is shared."""
    content = (made(folder, 1e9).path / "run.json").read_bytes()
    for number in range(999):
        (folder / f"copy-{number}").mkdir()
        (folder / f"copy-{number}" / "run.json").write_bytes(content)
        (folder / f"copy-{number}" / "results.jsonl").write_bytes(b"")
    list_runs(folder)

    spent = []
    for _ in range(5):
        before = time.process_time()
        assert len(list_runs(folder)[0]) == 1000
        spent.append(time.process_time() - before)

    assert min(spent) <= 0.15
