"""What holds for every ranking, whatever the numbers are."""

from collections.abc import Callable, Mapping, Sequence
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measures.ap import ap
from engine.measures.bpref import bpref
from engine.measures.err import err
from engine.measures.judged import judged
from engine.measures.ndcg import ndcg
from engine.measures.ndcg_exp import ndcg_exp
from engine.measures.ndcg_tied import ndcg_tied
from engine.measures.precision import precision
from engine.measures.ranking import pessimistic, rank_by_score
from engine.measures.rbp import rbp, rbp_residual
from engine.measures.recall import recall
from engine.measures.rprec import rprec
from engine.measures.rr import rr
from engine.measures.success import success

Pure = Callable[[Sequence[str], Mapping[str, float], int], float | None]

OF_RELEVANT: dict[str, Pure] = {
    "ndcg": ndcg,
    "ndcg_exp": ndcg_exp,
    "precision": precision,
    "recall": recall,
    "success": success,
    "rr": rr,
    "ap": ap,
    "err": err,
    "rbp": rbp,
    "rprec": lambda ranking, grades, _: rprec(ranking, grades),
    "bpref": lambda ranking, grades, _: bpref(ranking, grades),
}
OTHERS: dict[str, Pure] = {"judged": judged, "rbp_residual": rbp_residual}
NEVER_NONE = {"precision", "err", "rbp", "rbp_residual"}

DOCUMENTS = [f"d{number}" for number in range(12)]
RANKINGS = st.lists(st.sampled_from(DOCUMENTS), unique=True)
GRADES = st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0]))
CUTOFFS = st.integers(min_value=1, max_value=15)
EACH = pytest.mark.parametrize("name", [*OF_RELEVANT, *OTHERS])
EACH_OF_RELEVANT = pytest.mark.parametrize("name", OF_RELEVANT)


@EACH
@given(ranking=RANKINGS, grades=GRADES, cutoff=CUTOFFS)
def test_range(name: str, ranking: list[str], grades: dict[str, float], cutoff: int) -> None:
    """In [0, 1], never NaN; None exactly when nothing is relevant (judged: when nothing was returned)."""
    value = (OF_RELEVANT | OTHERS)[name](ranking, grades, cutoff)

    if value is not None:
        assert 0 <= value <= 1
    if name == "judged":
        assert (value is None) == (not ranking)
    elif name in NEVER_NONE:
        assert value is not None
    else:
        assert (value is None) == (not any(grade > 0 for grade in grades.values()))


@EACH_OF_RELEVANT
@given(ranking=RANKINGS, grades=GRADES, cutoff=CUTOFFS, at=st.integers(min_value=0, max_value=10))
def test_a_better_document_moved_up_never_lowers(
    name: str, ranking: list[str], grades: dict[str, float], cutoff: int, at: int
) -> None:
    """Swapping neighbours so that the higher grade comes first."""
    if at + 1 >= len(ranking):
        return
    upper, lower = ranking[at], ranking[at + 1]
    if max(grades.get(upper, 0.0), 0.0) >= grades.get(lower, 0.0):
        return
    swapped = [*ranking[:at], lower, upper, *ranking[at + 2 :]]
    before, after = OF_RELEVANT[name](ranking, grades, cutoff), OF_RELEVANT[name](swapped, grades, cutoff)

    assert before is not None
    assert after is not None
    assert after >= before - 1e-12


@given(grades=GRADES, cutoff=CUTOFFS)
def test_the_ideal_order_is_exactly_one(grades: dict[str, float], cutoff: int) -> None:
    """No dust: the best possible order is 1.0, with and without cutoff."""
    ideal = sorted(grades, key=lambda source: -grades[source])
    if any(grade > 0 for grade in grades.values()):
        assert ndcg(ideal, grades, cutoff) == ndcg(ideal, grades) == 1.0
        assert ndcg_exp(ideal, grades, cutoff) == ndcg_exp(ideal, grades) == 1.0


@given(ranking=RANKINGS, grades=GRADES, cutoff=CUTOFFS, scores=st.lists(st.sampled_from([1.0, 2.0]), min_size=12))
def test_tie_policies_are_ordered(
    ranking: list[str], grades: dict[str, float], cutoff: int, scores: list[float]
) -> None:
    """F17: the worst order the scores allow is never above the average over all of them."""
    scored = dict(zip(ranking, scores, strict=False))
    ordered = rank_by_score(scored)
    worst = ndcg(pessimistic(ordered, scored, grades), grades, cutoff)
    average = ndcg_tied(ordered, scored, grades, cutoff)

    assert (worst is None) == (average is None)
    if worst is not None and average is not None:
        assert worst <= average + 1e-12
        assert 0 <= average <= 1


@EACH
def test_a_repeat_and_a_cutoff_below_one_are_refused(name: str) -> None:
    """F19: a measure never guesses what a repeated document should count."""
    compute = (OF_RELEVANT | OTHERS)[name]
    with pytest.raises(ValueError, match="twice"):
        compute(["d1", "d2", "d1"], {"d1": 1.0}, 1)
    if name not in {"rprec", "bpref"}:
        with pytest.raises(ValueError, match="at least 1"):
            compute(["d1"], {"d1": 1.0}, 0)


def test_long_rankings() -> None:
    """Beyond the discounts that are kept ready, the formula is the same."""
    ranking = [str(number) for number in range(1500)]
    value = ndcg(ranking, {"1499": 1.0})

    assert value == pytest.approx(1 / log2(1501))


@pytest.mark.parametrize("persistence", [0.0, 1.0, -0.5, 2.0])
def test_persistence_lies_between_zero_and_one(persistence: float) -> None:
    """At 1 every ranking would score 0."""
    with pytest.raises(ValueError, match="persistence"):
        rbp(["a"], {"a": 1.0}, persistence=persistence)
    with pytest.raises(ValueError, match="persistence"):
        rbp_residual(["a"], {"a": 1.0}, persistence=persistence)


def test_grades_above_the_scale_are_refused() -> None:
    """Otherwise ERR would leave [0, 1]."""
    with pytest.raises(ValueError, match="above 4"):
        err(["a"], {"a": 5.0}, 10)
    with pytest.raises(ValueError, match="above 100"):
        ndcg_exp(["a"], {"a": 101.0})
    assert err(["a"], {"a": 5.0}, 10, max_grade=5) == 31 / 32
