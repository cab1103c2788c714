"""Worked cases: read strictly, refused when they do not fit their rubric, and compared as precisely as written."""

from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.model.exchange import ToolCall
from engine.model.rubric_case import Case, Expected, Standing
from engine.rubric.case_fit import misfits
from engine.rubric.cases import Difference, tried
from engine.rubric.example_runs import examples
from engine.store.rubric_cases import CaseFile, read_cases
from tests.rubric import build

RUBRIC = """\
rubric: Test
version: 1
field: customer tier is one of standard, gold
field: pages is a number
define scale: quality
  | good | 1.0 | Just right |
  | okay | 0.7 | Usable |
  | bad  | 0.0 | Useless |
must: Cites
  check: answer cites a source
group: Content
  weight: 3
  criterion: Helps
    ask: How far does it help?
    scale: quality
  criterion: Short
    check: answer has at most 5 words
    good example: Yes.
    bad example: One two three four five six.
end group: Content
criterion: Offers a person
  only when: customer tier is gold
  check: answer contains "call"
criterion: Fluent
  ask: How fluent is it?
  scale: quality
  allow n/a: yes
info: Tokens
  measure: tokens, full marks at 100, no marks at 1000
penalty: Waffles
  check: answer contains "basically"
  good example: Thirty days.
  bad example: Basically thirty days.
verdict: pass when score is at least 0.75
verdict: fail otherwise
"""

OPEN, SKIPPED = Standing.UNGRADED, Standing.NOT_APPLICABLE


def cases_of(folder: Path, text: str) -> CaseFile:
    """What a file of cases says."""
    path = folder / "test.cases.yaml"
    path.write_text(text, "utf-8")
    return read_cases(path, "test.cases.yaml")


def problems_of(folder: Path, text: str) -> list[str]:
    """What is wrong with a file of cases: `line:column: message → help`."""
    with pytest.raises(UsageError) as caught:
        cases_of(folder, text)
    return [f"{p.place.removeprefix('test.cases.yaml:')}: {p.message} → {p.help}" for p in caught.value.problems]


def case(
    votes: dict[str, build.Said] | None = None, expected: Expected | None = None, text: str = "It takes thirty days."
) -> Case:
    """A case whose answer cites a source."""
    exchange = build.exchange(text, cites=("a.md",), fields={"customer tier": "standard"})
    return Case("a case", exchange, build.votes(votes or {}), expected or Expected("pass"))


def test_a_case_says_everything_that_an_exchange_can_hold(tmp_path: Path) -> None:
    found = cases_of(
        tmp_path,
        """\
schema: assay.rubric-cases/1
version: 1.2.0
about: why this file is here
cases:
  - name: everything
    about: why this case is here
    query: How long?
    intent: lookup
    category: concept
    task_context: at the till
    fields: {customer tier: gold, pages: 2}
    expected_answer: Thirty days.
    relevant: {a.md: 3}
    answer: ""
    results: [a.md, {source: b.md, title: B, snippet: about b, score: 0.5}]
    citations: []
    tools: [look, {name: act, arguments: {id: A1, amount: 3}}]
    latency_s: 1.5
    cost_usd: 0.02
    numbers: {tokens: 120}
    votes: {content/helps: yes, fluent: [2, n/a]}
    expect: {verdict: pass, score: 0.8, criteria: {cites: pass, fluent: Not-Applicable}}
""",
    )
    (only,) = found.cases
    query, answer = only.exchange.query, only.exchange.answer
    assert (query.text, query.intent, query.category, query.task_context) == (
        "How long?", "lookup", "concept", "at the till",
    )  # fmt: skip
    assert query.fields == {"customer tier": "gold", "pages": 2.0}
    assert (query.expected_answer, query.relevant) == ("Thirty days.", {"a.md": 3.0})
    assert answer.text == ""
    assert answer.hits is not None
    assert [(hit.rank, hit.source, hit.title, hit.score) for hit in answer.hits] == [
        (1, "a.md", "", None), (2, "b.md", "B", 0.5),
    ]  # fmt: skip
    assert answer.citations == ()
    assert answer.tool_calls == (ToolCall("look"), ToolCall("act", {"id": "A1", "amount": "3"}))
    assert (only.exchange.latency_s, only.exchange.cost_usd, answer.numbers) == (1.5, 0.02, {"tokens": 120.0})
    assert {name: [vote.said for vote in votes] for name, votes in only.votes.items()} == {
        "content/helps": ["yes"], "fluent": [2.0, "n/a"],
    }  # fmt: skip
    assert only.expected == Expected("pass", 0.8, {"cites": Standing.PASSES, "fluent": Standing.NOT_APPLICABLE})
    assert found.version == "1.2.0"
    assert found.at(0, ("votes", "fluent")) == "test.cases.yaml:21:33"


