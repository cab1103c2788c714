"""`python -m benchmarks --quick` prints every row. No time is asserted: a busy machine is not a fault."""

import os
import re
import subprocess
import sys

from tests.workspaces import ROOT

ROWS = (
    "assay --help, against python -c pass",
    "assay runs list, against python -c pass",
    "assay run, 24 queries of the packaged set, against python -c pass",
    "run over replayed answers, 50 items, against a bare loop",
    "peak memory of a run, 50 items, against one item",
    "journal: adding a line, against a bare write",
    "ndcg@10 p@10 recall@10 ap rr",
    "rubric: 40 checks, walking the nouns against closures",
    "answers again, against weighing them anew",
    "assay rubric check, 2 files, against python -c pass",
)


def test_every_row_is_measured() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if re.match(r" *(nan|-?\d+\.\d\d)  ", line)]
    for name in ROWS:
        assert any(name in row for row in rows), f"{name} is missing:\n{done.stdout}"
