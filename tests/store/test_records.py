"""Trials as journal lines and back."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Problem, UsageError
from engine.model.exchange import Answer, Exchange, Hit, ToolCall, Turn
from engine.model.grade import Grade, GradeStatus, Grading
from engine.model.query import Query
from engine.model.record import Failure, Record, Status
from engine.model.run import RunInfo, RunStatus
from engine.store.journal import open_journal
from engine.store.records import damage, fold, read_trials, recorded, trial_data
from engine.store.tally import Tally

QUERY = Query("with-001", "How do I use with?", "find it", "api-reference", "wrapping a file")


def done(key: str = "k1", query: Query = QUERY, overall: float | None = 0.7625, repeat: int = 1) -> Record:
    hits = (Hit(1, "with", -3.25, "The with statement", "with it"), Hit(2, "try", None))
    answer = Answer(hits, "use it", ("with",), (ToolCall("find", {"q": "with"}),), {"search": 0.001})
    grade = Grade("ranking", GradeStatus.GRADED, 0.5, 0.5, 0.5, True, "2 of 4")
    grading = Grading((grade,), {"ranking": 0.5, "overall": overall}, 0.7, 0.8, "good", ("good", "poor"))
    return Record(
        key=key,
        set_name="core",
        position=1,
        repeat=repeat,
        query=query,
        status=Status.DONE,
        exchange=Exchange(query, Turn(query.text, query.id), answer),
        grading=grading,
        latency_s={"search": 0.001, "grade": 0.0001},
    )


def failed(key: str) -> Record:
    query = Query("gone-1", "Where?", "find", "concept")
    return Record(key, "core", 2, 1, query, Status.FAILED, failure=Failure.TIMEOUT, error="no answer in 10 s")


def written(path: Path, *lines: Mapping[str, object]) -> Path:
    with open_journal(path, lambda: 0.0) as journal:
        for line in lines:
            journal.append("trial", line)
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.jsonl"


def test_everything_known_of_a_trial_is_kept() -> None:
    """A74, A62: query with category and context, hits in order, grades with reasons, latency."""
    assert json.loads(json.dumps(trial_data(done()))) == {
        "key": "k1",
        "query_id": "with-001",
        "set": "core",
        "position": 1,
        "repeat": 1,
        "status": "done",
        "query": "How do I use with?",
        "intent": "find it",
        "category": "api-reference",
        "task_context": "wrapping a file",
        "turns": [
            {
                "say": "How do I use with?",
                "answer": {
                    "text": "use it",
                    "hits": [
                        {
                            "rank": 1,
                            "source": "with",
                            "title": "The with statement",
                            "score": -3.25,
                            "snippet": "with it",
                        },
                        {"rank": 2, "source": "try", "title": "", "score": None, "snippet": ""},
                    ],
                    "citations": ["with"],
                    "tool_calls": [{"name": "find", "arguments": {"q": "with"}}],
                },
            }
        ],
        "grades": [
            {
                "criterion": "ranking",
                "score": 0.5,
                "passed": True,
                "reason": "2 of 4",
            }
        ],
        "scores": {"ranking": 0.5, "overall": 0.7625},
        "verdict": "good",
        "could_be": ["good", "poor"],
        "graded_by": "measured",
        "latency_s": {"search": 0.001, "grade": 0.0001},
    }


def test_what_is_not_known_is_no_number() -> None:
    """A65: a failed trial has no scores, and no zero."""
    data = trial_data(failed("k2"), "AI")

    assert (data["status"], data["failure"], data["error"]) == ("failed", "timeout", "no answer in 10 s")
    assert (data["turns"], data["grades"], data["scores"], data.get("verdict")) == ([], [], {}, None)
    assert data["graded_by"] == "AI"


def test_an_answer_without_hits_is_not_an_empty_one(path: Path) -> None:
    record = done()
    assert record.exchange is not None
    silent = Exchange(QUERY, record.exchange.turn, Answer())
    data = trial_data(Record("k", "core", 1, 1, QUERY, Status.DONE, exchange=silent))

    assert data["turns"] == [{"say": QUERY.text, "answer": {}}]


def test_fold_gives_each_trial_once_in_plan_order(path: Path) -> None:
    """A70, F01, F05: averages over what is graded, of what was planned."""
    other = Query("a-1", "What?", "know", "concept")
    first, second = trial_data(done("k1")), trial_data(done("k3", other, None))
    second["position"] = 0
    written(path, first, trial_data(failed("k2")), second, first)

    folded = fold(path, planned=4)

    assert [result.query_id for result in folded.results] == ["a-1", "with-001", "gone-1"]
    assert folded.results[1].hits == (("with", -3.25, "with it"), ("try", None, ""))
    assert folded.results[1].scores == {"ranking": 0.5, "overall": 0.7625}
    assert folded.results[2].failure == "timeout"
    assert folded.results[2].scores == {}
    assert folded.results[2].reason == "no answer in 10 s"
    overall = folded.averages["overall"]
    assert (overall.total, overall.mean, overall.graded, overall.planned) == ("0.7625", 0.7625, 1, 4)
    assert folded.averages["ranking"].graded == 2


def test_a_trial_that_was_cut_is_run_again(path: Path) -> None:
    cut = {**trial_data(done("k1")), "status": "cut", "scores": {}}
    written(path, cut, trial_data(failed("k2")))

    so_far = recorded(path)
    assert so_far.keys == {"k2"}
    assert (so_far.failed, so_far.queries) == (1, 1)

    with open_journal(path, lambda: 0.0) as journal:
        journal.append("trial", trial_data(done("k1")))
    assert recorded(path).keys == {"k1", "k2"}
    assert recorded(path).tally.averages(2)["overall"].graded == 1


@pytest.mark.parametrize(
    "damage",
    [
        {"key": 1},
        {"status": "odd"},
        {"scores": {"overall": "0.5"}},
        {"scores": {"overall": True}},
        {"scores": {"overall": 7}},
        {"scores": {"ranking": -0.0001}},
        {"query": None},
        {"position": "1"},
    ],
)
def test_a_trial_of_another_shape_is_named(path: Path, damage: dict[str, object]) -> None:
    """A102, A98: file and line; the rest is usable."""
    written(path, trial_data(done("k1")), {**trial_data(done("k2")), **damage}, trial_data(done("k3", repeat=2)))

    folded = fold(path, 3)

    assert len(folded.results) == 2
    assert [problem.place for problem in folded.problems] == [f"{path}:2"]
    assert recorded(path).problems == folded.problems


WHOLE = RunInfo("r", "", RunStatus.COMPLETE, "core", 3, 3)


@pytest.mark.parametrize(
    ("change", "line", "says"),
    [
        (lambda lines: lines, "", None),
        (lambda lines: [*lines[:1], *lines[2:]], "", "holds 2 records, 3 were planned"),
        (lambda lines: [lines[0], b"garbage\n", lines[2]], ":2:1", "this is not JSON"),
        (lambda lines: [*lines, lines[1]], ":4", "the record of with-001 is there twice, first in line 2"),
        (lambda lines: [lines[0], lines[1].replace(b"0.7625", b"7.7625"), lines[2]], ":2", "between 0 and 1"),
        (lambda lines: [lines[0], lines[1].replace(b"0.7625", b"0.9999"), lines[2]], "", "a line was changed"),
        (lambda lines: [], "", "holds 0 records, 3 were planned"),
    ],
    ids=["whole", "deleted", "garbage", "doubled", "out-of-range", "changed", "emptied"],
)
def test_records_are_whole_or_it_is_said_where_not(
    path: Path, change: Callable[[list[bytes]], list[bytes]], line: str, says: str | None
) -> None:
    """A98, A102: planned and recorded, damaged, doubled, changed: the same from both readers."""
    written(path, *(trial_data(done(f"k{repeat}", repeat=repeat)) for repeat in (1, 2, 3)))
    ended = replace(WHOLE, averages=fold(path, 3).averages)
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))

    found = damage(ended, path, fold(path, 3))

    assert damage(ended, path, recorded(path)) == found
    if says is None:
        assert found == ()
    else:
        assert says in found[0].message
        assert found[0].place == f"{path}{line}"


def test_trials_are_streamed_and_damage_stops_unless_somebody_listens(path: Path) -> None:
    written(path, trial_data(done("k1")))
    with path.open("ab") as file:
        file.write(b"{}\n")
    written(path, trial_data(done("k2")))

    heard: list[Problem] = []
    assert [data["key"] for data in read_trials(path, heard.append)] == ["k1", "k2"]
    assert [problem.place for problem in heard] == [f"{path}:2"]
    with pytest.raises(UsageError, match=":2"):
        list(read_trials(path))


def test_which_queries_are_graded_has_a_fingerprint() -> None:
    """The same trials in another order have the same one, another query has another."""
    tallies = [Tally() for _ in range(3)]
    for tally, names in zip(tallies, ("ab", "ba", "ac"), strict=True):
        for name in names:
            tally.add(name, 1, {"overall": 0.5})
    first, turned, other = (tally.averages(2)["overall"] for tally in tallies)

    assert first == turned
    assert first.covers != other.covers
    assert (first.total, first.graded) == (other.total, other.graded)


def test_a_dimension_without_any_score_has_no_mean() -> None:
    """A115 in spirit: None, never 0."""
    tally = Tally()
    tally.add("a", 1, {"asked": None})

    average = tally.averages(1)["asked"]
    assert (average.mean, average.graded, average.planned) == (None, 0, 1)


@given(st.lists(st.integers(0, 10**12).map(lambda n: n / 10**12), max_size=30))
def test_sums_are_exact(scores: list[float]) -> None:
    """A85: the total is the exact sum of the numbers as they are written, with up to 12 decimals (a score has 4)."""
    tally = Tally()
    for number, score in enumerate(scores):
        tally.add(str(number), 1, {"overall": score})

    totals = tally.averages(len(scores))
    assert Fraction(totals["overall"].total or "0" if scores else "0") == sum(
        (Fraction(repr(s)) for s in scores), Fraction(0)
    )


def test_what_does_not_apply_is_in_no_denominator() -> None:
    """A90 and the three outcomes: of three answered trials one has no "both sides" to be graded on."""
    tally = Tally()
    tally.add("a", 1, {"overall": 1.0})
    tally.add("b", 1, {"both-sides": None, "overall": None})
    tally.add("c", 1, {"both-sides": 0.5, "overall": 0.5})

    averages = tally.averages(4)  # one trial is still to come, or failed

    assert list(averages) == ["both-sides", "overall"]
    assert (averages["both-sides"].graded, averages["both-sides"].planned) == (1, 3)
    assert (averages["overall"].graded, averages["overall"].planned) == (2, 4)
