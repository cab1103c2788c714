"""The table of measures: how they are named, and what each says about an exchange."""

from collections.abc import Mapping

import pytest

from engine.measures import MEASURES, SYNONYMS, BoundMeasure, Cutoff, Measure, Measured, Sight, meant, measure, names
from engine.model.exchange import Answer, Exchange, Hit, Turn
from engine.model.query import Query

GRADES = {"a": 2.0, "b": 1.0, "no": 0.0}
OF_RELEVANT = ["ndcg@10", "ndcg_exp", "p@5", "recall@5", "success@3", "rr", "ap", "err@10", "rbp", "rprec", "bpref"]


def _exchange(
    *sources: str, relevant: Mapping[str, float] | None = GRADES, text: str = "timeouts", snippet: str = "a timeout"
) -> Exchange:
    hits = tuple(Hit(rank, source, None, "", snippet) for rank, source in enumerate(sources, start=1))
    query = Query("q", text, "", "lookup", relevant=relevant)
    return Exchange(query, Turn(text, "q"), Answer(hits=hits))


def _silent() -> Exchange:
    query = Query("q", "timeouts", "", "lookup", relevant=GRADES)
    return Exchange(query, Turn("timeouts", "q"), Answer(text="forty-two"))


def _bound(name: str) -> BoundMeasure:
    found = measure(name)
    assert found is not None, name
    return found


@pytest.mark.parametrize(
    ("written", "name", "key", "cutoff"),
    [
        ("ndcg@10", "ndcg@10", "ndcg", 10),
        (" NDCG@10 ", "ndcg@10", "ndcg", 10),
        ("ndcg", "ndcg", "ndcg", None),
        ("P@1", "p@1", "p", 1),
        ("precision@10000", "precision@10000", "p", 10_000),
        ("MRR@10", "mrr@10", "rr", 10),
        ("mrr", "mrr", "rr", None),
        ("map", "map", "ap", None),
        ("Latency", "latency", "latency", None),
    ],
)
def test_names_are_read(written: str, name: str, key: str, cutoff: int | None) -> None:
    """Case does not matter, and people's own names for a measure work."""
    bound = _bound(written)

    assert (bound.name, bound.measure, bound.cutoff) == (name, MEASURES[key], cutoff)


@pytest.mark.parametrize(
    ("written", "suggestion"),
    [
        ("nDGC@10", "ndcg@10"),
        ("ndcg@0", "ndcg@10"),
        ("ndcg@010", "ndcg@10"),
        ("ndcg@10001", "ndcg@10"),
        ("ndcg@-1", "ndcg@10"),
        ("ndcg@", "ndcg@10"),
        ("ndcg@١٠", "ndcg@10"),
        ("ndcg @ 5", "ndcg@5"),
        ("p", "p@10"),
        ("precison@5", "precision@5"),
        ("latency@5", "latency"),
        ("tool calls", None),
        ("@", None),
        ("", None),
    ],
)
def test_what_is_no_measure_gets_a_suggestion_that_is_one(written: str, suggestion: str | None) -> None:
    """Mistake 32: an unknown name is None, and the spelling meant, if there is one, can be used as it stands."""
    assert measure(written) is None
    assert meant(written) == suggestion
    assert suggestion is None or measure(suggestion) is not None


def test_every_listed_name_can_be_used() -> None:
    """A list of names that leads to an error would be a lie."""
    assert all(measure(name) for name in names())
    assert {_bound(name).measure.name for name in names()} == set(MEASURES)
    assert set(SYNONYMS.values()) <= set(MEASURES)


@pytest.mark.parametrize("entry", MEASURES.values(), ids=list(MEASURES))
def test_every_entry_says_what_it_is(entry: Measure) -> None:
    """One sentence for people; a share has no unit."""
    assert entry.about.endswith(".")
    assert not (entry.ratio and entry.unit)


@pytest.mark.parametrize("name", OF_RELEVANT)
def test_no_answer_is_not_a_zero(name: str) -> None:
    """F23, F25: what could not be measured is None with its reason; an empty result is a real 0."""
    ask = _bound(name)

    assert ask(_silent()) == Measured(None, "the target returns no results list")
    assert ask(_exchange("a", relevant=None)) == Measured(None, "nobody judged this query")
    assert ask(_exchange("a", relevant={})) == Measured(None, "judged: no document answers this query")
    assert ask(_exchange("a", relevant={"a": 0.0, "b": -1.0})) == Measured(
        None, "judged: none of the known sources is relevant"
    )
    assert ask(_exchange()) == Measured(0.0)
    assert ask(_exchange("x", "y")) == Measured(0.0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ndcg@1", 0.5),
        ("p@4", 0.5),
        ("recall@3", 0.5),
        ("recall@4", 1.0),
        ("success@1", 1.0),
        ("rr", 1.0),
        ("ap", (1 / 1 + 2 / 4) / 2),
        ("ap@3", 0.5),
        ("err@1", 1 / 16),
        ("rbp", 0.2 * (1 + 0.8**3)),
        ("rbp_residual", 0.2 * 0.8**2 + 0.8**4),
        ("rprec", 0.5),
        ("bpref", 0.5),
        ("judged@4", 0.75),
        ("judged@2", 1.0),
    ],
)
def test_values_by_hand(name: str, value: float) -> None:
    """The table hands the ranking, the judgements and the cutoff on as they are: b, no, x (unjudged), a."""
    assert _bound(name)(_exchange("b", "no", "x", "a")).value == pytest.approx(value, abs=1e-12)


