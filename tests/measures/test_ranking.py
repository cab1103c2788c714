"""Order, repeats and ties."""

import pytest

from engine.measures.ndcg import ndcg
from engine.measures.ndcg_tied import ndcg_tied
from engine.measures.ranking import descending, first, keep_first, pessimistic, rank_by_score, tied_groups


def test_equal_scores_go_by_document_id_descending_by_code_point() -> None:
    """F17, design 5 §9: the order of trec_eval, whatever the order of insertion."""
    assert rank_by_score({"10": 1.0, "9": 1.0, "é": 0.5, "a": 0.5, "B": 0.5, "top": 2.0}) == (
        "top", "9", "10", "é", "a", "B",
    )  # fmt: skip


def test_scores_are_not_narrowed() -> None:
    """Scores that only a double tells apart are not a tie."""
    assert rank_by_score({"b": 1.0000000001, "c": 1.0}) == ("b", "c")


def test_tie_policies_differ_and_are_named() -> None:
    """F17: as returned 1.000, pessimistic 0.631, averaged over the tied orders 0.815."""
    returned, scores, grades = ("p", "q"), {"p": 0.5, "q": 0.5}, {"p": 1.0, "q": 0.0}

    assert ndcg(returned, grades) == 1.0
    assert ndcg(pessimistic(returned, scores, grades), grades) == pytest.approx(0.631, abs=5e-4)
    assert ndcg_tied(returned, scores, grades) == pytest.approx(0.815, abs=5e-4)
    assert ndcg_tied(tuple(reversed(returned)), scores, grades) == ndcg_tied(returned, scores, grades)
    assert tied_groups([0.5, 0.5]) == 1


def test_ties_across_the_cutoff_are_averaged_over_the_whole_group() -> None:
    """Two orders are possible; in one of them the relevant document is below the cutoff."""
    tied = {"a": 1.0, "b": 1.0}
    assert ndcg_tied(["a", "b"], tied, {"b": 1.0}, 1) == 0.5
    assert ndcg_tied(["b", "a"], tied, {}, 1) is None


def test_documents_without_a_score_keep_their_place() -> None:
    """An unknown score is not equal to another unknown score."""
    grades = {"a": 1.0, "b": 0.0}
    assert pessimistic(["a", "b"], {}, grades) == ("a", "b")
    assert ndcg_tied(["a", "b"], {}, grades) == 1.0
    assert tied_groups([None, None]) == 0


@pytest.mark.parametrize(
    ("scores", "cutoff", "groups"),
    [
        pytest.param([3, 2, 2, 1, 1, 1], None, 2, id="two"),
        pytest.param([3, 2, 2, 1, 1, 1], 2, 1, id="across-the-cutoff"),
        pytest.param([3, 2, 1, 1], 2, 0, id="below-the-cutoff"),
        pytest.param([], 10, 0, id="nothing"),
        pytest.param([2, None, 2], None, 0, id="not-neighbours"),
    ],
)
def test_tied_groups(scores: list[float | None], cutoff: int | None, groups: int) -> None:
    """F17: the report can say how many groups of equal scores could have come in another order."""
    assert tied_groups(scores, cutoff) == groups


def test_descending() -> None:
    """Scores that rise down the list mean that the list is not ordered by them."""
    assert descending([3.0, 3.0, None, 1.0])
    assert not descending([3.0, None, 4.0])


def test_a_repeat_keeps_its_first_place() -> None:
    """F19: d1,d1,d1 is one document, and the two that were dropped are named."""
    unique, repeats = keep_first(["d1", "d1", "d2", "d1"])

    assert (unique, repeats) == (("d1", "d2"), ("d1", "d1"))
    assert ndcg(unique, {"d1": 1.0}) == 1.0


@pytest.mark.parametrize("cutoff", [0, -1])
def test_a_cutoff_below_one_is_refused(cutoff: int) -> None:
    """A cutoff of 0 would score every result 0, and a negative one would drop the last ranks."""
    with pytest.raises(ValueError, match="at least 1"):
        first(["a"], cutoff)


def test_the_ideal_is_made_from_all_judged_documents() -> None:
    """F21: four relevant, one found at rank 1."""
    assert ndcg(["a"], dict.fromkeys("abcd", 1.0)) == pytest.approx(0.390, abs=5e-4)
