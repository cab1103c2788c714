"""Panels, quorum, disagreement and "does not apply": how what several judges said becomes one score, or none."""

import pytest

from engine.model.grade import GradeStatus, Vote
from engine.rubric.syntax import Judge, Settle
from tests.rubric.build import exchange, grade, grader

SCALE = "define scale: four\n| good | 1 | a |\n| okay | 0.7 | b |\n| poor | 0.4 | c |\n| bad | 0.1 | d |\n"
ASK = SCALE + "criterion: A\n  ask: How good is it?\n  scale: four\n"
Said = str | float | None


def _score(lines: str, *said: Said, role: str = "criterion") -> float | None:
    return grade(ASK.replace("criterion:", f"{role}:") + lines, answers={"a": said}).grades[0].score


def test_judge_lines_are_handed_down_and_the_nearest_wins() -> None:
    text = (
        "rubric: R\njudge: 2 llm, human\ncombine judges: mean\nquorum: 2\n"
        "criterion: A\nask: Is it?\n"
        'group: G\njudge: llm "small-one"\nquorum: 1\ndisagreement limit: 50%\n'
        "criterion: B\nask: Is it?\ncriterion: C\nask: Is it?\njudge: 5 humans\nquorum: 4\n"
        "checklist: D\njudge: 3 models\n- one\n"
    )
    panels = {name: question.panel for name, question in grader(text).questions.items()}

    assert panels["a"].judges == (Judge("llm", 2), Judge("human"))
    assert (panels["a"].size, panels["a"].needed, panels["a"].settle) == (3, 2, Settle.MEAN)
    assert panels["g/b"].judges == (Judge("llm", 1, "small-one"),)
    assert panels["g/b"].quorum == 1
    assert str(panels["g/b"].disagreement) in ("0.5", "0.50")
    assert (panels["g/c"].judges, panels["g/c"].needed) == ((Judge("human", 5),), 4)
    assert panels["g/d/one"].judges == (Judge("llm", 3),)


@pytest.mark.parametrize(
    ("how", "expected"), [("median", 0.55), ("mean", 0.55), ("majority", 0.1), ("lowest", 0.1), ("highest", 1.0)]
)
def test_several_votes_become_one(how: str, expected: float) -> None:
    """Of a tie the majority goes against the answer."""
    assert _score(f"  judge: 4 llm\n  combine judges: {how}\n", "good", "okay", "poor", "bad") == expected


def test_the_median_of_an_odd_number_is_the_middle_one_in_any_order() -> None:
    for said in (("good", "bad", "okay"), ("bad", "okay", "good"), ("okay", "good", "bad")):
        assert _score("  judge: 3 llm\n", *said) == 0.7


def test_a_tie_of_a_bad_thing_goes_against_the_answer_too() -> None:
    lines = "  judge: 2 llm\n  combine judges: majority\n"
    (found,) = grade(f"penalty: P\n  ask: Is it bad?\n{lines}", answers={"p": ("yes", "no")}).grades
    (gate,) = grade(f"must not: P\n  ask: Is it bad?\n{lines}", answers={"p": ("yes", "no")}).grades

    assert (found.score, gate.score, gate.passed) == (1.0, 0.0, False)


@pytest.mark.parametrize(
    ("quorum", "said", "graded"),
    [
        ("", ("good", "good", None), True),
        ("", ("good", None, None), False),
        ("  quorum: 3\n", ("good", "good", None), False),
        ("  quorum: 3\n", ("good", "good", "good"), True),
        ("  quorum: 1\n", (None, "good"), True),
        ("", ("good", "great", "super"), False),
    ],
)
def test_too_few_usable_votes_are_no_grade(quorum: str, said: tuple[Said, ...], graded: bool) -> None:
    """F77: one judge that survives does not decide; more than half is the usual quorum."""
    (found,) = grade(ASK + f"  judge: 3 llm\n{quorum}", answers={"a": said}).grades

    assert (found.score is not None) is graded
    assert graded or (found.status, found.low, found.high) == (GradeStatus.UNGRADED, 0, 1)
    assert graded or "judges gave a usable answer" in found.reason


def test_judges_that_are_too_far_apart_are_no_grade() -> None:
    limit = "  judge: 2 human\n  combine judges: mean\n  disagreement limit: 30%\n"

    assert _score(limit, "good", "okay") == 0.85
    (apart,) = grade(ASK + limit, answers={"a": ("good", "poor")}).grades
    assert (apart.score, apart.low, apart.high) == (None, 0, 1)
    assert apart.reason == "the judges disagree: good, poor"


def test_does_not_apply_needs_a_majority_and_to_be_allowed() -> None:
    allowed = ASK + "  judge: 3 llm\n  allow n/a: yes\n"
    (left,) = grade(allowed, answers={"a": ("n/a", "n/a", "good")}).grades
    (kept,) = grade(allowed, answers={"a": ("n/a", "okay", "okay")}).grades
    (never,) = grade(ASK, answers={"a": "n/a"}).grades

    assert left.status is GradeStatus.NOT_APPLICABLE
    assert kept.score == 0.7
    assert never.status is GradeStatus.UNGRADED


