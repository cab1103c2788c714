"""What is lost or damaged in a run folder is said by every command that reads it, and never stands as a result."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.errors import Exit
from tests.workspaces import assay, workspace


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with two runs of three queries, the same but for a setting that changes no score."""
    folder = workspace(tmp_path_factory.mktemp("damaged"))
    for words in ((), ("concurrency=1",)):
        done = assay(folder, "run", *words, "--silent")
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def runs(two_runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The older and the newer run, in a workspace of their own."""
    shutil.copytree(two_runs, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    older, newer = sorted(
        (path for path in Path("runs").iterdir() if (path / "run.json").exists()),
        key=lambda path: "concurrency=1" in (path / "run.json").read_text("utf-8"),
    )
    return older, newer


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(words)
    out, err = capsys.readouterr()
    return code, out, err


def _lines(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))


DAMAGES: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "missing": (lambda path: path.unlink(), "", "the records are missing"),
    "garbage": (_lines(lambda lines: [*lines[:2], b"garbage\n", *lines[3:]]), ":3:1", "this is not JSON"),
    "deleted": (_lines(lambda lines: [*lines[:2], *lines[3:]]), "", "holds 2 records, 3 were planned"),
    "doubled": (_lines(lambda lines: [*lines[:3], *lines[2:]]), ":4", "is there twice, first in line 3"),
    "out-of-range": (
        lambda path: path.write_bytes(path.read_bytes().replace(b'"overall":0.', b'"overall":7.', 1)),
        ":2",
        "between 0 and 1",
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_run_is_no_result(runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str], name: str) -> None:
    """A98, A102: listed as damaged, no baseline, not compared, in no trend; each names file and line."""
    older, newer = runs
    assert said(capsys, "runs")[1].count("damaged") == 0  # the listing index now knows the whole run
    damage, line, message = DAMAGES[name]
    damage(older / "results.jsonl")
    place = f"{older}/results.jsonl{line}"

    _, out, _ = said(capsys, "runs")
    assert [
        f"damaged: {message[:12]}" in row or "damaged: the record of" in row or "damaged: a score" in row
        for row in out.splitlines()
    ] == [False, True]

    code, out, err = said(capsys, "baseline", "set", older.name)
    assert (code, out) == (Exit.USAGE, "")
    assert f"cannot be a baseline: {place}: " in err
    assert message in err

    code, out, _ = said(capsys, "compare", older.name, newer.name)
    assert code == Exit.INCONCLUSIVE
    assert f"? not compared: run A ({older.name}) is damaged: {place}: " in out
    assert message in out

    code, out, _ = said(capsys, "runs", "trend", "one")
    assert "overall in 1 comparable run\n" in out
    assert f"{older.name}  it ({older.name}) is damaged: {place}: " in out.partition("left out")[2]

    code, out, err = said(capsys, "runs", "show", older.name)
    assert place in out
    assert place in err


def test_damage_that_a_listing_cannot_see_is_seen_by_all_who_read(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """A98: a changed line, and the file as long and as old as before."""
    older, newer = runs
    path = older / "results.jsonl"
    before = path.stat()
    DAMAGES["out-of-range"][0](path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert said(capsys, "runs")[1].count("damaged") == 0
    assert said(capsys, "baseline", "set", older.name)[0] == Exit.USAGE
    assert said(capsys, "compare", older.name, newer.name)[0] == Exit.INCONCLUSIVE
    assert f"{older.name}  it ({older.name}) is damaged" in said(capsys, "runs", "trend", "one")[1]


def test_a_lost_run_json(runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """Never lose: nobody is told to delete records, also not by a resume."""
    older, _ = runs
    (older / "run.json").unlink()

    for words in (("runs", "show", older.name), ("run", "--resume", older.name), ("runs",)):
        _, _, err = said(capsys, *words)
        assert "results.jsonl beside it holds 3 records" in err, words
        assert "keep the folder" in err
        assert "delete" not in err


def test_a_damaged_baseline_is_named_and_can_be_replaced(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """J1: the advice works, and the other baselines are shown all the same."""
    older, _ = runs
    assert said(capsys, "baseline", "set", older.name)[0] == 0
    Path("baselines/broken.json").write_bytes(b"[]")

    code, out, err = said(capsys, "baseline")
    assert code == Exit.USAGE
    assert "core@1.0.0, 3 queries" in out
    assert "baselines/broken.json: this is not assay.baseline/1" in err

    Path("baselines/core.json").write_bytes(b"[]")
    code, out, _ = said(capsys, "baseline", "set", older.name)
    assert code == 0
    assert "The earlier file was replaced: baselines/core.json: this is not assay.baseline/1" in out
    assert said(capsys, "baseline", "show", "core")[0] == 0


def test_what_was_typed_is_listed_and_shown(runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """Two runs of one query set tell themselves apart."""
    _, newer = runs
    rows = said(capsys, "runs")[1].splitlines()
    assert [row.endswith("  concurrency=1") for row in rows] == [True, False]

    _, out, _ = said(capsys, "runs", "show", newer.name)
    assert "settings\n  typed: concurrency=1\n" in out
    assert "\n  target.limit " in out


def test_an_edited_query_set_is_reported_each_time(runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """A11: the run with the new content does not hide the old one."""
    path = Path("conf/query_sets/core.yaml")
    path.write_text(path.read_text("utf-8").replace("what is a lambda", "what are lambdas"), "utf-8")

    for _ in range(2):
        done = assay(Path.cwd(), "run", "--silent")
        assert "core 1.0.0 is not what was run before under this version" in done.stderr