def test_what_is_not_given_was_not_recorded(tmp_path: Path) -> None:
    (only,) = cases_of(tmp_path, "cases:\n  - name: bare\n    expect: {verdict: ungraded}\n").cases
    exchange = only.exchange
    assert (exchange.answer.text, exchange.answer.hits, exchange.answer.citations) == (None, None, None)
    assert (exchange.answer.tool_calls, exchange.latency_s, exchange.cost_usd) == (None, None, None)
    assert (exchange.query.relevant, exchange.query.expected_answer) == (None, None)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("anwser: x", '3:5: "anwser" is not a field of a case → did you mean "answer"?'),
        ("latency: 2", '3:5: "latency" is not a field of a case → did you mean "latency_s"?'),
        ("answer: 42", "3:13: answer: must be text, not 42 → write it in quotes if it is text"),
        ("answer: yes", "3:13: answer: other tools read this as True → write it in quotes if it is text"),
        ("citations: a.md", '3:16: citations: must be a list, not "a.md" → for example citations: [a, b]'),
        ("results: [a, a]", '3:18: results: "a" is in the list twice → '),
        ("results: [{sorce: a}]", '3:16: "sorce" is not a field of a result → did you mean "source"?'),
        ("tools: [{name: a, args: {}}]", '3:23: "args" is not a field of a tool call → did you mean "arguments"?'),
        ("cost_usd: -1", "3:15: cost_usd: cannot be below 0 → "),
        ("latency_s: fast", '3:16: latency_s: must be a number, not "fast" → '),
        ("numbers: {tokens: true}", "3:23: numbers.tokens: must be a number, not true → "),
        ("votes: {helps: true}", "3:20: votes.helps: true is no answer of a judge → write yes or no"),
        (
            "votes: {helps: }",
            "3:20: votes.helps: must be what the judge said, not nothing → leave it out when nobody answered",
        ),
        ("votes: {helps: []}", "3:20: votes.helps: is an empty list → leave the question out when nobody answered"),
    ],
)
def test_a_slip_in_a_case_is_found_at_its_place(tmp_path: Path, line: str, problem: str) -> None:
    assert problem in problems_of(tmp_path, f"cases:\n  - name: x\n    {line}\n    expect: {{verdict: pass}}\n")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "1:1: these are no cases: the file has no fields → begin with a line: cases:"),
        ("- a", "1:1: these are no cases: the file has no fields → begin with a line: cases:"),
        ("cases: []", "1:8: cases: must be a list with at least one case → begin each case with - name:"),
        ("schema: other/1\ncases: [{name: x, expect: {score: 1}}]", '1:9: schema: "other/1" is not a format this'),
        ("version: 1.0\ncases: [{name: x, expect: {score: 1}}]", "1:10: version: 1.0 is not a version → write three"),
        ("cases: [{expect: {score: 1}}]", "1:9: name: is missing → write name: a few words"),
        ("cases: [x]", '1:9: a case has fields (name, answer, votes, expect), not "x" → '),
        ("cases: [{name: x}]", "1:9: expect: is missing → a case that expects nothing tests nothing"),
        ("cases: [{name: x, expect: {}}]", "1:27: expect: must have fields → a case that expects nothing"),
        ("cases: [{name: x, expect: {verdct: a}}]", '1:28: "verdct" is not a field of an expectation → did you mean'),
        ("cases: [{name: x, expect: {score: 75}}]", "1:35: expect.score: 75 is no score: scores run from 0 to 1"),
        ("cases: [{name: x, expect: {score: pass}}]", "1:35: expect.score: is a number, ungraded or not applicable"),
        (
            "cases: [{name: x, expect: {criteria: {a: pas}}}]",
            '"pas" is nothing a criterion can come to → did you mean "pass"?',
        ),
        (
            "cases: [{name: x, expect: {score: 1}}, {name: x, expect: {score: 1}}]",
            'a case called "x" is there already, at test.cases.yaml:1:16 → give each case a name of its own',
        ),
    ],
)
def test_a_file_that_could_test_nothing_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    assert any(problem in found for found in problems_of(tmp_path, text)), problems_of(tmp_path, text)


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_cases(tmp_path / "none.cases.yaml")
    (tmp_path / "x.cases.yaml").write_bytes(b"cases: \xff")
    with pytest.raises(UsageError):
        read_cases(tmp_path / "x.cases.yaml")


