"""SIGTERM, Ctrl-C twice, Ctrl-C in a sweep, and two processes on one run: always resumable, never run twice."""

import asyncio
import json
import shlex
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.cli.interrupt import stoppable
from engine.execute import session as sessions
from engine.model.calls import Calls
from engine.model.exchange import Answer, Exchange, Turn
from engine.model.run import RunStatus
from engine.model.target import Scalar
from engine.store.journal import Durability, Journal, open_journal
from tests.chaos.long_run import WORDS, begin, grown, journals, keys, left, long_workspace, only_run
from tests.chaos.small_session import small_session
from tests.workspaces import assay

pytestmark = pytest.mark.chaos


def _stopped(folder: Path, *signals: signal.Signals) -> tuple[int, str, str]:
    """Exit code and output of a run that gets signals in the middle."""
    process = begin(folder, *WORDS)
    assert grown(folder, process, journals(folder), 100_000)
    for number in signals:
        process.send_signal(number)
    out, err = process.communicate(timeout=30)
    return process.returncode, out, err


def _status(run: Path) -> RunStatus:
    return RunStatus(json.loads((run / "run.json").read_text("utf-8"))["info"]["status"])


def _goes_on(folder: Path, out: str) -> "subprocess.CompletedProcess[str]":
    """Type the command that was printed last."""
    line = [line for line in out.splitlines() if line.startswith("go on with: assay ")][-1]
    return assay(folder, *shlex.split(line.removeprefix("go on with: assay ")))


def test_sigterm_exits_143_and_the_printed_command_goes_on(tmp_path: Path) -> None:
    """A68, F79: what a scheduler sends."""
    folder = long_workspace(tmp_path)

    code, out, err = _stopped(folder, signal.SIGTERM)

    run = only_run(folder)
    assert run is not None
    assert code == 143, err
    assert _status(run) is RunStatus.INTERRUPTED
    before = keys(run)
    assert 0 < len(before) < 300
    done = _goes_on(folder, out)
    assert done.returncode == 0, done.stderr
    assert keys(run)[: len(before)] == before
    assert left(run).status is RunStatus.COMPLETE


def test_ctrl_c_twice_exits_130_and_can_be_resumed(tmp_path: Path) -> None:
    folder = long_workspace(tmp_path)

    code, out, err = _stopped(folder, signal.SIGINT, signal.SIGINT)

    run = only_run(folder)
    assert run is not None
    assert code == 130, out + err
    assert "Traceback" not in err
    done = assay(folder, "run", "--resume", run.name)
    assert done.returncode == 0, done.stderr
    assert left(run).status is RunStatus.COMPLETE


class Hanging:
    """Answers the first query. At the second one Ctrl-C is pressed, and once more while it does not answer."""

    def __init__(self) -> None:
        self.identity: dict[str, Scalar] = {"kind": "double"}
        self.corpus_sha256 = None
        self.sources = None

    def most(self, turn: Turn) -> int:
        return 1_000

    async def answer(self, turn: Turn, history: tuple[Exchange, ...], calls: Calls) -> Answer:
        del history
        if turn.query_id == "q1":
            return Answer(hits=())
        signal.raise_signal(signal.SIGINT)
        asyncio.get_running_loop().call_later(0.05, signal.raise_signal, signal.SIGINT)
        await asyncio.sleep(3_600)
        raise AssertionError("nobody waits an hour")


def test_the_second_ctrl_c_does_not_wait_for_an_answer(tmp_path: Path) -> None:
    """What is under way is given up; what was recorded is kept, and the run goes on later."""
    made = small_session(tmp_path, 3, Hanging())
    started = time.monotonic()
    with stoppable() as stop, pytest.raises(KeyboardInterrupt):
        sessions.run(made.but(stop=stop))
    assert time.monotonic() - started < 5
    run = made.session.folder.path
    assert len(keys(run)) == 1

    finished = sessions.run(small_session(tmp_path, 3, folder=made.session.folder).session)

    assert finished.info.status is RunStatus.COMPLETE
    assert len(keys(run)) == len(set(keys(run))) == 3


def test_a_run_that_another_process_writes_is_refused(tmp_path: Path) -> None:
    """Two resumes at once: one is told so plainly, exit 2, and nothing changes."""
    folder = long_workspace(tmp_path)
    _stopped(folder, signal.SIGTERM)
    run = only_run(folder)
    assert run is not None
    before = (run / "results.jsonl").read_bytes()

    with open_journal(run / "results.jsonl", time.time):
        refused = assay(folder, "run", "--resume", run.name)

    assert refused.returncode == 2
    assert "is being written by another process" in refused.stderr
    assert "wait until it is done" in refused.stderr
    assert (run / "results.jsonl").read_bytes() == before


def test_two_resumes_at_once_run_nothing_twice(tmp_path: Path) -> None:
    folder = long_workspace(tmp_path)
    _stopped(folder, signal.SIGTERM)
    run = only_run(folder)
    assert run is not None

    both = [begin(folder, "run", "--resume", run.name, "--silent") for _ in range(2)]
    said = [process.communicate(timeout=60) for process in both]

    assert sorted(process.returncode for process in both) in ([0, 2], [0, 0]), said
    assert left(run).status is RunStatus.COMPLETE


def test_what_another_resume_did_meanwhile_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other one begins and ends just before this one becomes the writer."""
    first = small_session(tmp_path, 4)
    asked = iter([False, False, True, True, True])
    sessions.run(first.but(stop=lambda: next(asked), concurrency=1))
    assert len(keys(first.session.folder.path)) == 2

    def after_the_other(path: Path, clock: Callable[[], float], durability: Durability) -> Journal:
        monkeypatch.undo()
        sessions.run(first.session)
        return open_journal(path, clock, durability)

    monkeypatch.setattr(sessions, "open_journal", after_the_other)
    sessions.run(first.session)

    run = first.session.folder.path
    assert len(keys(run)) == len(set(keys(run))) == 4
    assert _status(run) is RunStatus.COMPLETE


def test_ctrl_c_in_the_second_job_of_a_sweep_leaves_the_third(tmp_path: Path) -> None:
    """F45, A68: the sweep stops; the printed command does what is left."""
    folder = long_workspace(tmp_path)
    head = '{"version": "1.0.0", "description": "d", "source": "curated", "categories": ["a"]}\n'
    line = '{"id": "q1", "query": "how does part 1 work", "intent": "how", "category": "a", "relevant": {"d1-1": 2}}\n'
    for name in ("few", "last"):
        (folder / f"conf/query_sets/{name}.jsonl").write_text(head + line, "utf-8")
    words = ("run", "-m", "queries=few,many,last", "target=played", "durability=row", "--quiet")
    process = begin(folder, *words)
    assert grown(folder, process, {}, 100_000)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)

    assert process.returncode == 130, err
    assert len(journals(folder)) == 2
    assert "queries=last target=played durability=row  not started" in out
    first = {path: path.read_bytes() for path in journals(folder) if path.stat().st_size < 100_000}

    done = _goes_on(folder, out)

    assert done.returncode == 0, done.stdout + done.stderr
    runs = {path.parent.name: left(path.parent) for path in journals(folder)}
    assert sorted(len(run.trials) for run in runs.values()) == [1, 1, 300]
    assert {run.status for run in runs.values()} == {RunStatus.COMPLETE}
    assert {path: path.read_bytes() for path in first} == first, "the finished job was left as it was"
