"""Run folders: everything is there before the first query, and a run is found again by its id."""

import errno
import os
import random
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import EngineError, Exit, UsageError
from engine.model.run import Average, RunInfo, RunStatus
from engine.store import records, runs, strict_json
from engine.store.journal import open_journal
from engine.store.records import recorded
from engine.store.runs import BeginRun, RunFolder

NOW = 1_796_069_086.0
INFO = RunInfo(
    id="",
    started_at="",
    status=RunStatus.RUNNING,
    queries="core",
    planned=None,
    done=0,
    set_version="1.0.0",
    settings={"target.limit": 10},
    query_count=3,
)


def start(**changes: object) -> BeginRun:
    given: dict[str, object] = {
        "info": INFO,
        "plan": [{"key": f"k{number}"} for number in range(3)],
        "config": "target: python_docs\n",
        "rubric": "rubric search version 1\n",
        "libraries": {"shared.rubric": "rubric shared version 1\n", "team/more.rubric": "rubric more version 1\n"},
        "details": {"command": ["assay", "run"], "versions": {"engine": "0.1"}},
    }
    return BeginRun(**{**given, **changes})  # type: ignore[arg-type]


def begun(folder: Path, **changes: object) -> RunFolder:
    return runs.begin(folder / "runs", start(**changes), NOW, random.Random(1))


def trial(key: str, query: str, overall: float | None, status: str = "done") -> dict[str, object]:
    return {
        "key": key,
        "query_id": query,
        "set": "core",
        "position": 1,
        "repeat": 1,
        "status": status,
        "failure": "timeout" if status == "failed" else None,
        "error": None,
        "query": "how?",
        "turns": [],
        "scores": {} if status != "done" else {"overall": overall},
    }


def test_an_id_is_utc_time_and_chance() -> None:
    """A69."""
    name = runs.run_id(NOW, random.Random(1))

    assert name.startswith("2026-11-30T20-04-46-")
    assert runs.is_run_id(name)
    assert not runs.is_run_id("archive")


