"""Lines in a narrow terminal."""

from hypothesis import given
from hypothesis import strategies as st

from engine.report.layout import fitted

SCORES = "  ✓ measured: relevance=1.00 ranking=1.00 coverage=1.00 snippet=0.33 overall=0.93"


def test_a_long_line_breaks_between_words_below_its_start() -> None:
    assert fitted(SCORES, 40).split("\n") == [
        "  ✓ measured: relevance=1.00",
        "      ranking=1.00 coverage=1.00",
        "      snippet=0.33 overall=0.93",
    ]


def test_without_a_terminal_nothing_is_touched() -> None:
    assert fitted(SCORES, 0) == SCORES


@given(st.lists(st.text("abc -=", min_size=1, max_size=60), max_size=5), st.integers(20, 80))
def test_no_line_is_too_long_and_no_letter_is_lost(lines: list[str], width: int) -> None:
    shown = fitted("\n".join(lines), width)

    assert all(len(line) <= width for line in shown.split("\n"))
    assert [c for c in shown if not c.isspace()] == [c for c in "".join(lines) if not c.isspace()]
