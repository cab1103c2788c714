"""A run of 300 replayed queries that takes a second or two, and what must be equal about two such runs."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.model.run import RunStatus
from engine.store.entries import Entry, read
from tests.workspaces import ROOT, workspace

__all__ = ["ITEMS", "WORDS", "Left", "begin", "grown", "journals", "keys", "left", "long_workspace", "only_run"]

ITEMS = 300
# Every record is synced to the disk: that slows the run down, and is a setting like any other.
WORDS = ("run", "queries=many", "target=played", "durability=row", "--silent")


def long_workspace(folder: Path, items: int = ITEMS) -> Path:
    """A workspace with the query set `many` and the target `played`, which answers from a file."""
    head = {"version": "1.0.0", "description": "many", "source": "curated", "categories": ["a"]}
    queries = [
        {
            "id": f"q{n}",
            "query": f"how does part {n} work",
            "intent": f"part {n}",
            "category": "a",
            "relevant": {f"d{n}-{n % 10}": 2},
        }
        for n in range(items)
    ]
    answers = [
        {
            "id": f"q{n}",
            "hits": [{"source": f"d{n}-{k}", "title": f"Part {k}", "snippet": "how it works " * 5} for k in range(10)],
        }
        for n in range(items)
    ]
    return workspace(
        folder,
        {
            "conf/query_sets/many.jsonl": "".join(json.dumps(line) + "\n" for line in (head, *queries)),
            "conf/target/played.yaml": "kind: replay\nfile: answers.jsonl\n",
            "answers.jsonl": "".join(json.dumps(line) + "\n" for line in answers),
        },
    )


def begin(folder: Path, *words: str) -> "subprocess.Popen[str]":
    """Start `assay` and go on at once."""
    return subprocess.Popen(
        [sys.executable, "-m", "engine", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def journals(folder: Path) -> dict[Path, int]:
    """Every journal in a workspace with its size."""
    return {path: path.stat().st_size for path in (folder / "runs").glob("*/results.jsonl")}


def grown(folder: Path, process: "subprocess.Popen[str]", before: Mapping[Path, int], by: int = 1) -> bool:
    """Wait until a journal has grown by so many bytes; False when the process ended first."""
    while process.poll() is None:
        if any(size >= before.get(path, 0) + by for path, size in journals(folder).items()):
            return True
        time.sleep(0.002)
    return False


def only_run(folder: Path) -> Path | None:
    """The one whole run folder of a workspace: what was begun and can be resumed."""
    whole = [path.parent for path in (folder / "runs").glob("*/run.json")]
    assert len(whole) <= 1
    return whole[0] if whole else None


def keys(run: Path) -> list[str]:
    """The key of each trial in a journal, in the order written; every line must be whole."""
    found = [item for _, item in read(run / "results.jsonl")]
    entries = [item for item in found if isinstance(item, Entry)]
    assert entries == found, "a damaged line"
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1)), "nothing doubled, nothing missing"
    return [str(entry.data["key"]) for entry in entries if entry.type == "trial"]


@dataclass(frozen=True, slots=True)
class Left:
    """What a run left behind, without its times and its name: equal for two runs of the same."""

    start: Mapping[str, object]
    trials: tuple[Mapping[str, object], ...]
    summary: Mapping[str, object]
    plan: bytes
    status: RunStatus
    averages: object


def left(run: Path) -> Left:
    """Read a finished run. Fails when it has a damaged line, a second start, summary or trial, or less."""
    assert len(set(keys(run))) == len(keys(run)), "a trial was run twice"
    entries = [item for _, item in read(run / "results.jsonl") if isinstance(item, Entry)]
    (start,) = (entry.data for entry in entries if entry.type == "run_start")
    (summary,) = (entry.data for entry in entries if entry.type == "run_summary")
    trials = sorted((entry.data for entry in entries if entry.type == "trial"), key=lambda data: str(data["key"]))
    assert all(trial.get("attempts", 1) == 1 for trial in trials), "asked again"
    info = json.loads((run / "run.json").read_text("utf-8"))["info"]
    return Left(
        {name: value for name, value in start.items() if name != "run"},
        tuple({name: value for name, value in trial.items() if name != "latency_s"} for trial in trials),
        summary,
        (run / "plan.json").read_bytes(),
        RunStatus(info["status"]),
        info["averages"],
    )
