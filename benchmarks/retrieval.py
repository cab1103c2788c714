"""Retrieval measures against pytrec_eval, which computes them in C: the same numbers, in one process, in turns."""

import random
from collections.abc import Callable, Mapping, Sequence
from math import isclose
from statistics import median
from time import perf_counter

from engine.measures.ap import ap
from engine.measures.ndcg import ndcg
from engine.measures.precision import precision
from engine.measures.ranking import rank_by_score
from engine.measures.recall import recall
from engine.measures.rr import rr

__all__ = ["ratios"]

QUERIES, HITS, JUDGED, REPEATS = 1_000, 100, 50, 7

Runs = Mapping[str, Mapping[str, float]]
Judgements = Mapping[str, Mapping[str, int]]
Five = tuple[float | None, ...]


def ratios() -> list[tuple[str, float, str]]:
    """What was compared, our time / theirs (below 1 is faster), and one sentence with the numbers.

    Without pytrec_eval there is nothing to compare with: the ratio is NaN and the sentence says so.
    """
    name = f"ndcg@10 p@10 recall@10 ap rr, {QUERIES:,} queries × {HITS} hits"
    try:
        import pytrec_eval  # the reference, which the engine does not need
    except ImportError:
        return [(f"{name}, against pytrec_eval", float("nan"), "pytrec_eval is not installed (the oracle extra)")]

    runs, judgements = _generated(random.Random(0))
    rankings = {query: rank_by_score(scores) for query, scores in runs.items()}
    wanted = {"ndcg_cut.10", "P.10", "recall.10", "map", "recip_rank"}
    evaluator = pytrec_eval.RelevanceEvaluator(judgements, wanted)

    def theirs() -> Mapping[str, Mapping[str, float]]:
        evaluated: Mapping[str, Mapping[str, float]] = evaluator.evaluate(runs)
        return evaluated

    def from_ranks() -> Mapping[str, Five]:
        return {query: _five(ranking, judgements[query]) for query, ranking in rankings.items()}

    def from_scores() -> Mapping[str, Five]:
        return {query: _five(rank_by_score(scores), judgements[query]) for query, scores in runs.items()}

    _agree(from_scores(), theirs())
    their_s, ranks_s, scores_s = _medians(theirs, from_ranks, from_scores)
    return [
        (f"{name}, ranked", ranks_s / their_s, _sentence(ranks_s, their_s)),
        (f"{name}, from scores", scores_s / their_s, _sentence(scores_s, their_s)),
    ]


def _five(ranking: Sequence[str], grades: Mapping[str, int]) -> Five:
    return (
        ndcg(ranking, grades, 10),
        precision(ranking, grades, 10),
        recall(ranking, grades, 10),
        ap(ranking, grades),
        rr(ranking, grades),
    )


def _generated(chance: random.Random) -> tuple[Runs, Judgements]:
    """Every query has a relevant document; half of the judged documents are found."""
    runs, judgements = {}, {}
    for number in range(QUERIES):
        documents = [f"doc-{number}-{place}" for place in range(HITS + JUDGED // 2)]
        runs[f"q{number}"] = {document: chance.random() for document in documents[:HITS]}
        judged = {document: chance.choice((0, 0, 0, 1, 1, 2)) for document in documents[HITS - JUDGED // 2 :]}
        judgements[f"q{number}"] = judged | {documents[0]: 3}
    return runs, judgements


def _agree(ours: Mapping[str, Five], theirs: Mapping[str, Mapping[str, float]]) -> None:
    """A fast wrong number is worth nothing."""
    names = ("ndcg_cut_10", "P_10", "recall_10", "map", "recip_rank")
    for query, values in ours.items():
        for name, value in zip(names, values, strict=True):
            if value is None or not isclose(value, theirs[query][name], abs_tol=1e-9):
                raise ArithmeticError(f"{name} of {query}: {value} here, {theirs[query][name]} there")


def _medians(*works: Callable[[], object]) -> list[float]:
    """Seconds each; the works take turns, so that a busy machine slows all of them."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(REPEATS):
        for work, taken in zip(works, times, strict=True):
            start = perf_counter()
            work()
            taken.append(perf_counter() - start)
    return [median(taken) for taken in times]


def _sentence(our_s: float, their_s: float) -> str:
    per_query = 1e6 / QUERIES
    return f"{our_s * per_query:.0f} µs a query here, {their_s * per_query:.0f} µs there, median of {REPEATS} in turns"
