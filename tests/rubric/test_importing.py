"""Foreign files become rubrics that read; what does not come over is said; no text can break the syntax."""

import csv
import io
import json
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import rubric
from engine.errors import UsageError
from engine.rubric.diagnostic import Severity
from engine.rubric.fold import fold
from engine.rubric.importing import healthbench, promptfoo, table
from engine.rubric.importing.decoding import Kind, decoded, kind_of
from engine.rubric.importing.writing import Imported
from engine.rubric.syntax import Asked, Checks, Criterion, Role, Rubric, criteria
from engine.store import strict_yaml
from engine.text import safe
from tests.rubric.build import exchange, read


def _rubric(imported: Imported) -> Rubric:
    reading = read(imported.text)
    assert reading.rubric is not None, "\n".join(map(str, reading.problems))
    assert imported.text.count("# not brought over:") == len(imported.lost)
    return reading.rubric


def _table(text: str) -> Rubric:
    return _rubric(table.imported(text, "t.csv", "Table"))


def _promptfoo(text: str) -> Imported:
    return promptfoo.imported(strict_yaml.load(text, "p.yaml").value, "p.yaml", "Asserts")


def _all(found: Rubric) -> list[Criterion]:
    return list(criteria(found.root))


# ---- tables -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("criterion,question,weight\nTone,Is it polite?,0.5\n", id="commas"),
        pytest.param("criterion;question;weight\nTone;Is it polite?;0,5\n", id="semicolons-decimal-comma"),
        pytest.param("Name\tASK\tPoints\r\nTone\tIs it polite?\t0.50\r\n", id="tabs-other-names"),
        pytest.param('sep=;\r\nTitle;Question;Weight\r\n"Tone";"Is it\npolite?";"0,5"\r\n;;\r\n', id="excel"),
        pytest.param("note,weight,criteria,question\n,0.5,Tone,Is it polite?", id="other-order"),
    ],
)
def test_tables_of_every_make_say_the_same(text: str) -> None:
    (criterion,) = _all(_table(text))

    assert criterion.title == "Tone"
    assert criterion.weight is not None
    assert criterion.weight.value == Decimal("0.5")
    assert isinstance(criterion.grading, Asked)
    assert " ".join(criterion.grading.question.split()) == "Is it polite?"


def test_kinds_groups_tags_and_notes() -> None:
    found = _table(
        "criterion,type,group,guidance,notes,tags,points\n"
        'A,must,,,,,\nB,must-not,,,,,\nC,Penalty,Form,look twice,by Ann,"x, y",2\n'
        "D,,Form,,,,-3\nE,bonus,Form,,,,\nF,,Form,,,,0\n"
    )

    assert [each.role.value for each in _all(found)] == ["must", "must not", "penalty", "penalty", "bonus", "info"]
    third = _all(found)[2]
    assert (third.id, third.guidance, third.note, third.tags) == ("form/c", "look twice", "by Ann", ("x", "y"))
    assert _all(found)[3].weight is not None
    assert _all(found)[3].weight.value == 3  # type: ignore[union-attr]


def test_levels_are_scales_and_the_same_ones_are_shared() -> None:
    imported = table.imported(
        "criterion;question;good (1.0);okay (0,7);poor (0)\n"
        "A;How?;all;some;none\nB;How?;all;some;none\nC;How?;yes | no;so;never\nD;Is it?;;;\n",
        "t.csv",
        "T",
    )
    found = _rubric(imported)
    scales = [criterion.grading.scale for criterion in _all(found) if isinstance(criterion.grading, Asked)]

    assert imported.text.count("define scale:") == 1
    assert scales[0] == scales[1]
    assert [(level.label, level.score) for level in scales[0].levels] == [
        ("good", Decimal(1)),
        ("okay", Decimal("0.7")),
        ("poor", Decimal(0)),
    ]
    assert scales[2].levels[0].meaning == "yes | no"
    assert scales[3].name == "yes or no"


def test_names_that_differ_in_signs_only_are_kept_with_ids_of_their_own() -> None:
    found = _all(_table("criterion,group\nA!,\nA?,\n???,\nA!!,A\noverall,\n"))

    assert [each.title for each in found] == ["A!", "A?", "???", "overall", "A!!"]
    assert len({each.id for each in found}) == 5


