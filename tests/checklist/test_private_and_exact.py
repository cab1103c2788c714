"""Sweeps that begin at once, their files' modes, JSON for programs on a terminal, and lines that are too long."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.errors import EngineError
from engine.store import strict_json
from engine.store.journal import open_journal
from engine.store.records import read_trials
from tests.cli.test_terminal import SEQUENCES, foreign
from tests.workspaces import ROOT, workspace

SOURCES = {"one": "with", "two": "lambda", "three": "raise"}
ANSWERS = "".join(
    json.dumps({"id": name, "hits": [{"source": source, "snippet": source}]}) + "\n" for name, source in SOURCES.items()
)
PLAYED = {"conf/target/played.yaml": "kind: replay\nfile: answers.jsonl\n", "answers.jsonl": ANSWERS}
SWEEP = ("run", "-m", "target=played", "repeats=1,2", "--silent")


def test_two_sweeps_started_at_once_share_nothing(tmp_path: Path) -> None:
    """F43: two ledgers, four runs, each run in one of them."""
    folder = workspace(tmp_path, PLAYED)
    command = [sys.executable, "-m", "engine", *SWEEP]
    started = [
        subprocess.Popen(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL)
        for _ in range(2)
    ]
    assert [process.wait(timeout=60) for process in started] == [0, 0]

    ledgers = [json.loads(path.read_text("utf-8")) for path in (folder / "runs" / "sweeps").glob("*/sweep.json")]
    runs = [job["run"] for ledger in ledgers for job in ledger["jobs"].values()]
    assert [len(ledger["jobs"]) for ledger in ledgers] == [2, 2]
    assert len(set(runs)) == 4
    assert {path.parent.name for path in (folder / "runs").glob("*/run.json")} == set(runs)


@pytest.fixture
def unmasked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Everything the engine writes, written with nothing masked."""
    folder = workspace(tmp_path, {**PLAYED, "conf/target/folder.yaml": "kind: folder\npath: docs\n", "docs/a.md": "x"})
    before = os.umask(0)
    try:
        assert main(["--workspace", str(folder), "run", "target=played", "--json"]) == 0
        run = json.loads(capsys.readouterr().out)["run"]
        for words in (SWEEP, ("baseline", "set", run), ("corpus", "build", "target=folder"), ("runs", "list")):
            assert main(["--workspace", str(folder), *words]) == 0
    finally:
        os.umask(before)
    return folder


def _open_to_others(folder: Path, *places: str) -> list[str]:
    paths = [path for place in places for path in (folder / place, *(folder / place).rglob("*"))]
    assert len(paths) > len(places)
    return sorted(str(path.relative_to(folder)) for path in paths if stat.S_IMODE(path.stat().st_mode) & 0o077)


def test_runs_baselines_and_indexes_are_private(unmasked: Path) -> None:
    """S16: 0600 and 0700 for what is written there, sweeps apart."""
    found = _open_to_others(unmasked, "runs", "baselines", ".assay/corpus", ".assay/rubrics")

    assert [name for name in found if not name.startswith("runs/sweeps")] == []


def test_sweeps_and_the_cache_folder_are_private(unmasked: Path) -> None:
    """S16."""
    assert _open_to_others(unmasked, "runs/sweeps", ".assay") == []


@pytest.mark.parametrize("words", [("run", "queries=bad"), ("queries", "show", "bad"), ("runs", "show", "RUN")])
def test_json_holds_no_control_character_and_loses_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    """S8: what `--json` prints is safe on a terminal and exact for a program."""
    lines = [{"version": "1.0.0"}]
    lines += [{"id": f"q{n}", "query": f"a{s}b", "intent": "i", "category": "c"} for n, s in enumerate(SEQUENCES)]
    answers = [{"id": f"q{n}", "hits": [{"source": f"s{s}", "snippet": s}]} for n, s in enumerate(SEQUENCES)]
    files = {
        "conf/query_sets/bad.jsonl": "".join(json.dumps(line) + "\n" for line in lines),
        "answers.jsonl": "".join(json.dumps(line) + "\n" for line in answers),
    }
    folder = workspace(tmp_path, {**PLAYED, **files})
    main(["--workspace", str(folder), "run", "queries=bad", "target=played", "--json"])
    run = json.loads(capsys.readouterr().out)["run"]
    target = ("target=played",) if words[0] == "run" else ()

    main(["--workspace", str(folder), *(run if word == "RUN" else word for word in words), *target, "--json"])
    out, err = capsys.readouterr()

    assert not list(foreign(out + err))
    report = json.loads(out)
    key = {"queries": "queries", "runs": "results"}.get(words[0])
    if key is not None:
        assert [entry["query"] for entry in report[key]] == [f"a{s}b" for s in SEQUENCES]


def test_what_the_journal_takes_can_be_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F61, J5: a record above the longest line is refused or shortened; never acknowledged and then lost."""
    monkeypatch.setattr(strict_json, "LONGEST_LINE", 1_000)
    path = tmp_path / "results.jsonl"
    acknowledged = []
    with open_journal(path, lambda: 0.0) as journal:
        for key, text in (("a", "x"), ("b", "x" * 2_000), ("c", "x")):
            try:
                journal.append("trial", {"key": key, "text": text})
            except EngineError:
                continue
            acknowledged.append(key)

    assert [data["key"] for data in read_trials(path)] == acknowledged
