"""A rubric for reading: shares that are what the score does, lines that fit, and texts that cannot break the page."""

import re
import unicodedata
from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import rubric
from engine.rubric.shares import Counts, permille, shares
from engine.rubric.syntax import Asked, Checklist, Group, Rubric, criteria
from engine.rubric.view.markdown import escaped, markdown
from engine.rubric.view.terminal import terminal
from engine.rubric.written import Written, written
from tests.rubric.build import exchange, read, rubric_of, shared

Tree = list["tuple[int, Tree]"]

TREES: st.SearchStrategy[Tree] = st.recursive(
    st.just([]), lambda inner: st.lists(st.tuples(st.integers(1, 9), inner), min_size=1, max_size=3), max_leaves=7
)


def _text(tree: Tree) -> str:
    """Every leaf checks a word of its own; `combine: mean` stands in every second group."""
    rows = ["rubric: R", "version: 1"]

    def group(inner: Tree, path: tuple[str, ...]) -> None:
        for number, (weight, below) in enumerate(inner):
            name = f"n{'-'.join((*path, str(number)))}"
            if not below:
                rows.extend((f"criterion: {name}", f"weight: {weight}", f'check: answer has the word "{name}"'))
        for number, (weight, below) in enumerate(inner):
            if below:
                names = [f"g{'-'.join(path[: depth + 1])}" for depth in range(len(path))]
                title = f"g{'-'.join((*path, str(number)))}"
                rows.extend((f"group: {' > '.join((*names, title))}", f"weight: {weight}"))
                rows.extend(["combine: mean"] if (len(path) + number) % 2 == 0 else [])
                group(below, (*path, str(number)))

    group(tree, ())
    return "\n".join(rows)


@given(TREES.filter(bool))
@settings(max_examples=40, deadline=None)
def test_a_share_is_what_the_score_loses_without_it(tree: Tree) -> None:
    """The picture is compared with the grader itself."""
    found = rubric_of(_text(tree))
    grader, every = rubric.compile(found), list(criteria(found.root))
    share = shares(found.root)
    for left_out in every:
        words = " ".join(other.title for other in every if other is not left_out)
        part = share[left_out.id].of_total
        assert part is not None
        assert grader.grade(exchange(words)).low == pytest.approx(1 - float(part), abs=1e-4)


@given(TREES.filter(bool))
@settings(max_examples=60, deadline=None)
def test_shares_add_up_exactly(tree: Tree) -> None:
    root = rubric_of(_text(tree)).root
    share, shown = shares(root), permille(root)

    assert sum(share[each.id].of_total or 0 for each in criteria(root)) == Fraction(1)
    assert sum(shown[each.id] for each in criteria(root)) == 1000
    for group in _groups(root):
        assert sum(shown[each.id] for each in group.members) == (shown[group.id] if group.id else 1000)
    for each in criteria(root):
        assert abs(shown[each.id] - 1000 * (share[each.id].of_total or Fraction(0))) < 1


def _groups(group: Group) -> Iterator[Group]:
    yield group
    for member in group.members:
        if isinstance(member, Group):
            yield from _groups(member)


def test_every_kind_of_part() -> None:
    """Gates, information, penalties and bonuses are shown as what they are, never as a share of 100 %."""
    text = (
        "must: M\n{c}info: I\n{c}criterion: A\nweight: 3\n{c}must: W\nweight: 1\n{c}penalty: P\nweight: 2\n{c}"
        "bonus: B\nweight: 1\n{c}group: L\nweight: 4\ncombine: lowest\ncriterion: X\n{c}criterion: Y\n{c}"
        "group: G\nmust: N\n{c}group: Q\nweight: 2\npenalty: O\nweight: 3\n{c}penalty: U\nweight: 1\n{c}"
    ).format(c="check: answer is empty\n")
    share = shares(rubric_of(f"rubric: R\n{text}").root)

    assert {name: (each.counts, each.of_total) for name, each in share.items()} == {
        "m": (Counts.GATE, None),
        "i": (Counts.INFO, None),
        "a": (Counts.PART, Fraction(3, 10)),
        "w": (Counts.PART, Fraction(1, 10)),
        "p": (Counts.TAKES_OFF, Fraction(2, 10)),
        "b": (Counts.ADDS, Fraction(1, 10)),
        "l": (Counts.PART, Fraction(4, 10)),
        "l/x": (Counts.TOGETHER, None),
        "l/y": (Counts.TOGETHER, None),
        "g": (Counts.GATE, None),
        "g/n": (Counts.GATE, None),
        "q": (Counts.PART, Fraction(2, 10)),
        "q/o": (Counts.TAKES_OFF, Fraction(3, 20)),
        "q/u": (Counts.TAKES_OFF, Fraction(1, 20)),
    }


