"""Adding lines to a journal against a bare `os.write` of the same bytes."""

import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.timing import medians
from engine.store.journal import Durability, open_journal

__all__ = ["ratios"]

_DATA = {"key": "0" * 24, "query": "how does it work", "hits": [{"source": f"doc-{n}", "rank": n} for n in range(10)]}


def ratios(lines: int = 20_000, repeats: int = 5) -> list[tuple[str, float, str]]:
    """What was compared, our processor time / the bare write's, and one sentence with the numbers."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "results.jsonl"

        def ours() -> None:
            path.unlink(missing_ok=True)
            with open_journal(path, time.time, Durability.NONE) as journal:
                for _ in range(lines):
                    journal.append("trial", _DATA)

        ours()
        line = path.read_bytes().partition(b"\n")[0] + b"\n"

        def bare() -> None:
            path.unlink(missing_ok=True)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            for _ in range(lines):
                os.write(descriptor, line)
            os.close(descriptor)

        ours_s, bare_s = medians(repeats, ours, bare)
    per_line = 1e6 / lines
    sentence = (
        f"{ours_s * per_line:.1f} µs a line of {len(line)} bytes here (made into JSON, numbered, stamped), "
        f"{bare_s * per_line:.1f} µs there (ready bytes), median of {repeats} in turns"
    )
    return [("journal: adding a line, against a bare write", ours_s / bare_s, sentence)]