@pytest.mark.parametrize(
    ("what", "steps", "message"),
    [
        (case({"helps": "good"}), ("votes", "helps"), 'no question with the id "helps"|did you mean "content/helps"?'),
        (case({"Fluent": "good"}), ("votes", "Fluent"), 'no question with the id "Fluent"|did you mean "fluent"?'),
        (case({"cites": "yes"}), ("votes", "cites"), 'the id "cites": nobody is asked about it|'),
        (case({"content/helps": "goood"}), ("votes", "content/helps"), '"goood" is not on the scale|mean "good"?'),
        (case({"content/helps": 3}), ("votes", "content/helps"), '"3" is not on the scale|it can be: good, okay, bad'),
        (case({"content/helps": "n/a"}), ("votes", "content/helps"), '"n/a" is not on the scale|'),
        (case(expected=Expected("passs")), ("expect", "verdict"), 'no verdict "passs"|did you mean "pass"?'),
        (
            case(expected=Expected(criteria={"short": Standing.PASSES})),
            ("expect", "criteria", "short"),
            'no criterion with the id "short"|did you mean "content/short"?',
        ),
        (
            case(expected=Expected(criteria={"waffles": Standing.FAILS})),
            ("expect", "criteria", "waffles"),
            "has no pass mark|expect its score",
        ),
    ],
)
def test_what_the_rubric_has_no_place_for_is_refused(what: Case, steps: tuple[str, ...], message: str) -> None:
    (found,) = misfits(what, build.grader(RUBRIC))
    assert found.steps == steps
    said, help_ = message.split("|")
    assert said in found.message
    assert help_ in found.help


@pytest.mark.parametrize(
    ("fields", "numbers", "steps", "help_"),
    [
        ({"tier": "gold"}, {}, ("fields", "tier"), "there is: customer tier, pages"),
        ({"customer tier": "golden"}, {}, ("fields", "customer tier"), 'did you mean "gold"?'),
        ({"pages": "many"}, {}, ("fields", "pages"), "write it without quotes"),
        ({}, {"tokns": 3.0}, ("numbers", "tokns"), 'did you mean "tokens"?'),
        ({}, {"latency": 3.0}, ("numbers", "latency"), "write latency_s: 1.5"),
    ],
)
def test_fields_and_numbers_that_nothing_reads_are_refused(
    fields: dict[str, str | float], numbers: dict[str, float], steps: tuple[str, ...], help_: str
) -> None:
    what = Case("x", build.exchange("a", fields=fields, numbers=numbers), {}, Expected("pass"))
    (found,) = misfits(what, build.grader(RUBRIC))
    assert (found.steps, found.help) == (steps, help_)


def test_a_rubric_without_verdicts_can_be_expected_to_give_none() -> None:
    grader = build.grader("criterion: A\n  check: answer is empty")
    (found,) = misfits(Case("x", build.exchange(""), {}, Expected("pass")), grader)
    assert found.message == "this rubric gives no verdict"


