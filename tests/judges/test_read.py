"""Every odd reply of a judge is a vote that says what was wrong, and never a number that somebody made of it."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.judges.problems import SENTENCES, VoteProblem
from engine.judges.read import LONGEST_REASON, read
from engine.model.grade import Vote
from engine.model.usage import Usage
from engine.providers.dialect import Finish, ModelReply
from engine.rubric.fold import fold
from engine.rubric.syntax import YES_NO, Level, Panel, Question, Scale
from engine.rubric.votes import score_of
from tests.judges.build import questionnaire

_ASKED = questionnaire(
    "define scale: quality\n| good | 1 | a |\n| poor | 0 | b |\n"
    "criterion: Tone\n  ask: How?\n  scale: quality\n"
    "criterion: Depth\n  ask: How deep?\n  scale: 0 to 5\n  allow n/a: yes\n"
)
_QUESTIONS: dict[str, Question] = {"q1": _ASKED.questions["tone"], "q2": _ASKED.questions["depth"]}
_GOOD = '{"q1": {"reason": "warm", "said": "good"}, "q2": {"reason": "deep", "said": 4}}'


def _read(text: str, finish: Finish = Finish.STOP) -> dict[str, Vote]:
    return read(ModelReply(text, finish, Usage(), "m-1"), _QUESTIONS, "llm")


def _depth(said: str) -> Vote:
    found = _read(f'{{"q1": {{"reason": "r", "said": "good"}}, "q2": {{"reason": "r", "said": {said}}}}}')
    assert found["tone"].said == "good"
    return found["depth"]


def test_a_whole_answer() -> None:
    assert _read(_GOOD) == {
        "tone": Vote("good", "llm", "m-1", "warm"),
        "depth": Vote(4, "llm", "m-1", "deep"),
    }


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{_GOOD}\n```",
        f"```\n{_GOOD}\n```",
        f"Here it is:\n```json\n{_GOOD}\n```\nThat is all.",
        f"\n\n  {_GOOD}  \n",
        '{"q2": {"said": 4, "reason": "deep"}, "q1": {"said": " GOOD ", "reason": "warm"}}',
    ],
)
def test_a_fence_and_another_order_do_not_matter(text: str) -> None:
    found = _read(text)

    assert (found["tone"].said, found["depth"].said) == ("good", 4)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        ('{"verdict":"pass","why":"the ans', "truncated"),  # F27
        (_GOOD[:-1], "truncated"),
        (f"```json\n{_GOOD[:-20]}", "truncated"),
        ("I would say good.", "not_json"),
        (f"{_GOOD} I hope this helps.", "not_json"),
        (f"Sure! {_GOOD}", "not_json"),
        ("[1, 2]", "not_json"),
        ("4", "not_json"),
        ('{"q1": }', "not_json"),
        ("{'q1': 1}", "not_json"),
        ('{"q1": ' + "9" * 5_000 + "}", "not_json"),
        ("[" * 100_000, "not_json"),
        ('{"a":' * 100_000, "not_json"),
        (f"{_GOOD}\n{_GOOD}", "several_objects"),
        (f"```json\n{_GOOD}\n```\n```json\n{_GOOD}\n```", "several_objects"),
        (f"```json\n{_GOOD}\n```\n{_GOOD}", "several_objects"),
        (_GOOD[:-1] + ', "q3": {"reason": "r", "said": "good"}}', "extra"),
        (_GOOD[:-1] + ', "overall": "good"}', "extra"),
    ],
)
def test_a_reply_that_is_none_gives_no_vote_at_all(text: str, problem: str) -> None:
    found = _read(text)

    assert {vote.problem for vote in found.values()} == {problem}
    assert all(vote.said is None and vote.reason == SENTENCES[VoteProblem(problem)] for vote in found.values())
    assert found.keys() == {"tone", "depth"}


def test_a_reply_that_was_cut_or_refused_is_never_read() -> None:
    assert {vote.problem for vote in _read(_GOOD, Finish.LENGTH).values()} == {"truncated"}
    assert {vote.problem for vote in _read(_GOOD, Finish.REFUSED).values()} == {"refused"}


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("7e30", "out_of_range"),
        ("-1", "out_of_range"),
        ("5.01", "out_of_range"),
        ("1e999", "out_of_range"),
        ('"8/10"', "not_a_number"),
        ('"0,7"', "not_a_number"),
        ('"4"', "not_a_number"),
        ("true", "not_a_number"),
        ("null", "not_a_number"),
        ("NaN", "not_a_number"),
        ("[4]", "not_a_number"),
        ("Infinity", "out_of_range"),
    ],
)
def test_absurd_numbers_are_never_clamped(said: str, problem: str) -> None:
    """F29, on a scale from 0 to 5."""
    vote = _depth(said)

    assert (vote.said, vote.problem) == (None, problem)


def test_both_ends_of_a_scale_and_does_not_apply_are_on_it() -> None:
    assert [_depth(said).said for said in ("0", "5", "5.0", "2.5", '"N/A"')] == [0, 5, 5.0, 2.5, "n/a"]


@pytest.mark.parametrize("said", ['"great"', '"good."', '"n/a"', "1", "true", "null", '["good"]', '""'])
def test_what_is_not_a_label_is_off_the_menu(said: str) -> None:
    found = _read(f'{{"q1": {{"reason": "r", "said": {said}}}, "q2": {{"reason": "r", "said": 1}}}}')

    assert (found["tone"].said, found["tone"].problem, found["depth"].said) == (None, "off_menu", 1)


@pytest.mark.parametrize(
    ("member", "problem"),
    [
        ("", "missing"),  # F33: fewer verdicts than questions
        ('"q2": 4', "missing"),
        ('"q2": null', "missing"),
        ('"q2": {"said": 4}', "missing"),
        ('"q2": {"reason": "r"}', "missing"),
        ('"q2": {"reason": 3, "said": 4}', "missing"),
        ('"q2": {"reason": "r", "said": 4, "sure": 1}', "extra"),
        ('"q2": {"reason": "r", "said": 4, "said": 5}', "twice"),
        ('"q2": {"reason": "r", "said": 4}, "q2": {"reason": "r", "said": 5}', "twice"),
    ],
)
def test_one_bad_part_costs_one_question(member: str, problem: str) -> None:
    found = _read('{"q1": {"reason": "r", "said": "good"}' + (f", {member}" if member else "") + "}")

    assert (found["tone"].said, found["depth"].said, found["depth"].problem) == ("good", None, problem)


def test_a_reason_is_one_safe_line_of_bearable_length() -> None:
    reason = "a\n\x1b[31mred\u202e\ud800" + "x" * 10_000
    found = _read(json.dumps({"q1": {"reason": reason, "said": "good"}, "q2": {"reason": "", "said": 1}}))

    assert found["tone"].said == "good"
    assert len(found["tone"].reason) <= LONGEST_REASON
    assert found["tone"].reason.isprintable()
    assert found["tone"].reason.encode()
    assert found["depth"] == Vote(1, "llm", "m-1", "")


@given(st.integers(0, len(_GOOD) - 1))
def test_no_beginning_of_an_answer_is_an_answer(cut: int) -> None:
    found = _read(_GOOD[:cut])

    assert all(vote.said is None and vote.problem in ("truncated", "empty") for vote in found.values())


@given(st.text(), st.text(max_size=5).filter(lambda said: fold(said) != "n/a"))
def test_nothing_that_is_said_breaks_the_reading(text: str, said: str) -> None:
    for found in (_read(text), _read("{" + text), {"depth": _depth(json.dumps(said)), "tone": Vote(None, problem="x")}):
        assert found.keys() == {"tone", "depth"}
        assert all(vote.said is None and vote.problem for vote in found.values())


_SCALES = st.sampled_from(
    [
        YES_NO,
        Scale("p", low=Decimal(1), high=Decimal(5)),
        Scale("n", (Level("High", Decimal(1)), Level("n/a", None), Level("très bas", Decimal(0)))),
    ]
)
_SAID = st.one_of(
    st.sampled_from(["yes", " NO ", "high", "TRÈS BAS", "n/a", "N/A", 1, 5, 5.0, 6, 0.999, True, None, float("nan")]),
    st.text(max_size=4),
    st.floats(),
    st.integers(),
)


@given(_SCALES, st.booleans(), _SAID)
def test_what_is_read_is_what_can_be_settled(scale: Scale, skippable: bool, said: str | float | None) -> None:
    """Reading a reply and settling a vote never differ about what is on a scale."""
    question = Question("a", "a", "Is it?", scale, Panel(), skippable)
    reply = ModelReply(json.dumps({"q1": {"reason": "r", "said": said}}), Finish.STOP, Usage())
    vote = read(reply, {"q1": question})["a"]

    assert (vote.said is not None) is (score_of(scale, skippable)(said) is not None)
    assert vote.said is None or score_of(scale, skippable)(vote.said) == score_of(scale, skippable)(said)
