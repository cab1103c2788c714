"""How forgiving the language is: the figures of `python -m benchmarks.forgiveness`, on a sample, with their bars."""

import random

import pytest

from benchmarks.forgiveness.damage import DAMAGE, harmed
from benchmarks.forgiveness.fuzz import HOSTILE, complaint, mutated, noise
from benchmarks.forgiveness.harmless import HARMLESS, changed
from benchmarks.forgiveness.slips import PLACES, measured
from benchmarks.forgiveness.sources import sources
from engine.rubric import outline, slips
from engine.rubric.diagnostic import Line
from engine.rubric.parse import Failure, Node, parse_line
from engine.rubric.slips import broken
from tests.rubric.build import read

# family: shares of the refused slips that are on their line, named and shown alone; of the mends that restore
BARS = {
    "keyword": (0.995, 0.99, 0.97, 0.95),
    "word of an expression": (0.988, 0.95, 0.97, 0.95),
    "name in brackets": (0.987, 0.987, 0.97, 0.987),
    "name of a scale": (0.993, 0.97, 0.97, 0.97),
    "name of a measure": (0.993, 0.94, 0.97, 0.935),
    "name of a field": (0.987, 0.96, 0.97, 0.96),
    "name of a setting": (0.987, 0.97, 0.97, 0.97),
}

RARE = ("a unit lost", "a percent sign lost", "a bar of a row lost", "a decimal comma")


def test_there_is_something_to_damage() -> None:
    assert len(sources()) >= 2
    assert len(HARMLESS) == 22
    assert len(DAMAGE) == 17
    assert set(BARS) == set(PLACES)


@pytest.mark.parametrize(("number", "name"), list(enumerate(HARMLESS)))
def test_harmless_damage_changes_no_hash(number: int, name: str) -> None:
    """Every other rubric; all of them in the benchmark."""
    among = sources()[number % 2 :: 2]

    assert any(HARMLESS[name](source.text) != source.text for source in sources())
    assert [source.name for source in among if changed(source, HARMLESS[name])] == []


@pytest.mark.parametrize("family", PLACES)
def test_a_wrong_letter_is_found_named_and_mended(family: str) -> None:
    count = 25
    figures, fates = measured(family, count)
    on_line, named, single, restored = BARS[family]
    accepted = [f"{slip.typed!r} for {slip.place.word!r}" for slip, fate in fates if fate.accepted]

    # two measures differ by one letter (err, rr); no other slip may ever be accepted with another meaning
    assert len(accepted) <= (0.05 * count if family == "name of a measure" else 0), accepted
    assert figures.on_line >= on_line * figures.refused
    assert figures.named >= named * figures.refused
    assert figures.single >= single * figures.refused
    assert figures.offered >= 0.9 * figures.refused
    assert figures.restored >= restored * figures.offered


@pytest.mark.parametrize("name", DAMAGE)
def test_no_damage_is_accepted_with_another_meaning(name: str) -> None:
    fates = harmed(name, sources() if name in RARE else sources()[::3])

    assert fates.texts
    assert fates.unseen == ()


def test_any_text_gets_messages_for_people() -> None:
    rng = random.Random(11)
    texts = [(noise if number % 2 else mutated)(rng) for number in range(30)]

    assert [text for text in texts if complaint(text)] == []
    assert complaint(rng.randbytes(100_000).decode("utf-8", "replace")) == ""


def test_a_hostile_file_takes_time_by_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not seconds but readings of lines are counted: a busy machine is not a fault."""
    readings = 0

    def counted(line: Line) -> Node | Failure:
        nonlocal readings
        readings += 1
        return parse_line(line)

    for module in (outline, broken, slips):
        monkeypatch.setattr(module, "parse_line", counted)
    monkeypatch.setattr(outline, "_TRIES", 300)
    rows = 400
    text = "rubric: A\ncriterion: B\n" + f"{HOSTILE['no sense']}\n" * rows
    problems = read(text).problems

    assert {problem.span.line.number for problem in problems} >= set(range(3, rows + 3))
    assert readings <= 300 + 3 * rows