def test_a_case_that_fits_has_no_misfits() -> None:
    assert misfits(case({"content/helps": "GOOD", "fluent": "n/a"}), build.grader(RUBRIC)) == ()


@pytest.mark.parametrize(
    ("votes", "expected", "differences"),
    [
        ({"content/helps": "good", "fluent": "good"}, Expected("pass", 1.0), []),
        ({"content/helps": "good", "fluent": "good"}, Expected("fail"), [("verdict", "fail", "pass")]),
        ({"content/helps": "okay", "fluent": "good"}, Expected(score=0.89), []),  # 0.8875
        ({"content/helps": "okay", "fluent": "good"}, Expected(score=0.8875), []),
        ({"content/helps": "okay", "fluent": "good"}, Expected(score=0.88), [("score", "0.88", "0.8875")]),
        ({"content/helps": "okay", "fluent": "good"}, Expected(score=1), [("score", "1", "0.8875")]),
        ({}, Expected("ungraded", Standing.UNGRADED), []),
        ({}, Expected("pass"), [("verdict", "pass", "ungraded (it could still be pass or fail)")]),
        ({}, Expected(score=0.0), [("score", "0", "ungraded, between 0.375 and 1")]),
        ({"fluent": "n/a"}, Expected(criteria={"fluent": SKIPPED}), []),
        ({"fluent": "good"}, Expected(criteria={"fluent": SKIPPED}), [("fluent", "not applicable", "1")]),
        ({}, Expected(criteria={"offers-a-person": OPEN}), [("offers-a-person", "ungraded", "not applicable")]),
        ({}, Expected(criteria={"cites": Standing.FAILS}), [("cites", "fail", "pass")]),
        ({}, Expected(criteria={"cites": 1.0, "content/short": Standing.PASSES, "waffles": 0.0}), []),
    ],
)  # fmt: skip
def test_what_comes_out_is_compared_with_what_was_expected(
    votes: dict[str, build.Said], expected: Expected, differences: list[tuple[str, str, str]]
) -> None:
    found = tried(case(votes, expected), build.grader(RUBRIC))
    assert list(found.differences) == [Difference(*each) for each in differences]
    assert found.passed is (not differences)


@pytest.mark.parametrize(
    ("what", "decided"),
    [
        (case({"content/helps": "bad", "fluent": "okay"}), "[Helps] is 0: judged bad"),
        (case({"content/helps": "good", "fluent": "good"}), "nothing takes marks away"),
        (case({"fluent": "good"}), "[Helps] is ungraded: nobody answered this question yet (no judge)"),
        (
            case({"content/helps": "good", "fluent": "good"}, text="Basically thirty days."),
            '[Waffles] is 1: answer contains "basically"',
        ),
        (
            Case("x", build.exchange("a", cites=()), {}, Expected("fail")),
            "[Cites] fails: not so: answer cites a source",
        ),
    ],
)
def test_the_criterion_that_decided_is_named(what: Case, decided: str) -> None:
    assert tried(what, build.grader(RUBRIC)).decided == decided


def test_the_heavier_criterion_decides_when_both_are_at_nothing() -> None:
    grader = build.grader(
        'criterion: Light\n  weight: 1\n  check: answer contains "a"\n'
        'criterion: Heavy\n  weight: 3\n  check: answer contains "b"\n'
    )
    found = tried(Case("x", build.exchange("c"), {}, Expected(score=0.0)), grader)
    assert found.decided.startswith("[Heavy] is 0")


def test_examples_are_counted_by_whether_a_computer_can_try_them() -> None:
    rubric = build.grader(
        f"{RUBRIC}criterion: Judged\n  ask: Is it good?\n  good example: Fine.\n"
        "must: Sourced\n  check: answer cites a source\n  good example: Thirty days [1].\n"
    ).rubric
    found = [(each.criterion, each.good, each.held) for each in examples(rubric)]
    assert found == [
        ("content/short", True, True),
        ("content/short", False, True),
        ("waffles", True, True),
        ("waffles", False, True),
        ("judged", True, None),
        ("sourced", True, None),
    ]
