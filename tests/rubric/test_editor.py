"""What an editor asks while a rubric is written: columns, completion, hover, names, outline, mends."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rubric import editor, read
from engine.rubric.codes import CODES
from engine.rubric.diagnostic import Edit, Line, Span
from engine.rubric.editor import Change, Known, Page, Place, Position, What
from engine.rubric.editor.keywords import KEYWORDS as HELP
from engine.rubric.editor.keywords import fitting
from engine.rubric.editor.sayings import SAYINGS, SHAPES
from engine.rubric.highlight import terminals
from engine.rubric.outline import outline
from engine.rubric.parse import Failure, parse_line
from engine.rubric.source import lines
from engine.rubric.words import KEYWORDS

_RUBRIC = """\
rubric: Support 🙂
version: 1
setting: max words = 200
field: intent is one of lookup, comparison, how-to
define scale: quality
  | good | 1 | Just right |
  | poor | 0 | Of no use |
group: Content
  weight: 70%
  criterion: Rele\u0301vance 𝒳
    weight: 3
    ask: Does it answer?
    scale: quality
  criterion: Faithful
    id: faith
    weight: 1
    ask: Is it supported?
    scale: quality
group: Form
  weight: 30%
  criterion: Short
    check: answer has at most {max words} words
    only when: intent is not comparison
