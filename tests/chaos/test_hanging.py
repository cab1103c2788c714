"""A target that never answers, a caller that has an event loop already, and a clock that is set back."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.execute import session as sessions
from engine.execute.budget import Budget
from engine.execute.loop import Bench, execute
from engine.execute.paying import Payer
from engine.model.calls import Calls
from engine.model.exchange import Answer, Exchange, Turn
from engine.model.plan import Trial
from engine.model.record import Failure, Record, Status
from engine.model.run import RunStatus
from engine.store.entries import Entry, read
from engine.store.records import fold
from tests.chaos.small_session import Found, Half, queries, small_session
from tests.doubles import Remembers


class Silent(Found):
    """Never answers `q2`."""

    async def answer(self, turn: Turn, history: tuple[Exchange, ...], calls: Calls) -> Answer:
        if turn.query_id == "q2":
            await asyncio.Event().wait()
        return await super().answer(turn, history, calls)


def _trials(number: int) -> Iterator[Trial]:
    return (Trial(f"key-{q.id}", n, q, "few", 1) for n, q in enumerate(queries(number), start=1))


def _bench(target: Found, records: list[Record], concurrency: int = 2) -> Bench:
    return Bench(target, Half(), Payer(Budget(), Remembers()), concurrency, 0.05, records.append, lambda: False)


def _check_five(records: list[Record]) -> None:
    late = [record for record in records if record.status is Status.FAILED]
    assert sorted(record.query.id for record in records) == ["q1", "q2", "q3", "q4", "q5"]
    assert [(record.query.id, record.failure) for record in late] == [("q2", Failure.TIMEOUT)]
    assert late[0].error == "no answer within 0.05 seconds"
    assert late[0].grading is None, "no answer is not a score of 0"
    assert late[0].latency_s is not None
    assert 0.05 <= late[0].latency_s["total"] < 2


@pytest.mark.parametrize("concurrency", [1, 2, 8])
def test_a_query_that_is_never_answered_fails_and_the_run_ends(concurrency: int) -> None:
    """F85: not a stall at N - 1 of N."""
    records: list[Record] = []

    asyncio.run(execute(_bench(Silent(), records, concurrency), _trials(5)))

    _check_five(records)


def test_it_runs_inside_an_event_loop_that_is_there_already() -> None:
    """F85: a caller awaits it beside its own work; no loop inside a loop, and the caller's goes on meanwhile."""
    records: list[Record] = []
    beats: list[int] = []

    async def beat() -> None:
        while True:
            beats.append(len(records))
            await asyncio.sleep(0.005)

    async def caller() -> None:
        heart = asyncio.create_task(beat())
        await asyncio.wait_for(execute(_bench(Silent(), records), _trials(5)), timeout=5)
        heart.cancel()

    asyncio.run(caller())

    _check_five(records)
    assert len(beats) > 3


def test_a_caller_that_gives_up_ends_it_without_a_false_record() -> None:
    """F85: being cancelled is not a timeout of the target."""
    records: list[Record] = []
    bench = Bench(Silent(), Half(), Payer(Budget(), Remembers()), 1, 60.0, records.append, lambda: False)

    async def caller() -> None:
        await asyncio.wait_for(execute(bench, _trials(5)), timeout=0.05)

    with pytest.raises(TimeoutError):
        asyncio.run(caller())
    assert [record.query.id for record in records] == ["q1"]


def test_a_whole_run_with_a_silent_query_is_complete_and_says_so(tmp_path: Path) -> None:
    """F85: 4 done, 1 failed, the average over 4 of 5; a resume does not ask it again."""
    target = Silent()
    made = small_session(tmp_path, 5, target)
    short = replace(made.session, timeout_s=0.05)

    finished = sessions.run(short)

    assert (finished.info.status, finished.info.done, finished.info.failed) == (RunStatus.COMPLETE, 4, 1)
    average = finished.info.averages["overall"]
    assert (average.graded, average.planned, average.mean) == (4, 5, 0.5)
    again = sessions.run(replace(short, info=finished.info))
    assert (again.info.done, again.info.failed) == (4, 1)
    assert target.asked == ["q1", "q3", "q4", "q5"]


def test_a_clock_that_is_set_back_changes_no_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R9, F83: an hour back, to 1970, a day forward, then still: order is by `seq`, no duration is negative."""
    now = 1_790_000_000.0
    clock = chain([now, now - 3_600, 0.0, now + 86_400], repeat(now))
    monkeypatch.setattr(sessions, "time", SimpleNamespace(time=lambda: next(clock)))
    made = small_session(tmp_path, 5)

    first = sessions.run(made.but(stop=iter([False, False, False, True]).__next__))
    second = sessions.run(made.session)

    journal = made.session.folder.journal
    entries = [item for _, item in read(journal) if isinstance(item, Entry)]
    assert first.info.status is RunStatus.INTERRUPTED
    assert second.info.status is RunStatus.COMPLETE
    assert [entry.seq for entry in entries] == list(range(1, 8))
    assert entries[2].at.startswith("1970-01-01T00:00:00")
    assert [entry.data.get("query_id") for entry in entries[1:-1]] == ["q1", "q2", "q3", "q4", "q5"]
    assert [result.query_id for result in fold(journal, 5).results] == ["q1", "q2", "q3", "q4", "q5"]
    for entry in entries[1:-1]:
        latency = entry.data["latency_s"]
        assert isinstance(latency, dict)
        assert min(latency.values()) >= 0
    assert json.loads((made.session.folder.path / "run.json").read_text("utf-8"))["info"]["status"] == "complete"
