"""JSON and back, and the hash of the meaning."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping

import pytest

from engine import rubric
from tests.rubric.build import ROOT, exchange, hits, read, shared
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


def _rubric(text: str) -> rubric.Rubric:
    found = read(text).rubric
    assert found is not None, "\n".join(map(str, read(text).problems))
    return found


@pytest.mark.parametrize("text", [TEXT, SEARCH, f"rubric: Rich\n{RICH}"])
def test_the_json_form_grades_the_same(text: str) -> None:
    first = _rubric(text)
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
        [sys.executable, "-c", code], input=json.dumps(rubric.to_json(_rubric(SEARCH))), cwd=ROOT,
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
    assert _rubric(changed).sha256 == _rubric(TEXT).sha256


@pytest.mark.parametrize(
    ("old", "new"),
    [("weight: 2", "weight: 3"), ("most = 12", "most = 13"), ("any of", "all of"), ("0.7", "0.8"), ("kind?", "nice?"),
     ("criterion: Kind", "info: Kind"), ("verdict: poor", "verdict: bad"), ("a friend", "an enemy"),
     ("Kind\n", "Kinder\n")],
)  # fmt: skip
def test_another_meaning_is_another_hash(old: str, new: str) -> None:
    assert _rubric(TEXT.replace(old, new)).sha256 != _rubric(TEXT).sha256


def test_a_label_survives_another_weight_but_not_another_question() -> None:
    """The hash of a criterion is what labels bind to."""

    def kind(text: str) -> str:
        criterion = _rubric(text).root.members[1]
        return rubric.criterion_sha256(criterion)  # type: ignore[arg-type]

    assert kind(TEXT) == kind(TEXT.replace("weight: 2", "weight: 5").replace("criterion: Kind", "criterion: Friendly"))
    assert kind(TEXT) != kind(TEXT.replace("kind?", "nice?"))
    assert kind(TEXT) != kind(TEXT.replace("criterion: Kind", "penalty: Kind"))


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
