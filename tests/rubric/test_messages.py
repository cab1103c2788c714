"""One slip, one message, and advice that works when it is followed (finding 21)."""

import pytest

from engine import rubric
from engine.rubric.diagnostic import Diagnostic, Severity
from tests.rubric.build import read

SHARED = "rubric: A\nversion: 1\ncriterion: X\n  weight: 80%\n  measure: recall@3\n{}verdict: x otherwise\n"


def _errors(text: str, files: dict[str, str] | None = None) -> list[Diagnostic]:
    return list(read(text, files).errors)


def _about(line: str) -> Diagnostic:
    """The one error of a rubric with one criterion that has this line in it."""
    (problem,) = _errors(f"rubric: A\nversion: 1\ncriterion: X\n  {line}\n")
    return problem


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ("criterion: Y\n  weight: 20%\n  measure: snippet@3 # previews\n", "R110"),
        ("criterion: Y\n  weight: 20%\n  measure: latency, full marks at 2, no marks at 10 seconds\n", "R422"),
        ("criterion: Y\n  weight: 20%\n  measure: ncdg@5\n", "R305"),
        ("criterion: Y\n  weight: 20%\n  check: answer contains foo\n", "R115"),
        ("criterion: Y\n  weight: 20%\n  note: nothing grades it\n", "R210"),
        ("group:\n  weight: 20%\n  criterion: Y\n    measure: snippet@3\n", "R203"),
        ("checklist: Y\n  weight: 20%\n", "R210"),
        ('use: [Y] from "absent.rubric"\n', "R309"),
        ("use: this\n", "R122"),
    ],
)
def test_what_could_not_be_read_still_has_its_weight(rows: str, code: str) -> None:
    """21a: "add 20% somewhere" would be followed, and would be wrong once the real slip is mended."""
    assert [problem.code for problem in _errors(SHARED.format(rows))] == [code]


def test_a_forgotten_end_of_a_group_says_nothing_about_weights() -> None:
    """21a: which part belongs to which group is not known yet."""
    text = SHARED.replace("criterion: X\n", "group: G\n").replace("  measure", "  criterion: X\n    measure")
    problems = _errors(text.format("criterion: Y\n  weight: 20%\n  measure: rr\n"))

    assert [problem.code for problem in problems] == ["R219"]


def test_weights_that_do_not_add_up_are_still_found_beside_another_slip() -> None:
    """All problems at once: silence is only for sums that nobody can know."""
    text = SHARED.format("criterion: Y\n  weight: 10%\n  measure: ncdg@5\n")

    assert [problem.code for problem in _errors(text)] == ["R410", "R305"]


@pytest.mark.parametrize(
    ("line", "step"),
    [
        (
            "measure: latency, full marks at 5 seconds, no marks at 2000 ms",
            "write: full marks at 2 seconds, no marks at 5 seconds",
        ),
        (
            "measure: cost, full marks at $2, no marks at 5 cents",
            "write: full marks at 0.05 dollars, no marks at 2 dollars",
        ),
        ("measure: ndcg@5, full marks at 0.2, no marks at 0.9", "write: full marks at 0.9, no marks at 0.2"),
    ],
)
def test_marks_the_wrong_way_round(line: str, step: str) -> None:
    """21b: a slow answer is never the good one."""
    problem = _about(line)

    assert (problem.code, problem.help) == ("R426", (step,))
    name = line.partition(",")[0]
    assert not _errors(f"rubric: A\ncriterion: X\n  {name}, {step.removeprefix('write: ')}")


def test_counts_may_be_good_either_way() -> None:
    """21b: few tool calls or many results; only the author knows."""
    for marks in ("full marks at 5, no marks at 0", "full marks at 0, no marks at 5"):
        assert not _errors(f"rubric: A\ncriterion: X\n  measure: number of results, {marks}")


@pytest.mark.parametrize(
    ("line", "message", "step"),
    [
        ('results not contain "x"', '"not contain" needs a helping word', "write: results do not contain ..."),
        ('the answer not contain "x"', '"not contain" needs a helping word', "write: the answer does not contain ..."),
        (
            'results should contain "x"',
            'Say what the results do, without "should"',
            "write: results contain ...",
        ),
        (
            'results must never contain "x"',
            'Say what the results do, without "must"',
            "write: results do not contain ...",
        ),
        (
            'answer contains "a" and results should contain "x"',
            'Say what the results do, without "should"',
            "write: results contain ...",
        ),
        (
            'tool "find" should be called',
            'Say what the tool does, without "should"',
            'write: tool "find" was ...',
        ),
        (
            'answer should not contain "x"',
            'Say what the answer does, without "should"',
            "write: answer does not contain ...",
        ),
    ],
)
def test_the_advice_keeps_the_subject(line: str, message: str, step: str) -> None:
    """21c: following the advice must not turn a check of the results into one of the answer."""
    problem = _about(f"check: {line}")

    assert (problem.message, problem.help[0]) == (message, step)
    assert problem.edit is not None
    row = problem.span.line.text
    mended = row[: problem.edit.span.start] + problem.edit.text + row[problem.edit.span.end :]
    assert not _errors(f"rubric: A\ncriterion: X\n{mended}"), mended


