"""What holds for every rubric and every answer: intervals, verdicts, order, and which questions are still needed."""

import random
from collections.abc import Mapping
from dataclasses import replace

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine import rubric
from engine.model.exchange import Exchange
from engine.model.grade import GradeStatus, Grading, Vote
from engine.rubric.canonical import meaning_sha256
from engine.rubric.syntax import Checklist, Criterion, Group
from tests.rubric.build import exchange, read
from tests.rubric.random_rubrics import answers, rubric_text
from tests.rubric.reference import Reference, four

Votes = Mapping[str, tuple[Vote, ...]]
_SEEDS = st.integers(0, 2**32)


def _grader(seed: int) -> rubric.Grader:
    reading = read(rubric_text(seed))
    assume(reading.rubric is not None)  # about 1 in 100 has a condition that can never hold
    assert reading.rubric is not None
    return rubric.compile(reading.rubric)


def _answered(grader: rubric.Grader, chance: random.Random) -> Votes:
    return {name: answers(question, chance) for name, question in grader.questions.items()}


def _exchange(chance: random.Random) -> Exchange:
    """Everything that a random rubric asks about the exchange is recorded."""
    return exchange(
        "".join(letter for letter in "abc" if chance.random() < 0.5) or "x",
        cites=("a",) if chance.random() < 0.5 else (),
        intent=chance.choice(("lookup", "comparison")),
        task=chance.choice(("travel", "work")),
    )


def _hidden(what: Exchange, chance: random.Random) -> Exchange:
    """The same with some of it not recorded."""
    return exchange(
        what.answer.text if chance.random() < 0.7 else None,
        cites=what.answer.citations if chance.random() < 0.7 else None,
        intent=what.query.intent,
        task=what.query.task_context if chance.random() < 0.5 else None,
    )


def _inside(part: Grading, whole: Grading) -> None:
    applies = {name for name, score in whole.scores.items()}
    if "overall" in applies:
        assert part.low - 1e-9 <= whole.low <= whole.high <= part.high + 1e-9
    assert whole.verdict in (part.could_be or (part.verdict,))
    for before, after in zip(part.grades, whole.grades, strict=True):
        if after.status is GradeStatus.NOT_APPLICABLE:
            assert before.status is not GradeStatus.GRADED
        else:
            assert before.status is not GradeStatus.NOT_APPLICABLE
            assert before.low - 1e-9 <= after.low <= after.high <= before.high + 1e-9
            assert before.passed is None or before.passed is after.passed


@settings(max_examples=200, deadline=None)
@given(_SEEDS, st.integers(0, 2**32))
def test_every_completion_lies_in_the_interval_and_its_verdict_among_the_possible(seed: int, other: int) -> None:
    grader, chance = _grader(seed), random.Random(other)
    everything, what = _answered(grader, chance), _exchange(chance)
    some = {name: said for name, said in everything.items() if chance.random() < 0.5}

    whole = grader.grade(what, everything)

    assert whole.could_be == ()
    _inside(grader.grade(_hidden(what, chance), some), whole)


@settings(max_examples=200, deadline=None)
@given(_SEEDS, st.integers(0, 2**32))
def test_a_second_reading_of_the_specification_says_the_same(seed: int, other: int) -> None:
    grader, chance = _grader(seed), random.Random(other)
    everything, what = _answered(grader, chance), _exchange(chance)
    found, right = grader.grade(what, everything), Reference(grader.rubric, what, everything)

    assert found.verdict == right.verdict
    assert ("overall" in found.scores) is (right.total is not None)
    if right.total is not None:
        assert found.low == found.high == float(right.total)
    for grade in found.grades:
        score = right.score(grade.criterion)
        assert grade.score == (None if score is None else float(four(score)))


@settings(max_examples=150, deadline=None)
@given(_SEEDS, st.integers(0, 2**32))
def test_the_questions_that_are_needed_are_enough_for_the_verdict(seed: int, other: int) -> None:
    """What `still_needed` leaves out never changes the verdict."""
    grader, chance = _grader(seed), random.Random(other)
    everything, what = _answered(grader, chance), _exchange(chance)
    some: dict[str, tuple[Vote, ...]] = {name: said for name, said in everything.items() if chance.random() < 0.3}

    while needed := [name for name in grader.still_needed(what, some) if name not in some]:
        name = chance.choice(needed)
        some[name] = everything[name]
    found, whole = grader.grade(what, some), grader.grade(what, everything)

    assert (found.verdict, found.could_be) == (whole.verdict, ())
    if not grader.rubric.verdicts:
        assert (found.low, found.high) == (whole.low, whole.high)


@settings(max_examples=150, deadline=None)
@given(_SEEDS, st.integers(0, 2**32))
def test_the_order_of_criteria_never_changes_a_digit(seed: int, other: int) -> None:
    grader, chance = _grader(seed), random.Random(other)
    everything, what = _answered(grader, chance), _exchange(chance)
    mixed = _mixed(grader.rubric.root, chance)
    second = rubric.compile(_with(grader.rubric, mixed))

    one, two = grader.grade(what, everything), second.grade(what, everything)

    assert (one.low, one.high, one.verdict, one.scores) == (two.low, two.high, two.verdict, two.scores)
    assert sorted(grade[:6] for grade in one.grades) == sorted(grade[:6] for grade in two.grades)
    assert meaning_sha256(grader.rubric) == meaning_sha256(second.rubric)


@settings(max_examples=60, deadline=None)
@given(_SEEDS)
def test_random_rubrics_are_the_same_from_json(seed: int) -> None:
    grader = _grader(seed)
    again = rubric.from_json(rubric.to_json(grader.rubric))

    assert again.sha256 == meaning_sha256(again) == grader.rubric.sha256
    chance = random.Random(seed)
    everything, what = _answered(grader, chance), _exchange(chance)
    assert rubric.compile(again).grade(what, everything) == grader.grade(what, everything)


def _mixed(group: Group, chance: random.Random) -> Group:
    members = [
        _mixed(each, chance) if isinstance(each, Group) else _mixed_items(each, chance) for each in group.members
    ]
    chance.shuffle(members)
    return replace(group, members=tuple(members))


def _mixed_items(criterion: Criterion, chance: random.Random) -> Criterion:
    if not isinstance(criterion.grading, Checklist):
        return criterion
    items = list(criterion.grading.items)
    chance.shuffle(items)
    return replace(criterion, grading=replace(criterion.grading, items=tuple(items)))


def _with(whole: rubric.Rubric, root: Group) -> rubric.Rubric:
    return replace(whole, root=root)
