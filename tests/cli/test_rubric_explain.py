"""`assay rubric explain`: a code told in words, an unknown one refused with the nearest, and the list of all."""

import pytest

from engine.cli.main import main
from engine.rubric.codes import CODES


def test_a_code_is_told_with_both_examples_and_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rubric", "explain", "R502"]) == 0

    out = capsys.readouterr().out
    assert out.startswith("R502  A threshold is out of reach\nThis is an error")
    assert "    verdict: good when score is at least 0.95\n" in out
    assert "    verdict: good when score is at least 0.85\n" in out
    assert "the best possible score of this rubric is 0.9  [R502]" in out
    assert "--fix" not in out


@pytest.mark.parametrize("said", ["r114", "[R114]", "R114"])
def test_a_code_as_it_may_be_typed(said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rubric", "explain", said]) == 0
    assert "R114  A number has a comma" in capsys.readouterr().out


@pytest.mark.parametrize(("said", "hint"), [("R5O2", "did you mean R502?"), ("hello", "assay rubric explain")])
def test_an_unknown_code_is_refused(said: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rubric", "explain", said]) == 2
    assert hint in capsys.readouterr().err


def test_without_a_code_every_one_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rubric", "explain"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(CODES)
    assert lines[0].endswith("A word in this line is not understood")
    assert max(map(len, lines)) <= 110


def test_every_code_can_be_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rubric", "explain", *CODES]) == 0

    out = capsys.readouterr().out
    assert "\u200b" not in out
    assert out.count("This does not:") == len(CODES)
    assert max(map(len, out.splitlines())) < 200
