"""The pages about the rubric language: made from the tables, complete, and nothing on them gets a message."""

import re
from collections.abc import Iterator

import pytest

from engine import rubric as language
from engine.measures import MEASURES
from engine.model.exchange import Answer, Exchange, Turn
from engine.model.grade import Vote
from engine.model.query import Query
from engine.rubric.codes import CODES
from engine.rubric.diagnostic import Line
from engine.rubric.headings import allowed
from engine.rubric.manual import picture
from engine.rubric.names import NUMBERS
from engine.rubric.outline import outline
from engine.rubric.parse import Node, parse_line
from engine.rubric.source import lines
from engine.rubric.syntax import Checks, criteria
from engine.rubric.words import HEADS, KEYWORDS
from scripts.rubric_pages import PICTURES, made
from tests.workspaces import ROOT

REFERENCE = "docs/rubric-reference.md"
PAGES = ("rubrics/README.md", "docs/rubric-guide.md", REFERENCE)
_CELL = re.compile(r"(?<!\\)\|")


def _text(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def _part(title: str, page: str = REFERENCE) -> str:
    """What stands under a heading, up to the next one of its level or above."""
    level = title.partition(" ")[0]
    rest = _text(page).partition(f"\n{title}\n")[2]
    assert rest, title
    return re.split(rf"^#{{1,{len(level)}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def _rows(part: str) -> Iterator[list[str]]:
    """The cells of every row of the tables, without their heads."""
    before = ""
    for line in part.splitlines():
        if line.startswith("| ") and not line.startswith("| ---") and before.startswith("|"):
            yield [cell.strip().replace("\\|", "|") for cell in _CELL.split(line)[1:-1]]
        before = line


def _codes(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def _read(check: str) -> language.Reading:
    """A rubric with this condition: in a criterion, or where only a verdict can say it."""
    whole = re.match(r"score|any must|all musts|ungraded", check)
    rows = (
        "rubric: T\nversion: 1\nmust: Has a text\n  check: answer is not empty",
        "criterion: Tone\n  pass mark: 0.5\n  measure: snippet@3",
        "" if whole else f"criterion: Asked\n  check: {check}",
        f"verdict: a when {check}" if whole else "verdict: a when score is at least 0.5",
        "verdict: b otherwise",
    )
    return language.read("\n".join(rows), "t.rubric", lambda _: None)


# ---- made -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [REFERENCE, *(each.file for each in PICTURES)])
def test_what_is_made_is_what_the_tables_and_the_grading_give(name: str) -> None:
    assert (ROOT / name).read_text("utf-8") == made()[name], "run: python scripts/rubric_pages.py"


@pytest.mark.parametrize("wanted", PICTURES, ids=lambda wanted: wanted.file)
def test_a_picture_says_what_came_out(wanted: object) -> None:
    """And so do the words that stand in for it where it cannot be seen."""
    assert isinstance(wanted, type(PICTURES[0]))
    drawn = _text(wanted.file)
    score = re.search(r'class="b">Score ([^<]+)<', drawn)
    verdict = re.search(r">Verdict: ([^<(]+)", drawn)
    assert score is not None
    assert verdict is not None
    name = wanted.file.rpartition("/")[2]
    alt = next(found[1] for found in re.finditer(r"!\[([^\]]+)\]\(([^)]+)\)", _text(wanted.page)) if name in found[2])

    assert score[1].removeprefix("between ").partition(" and ")[0] in alt
    assert verdict[1].strip() in alt


def test_a_picture_follows_the_grading_and_foreign_text_stays_text() -> None:
    text = """\
rubric: T
version: 1
criterion: Kind
  ask: Is it kind?
verdict: a when score is at least 0.5
verdict: "<b>" otherwise"""
    rubric = language.read(text, "t.rubric", lambda _: None).rubric
    assert rubric is not None
    exchange = Exchange(Query("q", "q", "any", "any"), Turn("q", "q"), Answer(text="<script>&"))
    grader = language.compile(rubric)
    drawn = {
        said: picture(rubric, "<script>&", grader.grade(exchange, {"kind": (Vote(said),)} if said else {}))
        for said in ("yes", "no", "")
    }

    assert "Score 1.00" in drawn["yes"]
    assert "Verdict: &lt;b&gt;" in drawn["no"]
    assert "Score between 0.00 and 1.00" in drawn[""]
    assert not any("<script" in each or "<b>" in each for each in drawn.values())


# ---- complete ---------------------------------------------------------------------------------


def test_the_reference_names_every_keyword_measure_number_and_code() -> None:
    page = _text(REFERENCE)
    keywords = {row[0].strip("`").removesuffix(":") for row in _rows(_part("## Headings"))}
    keywords |= {row[0].strip("`").removesuffix(":") for row in _rows(_part("## Lines under a heading"))}
    measures = {name.partition("@")[0] for row in _rows(_part("## Measures")) for name in _codes(row[0])}

    assert set(KEYWORDS) <= keywords
    assert set(MEASURES) | set(NUMBERS) <= measures
    assert [row[0] for row in _rows(_part("## Messages"))] == list(CODES)
    assert len(page.splitlines()) < 700


def test_the_reference_shows_every_shape_of_a_check() -> None:
    """Every name that the grammar gives to a piece of a condition occurs in an example."""
    grammar = _text("engine/rubric/rubric.lark")
    conditions = grammar[grammar.index("?expr:") : grammar.index("compare:")]
    shown = {rule for row in _rows(_part("## Checks")) for example in _codes(row[0]) for rule in _rules(example)}

    assert set(re.findall(r"-> *(\w+)", conditions)) <= shown


def _rules(example: str) -> Iterator[str]:
    text = f"check: {example}"
    node = parse_line(Line("t", 1, text, text))
    ahead = [node] if isinstance(node, Node) else []
    while ahead:
        node = ahead.pop()
        yield node.rule
        ahead += [part for part in node.parts if isinstance(part, Node)]


def test_where_a_line_may_stand_is_so() -> None:
    """Each line is written under each heading, and gets R205 where the table does not name it."""
    above = {"rubric": "", "group": "group: G\n", "criterion …": "criterion: C\n", "checklist": "checklist: L\n"}
    for _, _, example, under in _rows(_part("## Lines under a heading").partition("\n### ")[0]):
        for shown, heading in above.items():
            found = outline(lines(f"rubric: T\n{heading}{_codes(example)[0]}\n", "t.rubric"))
            refused = "R205" in {problem.code for problem in found.problems}
            named = under.startswith(("anywhere", "the rubric, or")) or shown in under.split(", ")
            assert refused is not named, (example, shown)


# ---- true -------------------------------------------------------------------------------------


def test_every_check_of_the_reference_can_be_used() -> None:
    examples = [code for row in _rows(_part("## Checks").partition("\n### ")[0]) for code in _codes(row[0])]
    wrong = [str(problem) for example in examples for problem in _read(example).errors]

    assert len(examples) > 40
    assert wrong == []


def test_other_ways_to_say_the_same_mean_the_same() -> None:
    rows = list(_rows(_part("### Other ways to say the same")))
    for usual, others in ((_codes(row[0])[0], _codes(row[1])) for row in rows):
        assert others
        for other in others:
            assert _meaning(other) == _meaning(usual), other


def _meaning(check: str) -> object:
    rubric = _read(check).rubric
    assert rubric is not None, check
    found = [criterion.grading for criterion in criteria(rubric.root) if criterion.title == "Asked"]
    assert isinstance(found[0], Checks)
    return found[0].checks[0].holds


@pytest.mark.parametrize("page", PAGES)
def test_every_piece_of_a_rubric_on_a_page_is_understood(page: str) -> None:
    """Whole files are checked by the page's own commands; a piece gets its first lines, as its reader has them."""
    files = {found[1] for found in re.finditer(r"^<!-- file: \S+ -->\n```rubric\n(.*?)^```$", _text(page), re.M | re.S)}
    pieces = [found[1] for found in re.finditer(r"^```rubric\n(.*?)^```$", _text(page), re.M | re.S)]
    for piece in pieces:
        if piece not in files:
            reading = language.read(f"rubric: T\nversion: 1\n{piece}", "t.rubric", lambda _: None)
            assert [str(problem) for problem in reading.errors] == []


@pytest.mark.parametrize("page", ["rubrics/README.md", "docs/rubric-guide.md"])
def test_every_line_in_a_sentence_is_understood(page: str) -> None:
    """`pass mark: 0.7` between two commas is copied as well."""
    prose = re.sub(r"^```.*?^```$", "", _text(page), flags=re.MULTILINE | re.DOTALL)
    said = [line for line in _codes(prose.replace("\\|", "|")) if re.match(r"[a-z/ ]+: \S", line)]
    alone = "R410"  # a percentage that makes 100% only with those beside it
    errors = ((line, problem) for line in said for problem in _in_its_place(line).errors)
    wrong = [(line, str(problem)) for line, problem in errors if problem.code != alone]

    assert len(said) > 8
    assert wrong == []


def _in_its_place(line: str) -> language.Reading:
    key = line.partition(":")[0]
    judged, counted = "  ask: Is it so?", "  measure: snippet@3"
    own = f"  {line}" if key in allowed("criterion") else ""
    way = "" if key in ("check", "measure", "ask") else judged if key in ("allow n/a", "judge", "show") else counted
    if key in ("combine judges", "disagreement limit", "quorum", "scale"):
        way, own = "  ask: How well?\n  scale: quality\n  judge: 3 llm", "" if key == "scale" else own
    if key == "partial credit":
        way = "  check: answer is not empty"
    marked = "" if key in ("check", "pass mark") else "  pass mark: 0.5"
    rows = (
        "rubric: T\nversion: 1",
        line if key in ("minimum graded", "combine", "id") else "",
        "define scale: quality\n  | good | 1.0 | Fine |\n  | okay | 0.5 | So |\n  | poor | 0.0 | Not |",
        f"criterion: Helps\n  pass mark: 0.5\n{counted}",
        f"criterion: Facts\n  pass mark: 0.5\n{counted}",
        line if key in HEADS else "",
        "must: Has a text\n  check: answer is not empty",
        f"criterion: It\n{marked}\n{way}\n{own}" if own or key == "scale" else "",
        line if key in ("cap", "field", "setting") else "",
        line if key == "verdict" else "verdict: good when score is at least 0.6",
        "verdict: poor otherwise",
    )
    return language.read("\n".join(row for row in rows if row), "t.rubric", lambda _: None)


@pytest.mark.parametrize(
    ("way", "needs"),
    [
        pytest.param("check: answer is not empty", False, id="check"),
        pytest.param("ask: Is it kind?", False, id="yes-or-no"),
        pytest.param("ask: Is it kind?\n  scale:\n  | a | 1 | A |\n  | b | 0 | B |", False, id="two-levels"),
        pytest.param(
            "ask: Is it kind?\n  scale:\n  | a | 1 | A |\n  | b | 0.5 | B |\n  | c | 0 | C |", True, id="three"
        ),
        pytest.param("ask: How kind?\n  scale: 1 to 5", True, id="points"),
        pytest.param("measure: ndcg@10", True, id="measure"),
    ],
)
def test_which_criteria_need_a_pass_mark(way: str, needs: bool) -> None:
    """What the reference says under *What counts*."""
    problems = language.read(f"rubric: T\nversion: 1\nmust: It\n  {way}\n", "t.rubric", lambda _: None).problems

    assert ("R216" in {problem.code for problem in problems}) is needs
