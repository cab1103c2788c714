"""Every write of the engine fails once: never a traceback, never half a file, and afterwards it works."""

import errno
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.store.entries import Entry, read
from tests.workspaces import workspace

pytestmark = pytest.mark.chaos

CALLS = ("open", "write", "fsync", "fdatasync", "replace")
RUN = ("run", "target=played", "--silent")
SWEEP = ("run", "-m", "target=played", "repeats=1,2", "--silent")
HITS = [{"source": source, "snippet": f"what {source} is"} for source in ("with", "lambda", "raise")]
ANSWERS = "".join(json.dumps({"id": name, "hits": HITS}) + "\n" for name in ("one", "two", "three"))


class Faults:
    """Counts the engine's own calls of one function of `os`, and lets the n-th fail.

    `torn` writes half of the bytes before it fails, as a disk does that becomes full.
    """

    def __init__(self, name: str, fail_at: int, *, torn: bool = False) -> None:
        self.name, self.fail_at, self.torn = name, fail_at, torn
        self.calls = 0
        self._real: Callable[..., object] = getattr(os, name)

    def __call__(self, *args: object, **named: object) -> object:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if not str(caller).startswith("engine."):
            return self._real(*args, **named)
        self.calls += 1
        if self.calls != self.fail_at:
            return self._real(*args, **named)
        if self.torn:
            descriptor, data = args
            assert isinstance(data, bytes | memoryview)
            self._real(descriptor, data[: len(data) // 2])
        code = (errno.EIO, errno.ENOSPC)[self.fail_at % 2]
        raise OSError(code, os.strerror(code))

    @contextmanager
    def at_work(self) -> Iterator["Faults"]:
        """While inside, `os` has this in the place of the real one."""
        setattr(os, self.name, self)
        try:
            yield self
        finally:
            setattr(os, self.name, self._real)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which nothing was run, not even the rubric read."""
    files = {"conf/target/played.yaml": "kind: replay\nfile: answers.jsonl\n", "answers.jsonl": ANSWERS}
    return workspace(tmp_path_factory.mktemp("fresh"), files)


def _said(capsys: pytest.CaptureFixture[str], folder: Path, words: tuple[str, ...]) -> tuple[int, str, str]:
    code = main(["--workspace", str(folder), *words])
    out, err = capsys.readouterr()
    return code, out, err


def _check_files(folder: Path) -> None:
    """Each file is whole: JSON parses, journals have no damaged line, and nothing half written lies about."""
    for path in folder.rglob("*"):
        assert not path.name.endswith(".part"), f"{path} was left behind"
        if path.suffix == ".json":
            json.loads(path.read_text("utf-8"))
        if path.name == "results.jsonl":
            assert all(isinstance(item, Entry) for _, item in read(path))


def _trials(run: Path) -> list[str]:
    entries = [item for _, item in read(run / "results.jsonl")]
    return [str(entry.data["key"]) for entry in entries if isinstance(entry, Entry) and entry.type == "trial"]


def _runs(folder: Path) -> Mapping[str, Path]:
    return {path.parent.name: path.parent for path in (folder / "runs").glob("*/run.json")}


@dataclass(frozen=True, slots=True)
class Fault:
    """Which function fails, and at which of its calls: every `step`-th."""

    name: str
    torn: bool = False
    step: int = 1

    def __str__(self) -> str:
        return f"{self.name}{' torn' if self.torn else ''}"


def _failures(
    fresh: Path, at: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str], fault: Fault
) -> Iterator[tuple[Path, str]]:
    """One workspace for each call that a command makes, after that call failed; and what the command printed."""
    name, torn = fault.name, fault.torn
    for number in count(1, fault.step):
        folder = at / f"{number}"
        shutil.copytree(fresh, folder)
        with Faults(name, number, torn=torn).at_work() as faults:
            code, out, err = _said(capsys, folder, words)
        if faults.calls < number:
            assert code == 0, err
            assert number > 1, f"{words} never calls os.{name}"
            return
        place = f"os.{name} number {number}: exit {code}\n{out}{err}"
        assert "Traceback" not in out + err, place
        assert code in (0, 2, 4), place
        if code:
            assert err.strip() or "failed" in out, f"{place}: says nothing"
        _check_files(folder)
        yield folder, place if code else ""
        shutil.rmtree(folder)


@pytest.mark.parametrize("fault", [*map(Fault, CALLS), Fault("write", torn=True)], ids=str)
def test_a_run_survives_each_fault(
    fresh: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], fault: Fault
) -> None:
    """R8: exit 4, a message, no half file; then the run goes on, or a new one runs, and nothing is run twice."""
    for folder, failed in _failures(fresh, tmp_path, RUN, capsys, fault):
        for name, run in _runs(folder).items():
            code, _, err = _said(capsys, folder, ("run", "--resume", name, "--silent"))
            assert code == 0, f"{failed}\nthen: {err}"
            assert len(_trials(run)) == len(set(_trials(run))) == 3
            assert json.loads((run / "run.json").read_text("utf-8"))["info"]["status"] == "complete"
        if not failed:
            assert _runs(folder), "said that it is done, and there is no run"
        code, _, err = _said(capsys, folder, RUN)
        assert code == 0, f"{failed}\nthen: {err}"
        _check_files(folder)


@pytest.mark.parametrize("fault", [Fault("replace", step=2), Fault("write", torn=True, step=5)], ids=str)
def test_a_sweep_survives_each_fault(
    fresh: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], fault: Fault
) -> None:
    """R8: the sweep goes on where it was, or a new one runs. Not each call: a sweep takes a second."""
    for folder, failed in _failures(fresh, tmp_path, SWEEP, capsys, fault):
        for ledger in (folder / "runs" / "sweeps").glob("*/sweep.json"):
            code, _, err = _said(capsys, folder, (*SWEEP, "--resume", ledger.parent.name))
            assert code == 0, f"{failed}\nthen: {err}"
        code, _, err = _said(capsys, folder, SWEEP)
        assert code == 0, f"{failed}\nthen: {err}"


@pytest.mark.parametrize(
    "fault", [*map(Fault, ("open", "write", "fsync", "replace")), Fault("write", torn=True)], ids=str
)
def test_a_baseline_is_the_old_one_or_the_new_one(
    fresh: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], fault: Fault
) -> None:
    """R8."""
    folder = tmp_path / "ran"
    shutil.copytree(fresh, folder)
    for _ in range(2):
        assert _said(capsys, folder, RUN)[0] == 0
    old, new = sorted(_runs(folder))
    assert _said(capsys, folder, ("baseline", "set", old))[0] == 0
    for there, failed in _failures(folder, tmp_path / "each", ("baseline", "set", new), capsys, fault):
        (baseline,) = (there / "baselines").glob("*.json")
        found = baseline.read_text("utf-8")
        assert (old in found) != (new in found)
        assert bool(failed) or new in found
        assert _said(capsys, there, ("baseline", "set", new))[0] == 0
