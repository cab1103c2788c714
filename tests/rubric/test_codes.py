"""The table of codes: complete, and every example does what its row says."""

import re

import pytest

from engine import rubric
from engine.model.rubric_lock import RubricLock
from engine.rubric.codes import CODES, Code
from engine.rubric.diagnostic import Diagnostic, Severity
from engine.rubric.lock import entry_of, lock_problems
from tests.rubric.build import ROOT, read, shared

OURS = frozenset({"R214"})
"""Codes that the design does not have."""


def _problems(row: Code, text: str) -> list[Diagnostic]:
    reading = read(text, dict(row.files))
    problems = list(reading.problems)
    if row.published and reading.rubric is not None:
        published = read(row.published).rubric
        assert published is not None
        lock = RubricLock({published.id: (entry_of(published, "2026-11-30"),)})
        problems += lock_problems(reading.rubric, lock, text)
    return problems


@pytest.mark.parametrize("code", CODES)
def test_the_wrong_example_gets_its_code_and_no_other_error(code: str) -> None:
    row = CODES[code]
    problems = _problems(row, row.wrong)

    assert (code, row.severity) in [(problem.code, problem.severity) for problem in problems], problems
    errors = [problem.code for problem in problems if problem.severity is Severity.ERROR]
    assert errors == ([code] if row.severity is Severity.ERROR else [])


@pytest.mark.parametrize("code", CODES)
def test_the_right_example_does_not(code: str) -> None:
    row = CODES[code]
    problems = _problems(row, row.right)

    assert code not in {problem.code for problem in problems}
    assert [problem.code for problem in problems if problem.severity is not Severity.HINT] == []


@pytest.mark.parametrize("code", CODES)
def test_a_fix_is_offered_where_the_row_says_so_and_it_helps(code: str) -> None:
    row = CODES[code]
    found = next(problem for problem in _problems(row, row.wrong) if problem.code == code)

    assert (found.edit is not None) is row.fix
    if found.edit is not None:
        rows = row.wrong.split("\n")
        span, line = found.edit.span, rows[found.edit.span.line.number - 1]
        rows[span.line.number - 1] = line[: span.start] + found.edit.text + line[span.end :]
        assert code not in {problem.code for problem in _problems(row, "\n".join(rows))}


@pytest.mark.parametrize("code", CODES)
def test_every_message_says_what_to_do(code: str) -> None:
    found = [problem for problem in _problems(CODES[code], CODES[code].wrong) if problem.code == code]

    assert all(problem.help for problem in found)
    words = re.compile(r"\b(?:unexpected|syntax|parse|token|invalid syntax|illegal|expression|regex)\b", re.IGNORECASE)
    assert not [problem for problem in found if words.search(str(problem))]


def test_the_table_has_every_code_of_the_design_and_no_unknown_one() -> None:
    text = (shared("design") / "4-rubric-language.md").read_text(encoding="utf-8")
    part = text[text.index("## Static checks") : text.index("How the harder ones work")]
    wanted = set(re.findall(r"\bR\d{3}\b", part))
    for first, last in re.findall(r"R(\d{3})–R(\d{3})", part):
        wanted |= {f"R{number}" for number in range(int(first), int(last) + 1)}

    assert len(wanted) == 108
    assert set(CODES) - OURS == wanted


def test_the_engine_says_no_code_that_the_table_lacks() -> None:
    said = {
        code
        for file in (ROOT / "engine" / "rubric").rglob("*.py")
        if "codes" not in file.parts
        for code in re.findall(r'"(R\d{3})"', file.read_text(encoding="utf-8"))
    }

    assert said == set(CODES)


def test_titles_and_reasons_are_for_people() -> None:
    for row in CODES.values():
        assert row.title[0].isupper(), row.code
        assert not row.title.endswith("."), row.code
        assert row.why.endswith("."), row.code
        assert len(row.why) > 30, row.code
        assert "syntax" not in row.why, row.code


def test_what_the_examples_show_is_read_by_the_public_door() -> None:
    """`explain` shows the texts as files; they are whole files."""
    assert all(rubric.read(row.right, "x.rubric", dict(row.files).get).rubric for row in CODES.values())
