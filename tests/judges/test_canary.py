"""Examples with a known verdict, asked blindly: who fails one is named, and none of its votes counts."""

import asyncio
import json
from collections.abc import Mapping

import pytest

from engine.judges.asking import Judges
from engine.judges.canary import Canary, CanaryFailed, canaries, due, failed, spoiled
from engine.judges.task import Task
from engine.model.grade import GradeStatus, Vote
from engine.rubric.grade import compile_rubric
from tests.doubles import JustCalls
from tests.judges.build import Model, answers, judge, questionnaire
from tests.rubric.build import exchange, rubric_of

_TONE = (
    "criterion: Tone\n  ask: Is it kind?\n  show: answer\n"
    "  good example: Gladly, Ann.\n  good example: Of course.\n  bad example: No.\n"
)


def _found(text: str) -> tuple[Canary, ...]:
    return canaries(rubric_of(f"rubric: R\n{text}"))


def _asked(canary: Canary, model: Model) -> dict[str, Vote]:
    return asyncio.run(judge(model).votes(canary.task(), JustCalls()))


def test_a_canary_is_asked_as_every_answer_is_and_its_example_is_not_in_the_request() -> None:
    good, bad, other = _found(_TONE)
    model, real = Model(answers("yes")), Model(answers("yes"))
    for canary in (good, bad, other):
        _asked(canary, model)
    asyncio.run(judge(real).votes(Task(questionnaire(_TONE), ("tone",), exchange("Gladly, Ann.")), JustCalls()))

    assert [(canary.text, canary.good) for canary in (good, bad, other)] == [
        ("Gladly, Ann.", True),
        ("Of course.", True),
        ("No.", False),
    ]
    for user, canary in zip(model.users, (good, bad, other), strict=True):
        asks, _, material = user.partition("# Material")
        assert f": {canary.text}\n" not in asks
        assert asks.count("Example of") == 2
        assert canary.text in material
    assert _material(model.users[0]) == _material(real.users[0])
    assert model.asked[0]["messages"][0] == real.asked[0]["messages"][0]  # type: ignore[index]
    assert "canary" not in str(model.asked).casefold()


def _material(user: str) -> str:
    marker = user.partition("two marks that carry ")[2].partition(".")[0]
    return user.partition("# Material")[2].replace(marker, "MARK")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("criterion: A\n  ask: Is it?\n", []),
        ('criterion: A\n  check: answer contains "x"\n  good example: x\n  bad example: y\n', []),
        ("criterion: A\n  ask: Is it?\n  good example: g\n  bad example: b\n", [False]),
        ("criterion: A\n  ask: Is it?\n  show: answer\n  good example: g\n  bad example: b\n", [True, False]),
        ("criterion: A\n  ask: Is it?\n  show: question, results\n  good example: g\n  bad example: b\n", []),
    ],
)
def test_only_examples_that_can_stand_alone_are_asked(text: str, expected: list[bool]) -> None:
    assert [canary.good for canary in _found(text)] == expected


_POINTS = "criterion: A\n  ask: How?\n  scale: 1 to 5\n  show: answer\n  good example: g\n  bad example: b\n"
_SHORT = "  show: answer\n  good example: g\n  bad example: b\n"


@pytest.mark.parametrize(
    ("text", "good", "said", "wrong"),
    [
        (_TONE, True, "yes", False),
        (_TONE, True, "no", True),
        (_TONE, False, "no", False),
        (_TONE, False, "yes", True),
        (_POINTS, True, 3, False),
        (_POINTS, True, 2.9, True),
        (_POINTS, False, 3, False),
        (_POINTS, False, 5, True),
        (f"must not: A\n  ask: Is it bad?\n{_SHORT}", True, "no", False),
        (f"must not: A\n  ask: Is it bad?\n{_SHORT}", True, "yes", True),
        (f"must not: A\n  ask: Is it bad?\n{_SHORT}", False, "no", True),
        (f"penalty: A\n  ask: Is it bad?\n{_SHORT}", True, "no", False),
        (f"penalty: A\n  ask: Is it bad?\n{_SHORT}", True, "yes", True),
        (f"penalty: A\n  ask: Is it bad?\n{_SHORT}", False, "no", True),
        (f"penalty: A\n  ask: Is it bad?\n{_SHORT}", False, "yes", False),
        (f"info: A\n  ask: Is it?\n  only when: expected answer is given\n{_SHORT}", True, "no", True),
    ],
)
def test_the_expected_side(text: str, good: bool, said: str | float, wrong: bool) -> None:
    canary = next(each for each in _found(text) if each.good is good)
    found = failed(canary, {name: Vote(said, "llm") for name in canary.task().ids}, "llm")

    assert (found is not None) is wrong