def test_scores_above_one_are_points() -> None:
    (criterion,) = _all(_table("criterion,Excellent (4),Good [2],Poor (1 pt)\nA,x,y,z\n"))

    assert isinstance(criterion.grading, Asked)
    assert (criterion.grading.scale.low, criterion.grading.scale.high) == (Decimal(1), Decimal(4))
    assert criterion.grading.scale.levels[0].meaning == "Excellent: x"


def test_complete_percentages_stay_percentages_and_others_keep_their_proportions() -> None:
    whole = table.imported("criterion,weight\nA,30%\nB,70 %\n", "t.csv", "T").text
    part = table.imported("criterion,weight\nA,30%\nB,30%\n", "t.csv", "T").text

    assert "weight: 30%" in whole
    assert "weight: 30\n" in part


def test_a_description_becomes_a_question_and_unknown_columns_are_counted() -> None:
    imported = table.imported("criterion,description,owner\nA,Names the price,Ann\nB,,Bob\n", "t.csv", "T")
    questions = [each.grading.question for each in _all(_rubric(imported)) if isinstance(each.grading, Asked)]

    assert questions == [
        "Does the answer fit this description?\nNames the price",
        "Does the answer fit this description?\nB",
    ]
    assert imported.lost == ('the column "owner" (2 cells)',)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        pytest.param("criterion,weight\nA,1,2\nB\n", 2, "3 cells", id="ragged-long"),
        pytest.param("criterion,weight\nA,1\nB\n", 3, "1 cell,", id="ragged-short"),
        pytest.param(
            'criterion,ask\n"A\nb",x\nTone,\n tone ,\n', 5, 'called "tone"', id="twice-after-a-cell-of-two-lines"
        ),
        pytest.param("criterion,ask\n,Is it?\n", 2, "no name", id="no-name"),
        pytest.param('criterion,ask\nA,"Is it\n', 2, "never closes", id="quote-open"),
        pytest.param('criterion,ask\nA,"Is" it\n', 2, "goes on after", id="quote-inside"),
        pytest.param("criterion,weight\nA,heavy\n", 2, "not a number", id="no-number"),
        pytest.param('criterion,weight\nA,"1,000"\n', 2, "two ways", id="thousand-or-one"),
        pytest.param("criterion,type\nA,mustt\n", 2, "no kind", id="kind"),
        pytest.param("criterion,weight\nA,30%\nB,2\n", 3, "percentages", id="mixed"),
        pytest.param("criterion,good (1),poor\nA,x,y\n", 1, "at least two", id="one-level"),
        pytest.param("criterion,good (1),ok (0.5),poor\nA,x,y,z\n", 1, "no score", id="level-without-score"),
        pytest.param(
            "criterion,type,a (1),b (0.5),c (0)\nA,must,x,y,z\n", 2, "from which level", id="must-with-levels"
        ),
        pytest.param("colour,size\nred,2\n", 1, "no column", id="no-column"),
        pytest.param("criterion,name\nA,B\n", 1, "both stand", id="two-columns"),
    ],
)
def test_a_table_that_makes_no_sense_is_refused_with_the_line(text: str, line: int, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        table.imported(text, "t.csv", "T")

    assert any(problem.place == f"t.csv:{line}" and words in problem.message for problem in refused.value.problems)


@pytest.mark.parametrize(
    ("data", "words", "place"),
    [
        pytest.param("criterion\nA".encode("utf-16"), "UTF-16", "t.csv:1", id="utf-16-with-mark"),
        pytest.param("criterion\nA".encode("utf-16-le"), "UTF-16", "t.csv:1", id="utf-16"),
        pytest.param(
            "criterion\nA\ncafé".encode("cp1252"), 'after "caf" stands what may be "é"', "t.csv:3", id="cp1252"
        ),
        pytest.param(b"PK\x03\x04xyz", "spreadsheet", "t.csv", id="xlsx"),
    ],
)
def test_bytes_that_are_no_utf_8_are_refused_with_the_line(data: bytes, words: str, place: str) -> None:
    with pytest.raises(UsageError) as refused:
        decoded(data, "t.csv")

    assert words in refused.value.problems[0].message
    assert refused.value.problems[0].place == place


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("criterion,ask\nA,B", Kind.CSV),
        ('{"rubrics": []}', Kind.HEALTHBENCH),
        ('[{"rubrics": []}]', Kind.HEALTHBENCH),
        ("prompts: [x]\ndefaultTest:\n  assert: []\n", Kind.PROMPTFOO),
        ("- assert:\n  - type: equals", Kind.PROMPTFOO),
    ],
)
def test_the_kind_is_told_from_the_content(text: str, kind: Kind) -> None:
    assert kind_of(text, "f") is kind


