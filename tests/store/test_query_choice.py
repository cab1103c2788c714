"""Part of a query set, and never silently nothing: F67."""

import pytest

from engine.errors import UsageError
from engine.model.query import Member, Query, QuerySet, Source, Split
from engine.store.query_choice import choose


def query(query_id: str, category: str = "concept", split: Split | None = None) -> Query:
    return Query(query_id, "What?", "i", category, split=split)


def query_set(*queries: Query, members: tuple[str, ...] = ("core",)) -> QuerySet:
    found = tuple(Member(name, "1.0.0", "0" * 64, 1) for name in members)
    return QuerySet("+".join(members), "1.0.0", "", Source.CURATED, (), queries, found, "1" * 64)


CORE = query_set(query("a-1"), query("b-1", "api", Split.HELD_OUT), query("b-2", "api"), query("c-1", "comparison"))
BOTH = query_set(query("core:a"), query("other:a", "api"), query("other:b"), members=("core", "other"))


@pytest.mark.parametrize(
    ("queries", "where", "cases", "limit", "ids"),
    [
        pytest.param(CORE, {}, [], None, ["a-1", "b-1", "b-2", "c-1"], id="all"),
        pytest.param(CORE, {"category": ["api"]}, [], None, ["b-1", "b-2"], id="category"),
        pytest.param(CORE, {"category": ["comparison", "concept"]}, [], None, ["a-1", "c-1"], id="any-of-several"),
        pytest.param(CORE, {"category": ["api"], "split": ["held-out"]}, [], None, ["b-1"], id="both"),
        pytest.param(CORE, {}, ["c-1", "a-1"], None, ["a-1", "c-1"], id="cases-in-the-order-of-the-set"),
        pytest.param(CORE, {"category": ["api"]}, ["b-2", "c-1"], None, ["b-2"], id="cases-and-where"),
        pytest.param(CORE, {"category": ["api"]}, [], 1, ["b-1"], id="limit-comes-last"),
        pytest.param(CORE, {}, [], 99, ["a-1", "b-1", "b-2", "c-1"], id="generous-limit"),
        pytest.param(CORE, {"set": ["core"]}, [], None, ["a-1", "b-1", "b-2", "c-1"], id="set-of-a-single-set"),
        pytest.param(BOTH, {"set": ["other"]}, [], None, ["other:a", "other:b"], id="set"),
        pytest.param(BOTH, {}, ["core:a", "b"], None, ["core:a", "other:b"], id="short-id"),
    ],
)
def test_choose(
    queries: QuerySet, where: dict[str, list[str]], cases: list[str], limit: int | None, ids: list[str]
) -> None:
    """In the order of the set; identity stays that of the set."""
    found = choose(queries, where, cases, limit)

    assert [part.id for part in found.queries] == ids
    assert (found.name, found.sha256, found.members) == (queries.name, queries.sha256, queries.members)


@pytest.mark.parametrize(
    ("queries", "where", "cases", "limit", "message"),
    [
        pytest.param(
            CORE, {"category": ["comparson"]}, [], None, 'has "comparson"\n  → did you mean "comparison"?', id="value"
        ),
        pytest.param(CORE, {"category": ["zzz"]}, [], None, "there is: concept, api, comparison", id="choices"),
        pytest.param(CORE, {"category": ["api", "zzz"]}, [], None, 'no query of core has "zzz"', id="one-of-two"),
        pytest.param(CORE, {"categry": ["api"]}, [], None, 'did you mean "category"?', id="key"),
        pytest.param(CORE, {"category": []}, [], None, "where.category: no value is given", id="no-value"),
        pytest.param(CORE, {}, ["b-3"], None, 'cases: core has no query "b-3"\n  → did you mean "b-', id="case"),
        pytest.param(CORE, {"category": ["concept"]}, ["b-1"], None, "fits all of category, cases", id="together"),
        pytest.param(CORE, {}, [], 0, "limit: 0 leaves no query", id="limit"),
        pytest.param(
            BOTH, {}, ["a"], None, 'cases: "a" is the id of 2 queries\n  → write one of core:a, other:a', id="ambiguous"
        ),
        pytest.param(BOTH, {"set": ["othr"]}, [], None, 'did you mean "other"?', id="set"),
    ],
)
def test_a_selector_that_matches_nothing(
    queries: QuerySet, where: dict[str, list[str]], cases: list[str], limit: int | None, message: str
) -> None:
    """F67: an error with near matches, never an empty run."""
    with pytest.raises(UsageError) as caught:
        choose(queries, where, cases, limit)

    assert message in str(caught.value)


def test_all_selectors_are_checked_at_once() -> None:
    """F67."""
    with pytest.raises(UsageError) as caught:
        choose(CORE, {"category": ["x"], "split": ["y"]}, ["z"], -1)

    assert len(caught.value.problems) == 4