def test_a_checklist_is_wrong_only_when_nothing_is_missed() -> None:
    good, bad = _found(f"checklist: F\n  - One\n  - Two\n  - Three\n{_SHORT}")
    some = {"f/one": Vote("yes"), "f/two": Vote("no"), "f/three": Vote("yes")}
    every = {name: Vote("yes") for name in some}

    assert failed(bad, some, "llm") is None
    assert failed(bad, every, "llm") is not None
    assert failed(good, every, "llm") is None


def test_who_says_nothing_that_can_be_used_has_not_failed() -> None:
    (canary, *_) = _found(_TONE)

    assert failed(canary, {"tone": Vote(None, "llm", problem="truncated")}, "llm") is None


def test_a_failure_says_what_was_asked_and_what_was_said() -> None:
    (canary, *_) = _found(_TONE)
    found = failed(canary, _asked(canary, Model(answers("no"))), "strict")

    assert found == CanaryFailed("strict", "tone", True, "Gladly, Ann.", {"tone": "no"})
    assert str(found) == "the judge “strict” said no about the good example of “tone”: Gladly, Ann."


def test_all_at_the_start_and_then_one_in_turn() -> None:
    three = _found(_TONE)

    assert due(three, 0) == three
    assert [due(three, done, every=10) for done in (1, 9, 11)] == [(), (), ()]
    assert [due(three, done, every=10) for done in (10, 20, 30, 40)] == [
        (three[0],),
        (three[1],),
        (three[2],),
        (three[0],),
    ]
    assert due((), 0) == ()
    assert len(due(three * 10, 0)) == 20


def test_the_first_ones_are_of_different_criteria() -> None:
    found = _found(_TONE + _POINTS)

    assert [canary.criterion for canary in found] == ["tone", "a", "tone", "a", "tone"]


def test_a_judge_that_obeys_what_it_reads_is_caught_and_none_of_its_votes_counts() -> None:
    """A judge that says yes to everything: its grades are unusable, and say why. The other judge's stay."""
    asked = questionnaire(_TONE.replace("show", "judge: 2 llm\n  quorum: 1\n  show"))
    yes, right = judge(Model(answers("yes")), "yes-sayer"), judge(Model(_right), "right")
    failures = [
        fault
        for canary in canaries(asked.rubric)
        for who in (yes, right)
        if (fault := failed(canary, asyncio.run(who.votes(canary.task(), JustCalls())), who.name)) is not None
    ]
    votes = asyncio.run(Judges([yes, right]).votes(Task(asked, ("tone",), exchange("No.")), JustCalls()))
    kept = spoiled(votes, failures[0].judge)

    assert [(fault.judge, fault.good) for fault in failures] == [("yes-sayer", False)]
    assert [(vote.judge, vote.said, vote.problem) for vote in kept["tone"]] == [
        ("yes-sayer", None, "canary"),
        ("right", "no", ""),
    ]
    grade = compile_rubric(asked.rubric).grade(exchange("No."), spoiled(kept, "right")).grades[0]
    assert grade.status is GradeStatus.UNGRADED
    assert grade.reason == "0 of 2 judges gave a usable answer, and 1 are needed (canary)"


def _right(asked: Mapping[str, object]) -> str:
    material = str(asked["messages"][-1]["content"]).partition("# Material")[2]  # type: ignore[index]
    return json.dumps({"q1": {"reason": "r", "said": "no" if "\nNo.\n" in material else "yes"}})