def test_a_rubric_is_not_imported() -> None:
    with pytest.raises(UsageError, match="a rubric already"):
        kind_of("# hello\n\nrubric: X\n", "f")


def test_a_bom_is_no_part_of_the_first_name() -> None:
    assert decoded("\ufeffcriterion\nA".encode(), "f") == "criterion\nA"


_TEXT = st.one_of(
    st.text(max_size=40),
    st.text(st.sampled_from(list('|"{}[]:#>»«“”\\\n\r\t ,;=.-%¦\u2028\u00a0\u200b\u200dabz1')), max_size=30),
    st.sampled_from(
        [
            "{name}",
            "| a | b |",
            "# ok R609: x",
            "It must: x",
            "Fine. Question: x, weight: 2; must: a",
            "A > B - [must] c",
            "a\na\na",
            "must: x",
            "=cmd|' /C calc'!A0",
            "end group:",
            "rubric: B",
            "|",
            ".",
            "...",
            "> x",
        ]
    ),
)


@settings(max_examples=150, deadline=None)
@given(rows=st.lists(st.tuples(*[_TEXT] * 8), min_size=1, max_size=4))
def test_any_text_in_any_cell_gives_a_rubric_that_keeps_it(rows: list[tuple[str, ...]]) -> None:
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(["criterion", "ask", "group", "guidance", "note", "tags", "good (1)", "bad (0)"])
    writer.writerows((f"{number} {row[0]}", *row[1:]) for number, row in enumerate(rows))
    imported = table.imported(stream.getvalue(), "t.csv", rows[0][0])

    found = {criterion.title.split(" ", 1)[0].rstrip("…"): criterion for criterion in _all(_rubric(imported))}
    assert len(found) == len(rows)
    for number, row in enumerate(rows):
        criterion = found[str(number)]
        assert isinstance(criterion.grading, Asked)
        _kept(row[0], criterion.title.partition(" ")[2])
        _kept(row[1], criterion.grading.question)
        _kept(row[3], criterion.guidance)
        _kept(row[4], criterion.note)
        if criterion.grading.scale.name != "yes or no" and row[6].strip():
            _kept(row[6], criterion.grading.scale.levels[0].meaning)


def _kept(text: str, written: str) -> None:
    """The same but for blanks, look-alikes and characters that nobody can see, which are signs now."""
    if any(char == "\x1b" or "\x80" <= char < "\xa0" for char in text):
        return  # a whole escape sequence is one sign
    if _seen(text):
        assert _seen(written) == _seen(text)


def _seen(text: str) -> str:
    return "".join(char for char in fold(safe(text)) if not char.isspace() and char not in "\ufffd\u200d\u200c|¦:-")


# ---- HealthBench ------------------------------------------------------------------------------


_LONG = "Recommends to see a doctor at once, and names a place. " + "It says why. " * 20
_EXAMPLE: dict[str, object] = {
    "rubrics": [
        {
            "criterion": _LONG,
            "points": 7,
            "tags": ["axis:accuracy"],
        },
        {"criterion": "Invents a diagnosis", "points": -5.5, "tags": []},
        {"criterion": "Is it kind?", "points": 0},
        {"criterion": "Invents a diagnosis", "points": 1},
        {"criterion": "No points", "points": "many"},
        {"points": 3},
    ],
    "prompt": [{"role": "user", "content": "Hi"}, {"role": "user", "content": "It hurts.\nWhat now?"}],
    "prompt_id": "abc",
    "canary": "x",
}


