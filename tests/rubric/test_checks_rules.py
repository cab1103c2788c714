"""What the rules find, beyond the one example that each code has; and what they rightly let be."""

import time

import pytest

from engine.rubric.diagnostic import Severity
from tests.rubric.build import read

_RANK = "criterion: Rank\n  measure: ndcg@10\n"
_TONE = (
    "criterion: Tone\n  ask: Is it friendly?\n  scale:\n  | good | 0.9 | Warm and clear |\n"
    "  | okay | 0.5 | Correct but cold |\n  | poor | 0.2 | Rude to the reader |\n"
)
_END = "verdict: bad otherwise\n"


def _codes(body: str, files: dict[str, str] | None = None) -> list[str]:
    problems = read(f"rubric: Demo\nversion: 1\n{body}", files).problems
    return [problem.code for problem in problems if problem.code not in ("R215", "R420")]


def _check(*lines: str) -> str:
    return "criterion: It\n" + "".join(f"  check: {line}\n" for line in lines)


@pytest.mark.parametrize(
    ("lines", "codes"),
    [
        (["answer contains \"refund policy\"", "answer does not contain \"REFUND\""], ["R506"]),
        (["answer contains any of \"a cat\", \"the cat\"", "answer does not contain \"cat\""], ["R506"]),
        (["answer contains any of \"a cat\", \"a dog\"", "answer does not contain \"cat\""], []),
        (["answer contains \"a\" or answer has at most 2 words", "answer does not contain \"a\"",
          "answer has at least 3 words"], ["R506"]),
        (["answer has the word \"cats\"", "answer does not contain \"cat\""], ["R506"]),
        (["answer starts with \"a\"", "answer starts with \"b\""], ["R506"]),
        (["answer starts with \"a\"", "answer starts with \"ab\""], []),
        (["answer equals \"yes\"", "answer contains \"no\""], ["R506"]),
        (["answer equals \"yes\"", "answer contains \"ye\""], []),
        (["answer is empty", "answer contains \"x\""], ["R506"]),
        (["answer is empty", "answer has at least 1 words"], ["R506"]),
        (["answer has more than 3 words", "answer has fewer than 4 words"], ["R506"]),  # nothing between 3 and 4
        (["latency is more than 3 seconds", "latency is less than 4 seconds"], []),
        (["answer cites \"a.md\"", "answer does not cite any source"], ["R506"]),
        (["tool \"x\" was called before tool \"y\"", "tool \"y\" was not called"], ["R506"]),
        (["results contain \"docs/a.md\" in the top 3", "results do not contain \"a.md\""], ["R506"]),
        (["results contain \"docs/a.md\"", "results do not contain \"a.md\" in the top 3"], []),
        (["intent is lookup", "intent is comparison"], ["R506"]),
        (["intent is lookup", "intent is not lookup"], ["R506"]),
        (["intent is missing", "intent is lookup"], ["R506"]),
        (["ndcg@10 is above 100%"], ["R506"]),
        (["answer is valid JSON", "answer is not valid JSON"], ["R506"]),
        (["answer has at least 0 words"], ["R507"]),
        (["answer cites at least 0 sources"], ["R507"]),
        (["ndcg@10 is at most 100%"], ["R507"]),
        (["answer contains \"a\" or answer does not contain \"a\""], ["R507"]),
        (["answer contains any of \"a\", \"A\""], ["R517"]),
        (["results contain \"a.md\", \"a.md\""], ["R517"]),
        (["intent is one of lookup, lookup"], ["R303"]),
    ],
)  # fmt: skip
def test_checks_of_one_criterion(lines: list[str], codes: list[str]) -> None:
    assert _codes(_check(*lines) + _END) == codes


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        # musts that exclude each other only where both apply
        (('must: A\n  check: answer contains "x"\nmust not: B\n  only when: intent is lookup\n'
         '  check: answer contains "x"\n'), []),
        (('group: G\n  only when: intent is lookup\n  must: A\n    check: answer contains "x"\n'
         'group: H\n  only when: intent is comparison\n  must not: B\n    check: answer contains "x"\n'), []),
        (('group: G\n  only when: intent is lookup\n  must: A\n    check: answer contains "x"\n'
         '  must not: B\n    check: answer contains "x"\n'), ["R505"]),
        ('must: A\n  check: answer contains "x"\ncriterion: B\n  check: answer does not contain "x"\n', []),
        ("must: A\n  check: answer has at least 10 words\nmust not: B\n  check: answer has more than 9 words\n",
         ["R505"]),
        # conditions
        ("field: kind is one of a, b\ncriterion: A\n  only when: kind is not one of a, b\n  check: answer is empty\n",
         ["R313"]),
        ("field: kind is one of a, b\ncriterion: A\n  only when: kind is one of a, b\n  check: answer is empty\n",
         ["R702"]),
        (_TONE + "criterion: A\n  only when: [Tone] is above 0.95\n  check: answer is empty\n", ["R313"]),
        (_TONE + "criterion: A\n  only when: [Tone] is above 0.85\n  check: answer is empty\n", []),
        # caps
        (_TONE + _RANK + "cap: 40% when [Tone] is below 0.1\n", ["R508"]),
        (_TONE + _RANK + "cap: 96% when [Tone] is below 0.3\n", ["R508"]),
        (_TONE + _RANK + "cap: 80% when score is below 0.5\n", ["R508"]),
        (_TONE + _RANK + "cap: 40% when [Tone] is below 0.3\ncap: 60% when [Tone] is below 0.3\n", ["R508"]),
        (_TONE + _RANK + "cap: 40% when [Tone] is below 0.3\ncap: 40% when [Tone] is below 0.3\n", ["R517"]),
        (_TONE + _RANK + "cap: 40% when [Tone] is below 0.3\n", []),
        (_TONE + _RANK + 'cap: 40% when answer contains "x"\n', ["R509"]),
        (_TONE + _RANK + "cap: 40% when ungraded\n", ["R509"]),
        # pass marks
        (_TONE + "  pass mark: 0.2\n", ["R516"]),
        (_TONE + "  pass mark: 0.91\n", ["R516"]),
        (_TONE + "  pass mark: 0.9\n", []),
        (_RANK + "  pass mark: 0\n", ["R516"]),
        (_TONE.replace("criterion:", "must not:") + "  pass mark: 0.81\n", ["R516"]),
        # groups
        ("combine: at least 3\ncriterion: A\n  check: answer is empty\ncriterion: B\n  check: answer cites a source\n",
         ["R514"]),
        ("group: G\n  combine: highest\n  " + _RANK + '  bonus: B\n    check: answer contains "x"\n', ["R511"]),
        (("group: G\n  combine: all\n  criterion: A\n    check: answer is empty\n"
         '  penalty: B\n    check: answer contains "x"\n'), ["R511"]),
        # judges
        ("judge: 2 llm\nquorum: 3\ncriterion: A\n  ask: Is it kind?\ncriterion: B\n  ask: Is it short?\n", ["R515"]),
        ("judge: 2 llm\nquorum: 3\ncriterion: A\n  ask: Is it kind?\n  judge: 3 human\n", []),
        ("quorum: 2\ngroup: G\n  criterion: A\n    ask: Is it kind?\n", ["R515"]),
        (("must: A\n  ask: Is it kind?\n  scale:\n  | yes | 1 | It is |\n  | no | 0 | It is not |\n"
         "  | no question | n/a | There is nothing to be kind about |\n"), ["R513"]),
        ("criterion: A\n  ask: Is it kind?\n  allow n/a: yes\n", []),
        # the same thing twice
        ("criterion: A\n  ask: Is it kind?\ncriterion: B\n  ask: Is it kind?\n", ["R517"]),
        ("criterion: A\n  ask: Is it kind?\n  scale: 1 to 5\ncriterion: B\n  ask: Is it kind?\n", []),
        ("criterion: A\n  check: answer is empty\npenalty: B\n  check: answer is empty\n", []),
        ("checklist: F\n  - It is free\n  - it is  free\n", ["R517"]),
        # lines without effect
        (_RANK + "info: A\n  weight: 2\n  check: answer is empty\n", ["R702"]),
        (_RANK + "penalty: A\n  pass mark: 0.5\n  check: answer is empty\n", ["R702"]),
        ("criterion: A\n  check: answer is empty\n  partial credit: yes\n", ["R702"]),
        ("criterion: A\n  ask: Is it kind?\n  combine judges: mean\n", ["R702"]),
        ("criterion: A\n  ask: Is it kind?\n  judge: 3 llm\n  combine judges: mean\n", []),
        # wording
        ("criterion: C#\n  ask: Is C# code right?\n", []),
        ("criterion: A\n  ask: Is it kind?\n  guidance: Kind to all.\n  > Or most. # ask Anna\n", ["R701"]),
        ("criterion: A\n  ask: Is it appropriate?\n", ["R607"]),
        ("criterion: A\n  ask: Is it appropriate?\n  bad example: Hey you!\n", []),
        ("criterion: A\n  ask: Is it kind?\n  scale:\n  | kind | 1 | kind |\n  | rude | 0 | Hurts somebody |\n",
         ["R611"]),
        ("criterion: A\n  ask: Does the answer contain mistakes?\n  scale: 1 to 5\n", []),
        # ids
        ("criterion: A\n  id:\n  check: answer is empty\n", ["R207"]),
        ("criterion: A\n  id: a/b\n  check: answer is empty\n", ["R207"]),
        ("criterion: A\n  id: übung_1-b\n  check: answer is empty\n", []),
    ],
)  # fmt: skip
def test_rules(body: str, codes: list[str]) -> None:
    assert _codes(body + _END) == codes


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("verdict: a when score is at least 0.91\n", ["R502"]),
        ("verdict: a when score is at least 0.9\n", []),
        ("verdict: a when score is below 0.2\n", ["R502"]),
        ("verdict: a when [Tone] is at least 0.95\n", ["R502"]),
        ("verdict: a when score is at least 0.5\nverdict: b when score is between 0.6 and 0.8\n", ["R501"]),
        (("verdict: a when score is at least 0.5\nverdict: b when score is below 0.5\n"
         "verdict: c when score is below 0.3\n"), ["R501"]),
        ("verdict: a when score is at least 0.5\nverdict: b when score is at least 0.4\n", []),
        # together with the worst possible score, these two take everything
        (("verdict: a when score is above 0.2\nverdict: b when score is at most 0.2\n"
         "verdict: c when score is at least 0.1\n"), ["R501"]),
        ("verdict: a when score is at least 0.5\nverdict: b when score is at least 0.6 and [Tone] is at least 0.9\n",
         ["R501"]),
        ("verdict: a when score is at least 0.5 and [Tone] is at least 0.9\nverdict: b when score is at least 0.6\n",
         []),
        ("verdict: a when any must fails\nverdict: b when ungraded\n", []),
        ('verdict: a when answer contains "x"\n', ["R509"]),
    ],
)  # fmt: skip
def test_verdicts(body: str, codes: list[str]) -> None:
    assert _codes(_TONE + body + _END) == codes