def test_a_rubric_of_gates_scores_the_share_of_them() -> None:
    found = rubric_of("rubric: R\nmust: A\ncheck: answer is not empty\nmust: B\ncheck: answer is valid JSON\n")
    share = shares(found.root)

    assert [share[name].of_total for name in ("a", "b")] == [Fraction(1, 2)] * 2
    assert rubric.compile(found).grade(exchange("text")).low == 0.5


# ---- what is shown ----------------------------------------------------------------------------


def _real() -> dict[str, tuple[Rubric, Written]]:
    folder = shared("data/rubrics")
    files = {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in folder.rglob("*.rubric")}
    found = {name: rubric.read(text, name, files.get).rubric for name, text in files.items()}
    return {name: (each, written(files[name], name)) for name, each in found.items() if each is not None}


def _columns(line: str) -> int:
    return sum(1 + (unicodedata.east_asian_width(char) in "WF") for char in line)


def test_every_real_rubric_fits_into_40_columns() -> None:
    real = _real()
    assert len(real) > 15
    for name, (found, notes) in real.items():
        for width in (40, 57, 80, 200):
            page = terminal(found, notes, width, "#")
            assert max(map(_columns, page.split("\n"))) <= width, name
            assert "\x1b" not in page


def test_nothing_that_decides_is_left_out() -> None:
    """Every text of every real rubric stands in both views."""
    for found, notes in _real().values():
        pages = [" ".join(terminal(found, notes, 200, "#").split()), " ".join(markdown(found, notes).split())]
        for text in _texts(found):
            assert " ".join(text.split()) in pages[0], text
            assert escaped(text) in pages[1], text


def _texts(found: Rubric) -> Iterator[str]:
    yield from (found.title, found.sha256[:16])
    for criterion in criteria(found.root):
        yield criterion.title
        grading = criterion.grading
        if isinstance(grading, Asked):
            yield grading.question
        if isinstance(grading, Checklist):
            yield from (item.text for item in grading.items)
        if isinstance(grading, Asked | Checklist):
            yield from (level.meaning for level in grading.scale.levels if level.low is None)
        yield from (text for text in (criterion.guidance, *criterion.good, *criterion.bad) if text)
    yield from (verdict.name for verdict in found.verdicts)


def test_the_terminal_page() -> None:
    text = (
        "rubric: Support\nversion: 2\nsetting: most = 9\nmust: Sourced\n  check: answer cites a source\n"
        "criterion: Short\n  weight: 1\n  check: answer has at most {most} words\n"
        "criterion: Kind\n  weight: 2\n  ask: Is it kind?\n  judge: 3 llm\n"
        "  scale:\n  | kind | 1 | As to a friend |\n  | curt | 0 | Short of breath |\n"
        "cap: 40% when [Kind] is below 0.5\nverdict: send when score is at least 0.7\nverdict: stop otherwise\n"
    )
    page = terminal(rubric_of(text), written(text, "test.rubric"), 60, "#")

    for row in (
        "  Sourced\n    gate: decides the verdict\n",
        "  Short\n    ##### 33.3% of the total\n",
        "  Kind\n    ########## 66.7% of the total\n",
        "    - the score is at most 40% when [Kind] is below 0.5\n",
        "  When a must fails: always stop, whatever the score\n",
        "    1. send: when score is at least 0.7\n    2. stop: otherwise\n",
        "    - answer has at most 9 words\n",
        "    Answer  Score  Meaning\n    kind    1      As to a friend\n    curt    0      Short of breath\n",
        "  Judges: 3 llm; combined by median; at least 2 of 3 have to\n    answer\n",
        "Settings\n--------\n  most: 9\n",
    ):
        assert row in page, page


