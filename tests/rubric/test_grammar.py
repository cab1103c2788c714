"""The grammar itself: no conflict that lark would settle in silence."""

import logging
from pathlib import Path

import lark
import pytest

import engine.rubric
from tests.rubric.build import read


def test_no_conflicts(caplog: pytest.LogCaptureFixture) -> None:
    """lark tells of shift/reduce conflicts only in its debug log; scripts/test-grammar builds it in strict mode."""
    grammar = Path(engine.rubric.__file__).with_name("rubric.lark").read_text(encoding="utf-8")
    dangling = 'start: "i" start ("e" start)? | "x"'

    assert _conflicts(dangling, caplog)
    assert not _conflicts(grammar.replace("?line:", "?start:"), caplog)


def _conflicts(grammar: str, caplog: pytest.LogCaptureFixture) -> list[str]:
    caplog.clear()
    with caplog.at_level(logging.DEBUG, logger=lark.logger.name):
        lark.Lark(grammar, parser="lalr", debug=True)
    return [record.getMessage() for record in caplog.records if "conflict" in record.getMessage().lower()]


def test_a_keyword_inside_a_word_is_no_keyword() -> None:
    """Longer words that begin like a keyword: `orders` is not `or`, `isolation` not `is`."""
    text = (
        'rubric: A\ncriterion: B\n  only when: category is orders and intent is isolation\n  check: answer contains "x"'
    )

    assert read(text).errors == ()
