"""From grades to scores and verdicts: weights, gates, penalties, caps, conditions, and everything that is unknown."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.measures.rounding import half_up
from engine.model.grade import GradeStatus
from engine.rubric.outcomes import rounded
from engine.rubric.syntax import Asked, Criterion
from engine.rubric.votes import NO_JUDGE
from tests.rubric.build import ROOT, exchange, grade, grader, hits, votes

SEARCH = (ROOT / "rubrics" / "search.rubric").read_text(encoding="utf-8")
ASKS = "criterion: A\n  ask: Is it?\ncriterion: B\n  ask: Is it so?\n"
SCALE = "define scale: judgement\n| good | 1.0 | a |\n| okay | 0.7 | b |\n| poor | 0.4 | c |\n| terrible | 0.1 | d |\n"
VERDICTS = "verdict: pass when score is at least 0.8\nverdict: fail otherwise\n"


def test_the_search_rubric_gives_five_scores_from_measures_alone() -> None:
    """A59: relevance, ranking, coverage, snippet, overall, each from 0 to 1."""
    found = grade(SEARCH, exchange(results=hits("a", "b"), relevant={"a": 3, "b": 1}))

    assert (
        tuple(found.scores) == grader(SEARCH).dimensions == ("relevance", "ranking", "coverage", "snippet", "overall")
    )
    assert found.scores["ranking"] == found.scores["coverage"] == 1.0
    assert all(score is not None and 0 <= score <= 1 for score in found.scores.values())
    assert grader(SEARCH).asks == 0


def test_overall_is_the_declared_formula() -> None:
    """A63: the weighted mean of the parts, as the rubric says it."""
    found = grade(SEARCH, exchange(results=hits("x", "a"), relevant={"a": 3, "b": 1}))
    score = {each.criterion: each.score or 0.0 for each in found.grades}
    ranking = (2 * score["ranking/order-of-the-first-page"] + score["ranking/first-useful-result"]) / 3
    formula = 0.3 * score["relevance"] + 0.3 * ranking + 0.25 * score["coverage"] + 0.15 * score["snippet"]

    assert found.scores["overall"] == pytest.approx(formula, abs=1e-4)
    assert 0.3 < formula < 0.9


def test_nothing_known_is_shown_as_unknown_and_never_as_0() -> None:
    """A query that nobody judged: every number is None, the verdict says what it can still be."""
    found = grade(SEARCH, exchange(results=hits("a")))

    assert found.scores["relevance"] is None
    assert found.scores["overall"] is None
    assert (found.verdict, found.could_be[0]) == ("ungraded", "good")
    assert "nobody judged this query" in found.grades[0].reason


def test_a_question_without_a_judge_is_ungraded() -> None:
    found = grade(ASKS)

    assert grader(ASKS).asks == 2
    assert [(g.status, g.score, g.low, g.high, g.reason) for g in found.grades] == [
        (GradeStatus.UNGRADED, None, 0, 1, NO_JUDGE)
    ] * 2
    assert (found.scores["a"], found.low, found.high) == (None, 0, 1)


def test_votes_outside_the_scale_are_no_answer() -> None:
    """A61, F29: invalid, never clamped."""
    for wrong in (1.1, float("nan"), -0.1, 7e30, "1.1", "8/10", "0,7", "", "n/a", None, "yes, but"):
        for scale in ("0 to 1", "yes or no"):
            lines = f"  scale: {scale}\n" if scale == "0 to 1" else ""
            (found,) = grade(f"criterion: A\n  ask: Is it?\n{lines}", answers={"a": wrong}).grades
            assert (found.status, found.low, found.high) == (GradeStatus.UNGRADED, 0, 1)


def test_votes_for_what_is_not_asked_are_refused() -> None:
    with pytest.raises(ValueError, match="nobody"):
        grade(ASKS, answers={"nobody": "yes"})


def test_the_scale_of_judgements_is_written_in_the_rubric() -> None:
    """A107: good 1.0, okay 0.7, poor 0.4, terrible 0.1."""
    criterion = grader(SCALE + "criterion: A\n  ask: Is it?\n  scale: judgement").rubric.root.members[0]

    assert isinstance(criterion, Criterion)
    assert isinstance(criterion.grading, Asked)
    levels = {level.label: level.score for level in criterion.grading.scale.levels}
    assert {label: str(score) for label, score in levels.items()} == {
        "good": "1.0", "okay": "0.7", "poor": "0.4", "terrible": "0.1",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "score", "passed"),
    [
        ("", 0.0, None),
        ("  pass mark: 0\n", 0.0, True),
        ("  pass mark: 0.0\n", 0.0, True),
        ("  pass mark: 0.5\n", 0.0, False),
    ],
)
def test_a_pass_mark_of_0_is_honoured_and_none_is_none(line: str, score: float, passed: bool | None) -> None:
    """F41: left out is not 0, and 0 is not left out."""
    found = grade(f"criterion: A\n  measure: recall@5\n{line}", exchange(results=hits("x"), relevant={"a": 1}))

    assert (found.grades[0].score, found.grades[0].passed) == (score, passed)


def test_a_pass_mark_in_quotes_is_refused() -> None:
    """F41: a text is no number."""
    with pytest.raises(AssertionError, match="R118"):
        grader('criterion: A\n  measure: ap\n  pass mark: "0.5"')


def test_what_is_shown_is_what_is_compared() -> None:
    """F71: 0.1 + 0.7 is 0.8; 0.79995 is shown as 0.8 and passes, 0.79994 is shown as 0.7999 and does not."""
    tenths = (
        "criterion: A\n  weight: 1\n  ask: Is it?\ncriterion: B\n  weight: 7\n  ask: Is it so?\n"
        "criterion: C\n  weight: 2\n  ask: Or so?\n"
    )

    exact = grade(tenths + VERDICTS, answers={"a": "yes", "b": "yes", "c": "no"})
    near = grade("criterion: A\n  ask: Is it?\n  scale: 0 to 1\n" + VERDICTS, answers={"a": 0.79995})
    below = grade("criterion: A\n  ask: Is it?\n  scale: 0 to 1\n" + VERDICTS, answers={"a": 0.79994})

    assert (exact.scores["overall"], exact.verdict) == (0.8, "pass")
    assert (near.scores["overall"], near.verdict) == (0.8, "pass")
    assert (below.scores["overall"], below.verdict) == (0.7999, "fail")


def test_percent_and_plain_weights_and_their_default() -> None:
    text = "criterion: A\n  {}ask: Is it?\ncriterion: B\n  {}ask: Is it so?\n"

    assert (
        grade(text.format("weight: 75%\n", "weight: 25%\n"), answers={"a": "yes", "b": "no"}).scores["overall"] == 0.75
    )
    assert grade(text.format("weight: 3\n", ""), answers={"a": "yes", "b": "no"}).scores["overall"] == 0.75


def test_penalties_take_away_and_bonuses_add_within_bounds() -> None:
    """The shape of earned over possible points: (w·s - w·b + w·bonus) / w, kept between 0 and 1."""
    text = (
        "criterion: A\n  weight: 10\n  ask: Is it?\npenalty: P\n  weight: 4\n  ask: Is it bad?\n"
        "bonus: B\n  weight: 2\n  ask: More?\n"
    )

    assert grade(text, answers={"a": "yes", "p": "yes", "b": "no"}).scores["overall"] == 0.6
    assert grade(text, answers={"a": "yes", "p": "yes", "b": "yes"}).scores["overall"] == 0.8
    assert grade(text, answers={"a": "yes", "p": "no", "b": "yes"}).scores["overall"] == 1.0
    assert grade(text, answers={"a": "no", "p": "yes", "b": "no"}).scores["overall"] == 0.0
    assert (grade(text, answers={"a": "yes", "b": "no"}).low, grade(text, answers={"a": "yes", "b": "no"}).high) == (
        0.6,
        1.0,
    )
    assert grade("penalty: P\n  ask: Is it bad?", answers={"p": "yes"}).scores["overall"] == 0.0
    assert tuple(grade(text).scores) == ("a", "overall")


def test_gates_decide_the_verdict_and_stay_out_of_the_mean() -> None:
    text = 'must: M\n  check: answer contains "yes"\nmust not: N\n  check: answer contains "no way"\n' + ASKS + VERDICTS

    good, bad = {"a": "yes", "b": "yes"}, {"a": "no", "b": "no"}
    assert grade(text, exchange("yes"), good).verdict == "pass"
    assert grade(text, exchange("no"), good).verdict == "fail"
    assert grade(text, exchange("yes, no way"), good).verdict == "fail"
    assert grade(text, exchange("no"), good).scores["overall"] == 1.0
    unknown = grade(text, exchange(), good)
    assert (unknown.verdict, unknown.could_be) == ("ungraded", ("fail", "pass"))
    assert grade(text, exchange(), bad).verdict == "fail"


def test_a_group_of_gates_is_shown_and_not_averaged() -> None:
    text = 'group: Gates\n  must: M\n    check: answer contains "a"\nend group: Gates\ncriterion: A\n  ask: Is it?\n'

    assert grade(text, exchange("x"), {"a": "yes"}).scores == {"a": 1.0, "overall": 1.0}
    assert grade(
        'must: M\n  check: answer contains "a"\nmust: N\n  check: answer contains "b"', exchange("a")
    ).scores == {"overall": 0.5}


def test_conditions_leave_out_what_does_not_apply() -> None:
    text = "criterion: A\n  ask: Is it?\ncriterion: B\n  only when: intent is comparison\n  ask: Are both there?\n"

    apart = grade(text, exchange(intent="lookup"), {"a": "yes"})
    unknown = grade(text.replace("intent is comparison", "task context is travel"), exchange(), {"a": "yes"})

    assert apart.grades[1].status is GradeStatus.NOT_APPLICABLE
    assert apart.scores == {"a": 1.0, "overall": 1.0}  # what does not apply is not ungraded
    assert (unknown.low, unknown.high, unknown.grades[1].status) == (0.5, 1.0, GradeStatus.UNGRADED)
    assert (
        grade("criterion: B\n  only when: intent is x\n  ask: Is it?\n" + VERDICTS, exchange()).verdict
        == "not applicable"
    )


def test_a_condition_of_a_group_holds_for_its_members() -> None:
    text = (
        'criterion: A\n  ask: Is it?\ngroup: G\n  only when: [A] passes\n  must: M\n    check: answer contains "x"\n'
        + VERDICTS
    )

    assert grade(text, exchange("y"), {"a": "no"}).grades[1].status is GradeStatus.NOT_APPLICABLE
    assert grade(text, exchange("y"), {"a": "yes"}).verdict == "fail"


def test_caps_lower_the_score_and_unknown_caps_only_its_lower_end() -> None:
    text = ASKS + "cap: 40% when [A] is at most 0.1\n" + VERDICTS

    assert grade(text, answers={"a": "no", "b": "yes"}).scores["overall"] == 0.4
    points = text.replace("ask: Is it?", "ask: Is it?\n  scale: 0 to 1")
    assert grade(points, answers={"a": 0.2, "b": "yes"}).scores["overall"] == 0.6
    assert (grade(text, answers={"b": "yes"}).low, grade(text, answers={"b": "yes"}).high) == (0.4, 1.0)


APART = (
    'criterion: A\n  ask: Is it?\ncriterion: X\n  only when: intent is comparison\n  check: answer contains "both"\n'
)


@pytest.mark.parametrize(
    "condition", ["[X] fails", "[X] passes", "[X] is below 0.5", "[X] is at least 0", "[X] is ungraded"]
)
def test_what_does_not_apply_neither_passes_nor_fails(condition: str) -> None:
    """A cap on it neither holds nor makes the score unknown, and a verdict that asks for it does not fit."""
    apart = grade(APART + f"cap: 40% when {condition}\n" + VERDICTS, exchange("one"), {"a": "yes"})
    asked = grade(APART + f"verdict: so when {condition}\nverdict: not so otherwise\n", exchange("one"), {"a": "yes"})

    assert apart.grades[1].status is GradeStatus.NOT_APPLICABLE
    assert (apart.scores, apart.verdict) == ({"a": 1.0, "overall": 1.0}, "pass")
    assert (asked.verdict, asked.could_be) == ("not so", ())


def test_a_condition_on_what_does_not_apply_is_false() -> None:
    """So a criterion that waits for it does not apply either, instead of staying open for ever."""
    text = APART + "criterion: B\n  only when: [X] fails\n  ask: Why not?\n"

    assert grade(text, exchange("one"), {"a": "yes"}).scores == {"a": 1.0, "overall": 1.0}
    assert grade(text, exchange("one", intent="comparison"), {"a": "yes", "b": "yes"}).scores["b"] == 1.0


def test_a_cap_on_what_may_apply_is_still_unknown() -> None:
    """Not knowing whether it applies is not the same as knowing that it does not."""
    text = APART.replace("intent is comparison", "task context is travel") + "cap: 40% when [X] fails\n"

    found = grade(text, exchange("one"), {"a": "yes"})
    assert (found.low, found.high) == (0.4, 1.0)
    assert grade(text, exchange("one", task="travel"), {"a": "yes"}).scores["overall"] == 0.4


def test_verdicts_are_read_from_the_top_and_given_only_when_sure() -> None:
    lines = (
        "verdict: wait when ungraded\nverdict: good when score is at least 0.8\n"
        "verdict: okay when score is at least 0.4\nverdict: bad otherwise\n"
    )

    assert grade(ASKS + lines, answers={"a": "yes", "b": "yes"}).verdict == "good"
    open_ = grade(ASKS + lines, answers={"a": "yes"})
    assert (open_.verdict, open_.could_be) == ("wait", ("good", "okay"))
    assert grade(ASKS + lines.replace("0.4", "0"), answers={"a": "no"}).verdict == "okay"
    assert grade(ASKS, answers={"a": "yes"}).verdict is None


def test_combiners() -> None:
    text = "group: G\n  combine: {}\n  criterion: A\n    ask: Is it?\n  criterion: B\n    ask: Is it so?\n"

    found = {
        how: grade(text.format(how), answers={"g/a": "yes", "g/b": "no"}).scores["g"]
        for how in ("mean", "lowest", "highest", "all", "any", "at least 2")
    }

    assert found == {"mean": 0.5, "lowest": 0, "highest": 1, "all": 0, "any": 1, "at least 2": 0}
    assert grade(text.format("any"), answers={"g/a": "yes"}).scores["g"] == 1.0
    assert grade(text.format("all"), answers={"g/a": "yes"}).scores["g"] is None


def test_marks_turn_a_number_into_a_score() -> None:
    text = "criterion: Fast\n  measure: latency, full marks at 2 seconds, no marks at 10000 ms\n"

    assert [grade(text, exchange(latency=value)).grades[0].score for value in (1.0, 2.0, 6.0, 10.0, 60.0)] == [
        1,
        1,
        0.5,
        0,
        0,
    ]
    assert grade(text).grades[0].reason == "latency: the time of this answer was not recorded"


def test_nested_groups_and_ids() -> None:
    text = (
        "group: A\n  weight: 3\ngroup: A > B\n  criterion: One\n    ask: Is it?\n  criterion: Two\n"
        "    id: second\n    ask: Or?\nend group: A\ncriterion: Überblick\n  ask: Is it?\n"
    )

    found = grade(text, answers={"a/b/one": "yes", "a/b/second": "no", "überblick": "yes"})

    assert [g.criterion for g in found.grades] == ["a/b/one", "a/b/second", "überblick"]
    assert found.scores == {"a": 0.5, "überblick": 1.0, "overall": 0.625}


def test_a_criterion_called_overall_does_not_hide_the_overall_score() -> None:
    found = grade(
        "criterion: Overall\n  ask: Is it?\ncriterion: B\n  ask: Is it so?",
        answers={"overall-criterion": "yes", "b": "no"},
    )

    assert found.scores == {"overall-criterion": 1.0, "b": 0.0, "overall": 0.5}


@given(st.floats(0, 1))
def test_the_fast_rounding_is_half_up(score: float) -> None:
    assert rounded(score) == half_up(round(score, 12))


@pytest.mark.parametrize("tie", [0.00005, 0.12345, 0.5, 0.79995, 0.99995, 0.1234499999999999])
def test_ties_go_up(tie: float) -> None:
    assert rounded(tie) == half_up(round(tie, 12))


RICH = (
    SCALE + "must: M\n  ask: Is it?\ncriterion: A\n  weight: 3\n  ask: How?\n  scale: judgement\n"
    "group: G\n  weight: 2\n  criterion: B\n    ask: And?\n"
    "  penalty: P\n    weight: 0.5\n    ask: Bad?\n  bonus: X\n    weight: 1\n    ask: More?\n"
    "end group: G\ncriterion: C\n  only when: [B] passes\n  ask: If so?\n"
    "cap: 50% when [A] is below 0.5\nverdict: good when score is at least 0.7\n"
    "verdict: poor when [G] is below 0.3 or score is below 0.2\nverdict: okay otherwise\n"
)
_IDS = ("m", "a", "g/b", "g/p", "g/x", "c")
_RICH = grader(RICH)
_YES_NO = st.sampled_from(["yes", "no"])
_SAID = st.fixed_dictionaries(
    {name: st.sampled_from(["good", "okay", "poor", "terrible"]) if name == "a" else _YES_NO for name in _IDS}
)


@settings(max_examples=200)
@given(_SAID, st.sets(st.sampled_from(_IDS)))
def test_every_completion_lies_in_the_interval_and_among_the_possible_verdicts(
    complete: dict[str, str], missing: set[str]
) -> None:
    partial = _RICH.grade(exchange(), votes({name: said for name, said in complete.items() if name not in missing}))
    whole = _RICH.grade(exchange(), votes(complete))

    assert partial.low - 1e-9 <= whole.low <= whole.high <= partial.high + 1e-9
    assert whole.verdict in (partial.could_be or (partial.verdict,))
    for name, score in partial.scores.items():
        assert score is None or score == whole.scores[name]


_THREE = "".join(f'criterion: {name}\n  check: answer contains "{name}"\n' for name in "xyz")


@pytest.mark.parametrize(
    ("line", "answer", "verdict"),
    [
        ("score is at least 1/3", "x", "yes"),
        ("score is more than 1/3", "x", "no"),
        ("score is at most 2/3", "x y", "yes"),
        ("score is at least 0.33333", "x", "yes"),
        ("score is between 1/3 and 2/3", "x y", "yes"),
    ],
)
def test_a_third_reaches_a_third(line: str, answer: str, verdict: str) -> None:
    """A score is rounded to 4 decimals, so what it is compared with is rounded too."""
    found = grade(f"{_THREE}verdict: yes when {line}\nverdict: no otherwise", exchange(answer))

    assert found.verdict == verdict


def test_one_of_three_checks_passes_at_a_third() -> None:
    lines = "".join(f'  check: answer contains "{name}"\n' for name in "xyz")
    text = f"must: Some\n  partial credit: yes\n  pass mark: 1/3\n{lines}"

    assert grade(text, exchange("x")).grades[0].passed is True


def test_a_part_passes_or_fails_under_its_cap() -> None:
    text = """\