@pytest.mark.parametrize(
    ("name", "marks"),
    [
        ("rbp_residual", "full marks at 0, no marks at 1"),
        ("rbp_residual@10", "full marks at 0, no marks at 1"),
        ("latency", "full marks at 2 seconds, no marks at 10 seconds"),
        ("cost", "full marks at 0.01 dollars, no marks at 0.1 dollars"),
        ("number of results", "full marks at 5, no marks at 0"),
        ("citations", "full marks at 3, no marks at 0"),
        ("tool calls", "full marks at 2, no marks at 10"),
    ],
)
def test_the_example_marks_make_sense_for_the_number(name: str, marks: str) -> None:
    """21d: a residual lies between 0 and 1, and many results are better than none."""
    problem = _about(f"measure: {name}")

    assert (problem.code, problem.help) == ("R426", (f"write: measure: {name}, {marks}",))
    assert not _errors(f"rubric: A\ncriterion: X\n  measure: {name}, {marks}")


def test_a_used_file_with_mistakes_is_one_message() -> None:
    """21e: no message inside a message, and the place is the deepest one, where something can be mended."""
    files = {
        "a.rubric": 'library: A\nuse: everything from "b.rubric"',
        "b.rubric": "library: B\nwieght: 3\nmust: M\n  check: answer is empty",
    }
    (problem,) = _errors('rubric: R\nuse: everything from "a.rubric"', files)

    assert (problem.code, problem.message) == ("R309", "a.rubric has mistakes of its own")
    assert problem.help == (
        'b.rubric:2:1: I don\'t know the keyword "wieght"',
        "mend it first: assay rubric check b.rubric",
    )
    assert str(problem).count("[R") == 1


def test_a_file_that_uses_itself() -> None:
    """21e: the circle is named without the way that led to it."""
    files = {"self.rubric": 'library: A\nuse: everything from "self.rubric"'}
    (problem,) = _errors('rubric: R\nuse: everything from "self.rubric"', files)

    assert problem.help[0] == "self.rubric:2:22: These files use each other in a circle: self.rubric -> self.rubric"


def test_no_version_is_said() -> None:
    """21f: a hint, because scores of a rubric without a version cannot be told apart from later ones."""
    text = "rubric: A\n{}criterion: X\n  measure: ap\nverdict: x otherwise\n"
    (hint,) = read(text.format("")).problems

    assert (hint.code, hint.severity, hint.help[0]) == ("R214", Severity.HINT, "write under it: version: 1")
    assert not read(text.format("version: 1\n")).problems
    assert not read("# ok R214: a draft\n" + text.format("")).problems


_DECLARE = "if your team records it about each question, declare it near the top:\nfield: "


@pytest.mark.parametrize(
    ("line", "steps"),
    [
        ("measure: ncdg@5", ("write: ndcg@5", f"{_DECLARE}ncdg@5 is a number")),
        ("check: ncdg@5 is at least 0.5", ("write: ndcg@5", f"{_DECLARE}ncdg@5 is a number")),
        ("check: catgory is returns", ("write: category", f"{_DECLARE}catgory is one of returns, ...")),
        ("measure: simlarity", ("write: similarity", f"{_DECLARE}simlarity is a number")),
        ("check: customer tier is gold", (f"{_DECLARE}customer tier is one of gold, ...",)),
        ("check: customer tier is not gold", (f"{_DECLARE}customer tier is one of gold, ...",)),
        ("check: customer tier is at least 2", (f"{_DECLARE}customer tier is a number",)),
        ("check: customer tier is given", (f"{_DECLARE}customer tier is text",)),
    ],
)
def test_an_unknown_name_gets_advice_that_works(line: str, steps: tuple[str, ...]) -> None:
    """21g: a field of one's own is declared as what the line takes it for."""
    problem = _about(line)

    assert (problem.code, problem.help[-len(steps) :]) == ("R305", steps)
    declared = f"rubric: A\n{steps[-1].partition(chr(10))[2].replace('...', 'other')}\ncriterion: X\n  {line}\n"
    marks = ", full marks at 1, no marks at 0" if line.startswith("measure") else ""
    assert not _errors(declared.rstrip() + marks), declared


@pytest.mark.parametrize("weights", ["weight: 50%|weight: 40%", "weight: 50%|weight: 2", "weight: 0|weight: 0"])
def test_the_whole_is_called_this_rubric(weights: str) -> None:
    """21h: "rubric" in quotes looks like the name of something."""
    one, other = weights.split("|")
    (problem,) = _errors(f"rubric: A\ncriterion: X\n  {one}\n  measure: ap\ncriterion: Y\n  {other}\n  measure: rr")

    assert " in this rubric " in problem.message + " "
    assert '"rubric"' not in problem.message


@pytest.mark.parametrize(
    ("row", "code", "column"),
    [
        ("  wieght: -3", "R402", 11),
        ("  weigt: -3", "R402", 10),
        ("  weight  -3", "R402", 11),
        ("  passing score: 75", "R401", 18),
    ],
)
def test_a_mended_keyword_is_quoted_as_it_stands_in_the_file(row: str, code: str, column: int) -> None:
    """21i: both messages of a line show the line, and their columns are those of the file."""
    problems = _errors(f"rubric: A\ncriterion: X\n  measure: ap\n{row}")

    assert [problem.span.line.text for problem in problems] == [row] * 2
    assert (problems[1].code, problems[1].span.start + 1) == (code, column)
    assert f"4 | {row}\n" in str(problems[1])


def test_two_groups_of_one_name_do_not_wait_for_each_other() -> None:
    shared = "library: L\ngroup: Form\n  criterion: B\n    check: answer is not empty\n"
    text = 'rubric: A\ngroup: Form\n  criterion: C\n    check: answer is empty\nuse: everything from "l.rubric"\n'

    assert [problem.code for problem in rubric.read(text, "a.rubric", lambda _: shared).errors] == ["R301"]