def test_a_scale_may_have_its_own_row_for_does_not_apply() -> None:
    rows = "criterion: A\n  ask: How good?\n  scale:\n  | high | 1 | a |\n  | low | 0 | b |\n  | unknown | n/a | c |\n"
    (found,) = grade(rows, answers={"a": "unknown"}).grades

    assert found.status is GradeStatus.NOT_APPLICABLE
    assert grade(rows + "verdict: good when score is at least 0.5\nverdict: bad otherwise\n").could_be == (
        "not applicable",
        "good",
        "bad",
    )


def test_points_are_numbers_within_their_range() -> None:
    """F29: a number on a 1-5 scale, never clamped."""
    text = "criterion: A\n  ask: How good?\n  scale: 1 to 5\n"
    for said, score in ((1, 0.0), (3, 0.5), (5, 1.0), (4.5, 0.875)):
        assert grade(text, answers={"a": said}).scores["a"] == score
    for wrong in (0, 6, -1, 7e30, True, "3", None, float("nan"), float("inf")):
        assert grade(text, answers={"a": wrong}).scores["a"] is None


def test_labels_are_read_in_any_case_and_nothing_else_is() -> None:
    for said in ("GOOD", " good ", "ｇｏｏｄ"):
        assert _score("", said) == 1.0
    for wrong in ("good.", "goo", "good, really", ""):
        assert _score("", wrong) is None


def test_what_one_judge_says_is_the_reason() -> None:
    found = grader(ASK).grade(exchange(), {"a": [Vote("okay", "llm", "m-1", "Misses the date.")]}).grades[0]

    assert found.reason == "okay: Misses the date."
    assert grade(ASK + "  judge: 3 llm\n", answers={"a": ("okay", "good", "okay")}).grades[0].reason == (
        "median of okay, good, okay"
    )


FACTS = (
    "checklist: Facts\n- [must] Names the product\n- [vital] Says 30 days\n- [minor] Is polite\n- [-1] Invents a fee\n"
)


@pytest.mark.parametrize(
    ("said", "score"),
    [
        (("yes", "yes", "yes", "no"), 1.0),
        (("yes", "yes", "no", "no"), 0.8571),
        (("yes", "no", "yes", "no"), 0.4286),
        (("no", "yes", "yes", "no"), 0.0),
        (("yes", "yes", "yes", "yes"), 0.7143),
        (("yes", "no", "no", "yes"), 0.0),
    ],
)
def test_a_checklist_is_the_weighted_share_of_its_items(said: tuple[str, ...], score: float) -> None:
    names = ("names-the-product", "says-30-days", "is-polite", "invents-a-fee")
    found = grade(FACTS, answers={f"facts/{name}": each for name, each in zip(names, said, strict=True)})

    assert found.scores == {"facts": score, "overall": score}


def test_an_open_item_keeps_the_checklist_open_as_far_as_it_matters() -> None:
    (part,) = grade(FACTS, answers={"facts/names-the-product": "yes", "facts/says-30-days": "yes"}).grades
    (lost,) = grade(FACTS, answers={"facts/names-the-product": "no"}).grades

    assert (part.score, part.low, part.high) == (None, 0.5714, 1.0)
    assert part.reason == "2 of 3 items are met; 2 are not answered yet"
    assert lost.score == 0.0  # an unmet must item: nothing else can matter
    assert "the first that is not: Names the product" in lost.reason


def test_two_items_with_the_same_words_have_ids_of_their_own() -> None:
    assert [*grader("checklist: F\n- same\n- same\n").questions] == ["f/same", "f/same-2"]


def test_minimum_graded_leaves_out_what_is_not_graded_and_nothing_else_does() -> None:
    text = "{}" + "".join(f"criterion: C{n}\nask: Is it?\n" for n in range(5))
    four = {f"c{n}": "yes" for n in range(4)}
    three = {f"c{n}": "yes" for n in range(3)}
    enough = "rubric: R\nminimum graded: 80%\n"

    assert grade(text.format(""), answers=four).scores["overall"] is None
    assert grade(text.format(enough), answers=four).scores["overall"] == 1.0
    assert grade(text.format(enough), answers=three).scores["overall"] is None


def test_no_question_is_needed_once_the_verdict_is_certain() -> None:
    """A failed must, and a cap that leaves only one verdict."""
    lines = (
        "must: Sourced\ncheck: answer cites a source\ncriterion: A\nask: Is it?\ncriterion: B\nask: Is it so?\n"
        "info: I\nask: By the way?\nverdict: good when score is at least 0.8\nverdict: bad otherwise\n"
    )
    made = grader(lines)

    assert made.still_needed(exchange(cites=("a",))) == ("a", "b")
    assert made.still_needed(exchange(cites=())) == ()
    assert made.still_needed(exchange(cites=("a",)), {"a": (Vote("no"),)}) == ()
    assert made.still_needed(exchange(cites=("a",)), {"a": (Vote("yes"),)}) == ("b",)
    capped = grader(lines.replace("verdict: good", "cap: 50% when cost is above $1\nverdict: good"))
    assert capped.still_needed(exchange(cites=("a",), cost=2.0)) == ()
    assert capped.still_needed(exchange(cites=("a",), cost=None)) == ("a", "b")
