"""An analysis is whole or not used: nothing in it is guessed, cut to fit, or put beside the wrong result."""

import asyncio
import json
from collections.abc import Callable

import pytest

from engine.execute.budget import Budget
from engine.execute.paying import Payer
from engine.judges.analysis import Analysis, Assessment, analyse, from_json, to_json
from engine.model.exchange import Exchange
from engine.model.grade import Vote
from tests.doubles import JustCalls
from tests.judges.build import Model, answers, ask, judge, questionnaire, unreachable
from tests.judges.test_model import Book
from tests.rubric.build import exchange, hits, rubric_of

_RUBRIC = rubric_of(
    "rubric: R\ngroup: Relevance\n  criterion: Fits\n    ask: Do they fit?\n"
    "group: Ranking\n  criterion: Order\n    ask: Is the order right?\nend group: Ranking\n"
    "info: By the way\n  ask: Is it new?\n"
)
_WHAT = exchange(results=hits("a.md", "b.md"))


def _reply(**other: object) -> Callable[[object], str]:
    whole = {
        "results": [{"note": "It says when.", "relevance": 1}, {"note": "About something else.", "relevance": 0.25}],
        "dimensions": {"d1": "One of two fits.", "d2": "The best is first."},
        "suggestions": ["Add a page about fees."],
    }
    return lambda _: json.dumps({**whole, **other})


def _analysis(says: Callable[..., str], what: Exchange = _WHAT) -> Analysis:
    return asyncio.run(analyse(_RUBRIC, what, judge(Model(says)), JustCalls()))


def test_a_whole_analysis() -> None:
    """A60."""
    found = _analysis(_reply())

    assert found == Analysis(
        (Assessment("a.md", 1, "It says when."), Assessment("b.md", 0.25, "About something else.")),
        {"relevance": "One of two fits.", "ranking": "The best is first."},
        ("Add a page about fees.",),
        "m-2026",
    )
    assert from_json(json.loads(json.dumps(to_json(found)))) == found


def _results(*relevance: object) -> dict[str, object]:
    return {"results": [{"note": "n", "relevance": each} for each in relevance]}


@pytest.mark.parametrize(
    ("other", "problem"),
    [
        (_results(1), "wrong_count"),
        (_results(1, 1, 1), "wrong_count"),
        (_results(1, 1.01), "out_of_range"),
        (_results(-0.1, 1), "out_of_range"),
        (_results("1", 1), "not_a_number"),
        (_results(True, 1), "not_a_number"),
        (_results(None, 1), "not_a_number"),
        (_results(float("nan"), 1), "not_a_number"),
        ({"results": [{"relevance": 1}, {"note": "n", "relevance": 1}]}, "missing"),
        ({"results": [1, 2]}, "missing"),
        ({"results": {"a.md": 1}}, "missing"),
        ({"dimensions": {"d1": "one"}}, "missing"),
        ({"dimensions": {"d1": "one", "d2": None}}, "missing"),
        ({"dimensions": {"d1": "one", "d2": "two", "d3": "three"}}, "extra"),
        ({"suggestions": "do better"}, "missing"),
        ({"suggestions": [1]}, "missing"),
        ({"suggestions": ["x"] * 11}, "wrong_count"),
        ({"overall": 1}, "extra"),
    ],
)
def test_anything_else_is_none(other: dict[str, object], problem: str) -> None:
    """A61."""
    found = _analysis(_reply(**other))

    assert found.problem == problem
    assert (found.results, found.dimensions, found.suggestions) == ((), None, ())
    assert from_json(to_json(found)) == Analysis(problem=found.problem, reason=found.reason)


def test_no_result_is_something_to_write_about() -> None:
    """A64."""
    found = _analysis(_reply(results=[]), exchange(results=()))

    assert (found.problem, found.results) == ("", ())


def test_a_judge_that_is_not_there_writes_nothing() -> None:
    assert _analysis(unreachable).reason == "the judge did not answer: timeout"


def test_texts_are_safe_and_bounded() -> None:
    found = _analysis(_reply(suggestions=["\x1b[31m" + "x" * 9_000]))

    assert len(found.suggestions[0]) <= 600
    assert found.suggestions[0].isprintable()


def test_it_is_not_paid_for_twice_and_not_taken_for_another_answer() -> None:
    model, book = Model(_reply()), Book()

    def go(what: Exchange, answered: Book) -> Analysis:
        before = {("t", ended.call.who, ended.call.nth): ended for ended in answered.lines}
        return asyncio.run(analyse(_RUBRIC, what, judge(model), Payer(Budget(), Book(), before).trial("t")))

    asyncio.run(analyse(_RUBRIC, _WHAT, judge(model), Payer(Budget(), book).trial("t")))
    assert go(_WHAT, book) == go(_WHAT, book)
    assert len(model.asked) == 1
    go(exchange(results=hits("b.md", "a.md")), book)
    assert len(model.asked) == 2


def test_wanting_one_changes_no_vote_and_no_identity() -> None:
    asked = questionnaire("criterion: A\n  ask: Is it?\n")
    with_it, without = Model(answers("yes")), Model(answers("yes"))
    one, other = judge(with_it, analysis=True), judge(without)

    assert ask(one, asked) == ask(other, asked) == {"a": Vote("yes", "llm", "m-2026", "seen")}
    assert one.identity == other.identity
    assert (one.analyses, other.analyses) == (True, False)
