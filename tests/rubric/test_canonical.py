"""JSON and back, and the hash of the meaning."""

import dataclasses
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import rubric
from engine.rubric import expression as say
from engine.rubric import syntax as nouns
from engine.rubric.canonical import criterion_sha256, meaning_sha256
from engine.rubric.diagnostic import Span
from tests.rubric.build import ROOT, exchange, hits, read, rubric_of, shared
from tests.rubric.test_grade import RICH, SEARCH

TEXT = """# remark
rubric: Support
version: 1
owner: Team A
about: For the help centre.
setting: most = 12

criterion: Short enough
  weight: 2
  check: answer has at most {most} words
  check: answer contains any of "it's", "refund"
criterion: Kind
  ask: Is the "tone" of the answer kind?
  > Think of a friend.
  note: from the workshop
verdict: good when score is at least 0.7
verdict: poor otherwise
"""


@pytest.mark.parametrize("text", [TEXT, SEARCH, f"rubric: Rich\n{RICH}"])
def test_the_json_form_grades_the_same(text: str) -> None:
    first = rubric_of(text)
    again = rubric.from_json(json.loads(json.dumps(rubric.to_json(first))))
    whole = rubric.from_json(json.loads(json.dumps(rubric.to_json(first)).replace(".0,", ",").replace(".0}", "}")))

    assert again == first == whole
    for what in (exchange("it's short", results=hits("a", "b"), relevant={"b": 2}), exchange()):
        assert rubric.compile(again).grade(what) == rubric.compile(first).grade(what)


def test_another_version_of_the_language_is_refused() -> None:
    wrong: tuple[rubric.Json, ...] = (
        None,
        [],
        {},
        {"language": rubric.LANGUAGE + 1, "rubric": {}},
        {"language": rubric.LANGUAGE, "rubric": {"is": "Nothing"}},
    )
    for data in wrong:
        with pytest.raises(ValueError, match="rubric"):
            rubric.from_json(data)


def test_grading_from_json_needs_no_grammar() -> None:
    """A run with a cached rubric does not pay for lark."""
    code = (
        "import sys, json; from engine import rubric;"
        "rubric.compile(rubric.from_json(json.loads(sys.stdin.read()))); print('lark' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(rubric.to_json(rubric_of(SEARCH))), cwd=ROOT,
        capture_output=True, text=True, check=True, encoding="utf-8",
    )  # fmt: skip

    assert done.stdout.strip() == "False"


HARMLESS: Mapping[str, Callable[[str], str]] = {
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "CR": lambda text: text.replace("\n", "\r"),
    "U+2028": lambda text: text.replace("\n", "\u2028"),
    "U+0085": lambda text: text.replace("\n", "\x85"),
    "BOM": lambda text: "\ufeff" + text,
    "NBSP": lambda text: text.replace(" ", "\xa0"),
    "tabs": lambda text: text.replace("  ", "\t"),
    "no indentation": lambda text: "\n".join(row.strip() for row in text.split("\n")),
    "blanks at the end": lambda text: text.replace("\n", "   \n"),
    "blank lines": lambda text: text.replace("\n", "\n\n"),
    "curly quotes": lambda text: text.replace('"it\'s", "refund"', "“it’s”, ”refund”").replace('"tone"', "“tone”"),
    "German quotes": lambda text: text.replace('"refund"', "„refund“"),
    "French quotes": lambda text: text.replace('"refund"', "«refund»"),
    "full-width signs": lambda text: text.replace("weight:", "weight：").replace(", ", "，"),
    "capitals": lambda text: (
        text.replace("weight", "WEIGHT").replace("check", "Check").replace("answer has", "The Answer Has")
    ),
    "remarks": lambda text: "# hello\n" + text.replace("criterion: Kind", "# and\ncriterion: Kind"),
    "owner, about, note": lambda text: (
        text.replace("Team A", "B").replace("For the help", "Of the").replace("workshop", "x")
    ),
    "order": lambda text: text.replace("  check: answer has at most {most} words\n", "").replace(
        "criterion: Kind", "  check: answer has at most {most} words\ncriterion: Kind"
    ),
    "synonyms": lambda text: (
        text.replace("weight", "points").replace("ask:", "question:").replace("at most", "no more than")
    ),
    "full stop": lambda text: text.replace("{most} words", "{most} words."),
    "no last line end": lambda text: text.rstrip("\n"),
}


