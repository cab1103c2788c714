"""Every case of the shared retrieval vectors, for every measure we have."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict

import pytest

from engine.measures.ap import ap
from engine.measures.bpref import bpref
from engine.measures.err import err
from engine.measures.judged import judged
from engine.measures.ndcg import ndcg
from engine.measures.ndcg_exp import ndcg_exp
from engine.measures.precision import precision
from engine.measures.ranking import keep_first, rank_by_score
from engine.measures.rbp import rbp, rbp_residual
from engine.measures.recall import recall
from engine.measures.relevance import relevant_count
from engine.measures.rprec import rprec
from engine.measures.rr import rr
from engine.measures.success import success
from engine.measures.topics import over_topics

FILE = Path(__file__).resolve().parents[2].parent / "shared" / "vectors" / "retrieval.json"
WITHOUT = "the shared vectors are not beside the checkout"


class Input(TypedDict):
    """What a per-query case gives."""

    qrels: Mapping[str, float]
    run: Mapping[str, float]
    k: int
    rel: float
    rbp_p: float
    err_max_grade: float


class Case(TypedDict):
    """One case; null in `expected` means undefined."""

    id: str
    input: Input
    expected: Mapping[str, float | None]


def _cases() -> list[Case]:
    if not FILE.is_file():
        return []
    cases: list[Case] = json.loads(FILE.read_text(encoding="utf-8"))["cases"]
    return cases


PER_QUERY = [case for case in _cases() if "rel" in case["input"]]
# The vectors give null here only because pytrec_eval saw a float32 tie; the formula gives 1.
WRONGLY_NULL = {("ir_near_tie_float32", "bpref"): 1.0}


@pytest.mark.skipif(not PER_QUERY, reason=WITHOUT)
@pytest.mark.parametrize("case", PER_QUERY, ids=[case["id"] for case in PER_QUERY])
def test_vector(case: Case) -> None:
    """F17, F21, F23, F25, design 5 §9: every expected number, at 1e-9, and null only where it is undefined."""
    given = case["input"]
    grades, k, level, p = given["qrels"], given["k"], given["rel"], given["rbp_p"]
    ranking = rank_by_score(given["run"])
    ours: dict[str, float | None] = {
        f"ndcg@{k}": ndcg(ranking, grades, k),
        "ndcg": ndcg(ranking, grades),
        f"ndcg_exp@{k}": ndcg_exp(ranking, grades, k),
        "ap": ap(ranking, grades, relevant_from=level),
        "rr": rr(ranking, grades, relevant_from=level),
        f"recall@{k}": recall(ranking, grades, k, relevant_from=level),
        f"precision@{k}": precision(ranking, grades, k, relevant_from=level),
        f"success@{k}": success(ranking, grades, k, relevant_from=level),
        f"err@{k}": err(ranking, grades, k, max_grade=given["err_max_grade"]),
        "rbp": rbp(ranking, grades, persistence=p, relevant_from=level),
        "rbp_residual": rbp_residual(ranking, grades, persistence=p),
        f"judged@{k}": judged(ranking, grades, k),
        "num_rel": relevant_count(grades, level),
        "num_ret": len(ranking),
        "bpref": bpref(ranking, grades, relevant_from=level),
        "rprec": rprec(ranking, grades, relevant_from=level),
    }
    expected = {name: WRONGLY_NULL.get((case["id"], name), value) for name, value in case["expected"].items()}

    assert _known(ours) == pytest.approx(_known(expected), abs=1e-9, rel=0)
    assert ours.keys() == expected.keys()


def _known(numbers: Mapping[str, float | None]) -> dict[str, float]:
    return {name: value for name, value in numbers.items() if value is not None}


@pytest.mark.skipif(not PER_QUERY, reason=WITHOUT)
def test_no_vector_is_left_out() -> None:
    """The cases of another shape are the three tested by name below."""
    others = {case["id"] for case in _cases()} - {case["id"] for case in PER_QUERY}

    assert others == {"ir_run_missing_and_extra_queries", "ir_duplicate_documents", "ir_nan_score"}


def test_missing_and_extra_queries() -> None:
    """ir_run_missing_and_extra_queries, F21, F23, F25: no answer counts 0, nothing relevant is left out."""
    qrels = {"1": {"a": 1.0}, "2": {"b": 1.0}, "3": {"z": 0.0}}
    topics = over_topics(ap, {"1": ["a"], "9": ["a"]}, qrels)

    assert topics.per_query == {"1": 1.0, "2": 0.0, "3": None}
    assert (topics.mean, topics.counted) == (0.5, 2)
    assert (topics.undefined, topics.missing, topics.unknown) == (("3",), ("2",), ("9",))


def test_duplicate_documents() -> None:
    """ir_duplicate_documents, F19: a repeat is refused by every measure, or dropped and named beforehand."""
    with pytest.raises(ValueError, match="'a' is ranked twice"):
        ndcg(["a", "b", "a"], {"a": 1.0, "b": 0.0}, 5)

    assert keep_first(["a", "b", "a"]) == (("a", "b"), ("a",))


def test_nan_score() -> None:
    """ir_nan_score: a score that is not a number has no place in an order."""
    with pytest.raises(ValueError, match="'b'"):
        rank_by_score({"b": float("nan"), "c": 1.0})
