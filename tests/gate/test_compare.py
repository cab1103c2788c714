"""Comparing runs: exact at the limits, and silent about nothing."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Exit, Problem
from engine.gate.compare import compare, compare_runs, differences, not_comparable, trend
from engine.model.comparison import Change
from engine.model.run import Average, Limit, QueryResult, RunInfo, RunStatus, Thresholds


def average(total: str, graded: int = 10, planned: int = 10, covers: str | None = "same") -> Average:
    return Average(total, float(total) / graded if graded else None, graded, planned, covers)


def run(**changes: object) -> RunInfo:
    given: dict[str, object] = {
        "id": "a",
        "started_at": "2026-01-01T00:00:00.000Z",
        "status": RunStatus.COMPLETE,
        "queries": "core",
        "planned": 10,
        "done": 10,
        "set_version": "1.0.0",
        "set_sha256": "s",
        "corpus": "c",
        "rubric": "search@1",
        "rubric_sha256": "r",
        "settings": {"target.limit": 10, "judge.model": "none"},
        "averages": {"overall": average("5.0")},
        "query_count": 10,
    }
    return RunInfo(**{**given, **changes})  # type: ignore[arg-type]


def moved(before: str, after: str, thresholds: Thresholds | None = None) -> Change:
    found = compare(
        run(averages={"overall": average(before)}),
        run(averages={"overall": average(after)}),
        thresholds or Thresholds(),
    )
    return found.dimensions[0].change


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ("5.0", "4.5", Change.WITHIN_LIMITS),  # exactly 0.05 lower
        ("5.0", "4.4999999", Change.REGRESSION),
        ("5.0", "5.3", Change.WITHIN_LIMITS),  # exactly 0.03 higher
        ("5.0", "5.3000001", Change.IMPROVEMENT),
        ("5.0", "5.0", Change.WITHIN_LIMITS),
        ("7.0", "6.5", Change.WITHIN_LIMITS),  # 0.70 - 0.65 is more than 0.05 in floats
        ("8.0", "7.5", Change.WITHIN_LIMITS),
        ("1.0", "0.5", Change.WITHIN_LIMITS),
        ("0", "0", Change.WITHIN_LIMITS),
    ],
)
def test_limits_are_exact_and_strict(before: str, after: str, change: Change) -> None:
    """A84, A85, F71: at the limit is not above it, whatever floats make of it."""
    assert moved(before, after) is change


@given(st.integers(500, 100_000))
def test_exactly_at_the_limit_is_never_a_regression(total: int) -> None:
    """A85 for any total of 10 queries with 4 decimals: 0.05 × 10 lower is fine, a ten-thousandth more is not."""
    before = f"{total / 10_000:.4f}"
    at = Fraction(before) - Fraction("0.5")
    if at < 0:
        return
    assert moved(before, f"{float(at):.4f}") is Change.WITHIN_LIMITS
    if at >= Fraction("0.0001"):
        assert moved(before, f"{float(at - Fraction('0.0001')):.4f}") is Change.REGRESSION


def test_a_dimension_may_have_its_own_limits() -> None:
    """A84."""
    own = Thresholds(Limit(), {"overall": Limit("0.01", "0.5")})

    assert moved("5.0", "4.8", own) is Change.REGRESSION
    assert moved("5.0", "9.9", own) is Change.WITHIN_LIMITS
    assert moved("5.0", "4.8", Thresholds(Limit(), {"other": Limit("0.01")})) is Change.WITHIN_LIMITS


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"queries": "other"}, "query set"),
        ({"set_version": "1.0.1"}, "query set version"),
        ({"set_sha256": "t"}, "query set content"),
        ({"corpus": "d"}, "corpus"),
        ({"corpus": None}, "corpus"),
        ({"rubric": "search@2"}, "rubric"),
        ({"rubric_sha256": "q"}, "rubric content"),
        ({"graded_by": "AI (model)"}, "graded by"),
        ({"settings": {"target.limit": 5, "judge.model": "none"}}, "setting target.limit"),
        ({"settings": {"target.limit": 10.0, "judge.model": "none"}}, "setting target.limit"),
        ({"settings": {"judge.model": "none"}}, "setting target.limit"),
        ({"settings": {"target.limit": 10, "judge.model": "big"}}, "setting judge.model"),
        ({"settings": {"target.limit": 10, "judge.model": "none", "repeats": 3}}, "setting repeats"),
    ],
)
def test_what_can_change_a_score_must_be_the_same(change: dict[str, object], key: str) -> None:
    """A88: named with both values, and no number is shown as a change."""
    found = compare(run(), run(id="b", **change), Thresholds())

    assert [difference.key for difference in found.differences] == [key]
    assert not found.comparable
    assert found.dimensions == ()
    assert found.exit == Exit.INCONCLUSIVE


def test_every_difference_is_named() -> None:
    assert len(differences(run(), run(queries="x", set_sha256="y", corpus="z", settings={}))) == 5


def test_of_many_damaged_records_ten_are_named() -> None:
    """A98."""
    found = compare(run(), run(damage=(Problem("odd", "x:4"),) * 1012), Thresholds())

    assert len(found.refused) == 11
    assert found.refused[-1] == "this run (a) is damaged: 1,002 more of its records"


def test_what_neither_run_knows_is_said() -> None:
    """Never lie: two unknown corpora are no proof of the same corpus."""
    found = compare(run(corpus=None, rubric=None), run(corpus=None, rubric=None), Thresholds())

    assert found.comparable
    assert [warning for warning in found.warnings if "the corpus is not known" in warning]
    assert [warning for warning in found.warnings if "the rubric is not known" in warning]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"status": RunStatus.INTERRUPTED, "done": 4}, "interrupted: 4 of 10"),
        ({"status": RunStatus.RUNNING, "done": 4}, "running: 4 of 10"),
        ({"status": RunStatus.FAILED}, "is failed"),
        ({"failed": 1, "done": 9}, "1 of 10 failed"),
        ({"done": 9}, "partial: 9 of 10"),
        ({"filtered": True}, "only some queries"),
        ({"damage": (Problem("odd", "x:4"),)}, "is damaged: x:4: odd"),
    ],
)
@pytest.mark.parametrize("which", ["baseline", "current"])
def test_a_run_that_is_not_whole_is_not_compared(change: dict[str, object], says: str, which: str) -> None:
    """A65, A68, F01: on either side."""
    whole, part = run(), run(id="part", **change)
    found = compare(part, whole, Thresholds()) if which == "baseline" else compare(whole, part, Thresholds())

    assert len(found.refused) == 1
    assert says in found.refused[0]
    assert "part" in found.refused[0]
    assert found.exit == Exit.INCONCLUSIVE


def test_a_mean_over_fewer_queries_is_not_compared() -> None:
    """F01: 1,1 and two ungraded is not better than 1,1,0,0."""
    before = run(averages={"overall": average("2", 4, 4)}, planned=4, done=4)
    after = run(averages={"overall": average("2", 2, 4)}, planned=4, done=4)

    (found,) = compare(before, after, Thresholds()).dimensions

    assert found.change is Change.NOT_COMPARED
    assert "4 of 4" in found.reason
    assert "2 of 4" in found.reason
    assert compare(before, after, Thresholds()).exit == Exit.INCONCLUSIVE


def test_as_many_but_other_graded_queries_are_not_compared() -> None:
    before, after = (run(averages={"overall": average("5", 9, 10, covers)}) for covers in ("one", "two"))

    (found,) = compare(before, after, Thresholds()).dimensions

    assert found.change is Change.NOT_COMPARED
    assert "not the same ones" in found.reason


@pytest.mark.parametrize("missing", [average("0", 0), Average(None, 0.5, 10, 10)])
def test_no_exact_mean_is_not_compared(missing: Average) -> None:
    """A82: nothing graded, or only a rounded mean known."""
    found = compare(run(averages={"overall": missing}), run(averages={"overall": missing}), Thresholds())

    assert found.dimensions[0].change is Change.NOT_COMPARED
    assert found.exit == Exit.INCONCLUSIVE


def test_new_and_removed_dimensions_are_reported() -> None:
    """A90: a new one changes nothing, a removed one may hide a regression."""
    both, one = {"overall": average("5"), "tone": average("5")}, {"overall": average("5")}

    new = compare(run(averages=one), run(averages=both), Thresholds())
    gone = compare(run(averages=both), run(averages=one), Thresholds())

    assert [(item.dimension, item.change) for item in new.dimensions][1] == ("tone", Change.NEW)
    assert [(item.dimension, item.change) for item in gone.dimensions][1] == ("tone", Change.REMOVED)
    assert new.exit == Exit.PASSED
    assert gone.exit == Exit.INCONCLUSIVE


def test_exit_codes() -> None:
    """A81: 0, 1, and 3 before 1 when both apply."""
    worse = {"overall": average("1"), "tone": average("5")}
    before = run(averages={"overall": average("5"), "tone": average("5")})

    assert compare(before, before, Thresholds()).exit == Exit.PASSED
    assert compare(before, run(averages=worse), Thresholds()).exit == Exit.BLOCKED
    mixed = {"overall": average("1"), "tone": average("5", 9)}
    found = compare(before, run(averages=mixed), Thresholds())
    assert found.exit == Exit.INCONCLUSIVE
    assert found.having(Change.REGRESSION)


@pytest.mark.parametrize(("queries", "warned"), [(4, True), (5, False)])
def test_a_small_set_warns(queries: int, warned: bool) -> None:
    """A96."""
    found = compare(run(query_count=queries), run(query_count=queries), Thresholds())

    assert any("one answer moves every mean" in warning for warning in found.warnings) is warned


def result(query_id: str, overall: float | None, repeat: int = 1) -> QueryResult:
    return QueryResult(query_id, f"text of {query_id}", None, 1, repeat, {"overall": overall}, ())


def test_side_by_side_settings_are_the_question() -> None:
    """`assay compare`: settings may differ and come first; the judge's may not."""
    other = run(id="b", settings={"target.limit": 5, "judge.model": "none"})

    found = compare_runs(run(), other, ([], []), Thresholds())
    assert [difference.key for difference in found.settings] == ["setting target.limit"]
    assert found.comparison.comparable

    judged = run(id="b", settings={"target.limit": 10, "judge.model": "big"})
    assert not compare_runs(run(), judged, ([], []), Thresholds()).comparison.comparable
    assert not compare_runs(run(), run(set_sha256="t"), ([], []), Thresholds()).comparison.comparable