@pytest.mark.parametrize("harmless", HARMLESS)
def test_harmless_damage_keeps_the_hash(harmless: str) -> None:
    changed = HARMLESS[harmless](TEXT)

    assert changed != TEXT
    assert rubric_of(changed).sha256 == rubric_of(TEXT).sha256


@pytest.mark.parametrize(
    ("old", "new"),
    [("weight: 2", "weight: 3"), ("most = 12", "most = 13"), ("any of", "all of"), ("0.7", "0.8"), ("kind?", "nice?"),
     ("criterion: Kind", "info: Kind"), ("verdict: poor", "verdict: bad"), ("a friend", "an enemy"),
     ("Kind\n", "Kinder\n")],
)  # fmt: skip
def test_another_meaning_is_another_hash(old: str, new: str) -> None:
    assert rubric_of(TEXT.replace(old, new)).sha256 != rubric_of(TEXT).sha256


def test_a_label_survives_another_weight_but_not_another_question() -> None:
    """The hash of a criterion is what labels bind to."""

    def kind(text: str) -> str:
        criterion = rubric_of(text).root.members[1]
        return rubric.criterion_sha256(criterion)  # type: ignore[arg-type]

    assert kind(TEXT) == kind(TEXT.replace("weight: 2", "weight: 5").replace("criterion: Kind", "criterion: Friendly"))
    assert kind(TEXT) != kind(TEXT.replace("kind?", "nice?"))
    assert kind(TEXT) != kind(TEXT.replace("criterion: Kind", "penalty: Kind"))


# ---- every field of every noun is inside or outside each hash ----------------------------------

HOLDS = say.Contains(("a", "b"))
OTHER = nouns.Check(say.IsEmpty(), "answer is empty")
SCALE = nouns.Scale("s", (nouns.Level("good", Decimal(1), "Fine"), nouns.Level("bad", Decimal(0), "Not fine")))
POINTS = nouns.Scale("p", (nouns.Level("1-2", None, "Low", Decimal(1), Decimal(2)),), Decimal(1), Decimal(5))
PANEL = nouns.Panel((nouns.Judge("llm", 3, "x"),), quorum=2)
ITEM = nouns.Item("says-30", "Says 30 days", Decimal(2), mark="vital")
ASKED = nouns.Asked("Is it kind?", SCALE, PANEL)
LIST = nouns.Checklist((ITEM, nouns.Item("b", "Says so")), SCALE, "Is it said?", PANEL)
CHECKS = nouns.Checks((nouns.Check(HOLDS, "said"), OTHER))
MEASURED = nouns.Measured("latency", Decimal(2), Decimal(10))
WEIGHT = nouns.Weight(Decimal(3))

BOTH, SCORE, NEITHER = "both hashes", "the hash of the rubric alone", "neither"
Fields = Mapping[str, tuple[object, str]]