def test_a_wrong_scale_or_weight_silences_what_would_follow_from_it() -> None:
    """One slip, one message: a threshold is not out of reach because a score could not be read."""
    assert _codes(_TONE.replace("0.9", "9") + "verdict: a when score is at least 0.95\n" + _END) == ["R408"]
    two = _TONE + "  weight: 50%\n" + _RANK + "  weight: 40%\n"
    assert _codes(two + "verdict: a when score is at least 0.96\n" + _END) == ["R410"]


def test_a_threshold_is_compared_with_what_is_shown() -> None:
    """Two thirds are shown as 0.6667, and a score of 0.6667 is at least 0.6667."""
    part = "criterion: {0}\n  ask: {0}?\n  scale:\n  | a | {1} | All of it |\n  | b | 0.1 | None of it |\n"
    parts = "".join(part.format(name, best) for name, best in (("A", "0.5"), ("B", "0.5"), ("C", "1")))

    assert _codes(parts + "verdict: good when score is at least 0.6667\n" + _END) == []
    assert _codes(parts + "verdict: good when score is at least 0.6668\n" + _END) == ["R502"]
    group = "group: G\n  pass mark: 0.6667\n" + parts + "end group: G\n"
    assert _codes(group + "verdict: good when [G] is at least 0.6667\n" + _END) == []
    assert _codes(group + "verdict: good when [G] is at least 0.6668\n" + _END) == ["R502"]


