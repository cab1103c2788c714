"""A132: what can be expected of one answer without a judge, each said in one line and each able to fail."""

import pytest

from engine.model.exchange import Answer, Exchange, Hit, Turn
from tests.rubric.build import exchange, hits, one

FOUND = exchange(
    "Refunds take 30 days.",
    results=hits("returns.md", "fees.md", "gifts.md"),
    relevant={"returns.md": 3, "gifts.md": 1},
)


@pytest.mark.parametrize(
    ("line", "met"),
    [
        pytest.param('answer contains any of "refund", "money back"', True, id="keyword-any"),
        pytest.param('answer contains any of "parcel", "money back"', False, id="keyword-any-fails"),
        pytest.param('answer contains all of "refund", "30 days"', True, id="keyword-all"),
        pytest.param('answer contains all of "refund", "60 days"', False, id="keyword-all-fails"),
        pytest.param('results contain "fees"', True, id="source"),
        pytest.param('results contain "delivery"', False, id="source-fails"),
        pytest.param('results contain "returns.md" in the top 1', True, id="rank"),
        pytest.param('results contain "fees.md" in the top 1', False, id="rank-fails"),
        pytest.param("p@3 is at least 0.6", True, id="precision"),
        pytest.param("p@2 is at least 0.6", False, id="precision-fails"),
        pytest.param("ndcg@10 is at least 0.95", True, id="least-score"),
        pytest.param("ndcg@10 is at least 0.99", False, id="least-score-fails"),
        pytest.param('top result is "returns.md"', True, id="order"),
        pytest.param('top result is "gifts.md"', False, id="order-fails"),
    ],
)
def test_expectations_of_an_answer(line: str, met: bool) -> None:
    assert one(line, FOUND).passed is met


def test_what_was_not_recorded_is_neither_met_nor_unmet() -> None:
    nothing = Exchange(FOUND.query, Turn("q", "q"), Answer())

    for line in ('answer contains "refund"', 'results contain "fees"', "p@3 is at least 0.6"):
        assert (one(line, nothing).passed, one(line, nothing).score) == (None, None)


def test_a_hit_is_found_by_a_part_of_its_source_in_any_case() -> None:
    upper = exchange(results=(Hit(1, "Guides/RETURNS.md"),))

    assert one('results contain "guides/returns"', upper).passed is True
