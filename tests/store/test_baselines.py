"""Baselines: only whole runs, read back exactly, in a file that stays in its folder."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import EngineError, Problem, UsageError
from engine.model.run import Average, Baseline, Limit, RunInfo, RunStatus, Thresholds
from engine.store.baselines import label, names, read_baseline, refusals, write_baseline

RUN = RunInfo(
    id="2026-11-30T20-04-46-3fa9",
    started_at="2026-11-30T20:04:46.000Z",
    status=RunStatus.COMPLETE,
    queries="core",
    planned=24,
    done=24,
    set_version="1.0.0",
    set_sha256="a" * 64,
    corpus="b" * 64,
    rubric="search@1",
    rubric_sha256="c" * 64,
    settings={"target.limit": 10, "target.stemming": True, "target.k1": 1.2, "judge": None},
    averages={"overall": Average("12.3456789", 12.3456789 / 22, 22, 24, "0" * 16)},
    query_count=24,
)


def test_a_baseline_is_read_back_exactly(tmp_path: Path) -> None:
    """A83: date, corpus, set@version and hash, rubric, settings, exact totals and counts, thresholds."""
    baseline = Baseline(RUN, "2026-12-01T00:00:00.000Z", Thresholds(Limit("0.04", "0.02"), {"overall": Limit()}))

    path = write_baseline(tmp_path / "baselines", baseline)

    assert read_baseline(tmp_path / "baselines", "core") == baseline
    assert path.stat().st_mode & 0o777 == 0o600
    assert names(tmp_path / "baselines") == ("core",)


def test_there_may_be_none(tmp_path: Path) -> None:
    """A82."""
    assert read_baseline(tmp_path / "baselines", "core") is None
    assert names(tmp_path / "baselines") == ()


def test_a_label_says_what_was_run() -> None:
    """A87."""
    assert label(RUN) == "core@1.0.0, 24 queries, search@1, 2026-11-30T20-04-46-3fa9"
    assert label(replace(RUN, set_version=None, rubric=None, graded_by="AI", query_count=1)) == (
        "core, 1 query, AI, 2026-11-30T20-04-46-3fa9"
    )


@pytest.mark.parametrize(
    ("run", "says"),
    [
        pytest.param(replace(RUN, status=RunStatus.INTERRUPTED, done=7), "interrupted, 7 of 24 are done", id="cut"),
        pytest.param(replace(RUN, status=RunStatus.RUNNING, done=7), "running, 7 of 24", id="running"),
        pytest.param(replace(RUN, status=RunStatus.FAILED), "it is failed", id="failed-run"),
        pytest.param(replace(RUN, failed=2, done=22), "2 of 24 failed", id="failed-trials"),
        pytest.param(replace(RUN, done=20), "partial: 20 of 24", id="partial"),
        pytest.param(replace(RUN, filtered=True), "only some queries", id="filtered"),
        pytest.param(replace(RUN, damage=(Problem("odd", "x:4"),)), "a baseline: x:4: odd", id="damaged"),
        pytest.param(replace(RUN, averages={}), "nothing in it is graded", id="ungraded"),
        pytest.param(replace(RUN, averages={"overall": Average("0", None, 0, 24)}), "nothing", id="all-ungraded"),
    ],
)
def test_a_run_that_is_not_whole_is_refused(tmp_path: Path, run: RunInfo, says: str) -> None:
    """A68, A89, A98: and the earlier baseline stays."""
    write_baseline(tmp_path, Baseline(RUN, "2026"))

    with pytest.raises(UsageError) as caught:
        write_baseline(tmp_path, Baseline(run, "2027"))

    assert says in str(caught.value)
    assert read_baseline(tmp_path, "core") == Baseline(RUN, "2026")


def test_every_reason_is_given_at_once() -> None:
    assert len(refusals(replace(RUN, status=RunStatus.INTERRUPTED, done=1, failed=1, filtered=True, averages={}))) == 4
    assert refusals(RUN) == ()


@pytest.mark.parametrize("name", ["generated/2025-12-17", "core+other", "café"])
def test_a_query_set_with_an_odd_name_has_its_own_file(tmp_path: Path, name: str) -> None:
    write_baseline(tmp_path, Baseline(replace(RUN, queries=name), "2026"))

    found = read_baseline(tmp_path, name)
    assert found is not None
    assert found.run.queries == name
    assert names(tmp_path) == (name,)


@pytest.mark.parametrize("name", ["../outside", "/etc/x", "a\0b", "CON", "a\\b", "", "x" * 300])
def test_a_name_cannot_lead_elsewhere(tmp_path: Path, name: str) -> None:
    """S14, F53."""
    with pytest.raises(UsageError):
        write_baseline(tmp_path / "baselines", Baseline(replace(RUN, queries=name), "2026"))

    assert not list(tmp_path.rglob("*.json"))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"schema": "assay.baseline/1"', '"schema": "assay.baseline/2"', "not assay.baseline/1"),
        ('"set_at"', '"set_at": "", "more": 1, "set_at"', "given twice"),
        ('"set_at"', '"more": 1, "set_at"', "not assay.baseline/1"),
        ('"drop":"0.05"', '"drop":"-1"', "a threshold is damaged"),
        ('"drop":"0.05"', '"drop":"1e400"', "a threshold is damaged"),
        ('"drop":"0.05"', '"drop":0.05', "a threshold is damaged"),
        ('"done":24', '"done":null', '"done" has a value of the wrong kind'),
        ('"queries":"core"', '"queries":"other"', 'the baseline of "other"'),
        ("}\n", "", "ends in the middle"),
    ],
)
def test_a_damaged_baseline_is_named(tmp_path: Path, old: str, new: str, says: str) -> None:
    """J1, A130: read strictly, with file and reason."""
    path = write_baseline(tmp_path, Baseline(RUN, "2026"))
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")

    with pytest.raises(UsageError) as caught:
        read_baseline(tmp_path, "core")

    assert says in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_baseline_is_not_written_through_a_link(tmp_path: Path) -> None:
    """S15."""
    (tmp_path / "elsewhere").write_bytes(b"precious")
    (tmp_path / "core.json").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(EngineError):
        write_baseline(tmp_path, Baseline(RUN, "2026"))

    assert (tmp_path / "elsewhere").read_bytes() == b"precious"


def test_a_folder_or_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "core.json").mkdir()
    with pytest.raises(UsageError, match="not a plain file"):
        read_baseline(tmp_path, "core")

    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(EngineError, match="cannot be written"):
        write_baseline(tmp_path / "file", Baseline(RUN, "2026"))
