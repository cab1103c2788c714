"""A paid run that is killed again and again: nothing answered is paid twice, and every call is written down."""

import json
import os
import random
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from engine.store.entries import Entry, read
from tests.chaos.long_run import begin, grown, journals, keys, left, only_run
from tests.loopback import Loopback, serving
from tests.workspaces import assay, workspace

pytestmark = pytest.mark.chaos

TRIALS = 500
KILLS = int(os.environ.get("ASSAY_KILLS", "12"))

_RUBRIC = """\
rubric: Short
version: 1
criterion: Says it
  check: answer contains "The answer is"
criterion: Right
  ask: Is the answer right?
"""


def _workspace(folder: Path, server: Loopback) -> Path:
    head = {"version": "1.0.0", "description": "many", "source": "curated", "categories": ["a"]}
    rows = [{"id": f"q{n}", "query": f"Q{n} what is it?", "intent": "know", "category": "a"} for n in range(TRIALS)]
    api = "kind: openai_chat\nmodel: m\nkey: null\nlocal: true\nprice: {input: 1.0, output: 2.0}\n"
    return workspace(
        folder,
        {
            "conf/query_sets/many.jsonl": "".join(json.dumps(line) + "\n" for line in (head, *rows)),
            "conf/target/api.yaml": f"{api}url: {server.url('l10')}/v1\n",
            "conf/judge/api.yaml": f"{api}url: {server.url('l10', 'judge=first')}/v1\n",
            "rubrics/short.rubric": _RUBRIC,
        },
    )


WORDS = (
    *("run", "queries=many", "target=api", "judge=api", "rubric=short", "--silent"),
    *("concurrency=16", "cost_limit_usd=null"),
)


def test_a_paid_run_that_is_killed_pays_nothing_twice(tmp_path: Path) -> None:
    chance = random.Random(7)
    with serving() as server:
        whole = _workspace(tmp_path / "whole", server)
        done = assay(whole, *WORDS)
        assert done.returncode == 0, done.stderr
        uninterrupted = only_run(whole)
        assert uninterrupted is not None
        assert server.server.stats.charged == 2 * TRIALS

        folder = _workspace(tmp_path / "killed", server)
        before_kills = server.server.stats.charged, Counter(server.server.stats.questions)
        size = (uninterrupted / "results.jsonl").stat().st_size
        command: tuple[str, ...] = WORDS
        killed = 0
        while killed < KILLS:
            process = begin(folder, *command)
            ended = not grown(folder, process, journals(folder), chance.randrange(1, size * 3 // 2 // KILLS))
            if not ended:
                process.send_signal(signal.SIGKILL)
                killed += 1
            process.communicate()
            run = only_run(folder)
            if run is not None:
                command = ("run", "--resume", run.name, "--silent")
            if ended:
                break
        run = only_run(folder)
        assert run is not None
        done = assay(folder, *command)
        assert done.returncode == 0, done.stderr
        time.sleep(0.1)
        counted = server.server.stats.charged - before_kills[0]
        asked = Counter(server.server.stats.questions) - before_kills[1]

    assert killed == KILLS, "the run ended before it was killed often enough"
    assert len(set(keys(run))) == len(keys(run)) == TRIALS
    calls = [item for _, item in read(run / "results.jsonl") if isinstance(item, Entry)]
    started = Counter(_call(entry) for entry in calls if entry.type == "call_start")
    answered = Counter(_call(entry) for entry in calls if entry.type == "call_end" and "failure" not in entry.data)
    # each call has one answer; what was under way at a kill is in the ledger, and nothing else was asked again
    assert set(answered) == set(started)
    assert set(answered.values()) == {1}
    assert answered.total() == 2 * TRIALS <= counted <= started.total()
    assert max(asked.values()) <= max(started.values())

    same, expected = left(run), left(uninterrupted)
    assert [_row(trial) for trial in same.trials] == [_row(trial) for trial in expected.trials]
    assert same.averages == expected.averages
    info = json.loads((run / "run.json").read_text("utf-8"))["info"]
    assert info["cost_micro_usd"] == sum(
        entry.data["cost"]["micro_usd"]  # type: ignore[index]
        for entry in calls
        if entry.type == "call_end" and "cost" in entry.data
    )


def _call(entry: Entry) -> tuple[object, object]:
    return entry.data["trial"], entry.data["who"]


def _row(trial: object) -> dict[str, object]:
    """Without what depends on the clock."""
    assert isinstance(trial, dict)
    return {name: value for name, value in trial.items() if name != "position"}
