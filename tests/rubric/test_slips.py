"""What beginners write, and that following the offered fix makes a line that reads."""

import pytest

from engine import rubric
from engine.rubric.diagnostic import Diagnostic, Severity
from tests.rubric.build import read

HEAD = "rubric: A\nversion: 1\ncriterion: X\n  {}\n"


def _problem(line: str) -> Diagnostic:
    """The one problem of a line under a criterion that nothing else is wrong with."""
    key = line.partition(":")[0].strip(" -*#1.").casefold()
    more = "" if key in ("check", "measure", "ask") else "  measure: ap\n"
    problems = [
        problem
        for problem in read(HEAD.format(line) + more).problems
        if problem.severity is not Severity.HINT and problem.code != "R211"
    ]
    assert len(problems) == 1, "\n".join(map(str, problems)) or f"accepted: {line}"
    return problems[0]


def _mended(problem: Diagnostic) -> str:
    assert problem.edit is not None, str(problem)
    span, row = problem.edit.span, problem.edit.span.line.text
    return (row[: span.start] + problem.edit.text + row[span.end :]).strip()


@pytest.mark.parametrize(
    ("line", "code", "mended"),
    [
        # modal verbs
        ("only when: category should be x", "R117", "only when: category is x"),
        ("only when: category must not be x", "R117", "only when: category is not x"),
        ("check: must cite a source", "R117", "check: answer cites a source"),
        ("check: latency should be at most 2 seconds", "R117", "check: latency is at most 2 seconds"),
        # denials
        ('check: answer contains not "x"', "R116", 'check: answer does not contain "x"'),
        ("check: answer cites no sources", "R116", "check: answer does not cite sources"),
        ('check: answer contains neither "a" nor "b"', "R101", 'check: answer does not contain any of "a", "b"'),
        (
            'check: answer contains "a" but not "b"',
            "R101",
            'check: answer contains "a" and answer does not contain "b"',
        ),
        # lists
        ('check: results contain any of "x", "y"', "R113", 'check: results contain "x" or "y"'),
        (
            'check: results contain any of "x", "y" in the top 3',
            "R113",
            'check: results contain "x" in the top 3 or "y"',
        ),
        ('check: results contain all of "x", "y"', "R113", 'check: results contain "x", "y"'),
        ('check: results contain none of "x", "y"', "R113", 'check: results do not contain "x", "y"'),
        ('check: answer contains "a" and/or "b"', "R112", 'check: answer contains "a" or "b"'),
        ('check: answer contains either "a" or "b"', "R101", 'check: answer contains "a" or "b"'),
        ('check: answer contains at least one of "a", "b"', "R101", 'check: answer contains one of "a", "b"'),
        ('check: answer contains one of the following: "a", "b"', "R101", 'check: answer contains one of "a", "b"'),
        ('check: answer contains "a" & "b"', "R101", 'check: answer contains "a" and "b"'),
        # quotes
        ("check: answer contains any of a, b c", "R115", 'check: answer contains any of "a", "b c"'),
        ("check: tool find was called", "R115", 'check: tool "find" was called'),
        ("check: results contain a.md in the top 3", "R115", 'check: results contain "a.md" in the top 3'),
        ('check: answer contains the text "x"', "R101", 'check: answer contains "x"'),
        ('check: "refund" in answer', "R101", 'check: answer contains "refund"'),
        ('check: answer is "yes"', "R101", 'check: answer equals "yes"'),
        ('check: answer contains "C#" # remark', "R110", '# remark\n  check: answer contains "C#"'),
        ("check: answer contains 'a # b' # remark", "R110", "# remark\n  check: answer contains 'a # b'"),
        # numbers and units
        ("check: ndcg@10 is at least 0,5 %", "R114", "check: ndcg@10 is at least 0.5 %"),
        ("check: answer has at most 1,000 words", "R114", "check: answer has at most 1000 words"),
        ("check: answer has at most 1.000 words", "R114", "check: answer has at most 1000 words"),
        ("check: ndcg@10 is at least 80 percent", "R118", "check: ndcg@10 is at least 80%"),
        ("weight: 100 percent", "R118", "weight: 100%"),
        ("pass mark: 7 out of 10", "R118", "pass mark: 7/10"),
        ("check: answer has at most 200words", "R118", "check: answer has at most 200 words"),
        ("check: latency is at most 2s", "R118", "check: latency is at most 2 s"),
        ("check: latency < 5secs", "R118", "check: latency < 5 secs"),
        ("check: answer has a 200-word limit", "R101", "check: answer has at most 200 words"),
        # other words
        ("check: answer cites a minimum of 2 sources", "R101", "check: answer cites at least 2 sources"),
        ("check: answer is shorter than 200 words", "R101", "check: answer is less than 200 words"),
        ("check: answer has max 200 words", "R101", "check: answer has at most 200 words"),
        ("check: answer contains a source", "R101", "check: answer cites a source"),
        ("check: latency is within 2 seconds", "R101", "check: latency is at most 2 seconds"),
        # words left out
        ("check: at least two sources", "R101", "check: answer cites at least two sources"),
        ("check: at most 200 words", "R101", "check: answer has at most 200 words"),
        ("check: answer < 200 words", "R101", "check: answer has < 200 words"),
        ('check: contains "refund"', "R101", 'check: answer contains "refund"'),
        # keywords in the clothes of other formats
        ("- weight: 3", "R102", "weight: 3"),
        ("**weight:** 3", "R102", "weight: 3"),
        ("1. weight: 3", "R102", "weight: 3"),
        ("weight = 3", "R102", "weight: 3"),
        ("weight - 3", "R102", "weight: 3"),
        ("weight => 3", "R102", "weight: 3"),
        ("- name: Foo", "R102", "criterion: Foo"),
        ("criterion - Tone", "R102", "criterion: Tone"),
        ("## Criterion: Tone", "R702", "Criterion: Tone"),
        ("The answer must cite at least two sources.", "R103", "check: The answer cites at least two sources."),
        # slips of the finger
        ("only when: category is noot orders", "R101", "only when: category is not orders"),
        ("check: latency iss at most 2 seconds", "R101", "check: latency is at most 2 seconds"),
        ("check: answer cites at at least 2 sources", "R101", "check: answer cites at least 2 sources"),
    ],
)
def test_the_fix_says_what_was_meant(line: str, code: str, mended: str) -> None:
    if line.startswith(("- name", "criterion", "**criterion")):
        (problem,) = [each for each in read(HEAD.format(line)).errors if each.code != "R210"]
    else:
        problem = _problem(line)

    assert (problem.code, _mended(problem)) == (code, mended)
    if not mended.casefold().startswith("criterion"):
        more = "" if mended.startswith("check") else "  measure: ap\n"
        again = [each.code for each in read(HEAD.format(mended) + more).errors]
        assert again in ([], ["R211"])


