"""The rubrics that come with the engine: clean, in their one spelling, and every verdict is shown by a case."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import rubric as language
from engine.model.grade import GradeStatus
from engine.rubric.case_fit import misfits
from engine.rubric.cases import tried
from engine.rubric.example_runs import examples
from engine.rubric.format import format_text
from engine.rubric.syntax import Checks, Criterion, criteria
from engine.store.rubric_cases import ENDING, CaseFile, read_cases
from tests.workspaces import ROOT

FOLDER = ROOT / "rubrics"
FILES = sorted(FOLDER.rglob("*.rubric"))
RUBRICS = sorted(FOLDER.glob("*.rubric"))
SIX = {"agent", "conversation", "rag", "search", "search-judged", "support"}
SEARCH_SHA256 = "c36f9d5992fbf0df3c077319fa67503de8527ae326708b660462b334517293e7"


def _library(name: str) -> str | None:
    path = FOLDER / name
    return path.read_text("utf-8") if path.is_file() else None


def _grader(path: Path) -> language.Grader:
    reading = language.read(path.read_text("utf-8"), path.name, _library)
    assert reading.rubric is not None
    return language.compile(reading.rubric)


def _cases(path: Path) -> CaseFile:
    return read_cases(path.with_suffix(ENDING))


def _name(path: Path) -> str:
    return path.relative_to(FOLDER).as_posix()


def test_the_six_are_there() -> None:
    assert {path.stem for path in RUBRICS} == SIX


def test_search_means_what_it_always_meant() -> None:
    """Runs and baselines are bound to this hash. A change of meaning needs a new version, and new baselines."""
    assert _grader(FOLDER / "search.rubric").rubric.sha256 == SEARCH_SHA256


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_it_is_clean_and_explained(path: Path) -> None:
    text = path.read_text("utf-8")
    reading = language.read(text, path.name, _library)
    assert [str(problem) for problem in reading.problems] == []
    assert reading.rubric is not None
    assert reading.rubric.about
    assert reading.rubric.version >= 1
    assert reading.rubric.library or reading.rubric.owner
    assert text.startswith("# ")


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_it_is_in_its_one_spelling(path: Path) -> None:
    text = path.read_text("utf-8")
    assert format_text(text, path.name) == text


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_its_examples_hold(path: Path) -> None:
    reading = language.read(path.read_text("utf-8"), path.name, _library)
    assert reading.rubric is not None
    assert [each for each in examples(reading.rubric) if each.held is False] == []


@pytest.mark.parametrize("path", RUBRICS, ids=_name)
def test_what_a_text_alone_decides_has_an_example(path: Path) -> None:
    missing = [criterion.id for criterion in criteria(_grader(path).rubric.root) if _needs_example(criterion)]
    assert missing == []


def _needs_example(criterion: Criterion) -> bool:
    if not isinstance(criterion.grading, Checks):
        return False
    said = [check.said for check in criterion.grading.checks]
    about_text = all(line.startswith("answer ") and "cite" not in line for line in said)
    return about_text and not (criterion.good or criterion.bad)


@pytest.mark.parametrize("path", RUBRICS, ids=_name)
def test_its_cases_come_out_as_expected(path: Path) -> None:
    grader = _grader(path)
    cases = _cases(path).cases
    assert len(cases) >= 4
    assert [(case.name, misfits(case, grader)) for case in cases if misfits(case, grader)] == []
    found = [tried(case, grader) for case in cases]
    assert [(each.case.name, each.differences) for each in found if not each.passed] == []


@pytest.mark.parametrize("path", RUBRICS, ids=_name)
def test_its_cases_show_every_verdict_and_every_way_to_get_there(path: Path) -> None:
    grader = _grader(path)
    found = [tried(case, grader) for case in _cases(path).cases]
    wanted = {verdict.name for verdict in grader.rubric.verdicts} | {"ungraded"}
    assert {each.case.expected.verdict for each in found} == wanted

    statuses = {grade.status for each in found for grade in each.grading.grades}
    gates = {criterion.id for criterion in criteria(grader.rubric.root) if criterion.role.gate}
    failed = {grade.criterion for each in found for grade in each.grading.grades if grade.passed is False}
    assert GradeStatus.UNGRADED in statuses
    if path.stem != "search":  # it asks nobody and has no condition
        assert GradeStatus.NOT_APPLICABLE in statuses
        assert gates & failed


@pytest.mark.parametrize("name", ["search", "search-judged"])
def test_search_is_reported_in_five_scores(name: str) -> None:
    found = _grader(FOLDER / f"{name}.rubric").dimensions
    assert found == ("relevance", "ranking", "coverage", "snippet", "overall")


def _not_exact() -> Iterator[tuple[str, bool, bool]]:
    """How the agent rubric looks at one tool call more than needed (case, at least these, exactly these)."""
    grader = _grader(FOLDER / "agent.rubric")
    for case in _cases(FOLDER / "agent.rubric").cases[:2]:
        grades = {grade.criterion: grade.passed for grade in tried(case, grader).grading.grades}
        yield case.name, bool(grades["work/reads-what-it-needs"]), bool(grades["work/calls-nothing-else"])


def test_one_call_more_meets_at_least_these_and_not_exactly_these() -> None:
    assert list(_not_exact()) == [
        ("the job and nothing but the job", True, True),
        ("one call more than needed", True, False),
    ]


def test_they_are_shipped_in_the_wheel() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert build["force-include"]["rubrics"] == "engine/shipped/rubrics"
