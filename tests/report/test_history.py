"""Past runs as text: every number with its denominator, and nothing that a terminal would obey."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from engine.errors import Problem
from engine.gate.compare import compare, compare_runs, trend
from engine.model.comparison import Comparison
from engine.model.run import Average, Baseline, Limit, QueryResult, RunInfo, RunStatus, Thresholds
from engine.report.comparison import comparison_text, side_by_side_text, verdict_text
from engine.report.history import baseline_text, listing, run_in_full, trend_text
from engine.report.symbols import PLAIN, RICH

RUN = RunInfo(
    id="2025-12-17T22-32-30",
    started_at="2025-12-17T22:32:30.806Z",
    status=RunStatus.COMPLETE,
    queries="core",
    planned=15,
    done=15,
    corpus="1.0.0",
    graded_by="AI",
    averages={"overall": Average("6.52", 6.52 / 15, 15, 15)},
    query_count=15,
)
HITS = (("a.md", 1.0, "snippet"),)


def result(query_id: str = "q", overall: float | None = 0.5, **more: object) -> QueryResult:
    return QueryResult(query_id, f"text of {query_id}", None, 1, 1, {"overall": overall}, HITS, **more)  # type: ignore[arg-type]


def test_a_row_of_the_listing() -> None:
    """A99."""
    assert listing([RUN], 0) == "2025-12-17T22-32-30  core  15 queries  overall=0.43  not reviewed"


def test_rows_are_aligned() -> None:
    """A99."""
    other = replace(RUN, id="2026-11-30T20-04-46-3fa9", queries="extended", query_count=1, planned=1, done=1)

    first, second = listing([RUN, other], 0).splitlines()

    assert first == "2025-12-17T22-32-30           core  15 queries  overall=0.43  not reviewed"
    assert first.index("overall=") == second.index("overall=")
    assert first.index(" queries") == second.index("   1 query") + 2


@pytest.mark.parametrize(
    ("run", "says"),
    [
        (replace(RUN, status=RunStatus.INTERRUPTED, done=5), "interrupted (5 of 15 done), not reviewed"),
        (replace(RUN, status=RunStatus.RUNNING, done=5), "running (5 of 15 done), not reviewed"),
        (replace(RUN, done=13, failed=2), "2 of 15 failed, not reviewed"),
        (replace(RUN, averages={"overall": Average("6", 0.46, 13, 15)}), "13 of 15 graded, not reviewed"),
        (replace(RUN, filtered=True), "only some queries of the set, not reviewed"),
        (replace(RUN, reviewed=3), "reviewed 3 of 15"),
        (replace(RUN, averages={}), "overall=ungraded  not reviewed"),
        (
            replace(RUN, averages={"overall": Average("0", None, 0, 15)}),
            "overall=ungraded  0 of 15 graded, not reviewed",
        ),
    ],
)
def test_what_keeps_a_number_from_standing_for_the_set_is_said(run: RunInfo, says: str) -> None:
    """A68, A100: interrupted, failed, ungraded are marked, with denominators."""
    assert listing([run], 0).endswith(says)


def test_what_was_typed_ends_the_row() -> None:
    """A sweep of one query set: its rows tell themselves apart."""
    sweep = [replace(RUN, overrides=(f"target.limit={limit}", "repeats=2")) for limit in (1, 10)]

    assert [row.rpartition("  ")[2] for row in listing(sweep, 0).splitlines()] == [
        "target.limit=1 repeats=2",
        "target.limit=10 repeats=2",
    ]
    assert listing(sweep, 40).splitlines()[3] == "  target.limit=1 repeats=2"


def test_damage_is_in_the_row_and_in_the_run() -> None:
    """A98."""
    run = replace(RUN, damage=(Problem("the line is odd", "runs/x/results.jsonl:4", "help"),) * 12)

    assert "  damaged: the line is odd, not reviewed" in listing([run], 0)
    text = run_in_full(run, [], RICH)
    assert text.count("    runs/x/results.jsonl:4: the line is odd\n") == 10
    assert "and 2 more problems" in text


def test_settings_and_measures_of_a_run_are_shown() -> None:
    """What was asked, with what; seconds are named."""
    run = replace(
        RUN,
        settings={"target.limit": 3, "target.stemming": True, "limit": None},
        overrides=("target.limit=3",),
        measures={"latency": Average("0.0022", 0.0011, 2, 15), "ndcg@10": Average("0", None, 0, 1500)},
    )

    text = run_in_full(run, [result("a", None, verdict="ungraded")], RICH)

    assert "settings\n  typed: target.limit=3\n  target.limit     3\n  target.stemming  true\n\n" in text
    assert "latency  0.0011 s  2 of 15\n  ndcg@10  not known  0 of 1,500\n" in text
    assert "ungraded  ungraded" not in text


def test_forty_columns_are_enough() -> None:
    text = listing([RUN, replace(RUN, status=RunStatus.INTERRUPTED, done=5)], 40)

    assert max(map(len, text.splitlines())) <= 45
    assert text.splitlines()[:3] == ["2025-12-17T22-32-30  core", "  15 queries  overall=0.43", "  not reviewed"]
    assert len(listing([RUN], 80).splitlines()) == 1


def test_one_run_in_full() -> None:
    """A103, A104, F05: averages of how many, each query with its score, failures with their reason."""
    run = replace(RUN, averages={"overall": Average("1", 0.5, 2, 3), "tone": Average("0", None, 0, 3)}, notes=("odd",))
    failed = result("c", None, failure="timeout", reason="no answer in 10 s")

    text = run_in_full(run, [result("a", 0.25), result("b", None), failed, result("d", judgment="good")], RICH)

    assert "overall  0.50  2 of 3 graded" in text
    assert "tone     ungraded  0 of 3 graded" in text
    assert "? odd" in text
    assert "a  0.25\n" in text
    assert "b  ungraded" in text
    assert "c  failed: timeout: no answer in 10 s" in text
    assert "d  0.50  reviewed: good" in text


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ((0.5, 0.5049), "unchanged"),
        ((0.5, 0.505), "+0.01"),
        ((0.0, 0.25), "+0.25"),
        ((0.5, 0.25), "−0.25"),
        ((0.5,), "needs at least 2 comparable runs"),
        ((0.5, None), "needs at least 2 comparable runs"),
    ],
)
def test_a_trend(scores: tuple[float | None, ...], says: str) -> None:
    """A94, A95."""
    rows = [(replace(RUN, id=f"run-{number}"), [result("q", score)]) for number, score in enumerate(scores)]

    text = trend_text(trend("q", rows, (("other", "differs in corpus"),)), RICH)

    assert says in text
    assert "other  differs in corpus" in text
    assert f"in {sum(score is not None for score in scores)} comparable run" in text


def against(total: str, **changes: object) -> Comparison:
    before = replace(RUN, averages={"overall": Average("6.52", 6.52 / 15, 15, 15)})
    after = replace(before, id="b", averages={"overall": Average(total, float(total) / 15, 15, 15)}, **changes)  # type: ignore[arg-type]
    return compare(before, after, Thresholds())


@pytest.mark.parametrize(
    ("comparison", "verdict"),
    [
        (against("6.52"), "✅ No regressions detected"),
        (against("5"), "✗ 1 regression: overall"),
        (against("5", corpus="2"), "? not compared: differs in corpus"),
        (against("5", status=RunStatus.INTERRUPTED), "? not compared: this run (b) is interrupted: 15 of 15 are done"),
    ],
)
def test_the_verdict_is_one_line(comparison: Comparison, verdict: str) -> None:
    """A82: "not compared" is never "no regressions"."""
    assert verdict_text(comparison, RICH) == verdict
    assert comparison_text(comparison, RICH).splitlines()[0] == verdict


def test_a_reason_is_given_once() -> None:
    """A82."""
    text = comparison_text(against("5", failed=1), RICH)
    assert text == "? not compared: this run (b) has 1 of 15 failed"


def test_two_runs_side_by_side_have_no_baseline() -> None:
    """A88: neither of them is one."""
    cut = replace(RUN, status=RunStatus.INTERRUPTED, done=5)
    tone = replace(RUN, averages={**RUN.averages, "tone": Average("1", 1.0, 1, 15)})
    for a, b in (
        (cut, RUN),
        (tone, RUN),
        (RUN, tone),
        (tone, replace(tone, averages={"tone": Average("2", 1.0, 2, 15)})),
    ):
        text = side_by_side_text(compare_runs(a, b, ([], []), Thresholds()), RICH)
        assert "run A" in text
        assert "baseline" not in text


def test_differing_values_are_both_shown() -> None:
    """A88."""
    text = comparison_text(against("5", corpus="2.0", set_sha256="f" * 64, settings={"target.limit": 5}), RICH)

    assert "corpus: 1.0.0 / 2.0" in text
    assert "query set content: not known / ffffffffffff" in text
    assert "setting target.limit: not known / 5" in text


def test_a_regression_shows_its_numbers() -> None:
    assert "overall  0.43 → 0.33  −0.1013  regression (more than 0.05), 15 of 15 graded" in comparison_text(
        against("5"), RICH
    )
    assert "0.43 -> 0.33  -0.1013" in comparison_text(against("5"), PLAIN)


@pytest.mark.parametrize(
    ("total", "shown"),
    [("5.77", "−0.0500  within limits"), ("5.769999", "−0.0500001  regression"), ("5.76", "−0.0507  regression")],
)
def test_enough_digits_show_the_side_of_the_limit(total: str, shown: str) -> None:
    """F71."""
    assert shown in comparison_text(against(total), RICH)


def test_side_by_side() -> None:
    other = replace(RUN, id="b", settings={"target.limit": 5})
    many = [result(f"q{number}", number / 20) for number in range(15)]
    after = [result(f"q{number}", 0.5) for number in range(14)] + [result("new")]

    text = side_by_side_text(compare_runs(RUN, other, (many, after), Thresholds()), RICH)

    assert text.index("setting target.limit: not known / 5") < text.index("overall")
    assert "14 queries in both: B is better in 10, about the same in 1, worse in 3" in text
    assert '  0.00 → 0.50  +0.5000  q0  "text of q0"' in text
    assert "… 3 more that moved" in text
    assert "only in A: q14" in text
    assert "only in B: new" in text


def test_a_baseline_shows_its_limits() -> None:
    """A83."""
    text = baseline_text(Baseline(RUN, "2026-01-01", Thresholds(Limit(), {"overall": Limit("0.01", "0.02")})), "label")

    assert "overall  0.43  15 of 15 graded" in text
    assert "every dimension: a drop above 0.05 is a regression" in text
    assert "overall: a drop above 0.01 is a regression, a gain above 0.02 an improvement" in text


SEQUENCES = (
    *(chr(code) for code in range(0x20)),
    *(chr(code) for code in range(0x7F, 0xA0)),
    "\x1b[2J",
    "\x1b]0;title\x07",
    "\x1b]8;;http://x\x1b\\",
    "\x1b]52;c;aGk=\x07",
    "\x1bP1$r\x1b\\",
    "\x1b_G\x1b\\",
    "\x9b31m",
    "\x1b]0;never ended",
    "\u202eright",
    "\u2066",
    "\u200b",
    "\ufeff",
    "\u2028",
    "\U000e0041",
)


def _everywhere(evil: str) -> RunInfo:
    return RunInfo(
        id=f"id{evil}",
        started_at=f"at{evil}",
        status=RunStatus.COMPLETE,
        queries=f"set{evil}",
        planned=1,
        done=1,
        set_version=f"1{evil}",
        corpus=f"c{evil}",
        rubric=f"r{evil}",
        graded_by=f"AI{evil}",
        settings={f"key{evil}": f"value{evil}"},
        overrides=(f"key{evil}=value{evil}",),
        averages={f"dim{evil}": Average("1", 1.0, 1, 1), "overall": Average("1", 1.0, 1, 1)},
        focus=f"dim{evil}",
        notes=(f"note{evil}",),
    )


def _evil_result(evil: str, score: float) -> QueryResult:
    return QueryResult(
        f"q{evil}", f"text{evil}", evil, 1, 2, {"overall": score}, HITS, None, evil, f"v{evil}", f"j{evil}"
    )


PRINTED: dict[str, Callable[[str], str]] = {
    "list": lambda evil: listing([_everywhere(evil)], 0),
    "narrow": lambda evil: listing([_everywhere(evil)], 20),
    "show": lambda evil: run_in_full(
        _everywhere(evil),
        [_evil_result(evil, 1), replace(_evil_result(evil, 1), failure=f"f{evil}", reason=f"r{evil}")],
        PLAIN,
    ),
    "trend": lambda evil: trend_text(
        trend(f"q{evil}", [(_everywhere(evil), [_evil_result(evil, 1)])], ((f"i{evil}", f"why{evil}"),)), PLAIN
    ),
    "compare": lambda evil: side_by_side_text(
        compare_runs(
            _everywhere(evil),
            replace(_everywhere(evil), settings={}),
            (
                [_evil_result(evil, 0), _evil_result("a" + evil, 0)],
                [_evil_result(evil, 1), _evil_result("b" + evil, 0)],
            ),
            Thresholds(),
        ),
        PLAIN,
    ),
    "not comparable": lambda evil: comparison_text(
        compare(_everywhere(evil), replace(_everywhere("x"), status=RunStatus.FAILED), Thresholds()), PLAIN
    ),
    "baseline": lambda evil: baseline_text(
        Baseline(_everywhere(evil), f"at{evil}", Thresholds(Limit(), {f"d{evil}": Limit()})), f"label{evil}"
    ),
}


@pytest.mark.parametrize("name", PRINTED)
def test_no_foreign_control_character_is_printed(name: str) -> None:
    """S8: every sequence in every field of every text."""
    for evil in SEQUENCES:
        text = PRINTED[name](evil)
        clean = PRINTED[name]("")
        assert all(char == "\n" or char.isprintable() for char in text), (evil, text)
        assert text.count("\n") == clean.count("\n"), "a foreign text makes no lines of its own"


def test_fractions_need_no_luck() -> None:
    """A third has no end of digits and is shown all the same."""
    found = trend("q", [(RUN, [result("q", 0.1), result("q", 0.2), result("q", 0.2)]), (RUN, [result("q", 0.5)])])

    assert found.points[0].score == Fraction(1, 6)
    assert "+0.33" in trend_text(found, RICH)