def test_everything_is_there_before_the_first_query(tmp_path: Path) -> None:
    """A54, A72, S16: plan, settings, rubric with libraries, run.json; private with nothing masked."""
    before = os.umask(0)
    try:
        folder = begun(tmp_path)
    finally:
        os.umask(before)

    files = {path.relative_to(folder.path).as_posix() for path in folder.path.rglob("*") if path.is_file()}
    assert files == {
        "run.json",
        "plan.json",
        "config.yaml",
        "rubric.rubric",
        "rubrics/shared.rubric",
        "rubrics/team/more.rubric",
    }
    for path in (folder.path, *folder.path.rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path
    assert list(folder.plan()) == [{"key": "k0"}, {"key": "k1"}, {"key": "k2"}]
    assert folder.config() == "target: python_docs\n"
    assert folder.details()["versions"] == {"engine": "0.1"}
    content = strict_json.loads((folder.path / "run.json").read_bytes(), "")
    assert isinstance(content, dict)
    assert content["schema"] == "assay.run/1"
    assert content["plan_sha256"]


def test_a_plan_of_no_trials_is_valid_json(tmp_path: Path) -> None:
    folder = begun(tmp_path, plan=[])

    assert list(folder.plan()) == []
    assert strict_json.loads((folder.path / "plan.json").read_bytes(), "") == {"schema": "assay.plan/1", "trials": []}


def test_two_runs_in_the_same_second_get_their_own_folders(tmp_path: Path) -> None:
    """F43, F81: a frozen clock, and chance that repeats itself once."""
    first = begun(tmp_path)
    second = begun(tmp_path)

    assert first.id != second.id
    assert runs.info(second).sequence > runs.info(first).sequence


BEGIN = """
import random, sys
from pathlib import Path
from engine.model.run import RunInfo, RunStatus
from engine.store.runs import BeginRun, begin
info = RunInfo("", "", RunStatus.RUNNING, "core", None, 0)
print(begin(Path(sys.argv[1]) / "runs", BeginRun(info, [{"key": "k"}], ""), 1.8e9, random.Random(1)).id)
"""


def test_processes_that_start_at_once_get_their_own_folders(tmp_path: Path) -> None:
    """F43: 4 processes with the same clock and the same chance."""
    root = Path(__file__).resolve().parents[2]
    started = [
        subprocess.Popen([sys.executable, "-c", BEGIN, str(tmp_path)], cwd=root, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    names = [process.communicate(timeout=60)[0].strip() for process in started]

    assert len(set(names)) == 4
    assert sorted(names, reverse=True) == runs.run_names(tmp_path / "runs")


@pytest.mark.parametrize("nth", range(1, 26))
@pytest.mark.parametrize("name", ["open", "write", "fsync", "replace", "mkdir"])
def test_a_run_that_cannot_be_written_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, nth: int
) -> None:
    """R8: the n-th call fails."""
    call, calls = getattr(os, name), 0

    def instead(*args: object, **options: object) -> object:
        nonlocal calls
        calls += 1
        if calls == nth:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return call(*args, **options)

    monkeypatch.setattr(os, name, instead)
    try:
        folder = begun(tmp_path)
    except EngineError as error:
        monkeypatch.undo()
        assert error.exit == Exit.FAILED  # noqa: PT017 - late calls may be none
        assert not runs.run_names(tmp_path / "runs")
        assert not list((tmp_path / "runs").glob("*")) if (tmp_path / "runs").exists() else True
    else:
        monkeypatch.undo()
        assert runs.info(folder).planned == 3
        assert (folder.path / "rubrics" / "team" / "more.rubric").exists()
        assert not list(folder.path.rglob("*.part"))


def test_a_library_cannot_be_written_elsewhere(tmp_path: Path) -> None:
    """S14."""
    with pytest.raises(UsageError, match="another folder"):
        begun(tmp_path, libraries={"../../outside.rubric": ""})

    assert [path.name for path in tmp_path.rglob("*")] == ["runs"]


def test_a_large_plan_needs_little_memory(tmp_path: Path) -> None:
    """100,000 trials are written and read as a stream: at most 20 MB more than before."""

    def plan() -> Iterator[Mapping[str, object]]:
        for number in range(100_000):
            yield {"key": f"{number:064x}", "query_id": f"q{number}", "repeat": 1}

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    folder = begun(tmp_path, plan=plan())
    assert sum(1 for _ in folder.plan()) == 100_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


def test_a_finished_run_says_so(tmp_path: Path) -> None:
    """A70: full precision; what was fixed at the beginning stays."""
    folder = begun(tmp_path)
    averages = {"overall": Average("2.3456789", 2.3456789 / 3, 3, 3, "0" * 16)}
    known = runs.info(folder)

    folder.finish(replace(INFO, status=RunStatus.COMPLETE, planned=3, done=3, averages=averages), {"ended": "now"})

    after = runs.info(folder)
    assert after.status is RunStatus.COMPLETE
    assert after.averages == averages
    assert (after.id, after.started_at, after.sequence) == (folder.id, known.started_at, known.sequence)
    assert after.started_at == "2026-11-30T20:04:46.000Z"
    assert folder.details() == {"command": ["assay", "run"], "versions": {"engine": "0.1"}, "ended": "now"}
    assert list(folder.plan())


def test_a_run_that_nobody_writes_is_interrupted(tmp_path: Path) -> None:
    """A68: what it has is counted; running while its journal is held, interrupted after that."""
    folder = begun(tmp_path)
    with open_journal(folder.journal, lambda: NOW) as journal:
        journal.append("trial", trial("k0", "a", 0.5))
        journal.append("trial", trial("k1", "b", None, "failed"))
        journal.append("trial", trial("k2", "c", None, "cut"))
        assert runs.info(folder).status is RunStatus.RUNNING

    found = runs.info(folder)
    assert found.status is RunStatus.INTERRUPTED
    assert (found.planned, found.done, found.failed) == (3, 1, 1)
    assert found.averages["overall"].graded == 1
    assert found.averages["overall"].planned == 3
    assert runs.done_keys(folder) == {"k0", "k1"}


def test_nothing_is_done_before_the_journal_begins(tmp_path: Path) -> None:
    folder = begun(tmp_path)

    assert runs.done_keys(folder) == frozenset()
    assert runs.info(folder).status is RunStatus.INTERRUPTED


def finished(tmp_path: Path) -> RunFolder:
    """A run of three trials that ended."""
    folder = begun(tmp_path)
    with open_journal(folder.journal, lambda: NOW) as journal:
        for number in range(3):
            journal.append("trial", trial(f"k{number}", f"q{number}", 0.5))
    averages = recorded(folder.journal).tally.averages(3)
    folder.finish(replace(INFO, status=RunStatus.COMPLETE, planned=3, done=3, averages=averages))
    return folder


def test_the_journal_of_a_finished_run_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R18: a listing stays cheap, with or without an index, as long as the file is the one that the run left."""
    folder = finished(tmp_path)
    monkeypatch.setattr(records, "recorded", None)
    monkeypatch.setattr(records, "judged", None)

    assert runs.info(folder).damage == ()


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda path: path.unlink(), "the records are missing"),
        (lambda path: path.write_bytes(b"".join(path.read_bytes().splitlines(True)[:2])), "holds 2 records, 3 were"),
        (lambda path: path.write_bytes(path.read_bytes().replace(b"0.5", b"5.0")), "between 0 and 1"),
    ],
    ids=["missing", "shorter", "same-length"],
)
def test_a_finished_run_whose_journal_is_another_file_says_so(
    tmp_path: Path, damage: Callable[[Path], object], says: str
) -> None:
    """A98, A102."""
    folder = finished(tmp_path)
    damage(folder.journal)

    found = runs.info(folder).damage
    assert says in found[0].message
    assert found[0].place.startswith(str(folder.journal))


def test_damage_is_never_recorded(tmp_path: Path) -> None:
    """It is found by reading; a run that was put right is right."""
    folder = finished(tmp_path)
    journal = folder.journal.read_bytes()
    folder.journal.unlink()
    folder.finish(runs.info(folder))
    assert "damage" not in (folder.path / "run.json").read_text("utf-8")
    folder.journal.write_bytes(journal)

    assert runs.info(folder).damage == ()


def test_what_was_typed_for_a_run_is_known(tmp_path: Path) -> None:
    """It is kept once, in the details."""
    folder = begun(tmp_path, details={"overrides": ["target.limit=2"]})
    folder.finish(runs.info(folder))

    assert runs.info(folder).overrides == ("target.limit=2",)
    assert (folder.path / "run.json").read_text("utf-8").count("target.limit=2") == 1


def test_a_lost_run_json_never_costs_the_records(tmp_path: Path) -> None:
    """Never lose: it says what is there, and only an empty run may be deleted. The run is found by its id."""
    folder = finished(tmp_path)
    (folder.path / "run.json").unlink()

    assert runs.open_run(tmp_path / "runs", folder.id[:15]).id == folder.id
    with pytest.raises(UsageError) as caught:
        runs.info(folder)
    assert "results.jsonl beside it holds 3 records" in str(caught.value)
    assert "delete" not in str(caught.value)

    folder.journal.write_bytes(b"not a line")
    with pytest.raises(UsageError, match="keep the folder"):
        runs.info(folder)

    folder.journal.unlink()
    with pytest.raises(UsageError, match="the folder can be deleted"):
        runs.info(folder)


@pytest.mark.parametrize("lost", ["folder", "run.json"])
def test_what_goes_while_a_run_runs_is_no_mistake_of_the_person(tmp_path: Path, lost: str) -> None:
    """Exit 4."""
    folder = begun(tmp_path)
    known = runs.info(folder)
    shutil.rmtree(folder.path) if lost == "folder" else (folder.path / "run.json").unlink()

    with pytest.raises(EngineError, match="the run folder has gone" if lost == "folder" else "is missing"):
        folder.finish(known)


def test_people_who_reviewed_are_counted(tmp_path: Path) -> None:
    """A99: a remark counts, a skip does not take a judgment back, a retraction does."""
    folder = begun(tmp_path)
    with open_journal(folder.journal, lambda: NOW) as journal:
        journal.append("human", {"query_id": "a", "judgment": "good"})
        journal.append("human", {"query_id": "a", "skip": True})
        journal.append("human", {"query_id": "b", "note": "odd"})
        journal.append("human", {"query_id": "c", "judgment": "poor"})
        journal.append("human", {"query_id": "c", "retract": True})
    folder.finish(replace(INFO, status=RunStatus.COMPLETE, done=3))

    assert runs.info(folder).reviewed == 2


@pytest.fixture
def several(tmp_path: Path) -> Path:
    for number, name in enumerate(("2026-11-29T10-00-00-aaaa", "2026-11-30T10-00-00-aaaa", "2026-11-30T10-00-00-bbbb")):
        folder = begun(tmp_path).path.rename(tmp_path / "runs" / name)
        assert folder.exists(), number
    (tmp_path / "runs" / "notes").mkdir()
    return tmp_path / "runs"


def test_a_run_is_found_by_its_id_or_its_beginning(several: Path) -> None:
    """A101."""
    assert runs.open_run(several, "2026-11-30T10-00-00-aaaa").id == "2026-11-30T10-00-00-aaaa"
    assert runs.open_run(several, "2026-11-29").id == "2026-11-29T10-00-00-aaaa"


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        pytest.param("2026-11-30", "say which: 2026-11-30T10-00-00-bbbb, 2026-11-30T10-00-00-aaaa", id="ambiguous"),
        pytest.param("2026-11-30T10-00-00-aaab", 'did you mean "2026-11-30T10-00-00-', id="typing-error"),
        pytest.param("xyz", "the newest are 2026-11-30T10-00-00-bbbb", id="unknown"),
        pytest.param("", "the newest are", id="empty"),
        pytest.param("../runs", "there is no run", id="path"),
        pytest.param("notes", "there is no run", id="not-a-run"),
    ],
)
def test_a_run_that_is_not_there_is_explained(several: Path, wanted: str, says: str) -> None:
    """A101, S14: exit 2."""
    with pytest.raises(UsageError) as caught:
        runs.open_run(several, wanted)

    assert says in str(caught.value)
    assert caught.value.exit == Exit.USAGE


def test_a_folder_that_is_a_link_is_no_run(several: Path, tmp_path: Path) -> None:
    """S15."""
    (several / "2026-12-01T10-00-00-cccc").symlink_to(several / "2026-11-29T10-00-00-aaaa")

    assert "2026-12-01T10-00-00-cccc" not in runs.run_names(several)
    assert runs.run_names(tmp_path / "nowhere") == []


def test_no_runs_at_all_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="make one with `assay run`"):
        runs.open_run(tmp_path / "runs", "x")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "ends in the middle"),
        ('{"schema":"assay.run/2"}', "a newer engine"),
        ('{"schema":"assay.run/1"}', "an object"),
        ('{"schema":"assay.run/1","info":{"id":"x"}}', '"status" is missing'),
        (
            '{"schema":"assay.run/1","info":{"id":"x","started_at":"","status":"odd","queries":"","planned":1,"done":1}}',
            '"odd"',
        ),
        (
            '{"schema":"assay.run/1","info":{"id":"x","started_at":"","status":"running","queries":"","planned":1,"dome":1,"done":1}}',
            'did you mean "done"',
        ),
        (
            '{"schema":"assay.run/1","info":{"id":"x","started_at":"","status":"running","queries":"","planned":1,"done":true}}',
            '"done" has a value of the wrong kind',
        ),
    ],
)
def test_a_damaged_run_json_is_named(tmp_path: Path, text: str, says: str) -> None:
    """A102: file and reason."""
    folder = begun(tmp_path)
    (folder.path / "run.json").write_text(text, "utf-8")

    with pytest.raises(UsageError) as caught:
        runs.info(folder)

    assert says in str(caught.value)
    assert str(folder.path / "run.json") in str(caught.value)


def test_older_files_without_newer_fields_load(tmp_path: Path) -> None:
    """A130."""
    folder = begun(tmp_path)
    info = '{"id":"x","started_at":"","status":"complete","queries":"core","planned":1,"done":1}'
    text = f'{{"schema":"assay.run/1","info":{info}}}'
    (folder.path / "run.json").write_text(text, "utf-8")

    assert runs.info(folder).graded_by == "measured"


def test_a_linked_run_json_is_not_read(tmp_path: Path) -> None:
    """S15."""
    folder = begun(tmp_path)
    (folder.path / "run.json").rename(tmp_path / "elsewhere")
    (folder.path / "run.json").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(UsageError, match="cannot be read"):
        runs.info(folder)


@pytest.mark.parametrize("name", ["run.json", "plan.json", "results.jsonl"])
def test_a_folder_where_a_file_should_be_is_named(tmp_path: Path, name: str) -> None:
    """R8: no traceback, whatever stands there."""
    folder = begun(tmp_path)
    (folder.path / name).unlink(missing_ok=True)
    (folder.path / name).mkdir()

    with pytest.raises(UsageError, match="not a plain file"):
        print(runs.info(folder), *folder.plan())


def test_a_missing_plan_is_named(tmp_path: Path) -> None:
    folder = begun(tmp_path)
    (folder.path / "plan.json").unlink()

    with pytest.raises(UsageError, match=r"plan\.json: cannot be read: no such file"):
        list(folder.plan())