@pytest.mark.parametrize(
    ("line", "code", "step"),
    [
        ("check: answer cites 2 sources", "R101", "write: check: answer cites at least 2 sources"),
        ("check: answer has 200 words", "R101", "write: check: answer has at least 200 words"),
        ("check: number of results is at least 1,000", "R114", "for a thousand and more write 1000"),
        ("check: if intent is lookup then answer cites a source", "R101", "write: only when: intent is lookup"),
        ("ask: Is it polite? scale: yes or no", "R101", "write on the next line: scale: yes or no"),
        ('check: answer contains the following: "a", "b"', "R113", 'write: contains any of "a", ...'),
    ],
)
def test_what_can_be_read_in_two_ways_is_asked(line: str, code: str, step: str) -> None:
    problem = _problem(line)

    assert (problem.code, problem.help[0]) == (code, step)


def test_two_lines_on_one() -> None:
    """A weight in the title would be read by nobody."""
    text = "rubric: A\nversion: 1\ncriterion: Tone weight: 3\n  measure: ap\nverdict: x otherwise\n"
    (problem,) = read(text).errors

    assert problem.help == ("write on the next line: weight: 3",)
    assert not read(text.replace("weight: 3", '"weight: 3"')).errors


@pytest.mark.parametrize(
    "line",
    [
        'check: answer doesn\'t contain "x"',
        "check: answer cites ≥2 sources",
        "check: answer cites minimum 2 sources",
        "check: The answer has no more than 200 words.",
        'check: results contains "a.md"',
        "weight:3.\n  measure: ap",
        "Weight： 3\n  measure: ap",
        "ask: Is the pass mark: 0.5 named in the answer?",
        "good example: weight: 3 scale: x\n  ask: Is it?",
    ],
)
def test_what_is_clear_is_accepted(line: str) -> None:
    assert not read(HEAD.format(line) + "verdict: x otherwise\n").errors


@pytest.mark.parametrize("item", ["Result: shown as a table", "Note: the price", "Check: both numbers add up"])
def test_items_may_begin_like_keywords(item: str) -> None:
    assert not read(f"rubric: A\nversion: 1\nchecklist: Facts\n  - {item}\n  - [vital] Another\n").errors


