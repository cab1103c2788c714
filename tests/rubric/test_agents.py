"""What agents did, as rubrics ask for it: exactly these tools, at least these, each with its own arguments."""

import pytest

from engine.model.exchange import ToolCall
from tests.rubric.build import exchange, grade

SUPERSET = 'criterion: Looks it up\n  check: tool "a" was called\n'
EXACT = SUPERSET + "  check: tool calls is exactly 1\n"


@pytest.mark.parametrize(
    ("called", "superset", "exact"), [(("a",), 1.0, 1.0), (("a", "b"), 1.0, 0.0), (("b",), 0.0, 0.0), ((), 0.0, 0.0)]
)
def test_more_calls_than_expected_are_told_apart(called: tuple[str, ...], superset: float, exact: float) -> None:
    """F95: the rubric names which of the two it wants."""
    what = exchange(tools=tuple(ToolCall(name) for name in called))

    assert grade(SUPERSET, what).scores["overall"] == superset
    assert grade(EXACT, what).scores["overall"] == exact


@pytest.mark.parametrize(("called", "score"), [(("1", "2"), 1.0), (("2", "1"), 1.0), (("2", "2"), 0.5), (("3",), 0.0)])
def test_one_call_does_not_stand_for_two(called: tuple[str, ...], score: float) -> None:
    """F97: expected f(1) and f(2); f(2) twice is one of two."""
    text = "criterion: Both\n  partial credit: yes\n" + "".join(
        f'  check: tool "f" was called with "x" containing "{value}"\n' for value in ("1", "2")
    )
    what = exchange(tools=tuple(ToolCall("f", {"x": value}) for value in called))

    assert grade(text, what).scores["overall"] == score