def test_a_fractional_grade_is_relevant_everywhere() -> None:
    """A grade above 0 is relevant: nDCG and recall must not disagree about 0.5."""
    exchange = _exchange("a", relevant={"a": 0.5})

    assert [_bound(name)(exchange).value for name in ("ndcg@10", "recall@10", "rr", "ap", "success@1")] == [1.0] * 5


def test_a_document_returned_twice_counts_once() -> None:
    """F19: the first place counts, the repeat takes no rank, and nothing goes above 1."""
    assert _bound("ndcg@10")(_exchange("a", "a", "a", "b")).value == 1.0
    assert _bound("p@2")(_exchange("a", "a", "b")).value == 1.0


def test_a_grade_above_the_scale_is_not_a_number_above_one() -> None:
    """ERR knows grades up to 4; a query set with grades up to 10 gets a reason, and no crash."""
    measured = _bound("err@10")(_exchange("a", relevant={"a": 10.0}))

    assert measured == Measured(None, "a grade of 10 is above 4, the top of this measure's scale")
    assert _bound("ndcg_exp")(_exchange("a", relevant={"a": 5000.0})).value is None
    assert _bound("ndcg")(_exchange("a", relevant={"a": 5000.0})).value == 1.0


def test_how_much_is_judged() -> None:
    """Design 5 §9: divided by the documents returned, and 0 of 0 is not known."""
    assert _bound("judged@10")(_exchange("a", "no", "x")).value == pytest.approx(2 / 3)
    assert _bound("judged@10")(_exchange("a", relevant={})).value == 0.0
    assert _bound("judged@10")(_exchange()).value is None
    assert _bound("rbp_residual")(_exchange()).value == 1.0
    assert _bound("rbp_residual")(_exchange("a", relevant=None)).reason == "nobody judged this query"


def test_recorded_numbers() -> None:
    """Latency and cost are what was recorded: 0 is a value, missing is not."""
    exchange = _exchange("a")
    paid = Exchange(exchange.query, exchange.turn, exchange.answer, latency_s=1.5, cost_usd=0.0)

    assert (_bound("latency")(paid), _bound("cost")(paid)) == (Measured(1.5), Measured(0.0))
    assert _bound("latency")(exchange) == Measured(None, "the time of this answer was not recorded")
    assert _bound("cost")(exchange) == Measured(None, "the cost of this answer is not known")
    assert (MEASURES["latency"].unit, MEASURES["cost"].unit) == ("seconds", "dollars")
    assert [name for name, entry in MEASURES.items() if not entry.ratio] == ["rbp_residual", "latency", "cost"]


@pytest.mark.parametrize(
    ("exchange", "measured"),
    [
        pytest.param(_exchange("a"), Measured(1.0), id="seen"),
        pytest.param(_exchange("a", relevant=None), Measured(1.0), id="needs-no-judgement"),
        pytest.param(_exchange(), Measured(0.0), id="nothing-returned"),
        pytest.param(_silent(), Measured(None, "the target returns no results list"), id="no-list"),
        pytest.param(
            _exchange("a", text="how is it"),
            Measured(None, "the query has no content word to look for"),
            id="no-words",
        ),
        pytest.param(
            _exchange("a", snippet=" "),
            Measured(None, "the results carry neither title nor snippet"),
            id="nothing-shown",
        ),
    ],
)
def test_snippet(exchange: Exchange, measured: Measured) -> None:
    """What the first results show of the query, or why that cannot be told."""
    assert _bound("snippet@5")(exchange) == measured


@pytest.mark.parametrize(
    "exchange",
    [_exchange("a", "x", "a", "b"), _exchange(), _exchange("a", relevant={}), _exchange("a", relevant=None), _silent()],
)
def test_measures_that_look_at_one_exchange_together_say_the_same(exchange: Exchange) -> None:
    """The ranking and the highest grade are worked out once; no measure may change them for the next."""
    together = Sight(exchange)

    for _ in range(2):
        for name in names():
            assert _bound(name).seen(together) == _bound(name)(exchange), name


def test_cutoffs_are_declared() -> None:
    """Precision without a cutoff would reward returning less."""
    required = {name for name, entry in MEASURES.items() if entry.cutoff is Cutoff.REQUIRED}

    assert required == {"p", "recall", "success", "err", "judged", "snippet"}