HOSTILE = (
    "<script>alert(1)</script>", "<img src=x onerror=y>", "a | b | c", "`code` ``more``", "[click](https://evil.example)",
    "![pixel](https://evil.example/p.png)", "**bold** __x__ ~~y~~", "https://evil.example", "www.evil.example", "$x$",
    "# heading", "- item", "1. item", "> quote", "---", "===", "&lt;b&gt; &#60;i&#62;", "\\` \\| \\[", "[^1]: note",
    "\x1b[31mred", "\u202egnp.exe", "a\u2028b", "@everyone", "mailto:a@b.example", "+ item", "~~~", "```",
)  # fmt: skip
_PLAIN = re.compile(r"\\[!-/:-@\[-`{-~]|&(?:amp|lt|gt|emsp|#\d+);")


@pytest.mark.parametrize("text", HOSTILE)
def test_foreign_text_is_text(text: str) -> None:
    """What is left once every escape is taken away holds nothing that Markdown or HTML would act on."""
    shown = escaped(text)
    bare = _PLAIN.sub("x", shown)

    assert not re.search(r"[<>`*_\[\]|~$\\\x1b\u202e\u2028]", bare), bare
    assert not re.search(r"://|www\.|@|&[\w#]+;|^([#+=-]|\d+[.)](\s|$))", bare), bare


@given(st.text(max_size=40))
@settings(max_examples=200, deadline=None)
def test_no_text_at_all_is_more_than_text(text: str) -> None:
    bare = _PLAIN.sub("x", escaped(text))

    assert not re.search(r"[<>`*_\[\]|~$\n]", bare)
    assert not re.search(r"^([#+=-]|\d+[.)](\s|$))", bare)


def test_a_hostile_rubric_keeps_the_page_in_shape() -> None:
    """Headings, tables and lists are as many as for a tame rubric of the same shape."""
    shape = (
        "rubric: {0}\nversion: 1\nabout: {0}\ncriterion: {0} one\n  ask: {0}?\n"
        "  scale:\n  | good | 1 | {1} |\n  | bad | 0 | x |\n  guidance: {0}\n  good example: {0}\n  note: {0}\n"
        "verdict: fine when score is at least 0.5\nverdict: poor otherwise\n"
    )
    kinds = re.compile(r"^(#+ |- \*\*|  - |  \d\. |\| )", re.M)
    compared = 0
    for text in HOSTILE:
        hostile = shape.format(text, text.replace("|", "\\|").replace("\\\\|", "\\|"))
        found, tame = read(hostile).rubric, rubric_of(shape.format("tame", "tame"))
        if found is None:  # line ends and the like make another file of it
            continue
        compared += 1
        pages = [markdown(each, Written()) for each in (found, tame)]
        assert kinds.findall(pages[0]) == kinds.findall(pages[1])
        for row in pages[0].split("\n"):
            if row.startswith("| "):
                assert len(re.findall(r"(?<!\\)\|", row)) in (3, 4)
    assert compared > len(HOSTILE) / 2


def test_the_markdown_page_is_to_be_signed() -> None:
    page = markdown(rubric_of("rubric: R\nversion: 1\ncriterion: A\n  check: answer is empty\n"), Written())

    assert page.startswith("# R\n\n- **Version:** 1\n")
    assert "| A | 100% of the total | ████████████████████ |" in page
    assert page.endswith("| Name | Date | Signature |\n| --- | --- | --- |\n|   |   |   |\n|   |   |   |\n")


def test_wide_characters_take_two_columns() -> None:
    page = terminal(
        rubric_of(f"rubric: {'評価' * 40}\nversion: 1\ncriterion: A\n  ask: {'質問' * 60}?\n"), Written(), 40, "#"
    )

    assert max(map(_columns, page.split("\n"))) <= 40
    assert "評価" in page
