"""Rubric shapes met in practice: none may crash, and those this version can grade read clean."""

from pathlib import Path

import pytest

from engine import rubric
from engine.rubric.diagnostic import Severity
from tests.rubric.build import ROOT, shared

_FOLDER = ROOT.parent / "shared" / "data" / "rubrics"
REAL = sorted(path.relative_to(_FOLDER).as_posix() for path in _FOLDER.rglob("*.rubric")) or ["absent"]
CLEAN = {"shared/safety.rubric", "shared/scales.rubric"}


def _read(path: Path, without: tuple[str, ...] = ()) -> rubric.Reading:
    folder = shared("data/rubrics")
    rows = path.read_text(encoding="utf-8").split("\n")
    text = "\n".join(row for row in rows if not row.strip().startswith(without or ("\0",)))
    files = {file.relative_to(folder).as_posix(): file.read_text(encoding="utf-8") for file in folder.rglob("*.rubric")}
    return rubric.read(text, path.name, files.get)


@pytest.mark.parametrize("name", REAL)
def test_reads_or_says_what_is_not_graded_yet(name: str) -> None:
    reading = _read(shared("data/rubrics") / name)

    assert {problem.code for problem in reading.errors} <= {"R901"}
    assert (reading.rubric is not None) == (name in CLEAN)


@pytest.mark.parametrize(
    "name", [name for name in REAL if name[:2] in ("01", "03", "04", "06", "08", "15", "16", "su")]
)
def test_reads_clean_without_the_lines_about_judges(name: str) -> None:
    """Everything else in these eight is graded already: groups, scales, caps, penalties, conditions, settings."""
    reading = _read(shared("data/rubrics") / name, ("judge:", "combine judges:"))

    assert [problem for problem in reading.problems if problem.severity is not Severity.HINT] == []
    assert reading.rubric is not None
    assert rubric.compile(reading.rubric).asks > 0


@pytest.mark.parametrize("path", sorted((ROOT / "rubrics").rglob("*.rubric")), ids=lambda path: path.name)
def test_our_own_rubrics_are_without_a_hint(path: Path) -> None:
    reading = rubric.read(path.read_text(encoding="utf-8"), path.name, lambda _: None)

    assert reading.problems == ()
    assert reading.rubric is not None
