"""Forty-five typical mistakes: code, place and words of each message (design 4a), and that the offered fix helps."""

import re
from pathlib import Path

import pytest

from engine import rubric
from engine.rubric.diagnostic import Diagnostic, Severity
from tests.rubric.build import ROOT, read, shared

# Words that were improved after the catalogue was written: mistake → what it says, what is said now.
IMPROVED = {
    # "rubric" in quotes looked like the name of something
    "17": ('in "rubric"', "in this rubric"),
    "18": ('in "rubric"', "in this rubric"),
    "19": ('in "rubric"', "in this rubric"),
    # most often it is a slip, so what to write comes before how to declare something of one's own
    "32": ("  = if your team records it", "  = write: ndcg@10\n  = if your team records it"),
}

_FOLDER = ROOT.parent / "shared" / "data" / "rubric-mistakes"
MISTAKES = sorted(path.stem for path in _FOLDER.glob("*.rubric")) or ["absent"]


def _library(path: str) -> str | None:
    file = ROOT.parent / "shared" / "data" / "rubrics" / path
    return file.read_text(encoding="utf-8") if file.is_file() else None


def _read(name: str) -> rubric.Reading:
    text = (shared("data/rubric-mistakes") / f"{name}.rubric").read_bytes().decode("utf-8")
    return rubric.read(text, "support.rubric", _library)


def _said(reading: rubric.Reading) -> list[Diagnostic]:
    return [problem for problem in reading.problems if problem.severity is not Severity.HINT]


@pytest.mark.parametrize("name", MISTAKES)
def test_one_mistake_gives_its_one_message(name: str) -> None:
    reading = _read(name)
    expected = (shared("data/rubric-mistakes") / f"{name}.expected").read_text(encoding="utf-8").split()

    assert [problem.code for problem in _said(reading)] == expected


def test_words_and_places_are_those_of_the_catalogue() -> None:
    catalogue = (shared("design") / "4a-error-catalogue.md").read_text(encoding="utf-8")
    wanted = dict(re.findall(r"^### (\d\d) .*\n((?:(?!```).+\n)+)", catalogue, re.MULTILINE))

    got = {name[:2]: "\n".join(map(str, _said(_read(name)))) for name in MISTAKES}

    for number, (catalogued, now) in IMPROVED.items():
        assert catalogued in wanted[number], number
        wanted[number] = wanted[number].replace(catalogued, now)

    assert got == {number: text.rstrip() for number, text in wanted.items()}


@pytest.mark.parametrize("name", MISTAKES)
def test_the_offered_fix_makes_the_message_go_away(name: str) -> None:
    text = (shared("data/rubric-mistakes") / f"{name}.rubric").read_bytes().decode("utf-8")
    for problem in _said(_read(name)):
        if problem.edit is None:
            continue
        span, rows = problem.edit.span, text.split("\n")
        row = rows[span.line.number - 1]
        rows[span.line.number - 1] = row[: span.start] + problem.edit.text + row[span.end :]

        mended = rubric.read("\n".join(rows), "support.rubric", _library)

        assert problem.code not in {other.code for other in mended.problems}, f"{rows[span.line.number - 1]}"


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("", "R201", "test.rubric:1:1"),
        ("criterion: A\n  check: answer is empty", "R201", "test.rubric:1:1"),
        ("rubric: A\nrubric: B\ncriterion: C\n  measure: ap", "R202", "test.rubric:2:1"),
        ("rubric: A\ncriterion:\n  measure: ap", "R203", "test.rubric:2:1"),
        ("rubric: A\ngroup: X > Y\n  criterion: C\n    measure: ap", "R204", "test.rubric:2:8"),
        ("rubric: A\ncriterion: C\n  measure: ap\nend group: C", "R204", "test.rubric:4:1"),
        ("rubric: A\ncriterion: C\n  measure: ap\n  owner: me", "R205", "test.rubric:4:3"),
        ("rubric: A\ncriterion: C\n  measure: ap\n  measure: rr", "R206", "test.rubric:4:3"),
        ("rubric: A\ncriterion: C\n  measure: ap\n  | a | 1 | b |", "R208", "test.rubric:4:3"),
        ("rubric: A\ncriterion: C\n  measure: ap\n  > more", "R208", "test.rubric:4:3"),
        ("rubric: A\ncriterion: C\n  measure: ap\n  ask: Is it?", "R211", "test.rubric:4:3"),
        ("rubric: A\ngroup: G\ncriterion: C\n  measure: ap\ngroup: H", "R212", "test.rubric:5:8"),
        ("rubric: A\n", "R213", "test.rubric:1:9"),
        ("rubric: A\nmust: C\n  measure: ap", "R216", "test.rubric:2:7"),
        ("rubric: A\ncriterion: C\n  ask:", "R218", "test.rubric:3:3"),
        ("rubric: A\ncriterion: C\n  ask: Is it?\n  show: question, anwser", "R302", "test.rubric:4:19"),
        ("rubric: A\ncriterion: C\n  weight: -1\n  measure: ap", "R402", "test.rubric:3:11"),
        ("rubric: A\nversion: 1.5\ncriterion: C\n  measure: ap", "R403", "test.rubric:2:10"),
        ("rubric: A\ncriterion: C\n  ask: Is it?\n  scale: 5 to 1", "R405", "test.rubric:4:10"),
        ("rubric: A\ncriterion: C\n  ask: Is it?\n  scale:\n  | a | b |\n  | c | 1 | d |", "R407", "test.rubric:5:9"),
        ("rubric: A\ncriterion: C\n  ask: Is it?\n  scale:\n  | a | 1 | b |", "R413", "test.rubric:4:3"),
        ("rubric: A\ncriterion: C\n  ask: Q?\n  scale: 1 to 3\n  | 1-5 | x |", "R418", "test.rubric:5:5"),
        ("rubric: A\ncriterion: C\n  check: latency is at most 3 words", "R421", "test.rubric:3:29"),
        ("rubric: A\ncriterion: C\n  check: ndcg@10 is at least 50", "R423", "test.rubric:3:30"),
        ("rubric: A\ncriterion: C\n  measure: latency", "R426", "test.rubric:3:12"),
        (
            "rubric: A\ncriterion: C\n  measure: ap\nverdict: good when score is at least 0.5",
            "R504",
            "test.rubric:4:10",
        ),
        ("rubric: A\ncriterion: C\n  check: score is at least 0.5", "R509", "test.rubric:3:10"),
        ('rubric: A\ncriterion: C\n  check: answer contains at least 3 of "a", "b"', "R514", "test.rubric:3:35"),
        ('rubric: A\ncriterion: C\n  check: answer contains "x"\n  good example: none', "R518", "test.rubric:2:12"),
        ('rubric: A\ncriterion: C\n  check: answer does not contain "a" or "b"', "R113", "test.rubric:3:38"),
        ('rubric: A\ncriterion: C\n  check: answer not contain "a"', "R116", "test.rubric:3:17"),
        ("rubric: A\ncriterion: C\n  check: answer matches /(?=a)b/", "R603", "test.rubric:3:25"),
        ("rubric: A\ncriterion: C\n  check: answr cites a source", "R101", "test.rubric:3:10"),
        ("rubric: A\ncap: 40\ncriterion: C\n  measure: ap", "R121", "test.rubric:2:8"),
        ("rubric: A\nuse: this\ncriterion: C\n  measure: ap", "R122", "test.rubric:2:6"),
        ("rubric: A\nfield: intent\ncriterion: C\n  measure: ap", "R123", "test.rubric:2:14"),
        ("rubric: A\nsetting: intent\ncriterion: C\n  measure: ap", "R124", "test.rubric:2:16"),
    ],
)
def test_other_slips(text: str, code: str, place: str) -> None:
    problems = [problem for problem in read(text).problems if problem.severity is Severity.ERROR]

    assert [(problem.code, problem.span.place) for problem in problems] == [(code, place)]


