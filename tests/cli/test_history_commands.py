"""`assay runs`, `assay baseline` and `assay compare` as a person uses them."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.errors import Exit
from engine.store.index import INDEX

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data" / "search-quality-runs"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the real run files are not beside this checkout")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(words)
    out, err = capsys.readouterr()
    return code, out, err


def test_the_real_files_list(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A99: `core  15 queries  overall=0.43`; interrupted runs are marked; nothing is written there."""
    code, out, err = _said(capsys, "runs", "list", "--folder", str(DATA))

    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) == len(list(DATA.rglob("*.jsonl")))
    assert "core  15 queries  overall=0.43  not reviewed" in lines[-1]
    assert lines[-1].startswith("2025-12-17T22-32-30")
    assert sum("interrupted" in line for line in lines) == 2
    assert not (DATA / INDEX).exists()
    assert not list(workspace.iterdir())


def test_runs_is_the_listing(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A100: limit, and a message when there is nothing."""
    assert _said(capsys, "runs")[:2] == (0, "There are no runs in runs yet. Make one with: assay run\n")

    shutil.copytree(DATA / "archive", workspace / "runs")
    code, out, _ = _said(capsys, "runs", "-n", "2")
    assert code == 0
    assert len(out.splitlines()) == 3
    assert out.splitlines()[-1] == "4 older of 6 are not shown"
    assert (workspace / "runs" / INDEX).exists()


def test_runs_as_json(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = _said(capsys, "runs", "list", "--folder", str(DATA), "-n", "1", "--json")
    listed = json.loads(out)
    assert listed["of"] == len(list(DATA.rglob("*.jsonl")))
    assert listed["runs"][0]["averages"]["overall"]["graded"] == 60

    _, out, _ = _said(capsys, "runs", "show", "2025-12-17T23-35", "--folder", str(DATA), "--json")
    assert json.loads(out)["results"][0]["scores"]["snippet"] == 0.6


def test_every_real_file_shows(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A130, A103: including those without ids, without a summary, and with another declared number."""
    for path in DATA.rglob("*.jsonl"):
        code, out, err = _said(capsys, "runs", "show", path.stem, "--folder", str(DATA))
        assert (code, err) == (0, ""), path
        assert out.startswith(path.stem)
        assert "graded by AI" in out


def test_a_trend_over_comparable_runs(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A94: runs of the same name with other queries are left out, and it says why."""
    code, out, _ = _said(capsys, "runs", "trend", "vue-001", "--folder", str(DATA))
    assert code == 0
    assert "overall in 9 comparable runs" in out

    _, out, _ = _said(capsys, "runs", "trend", "zod-schema-validation", "--folder", str(DATA))
    assert "overall in 2 comparable runs" in out
    assert "query set content" in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("runs", "show"), "needs a run"),
        (("runs", "trend"), "needs a query id"),
        (("runs", "show", "2025-12-17"), "is the beginning of 3 runs"),
        (("runs", "show", "2025-12-17T22-32-31"), 'did you mean "2025-12-17T22-32-30"'),
        (("runs", "trend", "vue-0001"), 'did you mean "vue-0'),
        (("runs", "list", "x"), "assay runs show x"),
        (("runs", "-n", "0"), "whole number"),
        (("runs", "-n", "x"), "whole number"),
        (("runs", "lst"), "cannot be “lst”"),
        (("baseline", "set"), "needs a run"),
        (("baseline", "show", "core"), "has no baseline"),
        (("baseline", "set", "2025-12-17T23-35"), "interrupted, 1 of 15 are done"),
        (("compare", "2025-12-17T22", "xyz"), 'no run "xyz"'),
    ],
)
def test_mistakes_are_explained(
    workspace: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str
) -> None:
    """A101: exit 2, and nothing is written."""
    code, out, err = _said(capsys, *words, "--folder", str(DATA))

    assert (code, out) == (Exit.USAGE, "")
    assert says in err
    assert not list(workspace.iterdir())


def test_a_folder_that_is_not_there(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = _said(capsys, "runs", "--folder", "nowhere")

    assert code == Exit.USAGE
    assert "there is no folder nowhere" in err


def test_runs_of_different_sets_are_not_comparable(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A88, A81: exit 3, both values named, no number shown."""
    code, out, _ = _said(capsys, "compare", "2025-12-29T15-33-19", "2025-12-29T15-15-49", "--folder", str(DATA))

    assert code == Exit.INCONCLUSIVE
    assert "not compared: differs in query set" in out
    assert "query set: extended / core" in out
    assert "overall  " not in out


def test_a_regression_is_exit_1(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _said(capsys, "compare", "2025-12-18T12-26-55", "2025-12-29T02-49-00", "--folder", str(DATA))

    assert code == Exit.BLOCKED
    assert "regression (more than 0.05)" in out

    code, out, _ = _said(capsys, "compare", "2025-12-29T14-16-57", "2025-12-29T15-33-19", "--folder", str(DATA))
    assert code == Exit.PASSED


def test_an_interrupted_run_is_not_compared(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A68."""
    code, out, _ = _said(capsys, "compare", "2025-12-28T15-47", "2025-12-28T15-39", "--folder", str(DATA))

    assert code == Exit.INCONCLUSIVE
    assert "is interrupted: 5 of 15 are done" in out


def test_a_baseline_is_set_shown_and_replaced(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A83, A86, A87."""
    assert "There is no baseline yet" in _said(capsys, "baseline")[1]

    _said(capsys, "baseline", "set", "2025-12-17T22-32-30", "--folder", str(DATA))
    code, out, _ = _said(capsys, "baseline", "set", "2025-12-17T23-45-05", "--folder", str(DATA))
    assert code == 0
    assert "is now core, 15 queries, AI, 2025-12-17T23-45-05" in out
    assert "It was core, 15 queries, AI, 2025-12-17T22-32-30" in out

    _, out, _ = _said(capsys, "baseline", "show", "core")
    assert "overall    0.44  15 of 15 graded" in out
    assert [path.name for path in workspace.rglob("*") if path.is_file()] == ["core.json"]


def test_a_listing_imports_nothing_heavy(workspace: Path) -> None:
    """Start-up: no pydantic, hydra, yaml, lark, asyncio, decimal."""
    program = (
        "import sys; from engine.cli.main import main; main(['runs']);"
        "print(sorted({'pydantic','hydra','omegaconf','yaml','lark','asyncio','decimal','fractions','difflib',"
        "'random','httpx'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=workspace, env={"PYTHONPATH": str(ROOT)}, capture_output=True, check=True
    )

    assert done.stdout.splitlines()[-1] == b"[]"