INSIDE: Mapping[object, Fields] = {
    nouns.Criterion("g/a", "A", nouns.Role.CRITERION, ASKED, WEIGHT, Decimal(1), OTHER): {
        "id": ("g/b", SCORE),
        "title": ("B", NEITHER),
        "role": (nouns.Role.PENALTY, BOTH),
        "grading": (CHECKS, BOTH),
        "weight": (nouns.Weight(Decimal(4)), SCORE),
        "pass_mark": (Decimal("0.7"), SCORE),
        "only_when": (None, SCORE),
        "about": ("why", NEITHER),
        "guidance": ("Think of a friend", BOTH),
        "good": (("Thank you",), BOTH),
        "bad": (("No",), BOTH),
        "show": (("question",), BOTH),
        "tags": (("tone",), NEITHER),
        "note": ("from the workshop", NEITHER),
    },
    ASKED: {
        "question": ("Is it polite?", BOTH),
        "scale": (POINTS, BOTH),
        "panel": (nouns.USUAL_PANEL, SCORE),
        "skippable": (True, BOTH),
    },
    LIST: {
        "items": (LIST.items[:1], BOTH),
        "scale": (POINTS, BOTH),
        "question": ("Is it there?", BOTH),
        "panel": (nouns.USUAL_PANEL, SCORE),
        "skippable": (True, BOTH),
    },
    ITEM: {
        "id": ("x", NEITHER),
        "text": ("Says 60 days", BOTH),
        "weight": (Decimal(1), SCORE),
        "must": (True, SCORE),
        "mark": ("2", NEITHER),
    },
    PANEL: {
        "judges": ((nouns.Judge("human", 3),), SCORE),
        "settle": (nouns.Settle.MEAN, SCORE),
        "quorum": (3, SCORE),
        "disagreement": (Decimal("0.5"), SCORE),
    },
    PANEL.judges[0]: {"kind": ("human", SCORE), "count": (5, SCORE), "name": ("y", SCORE)},
    SCALE: {
        "name": ("t", NEITHER),
        "levels": (SCALE.levels[::-1], BOTH),
        "low": (Decimal(0), BOTH),
        "high": (Decimal(9), BOTH),
    },
    SCALE.levels[0]: {
        "label": ("great", BOTH),
        "score": (None, BOTH),
        "meaning": ("Splendid", BOTH),
        "low": (Decimal(1), BOTH),
        "high": (Decimal(1), BOTH),
    },
    CHECKS: {"checks": (CHECKS.checks[:1], BOTH), "partial": (True, BOTH)},
    CHECKS.checks[0]: {"holds": (say.IsEmpty(), BOTH), "said": ("in other words", NEITHER)},
    MEASURED: {"name": ("cost", BOTH), "full": (Decimal(1), BOTH), "none": (Decimal(9), BOTH)},
    nouns.Group("g", "G", (), WEIGHT, pass_mark=Decimal("0.5"), only_when=OTHER): {
        "id": ("h", SCORE),
        "title": ("H", NEITHER),
        "members": ((nouns.Criterion("h/c", "C", nouns.Role.CRITERION, CHECKS),), SCORE),
        "weight": (None, SCORE),
        "combine": (nouns.Combine.LOWEST, SCORE),
        "need": (2, SCORE),
        "pass_mark": (None, SCORE),
        "minimum_graded": (Decimal("0.8"), SCORE),
        "only_when": (None, SCORE),
        "about": ("why", NEITHER),
        "tags": (("x",), NEITHER),
        "note": ("y", NEITHER),
    },
    nouns.Cap(Decimal("0.4"), OTHER): {
        "at_most": (Decimal("0.5"), SCORE),
        "when": (CHECKS.checks[0], SCORE),
        "ref": ("g", SCORE),
    },
    nouns.Verdict("send", OTHER): {"name": ("pass", SCORE), "when": (None, SCORE)},
    nouns.Rubric("r", "R", 1, nouns.Group("", "", ())): {
        "id": ("s", NEITHER),
        "title": ("S", NEITHER),
        "version": (2, NEITHER),
        "root": (nouns.Group("", "", (nouns.Criterion("c", "C", nouns.Role.CRITERION, CHECKS),)), SCORE),
        "caps": ((nouns.Cap(Decimal("0.4"), OTHER),), SCORE),
        "verdicts": ((nouns.Verdict("send", None),), SCORE),
        "scales": ((SCALE,), NEITHER),
        "fields": ((nouns.FieldType("tier"),), NEITHER),
        "library": (True, NEITHER),
        "about": ("x", NEITHER),
        "owner": ("x", NEITHER),
        "language": ("de", NEITHER),
        "tags": (("x",), NEITHER),
        "note": ("x", NEITHER),
        "sha256": ("x", NEITHER),
    },
}


def _inner(noun: object) -> object:
    """The noun inside the next larger one."""
    match noun:
        case nouns.Level():
            return dataclasses.replace(SCALE, levels=(noun, *SCALE.levels[1:]))
        case nouns.Scale():
            return dataclasses.replace(ASKED, scale=noun)
        case nouns.Judge():
            return dataclasses.replace(PANEL, judges=(noun,))
        case nouns.Panel():
            return dataclasses.replace(ASKED, panel=noun)
        case nouns.Item():
            return dataclasses.replace(LIST, items=(noun, *LIST.items[1:]))
        case nouns.Check():
            return dataclasses.replace(CHECKS, checks=(noun,))
        case nouns.Asked() | nouns.Checklist() | nouns.Checks() | nouns.Measured():
            return nouns.Criterion("a", "A", nouns.Role.CRITERION, noun)
    raise AssertionError(noun)