def test_a_remark_silences_a_warning_and_never_an_error() -> None:
    warned = "rubric: A\nversion: 1\ncriterion: C\n  {}ask: Does the answer contain mistakes?\nverdict: x otherwise"

    assert [problem.code for problem in read(warned.format("")).problems] == ["R609"]
    assert not read(warned.format("# ok R609: it is about the question\n  ")).problems
    wrong = "rubric: A\ncriterion: C\n  # ok R602\n  check: answer matches /(a+)+/"
    assert [problem.code for problem in read(wrong).errors] == ["R602"]


def test_all_problems_come_at_once() -> None:
    """A line that cannot be read does not hide the next one."""
    checks = "  check: answer contains foo\n  check: latency is at most 2\n"
    text = f"rubric: A\nwieght: 2\ncriterion: C\n{checks}verdict: x > 3"

    assert [problem.code for problem in read(text).errors] == ["R102", "R115", "R422", "R120", "R401"]


def test_every_message_offers_a_next_step() -> None:
    for name in MISTAKES:
        assert all(problem.help for problem in _read(name).problems), name


def test_used_files_stay_in_the_folder() -> None:
    for path in ("../x.rubric", "/etc/x.rubric", "C:/x.rubric", "a/../../x.rubric", "x.txt", "\\\\host\\x.rubric"):
        asked: list[str] = []

        def library(wanted: str, asked: list[str] = asked) -> str | None:
            asked.append(wanted)
            return None

        reading = rubric.read(f'rubric: A\nuse: everything from "{path}"', "a.rubric", library)

        assert [problem.code for problem in reading.errors] == ["R309"], path
        assert not [wanted for wanted in asked if wanted not in ("shared/safety.rubric", "shared/scales.rubric")]


def test_used_files_may_not_go_in_a_circle() -> None:
    files = {"a.rubric": 'library: A\nuse: everything from "b.rubric"',
             "b.rubric": 'library: B\nuse: everything from "a.rubric"'}  # fmt: skip

    reading = read('rubric: R\nuse: everything from "a.rubric"', files)

    assert [problem.code for problem in reading.errors] == ["R309"]
    assert "circle" in str(reading.errors[0])


def test_settings_and_versions_of_used_files() -> None:
    files = {
        "s.rubric": "library: S\nversion: 2\nsetting: most = 5\nmust: Short\n  check: answer has at most {most} words"
    }
    text = 'rubric: R\nuse: [Short] from "s.rubric" version {}{}\nverdict: ok otherwise'

    loose = read(text.format(2, " with most = 9"), files)
    strict = read(text.format(2, ""), files)

    assert loose.rubric is not None
    assert strict.rubric is not None
    assert loose.rubric.sha256 != strict.rubric.sha256
    assert [problem.code for problem in read(text.format(1, ""), files).errors] == ["R311"]
    assert [problem.code for problem in read(text.format(2, " with least = 9"), files).errors] == ["R310"]


def test_the_fixture_is_complete() -> None:
    assert len(list(Path(shared("data/rubric-mistakes")).glob("*.rubric"))) == 45
