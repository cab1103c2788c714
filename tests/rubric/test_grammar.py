"""The grammar itself: no conflict that lark would settle in silence."""

import logging
from pathlib import Path

import lark
import pytest

import engine.rubric
from tests.rubric.build import read


def test_no_conflicts(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """lark reports shift/reduce conflicts only in its debug log."""
    grammar = Path(engine.rubric.__file__).with_name("rubric.lark").read_text(encoding="utf-8")
    monkeypatch.setattr(lark.logger, "propagate", True)
    with caplog.at_level(logging.DEBUG, logger="lark"):
        lark.logger.setLevel(logging.DEBUG)
        lark.Lark(grammar, parser="lalr", lexer="contextual", start="line", debug=True)
        lark.Lark('start: a | b\na: "x" c*\nb: "x" "y"*\nc: "y"', parser="lalr", debug=True)  # the log is listened to
    said = [record.getMessage() for record in caplog.records]

    assert not [line for line in said if "conflict" in line.lower() and "CONT" in line]
    assert len([line for line in said if "conflict" in line.lower()]) <= len([line for line in said if "Y" in line])


def test_a_keyword_inside_a_word_is_no_keyword() -> None:
    """Longer words that begin like a keyword: `orders` is not `or`, `isolation` not `is`."""
    text = 'rubric: A\ncriterion: B\n  only when: category is orders and intent is isolation\n  check: answer contains "x"'

    assert read(text).errors == ()