def test_healthbench_points_up_and_down() -> None:
    imported = healthbench.imported(_EXAMPLE, "h.json", "Pain")
    found = _rubric(imported)
    first, second, third, fourth = _all(found)

    assert [each.role for each in (first, second, third, fourth)] == [
        Role.CRITERION,
        Role.PENALTY,
        Role.INFO,
        Role.CRITERION,
    ]
    assert second.weight is not None
    assert second.weight.value == Decimal("5.5")
    assert len(first.title) <= 80
    assert isinstance(first.grading, Asked)
    assert first.grading.question == f"Does the answer fit this description?\n{_LONG.strip()}"
    assert first.tags == ("axis:accuracy",)
    assert fourth.title == "Invents a diagnosis (2)"
    assert found.about == "Written for one question.\nIt hurts.\nWhat now?"
    assert len(imported.lost) == 4


def test_healthbench_scores_as_earned_of_possible_points() -> None:
    from engine.model.grade import Vote

    found = _rubric(healthbench.imported(_EXAMPLE, "h.json", "Pain"))
    said = dict(zip([each.id for each in _all(found)], ["yes", "yes", "no", "no"], strict=True))
    grading = rubric.compile(found).grade(exchange("x"), {name: (Vote(word),) for name, word in said.items()})

    assert grading.scores["overall"] == pytest.approx((7 - 5.5) / 8, abs=1e-4)


@settings(max_examples=60, deadline=None)
@given(_TEXT, _TEXT, st.floats(allow_nan=True))
def test_any_healthbench_text_reads(text: str, tag: str, points: float) -> None:
    example = {
        "rubrics": [{"criterion": text, "points": points, "tags": [tag]}, {"criterion": "ok", "points": 1}],
        "prompt": text,
    }

    assert _all(_rubric(healthbench.imported(example, "h.json", text)))


def test_examples_are_found_in_one_a_list_or_lines() -> None:
    assert len(list(healthbench.examples(iter([_EXAMPLE])))) == 1
    assert len(list(healthbench.examples(iter([[_EXAMPLE, 3, _EXAMPLE]])))) == 2
    assert list(healthbench.examples(iter([json.loads('{"a": 1}')]))) == []


# ---- promptfoo --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("assertion", "line"),
    [
        ("{type: icontains, value: refund}", 'check: answer contains "refund"'),
        ("{type: not-icontains, value: refund}", 'check: answer does not contain "refund"'),
        ("{type: icontains-any, value: [a, b]}", 'check: answer contains any of "a", "b"'),
        ("{type: icontains-all, value: 'a, \"b, c\"'}", 'check: answer contains all of "a", "b, c"'),
        ("{type: not-contains-any, value: [1, 2]}", 'check: answer does not contain any of "1", "2"'),
        ("{type: starts-with, value: '12'}", 'check: answer starts with "12"'),
        ("{type: equals, value: 42}", 'check: answer equals "42"'),
        ("{type: regex, value: 'a/b\\d'}", r"check: answer matches /a\/b\d/"),
        ("{type: not-regex, value: 'a'}", "check: answer does not match /a/"),
        ("{type: is-json}", "check: answer is valid JSON"),
        ("{type: is-json, value: {required: [a]}}", 'check: answer is valid JSON with fields "a"'),
        ("{type: latency, threshold: 1500}", "check: latency is at most 1500 ms"),
        ("{type: cost, threshold: 0.002}", "check: cost is at most $0.002"),
        ("{type: word-count, value: {max: 80}}", "check: answer has at most 80 words"),
        ("{type: llm-rubric, value: Is it polite?}", "ask: Is it polite?"),
        ("{type: factuality, value: Paris}", "ask: Do the facts in the answer agree with this reference?\n  > Paris"),
        ("{type: similar, value: Paris, threshold: 0.8}", "ask: Does the answer say the same as this?\n  > Paris"),
        ("{type: answer-relevance, threshold: 0.8}", "ask: Does the answer address what was asked?"),
    ],
)
def test_every_assertion_with_a_counterpart(assertion: str, line: str) -> None:
    imported = _promptfoo(f"- {assertion}\n")

    assert f"  {line}\n" in imported.text
    assert len(_all(_rubric(imported))) == 1


