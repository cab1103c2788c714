"""docs/checklist.md names tests that exist, each id once, and claims nothing that no test proves."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import pytest

from tests.workspaces import ROOT

PAGE = ROOT / "docs" / "checklist.md"
# How many ids there are of each letter; of the cases (F) only the odd numbers exist.
COUNTS = {"A": 132, "B": 120, "F": 99, "J": 6, "R": 11, "S": 19}
# What this version is about: one row for each, not only a range.
SUBJECT = (
    "A1–A21 A54–A103 A130 B36–B38 B43–B50 B52 B53 F01–F45 F53–F67 F79–F85 J1–J6 R1–R4 R7 R8 S1–S6 S8 S14–S17"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table: an id or a range of ids."""

    ids: str
    what: str
    state: str
    tests: tuple[str, ...]


def _rows() -> Iterator[Row]:
    for line in PAGE.read_text("utf-8").splitlines():
        if re.match(r"\| [A-Z]\d", line):
            ids, what, state, tests = (cell.strip() for cell in line.strip("|").split(" | "))
            yield Row(ids, what, state, tuple(re.findall(r"`(tests/[^`]+)`", tests)))


def _expanded(ids: str) -> Iterator[str]:
    """`A1–A3` is A1, A2, A3; `F01–F05` is F01, F03, F05."""
    first, _, last = ids.partition("–")
    letter, start, end = first[0], int(first[1:]), int((last or first)[1:])
    width = 2 if letter == "F" else 1
    for number in range(start, end + 1, 2 if letter == "F" else 1):
        yield f"{letter}{number:0{width}}"


@cache
def _functions(path: str) -> dict[str, bool]:
    """Each test of a file, and whether it is expected to fail."""
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return {
        node.name: any("mark.xfail" in ast.unparse(_called(decorator)) for decorator in node.decorator_list)
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    }


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


ROWS = tuple(_rows())


def test_each_id_stands_there_once() -> None:
    """Nothing is forgotten, nothing said twice."""
    found = Counter(each for row in ROWS for each in _expanded(row.ids))
    every = {each for letter, most in COUNTS.items() for each in _expanded(f"{letter}1–{letter}{most}")}

    assert set(found) == every
    assert [each for each, number in found.items() if number > 1] == []


def test_each_id_of_this_version_has_a_row_of_its_own() -> None:
    """A range says nothing about one of them."""
    own = {row.ids for row in ROWS if "–" not in row.ids}

    assert {each for ids in SUBJECT.split() for each in _expanded(ids)} <= own


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.ids)
def test_a_row_is_proved_or_says_what_is_missing(row: Row) -> None:
    """Done names a test; partly names a test and what is missing; later names a subject and no test."""
    assert re.fullmatch(r"done|partly: .{10,}|later: .{5,}", row.state), row.state
    assert bool(row.tests) == (not row.state.startswith("later"))
    assert row.what or "–" in row.ids or row.state.startswith("later")


@pytest.mark.parametrize("row", [row for row in ROWS if row.tests], ids=lambda row: row.ids)
def test_the_tests_of_a_row_exist_and_are_expected_to_pass(row: Row) -> None:
    """By name; a test that is expected to fail as a whole proves nothing."""
    for test in row.tests:
        path, _, name = test.partition("::")
        assert (ROOT / path).is_file(), test
        assert name in _functions(path), test
        assert not _functions(path)[name], f"{test} is expected to fail"