def _around(noun: object) -> tuple[nouns.Rubric, nouns.Criterion]:
    """A rubric that holds the noun, with the criterion that holds it (or any)."""
    usual = nouns.Criterion("g/c", "C", nouns.Role.CRITERION, ASKED)
    match noun:
        case nouns.Criterion():
            return _whole((noun,)), noun
        case nouns.Group():
            return _whole((noun if noun.members else dataclasses.replace(noun, members=(usual,)),)), usual
        case nouns.Cap():
            return dataclasses.replace(_whole(()), caps=(noun,)), usual
        case nouns.Verdict():
            return dataclasses.replace(_whole(()), verdicts=(noun,)), usual
        case nouns.Rubric():
            return noun, usual
    return _around(_inner(noun))


def _whole(members: tuple[nouns.Criterion | nouns.Group, ...]) -> nouns.Rubric:
    return nouns.Rubric("r", "R", 1, nouns.Group("", "", members))


def _cases() -> list[tuple[object, str, object, str]]:
    return [(noun, name, *case) for noun, fields in INSIDE.items() for name, case in fields.items()]


@pytest.mark.parametrize(
    ("noun", "field", "value", "inside"), _cases(), ids=[f"{type(noun).__name__}.{name}" for noun, name, *_ in _cases()]
)
def test_every_field_is_inside_or_outside(noun: object, field: str, value: object, inside: str) -> None:
    """Design 4, Hashes: what a label depends on, what only a score depends on, and what nothing does."""
    changed = dataclasses.replace(noun, **{field: value})  # type: ignore[type-var]
    (old, one), (new, other) = _around(noun), _around(changed)

    assert (meaning_sha256(old) != meaning_sha256(new)) is (inside in (SCORE, BOTH))
    assert (criterion_sha256(one) != criterion_sha256(other)) is (inside is BOTH)


def test_no_field_is_forgotten() -> None:
    """A field that is added to a noun has to be said to be inside or outside."""
    for noun, fields in INSIDE.items():
        named = {each.name for each in dataclasses.fields(noun) if not isinstance(each.default, Span)}  # type: ignore[arg-type]
        assert named == set(fields), type(noun).__name__
    told = {type(noun) for noun in INSIDE}
    all_nouns = {noun for name in nouns.__all__ if dataclasses.is_dataclass(noun := getattr(nouns, name))}
    assert {noun for noun in all_nouns if isinstance(noun, type)} - told == {nouns.Weight, nouns.FieldType}


# ---- what may be written in another way --------------------------------------------------------

PARTS = (
    "criterion: A\n  weight: {w}\n  check: answer contains any of {ab}\n  check: latency is at most {time}\n",
    "must: B\n  ask: Is it?\n  pass mark: {one}\n  judge: 2 llm\n  quorum: 2\n",
    "checklist: C\n  weight: 2\n  pass mark: 0.5\n{items}",
    (
        "criterion: D\n  weight: 1\n  only when: intent is one of {intents}\n  ask: How well?\n"
        "  scale: 1 to 5\n  | {two} | Low |\n  | 5 | High |\n"
    ),
)
END = "verdict: send when score is at least {most}\nverdict: stop otherwise\n"
ITEMS = ("- [vital] Says 30 days", "- Says so", "- [minor] Is short")
CAPS = ("cap: 40% when [A] fails", "cap: {half} when [B] fails")


