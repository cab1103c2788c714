"""Runs found and read again, and what their query sets held."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from engine.model.run import Average, Baseline, RunInfo, RunStatus
from engine.store import runs
from engine.store.baselines import write_baseline
from engine.store.history import recent_hash
from engine.store.runs import BeginRun

INFO = RunInfo("", "", RunStatus.RUNNING, "core", None, 0, set_version="1.0.0", set_sha256="a" * 64)


def ran(folder: Path, now: float, sha256: str, **details: object) -> None:
    runs.begin(folder, BeginRun(replace(INFO, set_sha256=sha256), [], "", details=details), now, Random(1))


def test_every_content_that_stood_under_a_version_is_known(tmp_path: Path) -> None:
    """A11: newest first; the newest run does not hide what was run before it."""
    for number, sha256 in enumerate(("b" * 64, "a" * 64, "a" * 64)):
        ran(tmp_path, 1e9 + number, sha256)

    known = recent_hash(tmp_path)
    assert known("core", "1.0.0") == ("a" * 64, "b" * 64)
    assert known("core", "1.0.1") == ()


def test_members_of_a_combined_set_and_baselines_are_known(tmp_path: Path) -> None:
    """A11."""
    members = [{"name": "x", "version": "1", "sha256": "c" * 64}, {"name": "y", "version": "2", "sha256": "d" * 64}]
    ran(tmp_path / "runs", 1e9, "a" * 64, query_sets=members)
    whole = replace(INFO, id="r", status=RunStatus.COMPLETE, done=1, averages={"overall": Average("1", 1.0, 1, 1)})
    write_baseline(tmp_path / "baselines", Baseline(whole, "2026"))
    (tmp_path / "baselines" / "damaged.json").write_bytes(b"[]")

    known = recent_hash(tmp_path / "runs", tmp_path / "baselines")

    assert known("x", "1") == ("c" * 64,)
    assert known("y", "2") == ("d" * 64,)
    assert known("core", "1.0.0") == ("a" * 64,)


@pytest.mark.parametrize("baselines", [None, Path("nowhere")])
def test_nothing_was_run_yet(tmp_path: Path, baselines: Path | None) -> None:
    assert recent_hash(tmp_path / "runs", baselines)("core", "1.0.0") == ()