group: Safety
  pass mark: 0.5
  criterion: Warns
    check: answer contains "careful"
end group: Safety
criterion: Names a doctor
  check: answer contains "doctor"
cap: [Safety] at 0% when [Names a doctor] fails
verdict: fine when [Safety] passes
verdict: wrong when [Safety] fails
verdict: odd otherwise
"""
    assert grade(text, exchange("careful, doctor")).verdict == "fine"
    assert grade(text, exchange("careful")).verdict == "wrong"


_ONLY_A_MUST = """\
must not: Leaks a number
  check: answer contains "pin"
criterion: Compares
  only when: intent is comparison
  check: answer contains "better"
"""


@pytest.mark.parametrize("line", ["", "verdict: no when any must fails\n"])
def test_a_must_that_fails_is_told_where_nothing_else_applies(line: str) -> None:
    text = f"{_ONLY_A_MUST}{line}verdict: yes when score is at least 0.5\nverdict: no otherwise"

    assert grade(text, exchange("my pin")).verdict == "no"
    assert grade(text, exchange("nothing")).verdict == "not applicable"


def test_what_weighs_nothing_does_not_decide_whether_anything_applies() -> None:
    text = """\
criterion: Looked at
  weight: 0
  check: answer contains "a"
criterion: Asked
  ask: Is it so?
  allow n/a: yes