@given(
    st.permutations(PARTS), st.permutations(ITEMS), st.permutations(CAPS), st.data(),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_order_and_spelling_do_not_matter(
    parts: list[str], items: list[str], caps: list[str], data: st.DataObject
) -> None:
    """Order of criteria, items and caps; `1` and `1.0`; `70%` and `0.7`; 2 seconds and 2000 ms."""

    def one_of(*spellings: str) -> str:
        return data.draw(st.sampled_from(spellings))

    text = "rubric: R\nversion: 1\n" + "".join(parts) + "\n".join(caps) + "\n" + END
    spelled = text.format(
        w=one_of("1", "1.0"), ab=one_of('"a", "b"', "“b”, 'a'"), time=one_of("2 seconds", "2000 ms"),
        one=one_of("1", "100%", "1.0"), items="".join(f"{item}\n" for item in items),
        intents=one_of("lookup, how-to", "how-to, lookup"), two=one_of("1-2", "1 to 2", "1–2"),
        most=one_of("0.7", "70%", "7/10"), half=one_of("50%", "0.5"),
    )  # fmt: skip
    plain_parts = "rubric: R\nversion: 1\n" + "".join(PARTS) + "\n".join(CAPS) + "\n" + END
    usual = plain_parts.format(
        w="1", ab='"a", "b"', time="2 seconds", one="1", items="".join(f"{item}\n" for item in ITEMS),
        intents="lookup, how-to", two="1-2", most="0.7", half="50%",
    )  # fmt: skip

    assert rubric_of(spelled).sha256 == rubric_of(usual).sha256


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("verdict: a when score is at least 0.8\nverdict: b when [A] passes\n",
         "verdict: b when [A] passes\nverdict: a when score is at least 0.8\n"),
        ("| good | 1 | x |\n| okay | 0.5 | y |\n", "| okay | 0.5 | y |\n| good | 1 | x |\n"),
        ("/a  b/", "/a b/"),
        ("at least 2 words", "more than 1 word"),
    ],
)  # fmt: skip
def test_what_is_told_apart(old: str, new: str) -> None:
    """The order of verdicts and of the rows of a scale, every character of a pattern, open and closed ends."""
    text = (
        "rubric: R\nversion: 1\ndefine scale: s\n| good | 1 | x |\n| okay | 0.5 | y |\n| bad | 0 | z |\n"
        "criterion: A\n  check: answer matches /a  b/\n  check: answer has at least 2 words\n"
        "criterion: B\n  ask: Is it?\n  scale: s\n"
        "verdict: a when score is at least 0.8\nverdict: b when [A] passes\nverdict: c otherwise\n"
    )
    assert old in text
    assert rubric_of(text).sha256 != rubric_of(text.replace(old, new)).sha256


def test_a_percentage_weighs_as_the_number_it_is() -> None:
    percent = nouns.Weight(Decimal("0.7"), percent=True)
    one = nouns.Criterion("a", "A", nouns.Role.CRITERION, CHECKS, percent)
    other = dataclasses.replace(one, weight=nouns.Weight(Decimal("0.70")))

    assert meaning_sha256(_whole((one,))) == meaning_sha256(_whole((other,)))


def test_settings_are_put_in_their_place_first() -> None:
    """`setting: most = 12` and 12 in its place are one meaning."""
    assert rubric_of(TEXT).sha256 == rubric_of(TEXT.replace("setting: most = 12\n", "").replace("{most}", "12")).sha256


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=0, max_value=1))
@settings(max_examples=60, deadline=None)
def test_json_keeps_every_decimal(score: Decimal) -> None:
    levels = (nouns.Level("good", score), nouns.Level("bad", Decimal(0)), nouns.Level("n/a", None))
    panel = nouns.Panel((nouns.Judge("llm", 2), nouns.Judge("human", 1, "Ann")), nouns.Settle.MAJORITY, 2, score)
    grading = nouns.Checklist((nouns.Item("a", "A", score, True, "vital"),), nouns.Scale("s", levels), panel=panel)
    inner = nouns.Criterion("g/c", "C", nouns.Role.BONUS, grading, nouns.Weight(score, percent=True), score)
    group = nouns.Group("g", "G", (inner,), combine=nouns.Combine.AT_LEAST, need=1, minimum_graded=score)
    first = dataclasses.replace(_whole((group,)), language="de", tags=("a",), sha256="x")

    again = rubric.from_json(json.loads(json.dumps(rubric.to_json(first))))

    assert again == first
    assert meaning_sha256(again) == meaning_sha256(first)


def test_used_files_are_part_of_the_hash() -> None:
    text = 'rubric: A\nuse: [quality] from "s.rubric"\ncriterion: B\n  ask: Is it?\n  scale: quality'
    scale = "library: S\ndefine scale: quality\n| good | 1 | x |\n| bad | 0 | y |"
    one, other = read(text, {"s.rubric": scale}).rubric, read(text, {"s.rubric": scale.replace("y |", "z |")}).rubric

    assert one is not None
    assert other is not None
    assert one.sha256 != other.sha256


def test_every_real_rubric_survives_json() -> None:
    folder = shared("data/rubrics")
    for path in sorted(folder.rglob("*.rubric")):
        found = rubric.read(path.read_text(encoding="utf-8"), path.name, lambda _: None).rubric
        if found is not None:
            assert rubric.from_json(json.loads(json.dumps(rubric.to_json(found)))) == found
