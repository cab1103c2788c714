"""Rubric shapes met in practice: every one reads clean, and grades answers."""

import random
from pathlib import Path

import pytest

from engine import rubric
from engine.model.exchange import Exchange
from engine.model.grade import GradeStatus
from engine.rubric.diagnostic import Severity
from engine.rubric.syntax import Question
from tests.rubric.build import ROOT, exchange, hits, real, votes

_FOLDER = ROOT.parent / "shared" / "data" / "rubrics"
REAL = sorted(path.relative_to(_FOLDER).as_posix() for path in _FOLDER.rglob("*.rubric")) or ["absent"]

NO_VERDICT = {"03", "04", "06", "08", "09", "12", "15", "16", "19"}
"""They only score; that they give no verdict is said as a hint (R215)."""


def _rubric(name: str) -> rubric.Rubric:
    reading = real(name)
    assert reading.rubric is not None, "\n".join(map(str, reading.errors))
    return reading.rubric


@pytest.mark.parametrize("name", REAL)
def test_reads_clean_or_with_the_documented_hint(name: str) -> None:
    problems = real(name).problems

    assert [str(problem) for problem in problems if problem.severity is not Severity.HINT] == []
    assert [problem.code for problem in problems if problem.code == "R215"] == ["R215"] * (name[:2] in NO_VERDICT)


def _answered() -> Exchange:
    return exchange(
        "Refunds take 30 days [1].",
        results=hits("policies/refunds.md", "b", "c"),
        cites=("policies/refunds.md",),
        tools=(),
        relevant={"b": 2, "c": 0},
        latency=1.5,
        cost=0.001,
        expected="refunds take 30 days [1].",
        fields={
            **dict.fromkeys(("complete pairs", "same corpus", "costs reported"), "yes"),
            **dict.fromkeys(("scenarios", "repeats"), 3),
            **dict.fromkeys(("workflow failures", "paired regressions", "p95 latency ratio", "cost ratio"), 0),
            **dict.fromkeys(("minor errors", "major errors", "critical errors", "penalty points"), 0),
            "fare difference": 0,
        },
        numbers={"similarity": 0.9, "citation precision": 0.5},
    )


def _any_label(question: Question, chance: random.Random) -> str | float:
    if question.scale.low is not None and question.scale.high is not None:
        return chance.randint(int(question.scale.low), int(question.scale.high))
    return chance.choice(question.scale.levels).label


@pytest.mark.parametrize("name", [name for name in REAL if not name.startswith("shared/")])
def test_grades_an_answer_once_every_question_is_answered(name: str) -> None:
    grader = rubric.compile(_rubric(name))
    chance = random.Random(name)
    said = {key: [_any_label(question, chance)] * question.panel.size for key, question in grader.questions.items()}

    open_, done = grader.grade(_answered()), grader.grade(_answered(), votes(said))

    assert [grade for grade in done.grades if grade.status is GradeStatus.UNGRADED] == []
    assert done.low == done.high == done.scores["overall"]
    assert open_.low <= done.low <= open_.high
    assert done.verdict in (open_.could_be or (open_.verdict,))


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ({}, "eligible"),
        ({"complete pairs": "no"}, "inconclusive"),
        ({"repeats": 2}, "inconclusive"),
        ({"workflow failures": 1}, "blocked"),
        ({"p95 latency ratio": 1.25}, "eligible"),
        ({"p95 latency ratio": 1.2501}, "blocked"),
        ({"cost ratio": None}, "inconclusive"),
    ],
)
def test_the_release_gate_says_what_it_documents(change: dict[str, str | float | None], verdict: str) -> None:
    """Fields that the harness records; a number that is missing is never 0."""
    fields = {**_answered().query.fields, **change}
    known = {name: value for name, value in fields.items() if value is not None}

    assert rubric.compile(_rubric("02-release-gate.rubric")).grade(exchange(fields=known)).verdict == verdict


@pytest.mark.parametrize("path", sorted((ROOT / "rubrics").rglob("*.rubric")), ids=lambda path: path.name)
def test_our_own_rubrics_are_without_a_hint(path: Path) -> None:
    def library(name: str) -> str | None:
        file = ROOT / "rubrics" / name
        return file.read_text(encoding="utf-8") if file.is_file() else None

    reading = rubric.read(path.read_text(encoding="utf-8"), path.name, library)

    assert [str(problem) for problem in reading.problems] == []
    assert reading.rubric is not None