use: [No secrets] from "shared/safety.rubric"
cap: 40% when [Faithful] is below 0.5
verdict: send when score is at least 0.75 and [faithful] is at least 0.5 and [no secrets] passes
verdict: reject otherwise
"""
_SAFETY = 'library: Safety\nmust not: No secrets\n  check: answer contains "password"\n'


def _library(path: str) -> str | None:
    return _SAFETY if path == "shared/safety.rubric" else None


def _at(page: Page, marked: str) -> Place:
    """The place of the `^` in a piece of one of the lines."""
    before, after = marked.split("^")
    row, text = next((n, r.line.text) for n, r in enumerate(page.rows) if before + after in r.line.text)
    return Place(row, text.index(before + after) + len(before))


def _page() -> Page:
    return Page.of(_RUBRIC, "support.rubric")


def _known() -> Known:
    reading = read(_RUBRIC, "support.rubric", _library)
    assert reading.rubric is not None, "\n".join(map(str, reading.problems))
    return Known(_page(), _library, reading.rubric, reading.problems)


# ---- columns --------------------------------------------------------------------------------------


def test_columns_are_those_of_utf_16() -> None:
    page = Page.of("rubric: 🙂 a\n  note: 𝒳y é", "x")

    assert page.position(page.rows[0].line, 8) == Position(0, 8)
    assert page.position(page.rows[0].line, 9) == Position(0, 10)
    assert page.position(page.rows[1].line, 10) == Position(1, 11)
    assert page.place(Position(0, 10)) == Place(0, 9)
    assert page.place(Position(0, 9)) == Place(0, 8), "inside a character is its start"
    assert page.place(Position(1, 99)) == Place(1, 12)
    assert page.place(Position(7, 3)) == Place(1, 12)


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_rows_are_the_editors_lines(end: str) -> None:
    page = Page.of(f"\ufeffrubric: A{end}note: b{end}", "x")

    assert page.rows[1].key == "note"
    assert page.position(page.rows[1].line, 6) == Position(1, 6)
    assert page.position(page.rows[0].line, 8) == Position(0, 9), "the byte order mark is a column of the editor's"
    assert page.place(Position(0, 9)) == Place(0, 8)


def test_line_ends_that_only_rubrics_know_are_columns_to_the_editor() -> None:
    page = Page.of("rubric: A\u2028note: b\nnote: c", "x")

    assert page.position(page.rows[1].line, 6) == Position(0, 16)
    assert page.place(Position(0, 16)) == Place(1, 6)
    assert page.position(page.rows[2].line, 6) == Position(1, 6)


@given(st.text(st.sampled_from("a :\n\r\u2028🙂é𝒳|\ufeff\x85"), max_size=40), st.integers(0, 60), st.integers(0, 60))
def test_there_and_back(text: str, row: int, column: int) -> None:
    page = Page.of(text, "x")
    line = page.rows[row % len(page.rows)].line
    column %= len(line.text) + 1

    assert page.place(page.position(line, column)) == Place(line.number - 1, column)


_LINES = st.lists(st.sampled_from(["a", "b", "🙂", ""]), max_size=8)


@given(_LINES, _LINES, st.sampled_from(["\n", "\r\n", "\r"]))
def test_a_change_makes_one_text_the_other(old: list[str], new: list[str], end: str) -> None:
    page, wanted = Page.of(end.join(old), "x"), end.join(new)
    change = editor.change(page, wanted)

    assert (page.text if change is None else _changed(page.text, change)) == wanted
    assert (change is None) == (page.text == wanted)


def test_a_change_touches_only_the_lines_that_differ() -> None:
    assert editor.change(Page.of("a\nb\nc\n", "x"), "a\nB\nc\n") == Change(Position(1, 0), Position(2, 0), "B\n")


def _changed(text: str, change: Change) -> str:
    """As an editor does it: by lines and UTF-16 units."""
    rows = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)

    def offset(at: Position) -> int:
        units = rows[at.line].encode("utf-16-le")[: at.character * 2]
        return sum(map(len, rows[: at.line])) + len(units.decode("utf-16-le"))

    return text[: offset(change.start)] + change.text + text[offset(change.end) :]


# ---- tables ---------------------------------------------------------------------------------------


def test_every_keyword_is_explained_with_an_example_that_reads() -> None:
    assert sorted(HELP) == sorted(KEYWORDS)
    for key, keyword in HELP.items():
        for text in keyword.example.split("\n"):
            assert not isinstance(parse_line(Line("", 1, text, text)), Failure), text
        assert keyword.example.startswith(f"{key}:")


@pytest.mark.parametrize("heading", ["rubric", "group", "criterion", "checklist"])
def test_offered_keywords_are_those_that_may_stand_there(heading: str) -> None:
    """The table and the reader agree about every keyword under every heading."""
    top = "rubric: A\n" if heading == "rubric" else f"rubric: A\n{heading}: B\n"
    offered = fitting(heading, frozenset())
    for key, keyword in HELP.items():
        if key in ("rubric", "library", "end group"):
            continue
        found = outline(lines(f"{top}{keyword.example}\n", ""))
        assert (key in offered) == ("R205" not in {problem.code for problem in found.problems}), key


def test_every_word_of_the_grammar_has_a_spelling() -> None:
    for name, sayings in SAYINGS.items():
        for saying in sayings:
            assert re.fullmatch(terminals()[name].pattern, saying, re.IGNORECASE), saying
    values = {"STRING", "REGEX", "MONEY", "NUMBER", "PARAM", "UNIT"}
    spoken = {name for name, terminal in terminals().items() if terminal.priority in (3, 4, 5)} - values
    assert spoken == set(SAYINGS)


@pytest.mark.parametrize("example", [shape.example for shape in SHAPES])
def test_every_offered_check_can_be_used_as_it_is(example: str) -> None:
    reading = read(f"rubric: A\ncriterion: B\n  check: {example}\n", "x", _library)

    assert not reading.errors, "\n".join(map(str, reading.errors))


# ---- completion -----------------------------------------------------------------------------------

_ABOVE = """\
rubric: A
setting: max words = 200
field: intent is one of lookup, comparison, how-to
field: tier is one of gold or silver
define scale: quality
  | a | 1 | x |
  | b | 0 | y |