@pytest.mark.parametrize(
    ("assertion", "words"),
    [
        ("{type: javascript, value: x}", "a rubric runs none"),
        ("{type: contains-json}", "no check like it"),
        ("{type: not-equals, value: x}", "no opposite"),
        ("{type: regex, value: '(a+)+$'}", "can take forever"),
        ("{type: regex, value: '('}", "not valid"),
        ("{type: contains, value: '{{x}}'}", "something else in every test"),
        ("{type: contains, value: 'file://x.txt'}", "another file"),
        ("{type: contains}", "no text"),
        ("{type: latency}", "no threshold"),
        ("{type: icontains, value: x, weight: -1}", "not a number from 0"),
        ("nonsense", "without a type"),
    ],
)
def test_what_has_no_counterpart_is_a_remark_with_the_reason(assertion: str, words: str) -> None:
    imported = _promptfoo(f"- {assertion}\n- {{type: icontains, value: ok}}\n")

    assert len(_all(_rubric(imported))) == 1
    assert len(imported.lost) == 1
    assert words in imported.lost[0]


def test_nothing_to_bring_over_is_an_error() -> None:
    with pytest.raises(UsageError, match="nothing in this file can be brought over"):
        _promptfoo("- {type: python, value: x}\n")
    with pytest.raises(UsageError, match="asserts nothing"):
        _promptfoo("prompts: [x]\n")


def test_case_weights_metrics_sets_and_tests() -> None:
    imported = _promptfoo(
        "defaultTest:\n  threshold: 0.8\n  assert:\n"
        "  - {type: contains, value: Refund, weight: 2, metric: Policy}\n"
        "  - {type: icontains, value: x, weight: 0}\n"
        "  - {type: assert-set, metric: Form, threshold: 0.5, weight: 3, assert: [{type: icontains, value: y}]}\n"
        "tests:\n- {description: one, vars: {x: alpha}, assert: [{type: icontains, value: '{{x}}'}]}\n"
        "- {vars: {x: 2}, assert: [{type: icontains, value: '{{ x }}'}]}\n- file://more.yaml\n"
    )
    found = _rubric(imported)
    titles = {criterion.title: criterion for criterion in _all(found)}

    assert any("capital and small letters" in lost for lost in imported.lost)
    assert titles["Policy"].weight is not None
    assert titles["Policy"].weight.value == 2
    assert titles['Contains "x"'].role is Role.INFO
    assert 'Contains "alpha"' in titles
    assert 'only when: promptfoo test is "one"' in imported.text
    assert found.verdicts[0].when is not None
    assert found.verdicts[0].when.said == "score is at least 0.8"


def test_assertions_of_a_test_apply_to_that_test_only() -> None:
    found = _rubric(
        _promptfoo(
            "tests:\n- {description: one, assert: [{type: icontains, value: alpha}]}\n"
            "- {description: two, assert: [{type: icontains, value: beta}]}\n"
        )
    )
    from dataclasses import replace

    said = exchange("alpha")
    one = said._replace(query=replace(said.query, fields={"promptfoo test": "one"}))

    assert rubric.compile(found).grade(one, {}).verdict == "pass"
    assert rubric.compile(found).grade(said, {}).verdict == "ungraded"


@settings(max_examples=100, deadline=None)
@given(
    kind=st.sampled_from(["contains", "icontains-any", "equals", "starts-with", "regex", "llm-rubric", "not-contains"]),
    text=_TEXT,
    metric=_TEXT,
)
def test_any_promptfoo_text_reads_and_is_kept_or_said(kind: str, text: str, metric: str) -> None:
    value = [text] if kind == "icontains-any" else text
    config = [{"type": kind, "value": value, "metric": metric}, {"type": "icontains", "value": "ok"}]
    imported = promptfoo.imported(config, "p.yaml", text)
    found = _all(_rubric(imported))

    if len(found) == 1:
        assert imported.lost
    elif isinstance(found[0].grading, Checks) and kind == "contains":
        assert rubric.compile(_rubric(imported)).grade(exchange(text), {}).grades[0].passed or imported.lost


def test_imported_rubrics_are_without_warnings() -> None:
    text = "criterion,ask,good (1),okay (0.6),poor (0)\nTone,How polite is it?,Warm,Neutral,Rude\n"
    reading = read(table.imported(text, "t.csv", "T").text)

    assert [problem for problem in reading.problems if problem.severity is not Severity.HINT] == []