def test_side_by_side_counts_each_query_once() -> None:
    """A95: less than 0.005 is a tie; repeats count as their mean; the largest movement comes first."""
    first = [result("up", 0.2), result("down", 0.9), result("same", 0.5), result("gone", 0.1), result("none", None)]
    second = [
        result("up", 0.3),
        result("up", 0.5, repeat=2),
        result("down", 0.895),
        result("same", 0.5049),
        result("new", 0.3),
        result("none", 0.4),
    ]

    found = compare_runs(run(), run(id="b"), (first, second), Thresholds())

    assert (found.wins, found.ties, found.losses) == (1, 1, 1)
    assert [change.query_id for change in found.changes] == ["up", "down", "same", "none"]
    assert found.changes[0].delta == Fraction("0.2")
    assert (found.missing, found.new, found.ungraded) == (("gone",), ("new",), ("none",))


def test_runs_of_other_queries_are_not_put_side_by_side() -> None:
    found = compare_runs(run(), run(queries="other"), ([result("a", 0)], [result("a", 1)]), Thresholds())

    assert found.changes == ()
    assert (found.wins, found.ties, found.losses) == (0, 0, 0)


def test_a_trend_moves_from_score_to_score() -> None:
    """A94, A95: a first score of 0 is safe, and a run without a score is a gap."""
    rows = [
        (run(id="1"), [result("q", 0.0), result("other", 1.0)]),
        (run(id="2"), [result("q", None)]),
        (run(id="3"), [result("q", 0.25)]),
        (run(id="4"), [result("other", 1.0)]),
    ]

    found = trend("q", rows)

    assert [(point.run_id, point.score, point.delta) for point in found.points] == [
        ("1", Fraction(0), None),
        ("2", None, None),
        ("3", Fraction(1, 4), Fraction(1, 4)),
        ("4", None, None),
    ]
    assert found.query == "text of q"


def test_why_a_run_is_not_in_a_trend() -> None:
    assert not_comparable(run(), run()) == ""
    assert not_comparable(run(), run(corpus="d", queries="x")) == "differs in query set, corpus"
    assert "interrupted" in not_comparable(run(), run(status=RunStatus.INTERRUPTED))