use: everything from "shared/safety.rubric"
group: Content
criterion: Relevance
"""


def _offered(line: str, above: str = _ABOVE) -> dict[str, editor.Choice]:
    """What is offered where the `^` stands, or at the end of the line."""
    before, _, after = line.partition("^")
    page = Page.of(f"{above}{before}{after}\n", "x.rubric")
    found = editor.completions(page, Place(above.count("\n"), len(before)), _library)
    return {choice.text: choice for choice in found}


@pytest.mark.parametrize(
    ("line", "first", "never"),
    [
        ("  ", ["check: ", "measure: ", "ask: "], ["combine: ", "rubric: ", "version: "]),
        ("  we", ["weight: "], ["check: "]),
        ("  check: ", ["answer", "tool", "latency", "answer cites a source"], ["score", "any must", "lookup"]),
        ("  check: answer ci", ["cites", "answer cites at least 2 sources"], ["contains"]),
        ("  check: answer cites at le", ["at least"], ["at most"]),
        ("  check: answer cites at least ", [], ["at least", "sources"]),
        ("  check: answer contains ", ["any of", "all of", "none of", "at least"], ["one of", "is"]),
        ("  check: answer has at most {", ["{max words}"], []),
        ("  check: answer has at most {ma^} words", ["{max words}"], []),
        ("  check: answer has at most 2 ", ["words", "characters", "sentences", "lines"], ["seconds"]),
        ("  check: latency is at most 2 ", ["seconds", "ms", "and"], ["words"]),
        ("  check: cost is at most 2 c", ["cents"], ["words", "dollars"]),
        ("  check: answer cites a source ", ["and", "or"], ["answer"]),
        ('  check: answer contains "ans', [], ["answer"]),
        ("  scale: ", ["quality", "yes or no"], ["max words"]),
        ("  measure: nd", ["ndcg", "ndcg@10"], ["rr"]),
        ("  measure: lat", ["latency, full marks at 2 seconds, no marks at 10 seconds"], []),
        ("  measure: latency, ", ["full marks at"], ["seconds"]),
        ("  measure: latency, full marks at 2 ", ["seconds"], ["words"]),
        ("  only when: ", ["intent", "tier", "[Content]", "[Relevance]", "[No secrets]"], ["score"]),
        ("  only when: intent is ", ["lookup", "comparison", "how-to", "one of", "is not"], ["gold"]),
        ("  only when: intent is not one of lookup, co", ["comparison"], ["gold"]),
        ("  only when: tier is ", ["gold", "silver"], ["lookup"]),
        ("  show: question, an", ["answer"], ["question"]),
        ("  partial credit: ", ["yes", "no"], []),
        ("  ask: Does the ", [], ["answer"]),
        ("  judge: 2 ", ["llm", "human"], []),
        ("  combine judges: me", ["median", "mean"], ["lowest"]),
        ("  # ", [], ["check: "]),
        ("cap: 40% when ", ["score", "any must", "[Relevance]"], []),
        ("cap: 40% when [rel", ["[Relevance]"], ["[Content]"]),
        ("verdict: send ", ["when", "otherwise"], ["score"]),
        ("end group: ", ["Content"], []),
        ("group: ", ["Content > "], []),
        ('use: everything from "', ['"shared/safety.rubric"'], []),
        ('use: [^] from "shared/safety.rubric"', ["[No secrets]"], ["[Relevance]"]),
        ("field: size is ", ["one of", "a number"], ["any of"]),
    ],
)
def test_completion_fits_the_place(line: str, first: list[str], never: list[str]) -> None:
    offered = _offered(line)

    assert [text for text in first if text not in offered] == []
    assert [text for text in never if text in offered] == []


@pytest.mark.parametrize(
    ("above", "present", "absent"),
    [
        ("", ["rubric: ", "library: "], ["check: "]),
        ("rubric: A\n", ["version: ", "owner: ", "criterion: "], ["check: ", "weight: ", "scale: "]),
        ("rubric: A\ngroup: B\n", ["weight: ", "combine: ", "must not: "], ["check: ", "version: "]),
        ("rubric: A\ncriterion: B\n  check: answer is empty\n", ["check: ", "weight: "], ["ask: ", "measure: "]),
        ("rubric: A\ncriterion: B\n  weight: 1\n", ["check: "], ["weight: "]),
        ("rubric: A\nchecklist: B\n", ["- ", "ask: "], ["check: "]),
        ("rubric: A\ncriterion: B\n  scale:\n", ["| label | 1 | what it means |"], []),
    ],
)
def test_a_new_line_offers_what_suits_the_heading(above: str, present: list[str], absent: list[str]) -> None:
    offered = _offered("  ", above)

    assert [text for text in present if text not in offered] == []
    assert [text for text in absent if text in offered] == []


def test_a_choice_replaces_what_was_begun() -> None:
    line = "  check: answer cites at le"
    choice = _offered(line)["at least"]

    assert line[: choice.start] + choice.text == "  check: answer cites at least"
    assert _offered("  check: answer ci")["answer cites a source"].start == len("  check: ")
    assert _offered("  measure: nd")["ndcg"].about.startswith("How close")
    assert _offered("  ")["check: "].what is What.KEYWORD


def test_completion_takes_any_place_of_any_text() -> None:
    texts = ["", "\n", "check:", ' use: ["', "- [", "measure: {[", "verdict: [x] is at least ¤", "check: a " * 5]
    for text in texts:
        page = Page.of(text, "x")
        for column in range(len(page.rows[0].line.text) + 1):
            place = Place(0, column)
            editor.completions(page, place, _library)
            editor.hover(Known(page, _library), place)
            editor.definition(page, place, _library)
            editor.renamed(page, place, "x")


# ---- hover ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        ("we^ight: 3", "How much it counts"),
        ("ce 𝒳^", "52.5% of the whole score"),
        ("[Faith^ful] is", "17.5% of the whole score"),
        ("group: For^m", "30% of the whole score"),
        ("[no sec^rets]", "a condition, no part of the score"),
        ("scale: qua^lity", "| good | 1 | Just right |"),
        ("{max w^ords}", "setting: max words = 200"),
        ("only when: in^tent", "one of lookup, comparison"),
        ("shared/saf^ety", "must not: No secrets"),
        ("at mo^st", "The length of the answer"),
    ],
)
def test_hover(marked: str, said: str) -> None:
    note = editor.hover(_known(), _at(_page(), marked))

    assert note is not None
    assert said in note.text.replace("\\", "")


def test_hover_explains_measures_and_messages() -> None:
    text = "rubric: A\ncriterion: B\n  measure: latency\n"
    page, reading = Page.of(text, "x"), read(text, "x", _library)
    note = editor.hover(Known(page, _library, None, reading.problems), Place(2, 13))

    assert note is not None
    assert "R426" in note.text
    assert "How long the answer took." in note.text
    assert "full marks at 2 seconds" in note.text
    assert CODES["R426"].why.split()[-1].strip(".") in note.text
    assert editor.hover(Known(page, _library), Place(1, 0)) is not None
    assert editor.hover(Known(page, _library), Place(2, 0)) is None


def test_hover_over_an_allowed_warning_says_which() -> None:
    page = Page.of("# ok R609: it is about the question", "x")
    note = editor.hover(Known(page, _library), Place(0, 6))

    assert note is not None
    assert note.span.text == "R609"
    assert editor.hover(Known(page, _library), Place(0, 14)) is None


def test_an_authors_words_stay_words_in_a_hover_text() -> None:
    text = "rubric: A\ncriterion: ![p](http://e) <img> ````\n  ask: [a](b)?\n"
    page, reading = Page.of(text, "x"), read(text, "x", _library)
    plain = editor.hover(Known(page, _library, reading.rubric), Place(1, 14))
    quoted = editor.hover(Known(page, _library), Place(1, 14))

    assert plain is not None
    assert "ask: " in plain.text
    assert not re.search(r"(?<!\\)[!\[<`]", plain.text)
    assert quoted is not None
    assert quoted.text.strip().startswith("`````rubric\n"), "the fence is longer than any in the text"


# ---- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("marked", "place"),
    [
        ("[^Faithful] is", "support.rubric:14:14"),
        ("[faithful^]", "support.rubric:14:14"),
        ("{max ^words}", "support.rubric:3:10"),
        ("scale: ^quality", "support.rubric:5:15"),
        ("intent^ is not", "support.rubric:4:8"),
        ("[^no secrets]", "shared/safety.rubric:2:11"),
        ("use: [No ^", "shared/safety.rubric:2:11"),
        ("shared^/safety", "shared/safety.rubric:1:10"),
    ],
)
def test_definition(marked: str, place: str) -> None:
    target = editor.definition(_page(), _at(_page(), marked), _library)

    assert target is not None
    assert target.span.place == place
    assert target.span.line == target.page.rows[target.span.line.number - 1].line


@pytest.mark.parametrize("marked", ["answer^ has", "weight:^ 3", "0.7^5", "vers^ion"])
def test_other_words_have_no_definition(marked: str) -> None:
    assert editor.definition(_page(), _at(_page(), marked), _library) is None


def test_files_that_use_each_other_end() -> None:
    circle = 'library: X\nuse: everything from "x.rubric"\ncriterion: A\n  check: [B] passes\n'
    page = Page.of(circle, "y.rubric")

    assert editor.definition(page, _at(page, "[B^]"), lambda _: circle) is None


def test_references_leave_texts_in_quotes_alone() -> None:
    text = (
        'rubric: A\nfield: size is a number\ncriterion: B\n  check: answer contains "[B] size"\n'
        "cap: 40% when [b] fails and size is at least 2\n"
    )
    page = Page.of(text, "x")

    assert [span.place for span in editor.references(page, _at(page, "criterion: B^"))] == ["x:3:12", "x:5:16"]
    assert [span.place for span in editor.references(page, _at(page, "field: si^ze"))] == ["x:2:8", "x:5:29"]


def test_renaming_a_criterion_changes_its_heading_and_every_mention() -> None:
    page = _page()
    found = editor.renamed(page, _at(page, "[Faith^ful] is"), "  Backed   by sources ")

    mended = _edited(_RUBRIC, found.edits)
    assert not found.refused
    assert not found.warning, "it has an id of its own"
    assert mended == _RUBRIC.replace("Faithful", "Backed by sources").replace("faithful", "Backed by sources")
    before, after = (read(text, "x", _library).rubric for text in (_RUBRIC, mended))
    assert before is not None
    assert after is not None
    assert before.sha256 == after.sha256


def test_renaming_without_an_id_says_what_happens_to_labels() -> None:
    found = editor.renamed(_page(), _at(_page(), "criterion: Sh^ort"), "Brief")

    assert found.warning.endswith("write under it: id: short")


def test_renaming_a_group_reaches_the_paths_through_it() -> None:
    text = "rubric: A\ngroup: B\ngroup: B > C\ncriterion: D\n  measure: ap\nend group: C\nend group: B\n"
    page = Page.of(text, "x")
    found = editor.renamed(page, _at(page, "group: B^ >"), "E")

    assert _edited(text, found.edits) == text.replace(" B", " E")


@pytest.mark.parametrize(
    ("marked", "name", "why"),
    [
        ("criterion: Sh^ort", "faithful", "already"),
        ("criterion: Sh^ort", "a]b", "cannot have ]"),
        ("criterion: Sh^ort", "  ", "at least one letter"),
        ("group: For^m", "a > b", "cannot have >"),
        ("[no sec^rets]", "x", "another file"),
        ("shared/saf^ety", "x", "nothing here"),
        ("answer^ has", "x", "nothing here"),
    ],
)
def test_a_name_that_cannot_be_had_is_refused_with_a_reason(marked: str, name: str, why: str) -> None:
    found = editor.renamed(_page(), _at(_page(), marked), name)

    assert why in found.refused
    assert not found.edits


def _edited(text: str, edits: tuple[Edit, ...]) -> str:
    rows = text.split("\n")
    for edit in sorted(edits, key=lambda edit: (edit.span.line.number, edit.span.start), reverse=True):
        row = rows[edit.span.line.number - 1]
        rows[edit.span.line.number - 1] = row[: edit.span.start] + edit.text + row[edit.span.end :]
    return "\n".join(rows)


# ---- outline and mends ----------------------------------------------------------------------------


def test_contents_are_nested_and_cover_what_belongs_to_them() -> None:
    found = {section.title: section for section in editor.contents(_page())}

    assert [part.title for part in found["Content"].parts] == ["Rele\u0301vance 𝒳", "Faithful"]
    assert found["Content"].detail == "group, weight 70%"
    assert found["Content"].last.number == 18
    assert found["quality"].last.number == 7
    assert [part.title for part in found["Form"].parts] == ["Short"]
    assert "send when score is at least 0.75 and [faithful] is at least 0.5 and [no secrets] passes" in found


def test_a_mend_is_offered_on_its_line_only() -> None:
    text = "rubric: A\ncriterion: B\n  wieght: 3\n  measure: ndgc@10\n"
    problems = read(text, "x", _library).problems

    titles = [fix.title for fix in editor.fixes(problems, 3, 3, "x")]
    assert titles == ["Change wieght: to weight:"]
    assert len([fix for fix in editor.fixes(problems, 1, 9, "x") if fix.sure]) == 2
    page = Page.of(text, "x")
    change = editor.all_fixed(page, _library)
    assert change is not None
    assert _changed(text, change) == text.replace("wieght", "weight").replace("ndgc", "ndcg")
    assert editor.all_fixed(Page.of(_changed(text, change), "x"), _library) is None


def test_a_warning_can_be_allowed_where_it_stands() -> None:
    text = "rubric: A\nversion: 1\ncriterion: C\n  ask: Does the answer contain mistakes?\nverdict: x otherwise"
    problems = read(text, "x", _library).problems
    fix = next(fix for fix in editor.fixes(problems, 4, 4, "x") if not fix.sure)

    left = read(_edited(text, (fix.edit,)), "x", _library).problems
    assert fix.problem.code in {problem.code for problem in problems}
    assert fix.problem.code not in {problem.code for problem in left}


def test_spans_of_another_file_are_no_mends_here() -> None:
    problem = read("rubric: A\nwieght: 2\n", "x", _library).problems[0]

    assert editor.fixes((problem,), 1, 9, "another.rubric") == ()
    assert isinstance(problem.span, Span)
