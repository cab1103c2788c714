"""A run from its folder to its summary: groups synced while answers are slow, averages, focus."""

import asyncio
import errno
import json
import os
from pathlib import Path

import pytest

from engine.errors import EngineError
from engine.execute.session import focus, run
from engine.model.calls import Calls
from engine.model.exchange import Answer, Exchange, Turn
from engine.model.run import Average
from engine.store import strict_json
from tests.chaos.small_session import Found, small_session


class Slow(Found):
    """Answers the first question at once and keeps the second waiting."""

    async def answer(self, turn: Turn, history: tuple[Exchange, ...], calls: Calls) -> Answer:
        if self.asked:
            await asyncio.sleep(0.5)
        return await super().answer(turn, history, calls)


def test_a_slow_answer_does_not_keep_the_records_before_it_from_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Durability: a group waits 200 ms, also when nothing is appended meanwhile."""
    synced: list[int] = []
    real = os.fdatasync

    def fdatasync(descriptor: int) -> None:
        synced.append(os.fstat(descriptor).st_size)
        real(descriptor)

    session = small_session(tmp_path, 2, Slow()).session
    monkeypatch.setattr(os, "fdatasync", fdatasync)

    run(session)

    first_record = len(b"".join((session.folder.journal.read_bytes()).splitlines(keepends=True)[:2]))
    assert first_record in synced, "the first record was synced on its own, before the second was there"


def test_a_sync_that_fails_while_waiting_fails_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = small_session(tmp_path, 2, Slow()).session
    calls: list[int] = []
    real = os.fdatasync

    def fdatasync(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 2:  # the first is that of the start line
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        real(descriptor)

    monkeypatch.setattr(os, "fdatasync", fdatasync)

    with pytest.raises(EngineError):
        run(session)


def test_the_summary_is_written_once(tmp_path: Path) -> None:
    """F13: going on with a finished run changes nothing."""
    session = small_session(tmp_path, 3).session
    first = run(session)
    before = session.folder.journal.read_bytes()

    again = run(session)

    assert session.folder.journal.read_bytes() == before
    assert again.info.averages == first.info.averages
    kinds = [json.loads(line)["type"] for line in before.splitlines()]
    assert kinds == ["run_start", "trial", "trial", "trial", "run_summary"]


class Endless(Found):
    """The second answer is longer than any line that can be read again."""

    async def answer(self, turn: Turn, history: tuple[Exchange, ...], calls: Calls) -> Answer:
        found = await super().answer(turn, history, calls)
        return found._replace(text="x" * 5_000) if len(self.asked) == 2 else found


def test_an_answer_too_long_to_keep_fails_its_trial_and_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F61: never shown and then gone."""
    monkeypatch.setattr(strict_json, "LONGEST_LINE", 2_000)
    session = small_session(tmp_path, 3, Endless()).session

    ended = run(session).info

    assert (ended.done, ended.failed) == (2, 1)
    trials = [json.loads(line)["data"] for line in session.folder.journal.read_bytes().splitlines()[1:4]]
    assert [trial["status"] for trial in trials] == ["done", "failed", "done"]
    assert trials[1]["failure"] == "validation"
    assert "too long" in trials[1]["error"]


@pytest.mark.parametrize(
    ("means", "expected"),
    [
        pytest.param({"a": 0.5, "b": 0.2, "overall": 0.1}, "b", id="lowest-but-overall"),
        pytest.param({"a": 0.2, "b": 0.2, "overall": 0.2}, "a", id="first-in-the-rubrics-order"),
        pytest.param({"a": 0.5, "b": None, "overall": None}, None, id="nothing-to-choose-from"),
        pytest.param({"a": 1.0, "b": 1.0, "overall": 1.0}, None, id="nothing-to-improve"),
    ],
)
def test_focus(means: dict[str, float | None], expected: str | None) -> None:
    """A71."""
    averages = {name: Average(None, mean, int(mean is not None), 1) for name, mean in means.items()}

    assert focus(averages) == expected