def test_a_quorum_is_pointed_at_where_it_stands() -> None:
    text = "rubric: A\nquorum: 3\njudge: 2 llm\ngroup: G\n  criterion: B\n    ask: Is it kind?"

    assert [problem.span.place for problem in read(text).errors] == ["test.rubric:2:9"]


def test_the_place_of_a_second_text_is_the_second_one() -> None:
    problem = read('rubric: A\nversion: 1\ncriterion: B\n  check: answer contains any of "x", "y", "X"').problems[1]

    assert (problem.code, problem.span.place, problem.span.text) == ("R517", "test.rubric:4:44", "X")


def test_used_files_are_not_nagged_about() -> None:
    """A hint or a warning about a file is for the people who own it."""
    files = {"s.rubric": "library: S\nversion: 1\ncriterion: A\n  check: answer is empty\n  guidance: None needed.\n"}

    assert _codes('use: everything from "s.rubric"\n' + _END, files) == []
    whole = read(files["s.rubric"]).problems
    assert [problem.code for problem in whole] == ["R702"]


@pytest.mark.parametrize(
    "body",
    [
        "".join(f'must: M{n}\n  check: answer contains "t{n}"\n' for n in range(1_500)),
        "criterion: A\n" + "".join(f'  check: answer contains "t{n}" or answer is empty\n' for n in range(1_000)),
        "criterion: A\n  check: answer contains any of " + ", ".join(f'"t{n}"' for n in range(2_000)) + "\n",
        "criterion: A\n  check: answer contains all of " + ", ".join(f'"t{n}"' for n in range(2_000)) + "\n"
        + "  check: answer does not contain any of " + ", ".join(f'"u{n}"' for n in range(2_000)) + "\n",
        "criterion: A\n  check: answer matches /x.*y.*z/\n" + f"  bad example: {'xy ' * 300}\n" * 300,
    ],
    ids=["many-musts", "many-alternatives", "many-texts", "many-against-many", "many-examples"],
)  # fmt: skip
def test_a_puzzle_is_given_up_silently_and_soon(body: str) -> None:
    read("rubric: A\ncriterion: A\n  measure: ap")  # the grammar is built once
    started = time.process_time()

    problems = read(f"rubric: A\nversion: 1\n{body}").problems

    assert [problem for problem in problems if problem.severity is Severity.ERROR] == []
    assert time.process_time() - started < 4