def test_one_mended_line_is_read_on() -> None:
    """The rest of the file knows what the line was meant to say."""
    text = (
        "rubric: A\nversion: 1\nfield: tier is onee of gold, silver\ncriterion: X\n  weight: 60%\n"
        "  only when: tier is gold\n  measure: ap\ncriterion: Y\n  weight: 40%\n  check: answer citess a source\n"
    )

    assert [problem.code for problem in read(text).errors] == ["R101", "R101"]


class _Shelf:
    """Files that can be listed."""

    def __init__(self, **files: str) -> None:
        self.files = {name.replace("__", "/") + ".rubric": text for name, text in files.items()}

    def __call__(self, path: str, /) -> str | None:
        return self.files.get(path)

    def names(self) -> list[str]:
        return list(self.files)


LIBRARY = "library: House\nversion: 1\ndefine scale: tone\n  | kind | 1 | x |\n  | rude | 0 | y |\n"


@pytest.mark.parametrize("path", ["team/hosue.rubric", "house.rubric", "team/house", "house", "Team/House.rubric"])
def test_a_wrong_path_gets_the_file_that_was_meant(path: str) -> None:
    text = f'rubric: A\nversion: 1\nuse: [tone] from "{path}"\ncriterion: X\n  ask: Is it?\n  scale: tone\n'
    (problem,) = rubric.read(text, "a.rubric", _Shelf(team__house=LIBRARY, other="")).errors

    assert (problem.code, problem.label) == ("R309", 'did you mean "team/house.rubric"?')
    assert not rubric.read(text.replace(path, "team/house.rubric"), "a.rubric", _Shelf(team__house=LIBRARY)).errors


def test_few_files_are_listed_when_none_is_close() -> None:
    text = 'rubric: A\nversion: 1\nuse: everything from "zzz.rubric"\ncriterion: X\n  measure: ap\n'
    (problem,) = rubric.read(text, "a.rubric", _Shelf(team__house=LIBRARY)).errors

    assert problem.help[-1] == "there is: team/house.rubric"


def test_a_name_that_was_meant_in_a_used_file_is_taken() -> None:
    """One slip, one message: the scale that was meant is there for the lines below."""
    text = 'rubric: A\nversion: 1\nuse: [tonne] from "house.rubric"\ncriterion: X\n  ask: Is it?\n  scale: tone\n'
    problems = rubric.read(text, "a.rubric", _Shelf(house=LIBRARY)).errors

    assert [problem.code for problem in problems] == ["R310"]


@pytest.mark.parametrize(
    ("line", "mended"),
    [
        ('check: tool "find" was called twice', 'check: tool "find" was called exactly 2 times'),
        ('check: tool "find" was called only once', 'check: tool "find" was called exactly 1 time'),
        ("check: answer does not have more than 9 words", "check: answer has at most 9 words"),
        ("check: answer doesn't have fewer than 9 words", "check: answer has at least 9 words"),
    ],
)
def test_other_words_for_how_many(line: str, mended: str) -> None:
    assert (_problem(line).code, _mended(_problem(line))) == ("R101", mended)


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ('check: answer does not start with "Sure"', 'check: answer starts with "Sure"'),
        ('check: the answer doesn\'t have the word "cat"', 'check: answer has the word "cat"'),
        ('check: answer does not end with "?" and answer contains "a and b"', 'check: answer ends with "?"'),
        ('check: answer never equals "a or b".', 'check: answer equals "a or b"'),
    ],
)
def test_a_check_that_cannot_be_denied_is_turned_round_by_its_heading(line: str, written: str) -> None:
    problem = _problem(line)

    assert (problem.code, problem.edit) == ("R116", None)  # no edit: in its place it would mean the opposite
    assert problem.help[-1] == f"and write under it: {written}"
    assert read(f"rubric: A\nversion: 1\nmust not: X\n  {written}\n").rubric is not None


@pytest.mark.parametrize(
    "line",
    [
        "measure: words, full marks at 200, no marks at 400",
        "measure: word count",
        "measure: number of words",
        "measure: length, full marks at 200 words, no marks at 400 words",
        "measure: the answer's length",
        "check: length is at most 200",
    ],
)
def test_how_long_an_answer_is_is_checked(line: str) -> None:
    """Not "did you mean word?" for words, and "did you mean words?" for word."""
    problem = _problem(line)

    assert (problem.code, problem.edit) == ("R305", None)
    assert problem.help == ("write, for example: check: answer has at most 200 words",)


@pytest.mark.parametrize("value", ["", ".", " ."])
def test_a_full_stop_is_no_value(value: str) -> None:
    (problem,) = read(f"rubric: R\nversion:{value}\ncriterion: A\n  ask: Is it?\n").errors

    assert (problem.code, problem.message) == ("R118", "Nothing stands after version:")
    assert problem.span.start < problem.span.end
