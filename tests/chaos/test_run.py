"""A run that is killed, cut off or out of disk goes on as if nothing had happened. Marked `chaos`: run by `.ci/run`."""

import json
import random
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.model.run import RunStatus
from tests.chaos.long_run import ITEMS, WORDS, Left, begin, grown, journals, keys, left, long_workspace, only_run
from tests.workspaces import ROOT, assay

pytestmark = pytest.mark.chaos

KILLS = 50


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with one run that nothing disturbed."""
    folder = long_workspace(tmp_path_factory.mktemp("whole"))
    done = assay(folder, *WORDS)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def expected(finished: Path) -> Left:
    run = only_run(finished)
    assert run is not None
    whole = left(run)
    assert len(whole.trials) == ITEMS
    assert whole.status is RunStatus.COMPLETE
    return whole


def _stopped_run(finished: Path, folder: Path, trials: int) -> Path:
    """A copy of the finished workspace as it was after so many records: no summary, and `run.json` says running."""
    shutil.copytree(finished, folder, dirs_exist_ok=True)
    run = only_run(folder)
    assert run is not None
    lines = (run / "results.jsonl").read_bytes().splitlines(keepends=True)
    (run / "results.jsonl").write_bytes(b"".join(lines[: trials + 1]))
    content = json.loads((run / "run.json").read_text("utf-8"))
    content["info"] |= {"status": "running", "done": 0, "averages": {}, "focus": None}
    (run / "run.json").write_text(json.dumps(content), "utf-8")
    return run


def _completed(run: Path) -> Left:
    """Go on with a run, which must get to its end."""
    done = assay(run.parents[1], "run", "--resume", run.name, "--silent")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(("📈", "Average"))
    return left(run)


def test_fifty_kills_leave_what_an_undisturbed_run_leaves(tmp_path: Path, expected: Left) -> None:
    """R1, R6: kill -9 at 50 random moments, resumed each time; nothing run twice, the same journal, plan and scores."""
    seed = random.SystemRandom().getrandbits(32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    kills, early, ended = 0, 0, 0
    while kills < KILLS:
        folder = long_workspace(tmp_path / f"{ended}")
        recorded: list[str] = []
        while True:
            run = only_run(folder)
            process = begin(folder, *(WORDS if run is None else ("run", "--resume", run.name, "--silent")))
            if kills < KILLS:
                if chance.random() < 0.2:
                    time.sleep(chance.uniform(0, 1.2))
                else:
                    grown(folder, process, journals(folder))
                    time.sleep(chance.uniform(0, 0.4))
                process.kill()
            _, error = process.communicate(timeout=60)
            kills += process.returncode == -9
            run = only_run(folder)
            if run is None:
                early += 1  # before the run was whole: nothing was asked, and a new one begins
                continue
            now = keys(run) if (run / "results.jsonl").exists() else []
            assert now[: len(recorded)] == recorded, "a record was lost or changed"
            recorded = now
            if process.returncode != -9:
                assert process.returncode == 0, error
                break
        assert left(run) == expected
        ended += 1
    print(f"{kills} kills, {early} of them before the run was whole, {ended} runs")


def test_a_torn_tail_is_put_aside_wherever_it_was_torn(tmp_path: Path, finished: Path, expected: Left) -> None:
    """R2, F79: the last record cut at its first, second, middle and last bytes, and with a blank line after it."""
    base = _stopped_run(finished, tmp_path / "base", 280)
    whole = (base / "results.jsonl").read_bytes()
    line = whole.splitlines(keepends=True)[-1]
    start, half = len(whole) - len(line), len(line) // 2
    for number, (cut, after) in enumerate(
        [(1, b""), (2, b""), (half, b""), (half, b"\n"), (half, b"\n\n"), (-2, b""), (-1, b"")]
    ):
        folder = tmp_path / f"{number}"
        shutil.copytree(base.parents[1], folder)
        run = only_run(folder)
        assert run is not None
        (run / "results.jsonl").write_bytes(whole[:start] + line[:cut] + after)

        assert _completed(run) == expected

        torn = run / "results.jsonl.torn"
        if cut == -1:
            assert not torn.exists(), "only the line end was missing"
        else:
            assert torn.read_bytes() == line[:cut] + b"\n"


def test_a_damaged_line_in_the_middle_is_named_and_nothing_is_touched(tmp_path: Path, finished: Path) -> None:
    """F79: exit 2, file and line; every byte stays."""
    run = _stopped_run(finished, tmp_path / "here", 100)
    lines = (run / "results.jsonl").read_bytes().splitlines(keepends=True)
    lines[40] = lines[40][:50] + b"\n"
    (run / "results.jsonl").write_bytes(b"".join(lines))
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}

    done = assay(tmp_path / "here", "run", "--resume", run.name)

    assert done.returncode == 2
    assert "results.jsonl:41" in done.stderr
    assert "Traceback" not in done.stderr
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A workspace whose runs are on a disk of 400 KB."""
    folder = long_workspace(tmp_path / "small")
    (folder / "runs").mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=400k,mode=700", "tmpfs", str(folder / "runs")]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a small disk; the test beside this one limits the size of files instead")
    yield folder
    subprocess.run(["umount", str(folder / "runs")], check=True)


def _stopped_for_want_of_space(run: Path | None, done: "subprocess.CompletedProcess[str]", said: str) -> Path:
    assert done.returncode == 4, done.stderr
    assert "results.jsonl: cannot be written" in done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert run is not None
    assert 0 < len(keys(run)) < ITEMS
    return run


def test_a_full_disk_ends_the_run_and_it_goes_on_when_there_is_room(small_disk: Path, expected: Left) -> None:
    """R4: exit 4, says so plainly, keeps every record; the resumed run is as if nothing had happened."""
    done = assay(small_disk, *WORDS)

    run = _stopped_for_want_of_space(only_run(small_disk), done, "free some space")
    before = keys(run)
    again = assay(small_disk, "run", "--resume", run.name)
    assert again.returncode == 4, "still full"
    assert keys(run)[: len(before)] == before
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk / "runs")], check=True)
    assert _completed(run) == expected


def test_a_limit_on_the_size_of_files_is_a_full_disk(tmp_path: Path, expected: Left) -> None:
    """R4, where nothing can be mounted."""
    folder = long_workspace(tmp_path)
    limited = f"import resource, runpy; resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, {resource.RLIM_INFINITY}));"
    done = subprocess.run(
        [sys.executable, "-c", f"{limited} runpy.run_module('engine', run_name='__main__')", *WORDS],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )

    run = _stopped_for_want_of_space(only_run(folder), done, "ulimit -f")
    assert _completed(run) == expected


def test_a_difference_would_be_seen(expected: Left) -> None:
    """The comparison above can fail."""
    assert replace(expected, trials=expected.trials[:-1]) != expected
    assert replace(expected, trials=({**expected.trials[0], "verdict": "other"}, *expected.trials[1:])) != expected