@pytest.mark.parametrize(
    ("cap", "codes"),
    [
        ("cap: [Safe] at 0% when any must fails", ["R314"]),  # the must waits for the group
        ("cap: 0% when any must fails", []),
    ],
)
def test_a_cap_on_a_part_leads_back_to_it_through_every_must(cap: str, codes: list[str]) -> None:
    body = (
        'group: Safe\n  criterion: Warns\n    check: answer contains "careful"\nend group: Safe\n'
        'must: Names\n  only when: [Safe] is at least 0.5\n  check: answer contains "doctor"\n'
        f"{cap}\nverdict: good when score is at least 0.5\n{_END}"
    )
    assert _codes(body) == codes


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        ('answer contains any of " the ", "and"', ["R702"]),
        ('answer starts with "Dear "', ["R702"]),
        ('answer contains "the other"', []),
    ],
)
def test_blanks_at_the_ends_of_a_text_are_told_to_change_nothing(line: str, codes: list[str]) -> None:
    assert _codes(_check(line)) == codes


def test_a_field_is_not_called_like_a_measure() -> None:
    """A check would look at the measure."""
    assert _codes("field: latency is a number\n" + _check("latency is at most 3 seconds")) == ["R301"]
    assert _codes("field: latency wanted is a number\n" + _check("latency wanted is at most 3")) == []


@pytest.mark.parametrize(
    ("question", "codes"),
    [
        ("Does the review name the off-by-one error?", []),
        ("Does the answer point out the contradictions in the contract?", []),
        ("Does the answer contain an error?", ["R609"]),
        ("Does the answer name invented sources?", ["R609"]),
    ],
)
def test_finding_a_mistake_is_no_mistake(question: str, codes: list[str]) -> None:
    assert _codes(f"criterion: It\n  ask: {question}\n") == codes


@pytest.mark.parametrize(("value", "code"), [('"x"', "R310"), ("-3", "R310"), ("9", None), ("9 words", None)])
def test_a_value_that_a_used_file_cannot_take_is_no_mistake_of_that_file(value: str, code: str | None) -> None:
    library = "library: L\nversion: 1\nsetting: most = 5\ncriterion: Short\n  check: answer has at most {most} words\n"
    problems = read(f'rubric: A\nversion: 1\nuse: [Short] from "l.rubric" with most = {value}\n', {"l.rubric": library})

    assert [problem.code for problem in problems.errors] == ([code] if code else [])


def test_two_levels_that_a_judge_cannot_tell_apart_are_one() -> None:
    assert _codes("criterion: It\n  ask: Is it?\n  scale:\n  | It’s | 1 | So |\n  | it's | 0 | Not so |\n") == ["R414"]
