"""Short ways to an exchange, a reading and a grading, shared by the tests of the rubric language."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from engine import rubric
from engine.model.exchange import Answer, Exchange, Hit, ToolCall, Turn
from engine.model.grade import Grade, Grading, Vote
from engine.model.query import Query

__all__ = ["ROOT", "exchange", "grade", "grader", "hits", "one", "read", "real", "rubric_of", "shared", "votes"]

ROOT = Path(__file__).resolve().parents[2]


def shared(part: str) -> Path:
    """A folder of real files beside the repository; the test is skipped where there is none."""
    folder = ROOT.parent / "shared" / part
    if not folder.exists():
        pytest.skip(f"needs the real files in ../shared/{part}")
    return folder


def read(text: str, files: Mapping[str, str] | None = None) -> rubric.Reading:
    """Read a rubric; `files` are the other files in the rubrics folder."""
    return rubric.read(text, "test.rubric", (files or {}).get)


def rubric_of(text: str, files: Mapping[str, str] | None = None) -> rubric.Rubric:
    """A rubric without errors."""
    reading = read(text, files)
    assert reading.rubric is not None, "\n".join(map(str, reading.problems))
    return reading.rubric


def real(name: str) -> rubric.Reading:
    """One of the real rubrics, which use each other."""
    folder = shared("data/rubrics")
    files = {file.relative_to(folder).as_posix(): file.read_text("utf-8") for file in folder.rglob("*.rubric")}
    return rubric.read(files[name], name, files.get)


def grader(text: str) -> rubric.Grader:
    """The grader of a rubric without errors. A missing first line is added."""
    return rubric.compile(rubric_of(text if "rubric:" in text else f"rubric: Test\n{text}"))


Said = str | float | None


def votes(answers: Mapping[str, Said | Sequence[Said]]) -> dict[str, tuple[Vote, ...]]:
    """What one judge, or a list of judges, said to each question."""
    several = {name: said if isinstance(said, list | tuple) else (said,) for name, said in answers.items()}
    return {name: tuple(Vote(each) for each in said) for name, said in several.items()}


def grade(
    text: str, what: Exchange | None = None, answers: Mapping[str, Said | Sequence[Said]] | None = None
) -> Grading:
    """What a rubric says about an exchange, and about what judges said."""
    return grader(text).grade(what or exchange(), votes(answers or {}))


def one(line: str, what: Exchange) -> Grade:
    """The grade of a criterion with one check."""
    return grade(f"criterion: It\n  check: {line}", what).grades[0]


def hits(*sources: str) -> tuple[Hit, ...]:
    """Results in this order."""
    return tuple(Hit(rank, source, None, source, f"about {source}") for rank, source in enumerate(sources, start=1))


def exchange(
    text: str | None = None,
    *,
    results: tuple[Hit, ...] | None = None,
    cites: tuple[str, ...] | None = None,
    tools: tuple[ToolCall, ...] | None = None,
    relevant: Mapping[str, float] | None = None,
    latency: float | None = None,
    cost: float | None = None,
    intent: str = "lookup",
    task: str | None = None,
    expected: str | None = None,
    fields: Mapping[str, str | float] | None = None,
    numbers: Mapping[str, float] | None = None,
) -> Exchange:
    """One answer; what is not given was not recorded."""
    query = Query(
        "q", "what is asked", intent, "concept", task, relevant, expected_answer=expected, fields=fields or {}
    )
    answer = Answer(hits=results, text=text, citations=cites, tool_calls=tools, numbers=numbers or {})
    return Exchange(query, Turn("what is asked", "q"), answer, latency, cost)
