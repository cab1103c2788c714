"""Kills, a full disk and fuzzing against the journal. Marked `chaos`: run by `.ci/run`."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import EngineError, Exit, Problem
from engine.store.journal import Entry, Journal, open_journal, read

pytestmark = pytest.mark.chaos

ROOT = Path(__file__).resolve().parents[2]

# Writes lines of 50 B to 400 KB and says, after each, which one is acknowledged.
WRITER = """
import os, random, sys, time
from pathlib import Path
from engine.store.journal import open_journal
chance = random.Random(int(sys.argv[2]))
with open_journal(Path(sys.argv[1]), time.time) as journal:
    os.write(1, b"ready\\n")
    while True:
        size = int(50 * 8000 ** chance.random())
        seq = journal.append("trial", {"key": os.urandom(8).hex(), "text": "ü" * (size // 2)})
        os.write(1, f"{seq}\\n".encode())
"""


def _killed(path: Path, number: int, at_least: int, after: float) -> list[int]:
    """Which lines a writer acknowledged before it was killed: `at_least` of them, and for `after` seconds more.

    Counted in lines, so that a slow machine kills in the middle of writing too, not before it.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", WRITER, str(path), str(number)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        said = b"".join(writer.stdout.readline() for _ in range(at_least))
        time.sleep(after)
        writer.send_signal(signal.SIGKILL)
        said += writer.stdout.read()
    return [int(line) for line in said.split(b"\n")[:-1]]


def test_sixty_kills_lose_no_acknowledged_line(tmp_path: Path) -> None:
    """R1: 60 kills at random moments on one file; 0 lost, 0 doubled, the file always parses."""
    path = tmp_path / "results.jsonl"
    chance = random.Random(60)
    acknowledged: list[int] = []
    for number in range(60):
        acknowledged += _killed(path, number, chance.randrange(4), chance.uniform(0, 0.02))
        found = list(read(path))
        assert not [item for _, item in found if isinstance(item, Problem)]
        seqs = [item.seq for _, item in found if isinstance(item, Entry)]
        assert seqs == list(range(1, len(seqs) + 1)), "nothing doubled, nothing missing"
        assert set(acknowledged) <= set(seqs)
    assert len(acknowledged) == len(set(acknowledged)) > 60


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 KB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no right to mount a small disk; tests/store/test_journal.py limits the file instead")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def _fill(journal: Journal, acknowledged: list[int]) -> None:
    while True:
        acknowledged.append(journal.append("trial", {"text": "x" * 3_000}))


def test_a_full_disk_keeps_what_was_acknowledged(small_disk: Path) -> None:
    """R4: until the disk is full, then with room again."""
    path = small_disk / "results.jsonl"
    acknowledged: list[int] = []
    with open_journal(path, time.time) as journal:
        with pytest.raises(EngineError) as caught:
            _fill(journal, acknowledged)
        assert caught.value.exit == Exit.FAILED
        assert "free some space" in caught.value.problems[0].help
        assert [item.seq for _, item in read(path) if isinstance(item, Entry)] == acknowledged
        subprocess.run(["mount", "-o", "remount,size=256k", str(small_disk)], check=True)
        acknowledged.append(journal.append("trial", {"text": "x" * 3_000}))

    found = [item for _, item in read(path)]
    assert [item.seq for item in found if isinstance(item, Entry)] == acknowledged == list(range(1, len(found) + 1))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=5), inside, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.text(max_size=8), JSON, max_size=4), max_size=6), st.binary(max_size=30))
@settings(max_examples=200, deadline=None)
def test_what_is_written_is_what_is_read(rows: list[dict[str, object]], tail: bytes) -> None:
    """Reader and writer agree on any JSON, and whatever follows the last line end does not matter."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.jsonl"
        with open_journal(path, time.time) as journal:
            for row in rows:
                journal.append("trial", row)
        with path.open("ab") as file:
            file.write(b"{" + tail.replace(b"\n", b"").replace(b"}", b""))
        with open_journal(path, time.time) as journal:
            journal.append("trial", {"last": True})

        found = [item for _, item in read(path)]
        assert [item.data for item in found if isinstance(item, Entry)] == [*rows, {"last": True}]
        assert len(found) == len(rows) + 1
