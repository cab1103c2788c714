"""Mends: each one offered makes its message disappear, and none does harm."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from engine import rubric
from engine.rubric.diagnostic import Diagnostic, Edit, Severity, Span
from engine.rubric.fixes import Fixed, fixed
from engine.rubric.source import lines
from tests.rubric.build import ROOT

_DATA = ROOT.parent / "shared" / "data"
MISTAKES = sorted((_DATA / "rubric-mistakes").glob("*.rubric"))


def _library(path: str) -> str | None:
    file = _DATA / "rubrics" / path
    return file.read_text(encoding="utf-8") if file.is_file() else None


def _check(text: str) -> Sequence[Diagnostic]:
    return rubric.read(text, "test.rubric", _library).problems


def _fixed(text: str) -> Fixed:
    return fixed(text, _check)


def _said(problems: Sequence[Diagnostic]) -> set[tuple[str, str]]:
    return {(problem.code, problem.message) for problem in problems}


@pytest.mark.parametrize("path", MISTAKES, ids=lambda path: path.stem)
def test_every_offered_mend_makes_its_message_disappear(path: Path) -> None:
    text = path.read_bytes().decode("utf-8")
    offered = [problem for problem in _check(text) if problem.edit is not None]

    after = _fixed(text)

    assert len(after.applied) == len(offered)
    assert not _said(offered) & _said(after.left)
    assert not [problem for problem in after.left if problem.severity is Severity.ERROR] or not offered
    assert _said(after.left) == _said(_check(after.text))


def test_the_catalogue_offers_as_many_mends_as_ever() -> None:
    """It may only grow. The others need a person: two cures are possible, or none can be written for him."""
    texts = [path.read_bytes().decode("utf-8") for path in MISTAKES]
    offers = [text for text in texts if any(problem.edit is not None for problem in _check(text))]

    assert len(offers) >= 20 or not MISTAKES


_SLIPS = """rubric: A
wieght: 2
criterion: B
  check: answer should cite a source
  weight 3
  pass mark: 0,7
"""


def test_all_mends_of_a_file_at_once() -> None:
    after = _fixed(_SLIPS.replace("wieght: 2\n", "vresion: 2\n"))

    assert [(mend.number, mend.before, mend.after) for mend in after.applied] == [
        (2, "vresion:", "version:"),
        (4, "should cite", "cites"),
        (5, "weight", "weight:"),
        (6, "0,7", "0.7"),
    ]
    assert after.text == (
        "rubric: A\nversion: 2\ncriterion: B\n  check: answer cites a source\n  weight: 3\n  pass mark: 0.7\n"
    )


def test_a_mend_that_would_do_harm_is_not_made_and_stops_no_other() -> None:
    """`weight:` under the rubric is another error, so that keyword is for its author to choose."""
    after = _fixed(_SLIPS)

    assert "wieght: 2" in after.text
    assert [mend.number for mend in after.applied] == [4, 5, 6]
    assert "R102" in {problem.code for problem in after.left}


def test_a_mend_may_show_the_next_mistake_of_its_line() -> None:
    after = _fixed("rubric: A\ncriterion: B\n  pas mark: 0,7\n  measure: ap\n")

    assert [mend.after for mend in after.applied] == ["pass mark:", "0.7"]
    assert "  pass mark: 0.7\n" in after.text


@pytest.mark.parametrize("slip", ["chek: answer cites a source", "check: answer mentions foo  # why", "weight 3"])
def test_a_mend_is_made_though_the_whole_rubric_has_another_mistake(slip: str) -> None:
    """That no verdict says `otherwise` is only seen once every line reads."""
    text = f"rubric: A\ncriterion: B\n  measure: ap\ncriterion: C\n  {slip}\nverdict: good when score is at least 0.7\n"
    if "weight" in slip:
        text = text.replace("criterion: C", "criterion: C\n  measure: ndcg@5")
    after = _fixed(text)

    assert len(after.applied) >= 1
    assert [problem.code for problem in after.left if problem.severity is Severity.ERROR] == ["R504"]


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n", "\u2028", "\x85"])
@pytest.mark.parametrize("mark", ["\ufeff", ""])
def test_everything_else_stays_to_the_byte(end: str, mark: str) -> None:
    text = f"{mark}rubric: A  {end}{end}\tcriterion :  B{end}  Measure: nDGC@10 {end}\t# ok{end}  wieght: 2"

    assert _fixed(text).text == text.replace("nDGC@10", "ndcg@10").replace("wieght:", "weight:")


def test_a_remark_behind_a_line_is_moved_and_not_thrown_away() -> None:
    text = "rubric: A\ncriterion: B\r\n\tweight: 2  # why 2\r\n  chek: answer is empty # é\r\n"

    after = _fixed(text)

    assert after.text == (
        "rubric: A\ncriterion: B\r\n\t# why 2\r\n\tweight: 2\r\n  # é\r\n  check: answer is empty\r\n"
    )
    assert [(mend.before, mend.after) for mend in after.applied] == [
        ("# why 2", "# why 2\n"),
        ("chek:", "check:"),
        ("# é", "# é\n"),
    ]


def test_nothing_to_do_is_the_same_text() -> None:
    text = "rubric: A\ncriterion: B\n  check: answer contains\n"

    assert _fixed(text).text == text
    assert _fixed(text).applied == ()


def _claims(text: str, edits: Sequence[tuple[int, int, int, str]]) -> Sequence[Diagnostic]:
    """A checker that offers the same mends for ever, and for any text."""
    rows = lines(text, "x")
    spans = [(Span(rows[number - 1], start, end), new) for number, start, end, new in edits]
    return [Diagnostic("R1", f"{number}", span, edit=Edit(span, new)) for number, (span, new) in enumerate(spans)]


def test_a_mend_whose_message_stays_is_undone() -> None:
    after = fixed("abc\n", lambda text: _claims(text, [(1, 0, 1, "x")]))

    assert after.text == "abc\n"


def test_mends_that_touch_are_not_made_together() -> None:
    """The second one would hit what the first has put there."""

    def check(text: str) -> Sequence[Diagnostic]:
        return [each for each in _claims(text, [(1, 0, 2, "x"), (1, 1, 3, "y")]) if each.span.text in ("ab", "bc")]

    assert fixed("abc\n", check).text == "xc\n"


def test_a_new_line_ends_as_the_others_do() -> None:
    def check(text: str) -> Sequence[Diagnostic]:
        return _claims(text, [(1, 0, 3, "# b\na")]) if text.startswith("a #") else []

    assert fixed("a # b\r\nc\r\n".replace("a # b", "a #"), check).text == "# b\r\na\r\nc\r\n"


@pytest.mark.parametrize("said_there", [True, False])
def test_a_mend_of_another_file_is_not_ours(said_there: bool) -> None:
    there = Span(lines("xbc", "other")[0], 0, 1)

    def check(text: str) -> Sequence[Diagnostic]:
        here = Span(lines(text, "x")[0], 0, 1)
        return [Diagnostic("R1", "", there if said_there else here, edit=Edit(there, "z"))] if text[0] != "z" else []

    assert fixed("abc", check).text == "abc"