verdict: any when score is at least 0
verdict: none otherwise
"""
    found = grade(text, exchange("a"))

    assert (found.verdict, found.could_be) == ("ungraded", ("not applicable", "any"))
    assert grade(text, exchange("a"), {"asked": "n/a"}).verdict == "not applicable"


def test_a_checklist_is_open_while_its_only_good_item_may_not_apply() -> None:
    text = "checklist: Facts\n  allow n/a: yes\n  - said\n  - [-1] wrong\n  - [-1] rude"
    bad = {"facts/wrong": "yes", "facts/rude": "no"}

    before = grade(text, exchange("x"), bad).grades[0]
    after = grade(text, exchange("x"), bad | {"facts/said": "n/a"}).grades[0]

    assert (before.status, before.low, before.high) == (GradeStatus.UNGRADED, 0.0, 0.5)
    assert after.score == 0.5


def test_a_group_that_may_not_apply_can_become_anything() -> None:
    """At least 2 of one: it can only be 0, and left out it takes nothing from the rest."""
    text = """\
criterion: There
  check: answer contains "a"
group: Both
  combine: at least 2
  criterion: One
    ask: Is it so?
    allow n/a: yes
  criterion: Two
    only when: intent is comparison
    check: answer contains "b"
"""
    assert (grade(text, exchange("a")).low, grade(text, exchange("a"), {"both/one": "n/a"}).low) == (0.5, 1.0)
    assert grade(text, exchange("a")).high == 1.0


def test_a_plain_mean_needs_the_answer_of_a_member_whatever_its_weight() -> None:
    text = 'combine: mean\ncriterion: A\n  weight: 0\n  ask: Is it?\ncriterion: B\n  check: answer contains "b"\n'
    whole = grader(f"rubric: T\n{text}verdict: yes when score is at least 0.7\nverdict: no otherwise")

    assert whole.still_needed(exchange("b")) == ("a",)
