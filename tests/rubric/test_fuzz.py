"""Whatever stands in a file, reading it gives problems and never raises."""

import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import rubric
from engine.rubric.source import LONGEST_LINE
from engine.rubric.words import HEADS
from tests.rubric.build import exchange, read, shared
from tests.rubric.test_canonical import TEXT
from tests.rubric.test_grade import RICH, SEARCH

_SIGNS = [*" \n\t:|>#-()[]{}\"'“”/,.%$=<≥\u200b\ufeff\r"]
_PIECES = """check: ask: measure: scale: verdict: use: cap: weight: answer contains cites at least most 3 0,7 70%
sources words when otherwise score is and or [A] {x} ndcg@10 /a+/ from with between not full marks"""
_WORDS = st.sampled_from(_SIGNS) | st.sampled_from([*HEADS, *_PIECES.split()])
_PATIENT = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _try(text: str) -> None:
    reading = rubric.read(text, "fuzz.rubric", lambda _: None)
    assert (reading.rubric is None) == bool(reading.errors)
    for problem in reading.problems:
        assert str(problem)
        assert problem.span.start >= 0
    if reading.rubric is not None:
        rubric.compile(rubric.from_json(rubric.to_json(reading.rubric))).grade(exchange("some text"))


@_PATIENT
@given(st.text())
def test_any_text(text: str) -> None:
    _try(text)


@_PATIENT
@given(st.lists(_WORDS, max_size=60))
def test_any_row_of_words_of_the_language(words: list[str]) -> None:
    _try("rubric: A\ncriterion: A\n check: " + " ".join(words))


@_PATIENT
@given(
    st.sampled_from([TEXT, SEARCH, "rubric: R\n" + RICH]),
    st.integers(0, 10_000),
    st.text(max_size=3),
    st.integers(0, 4),
)
def test_any_damage_to_a_good_rubric(text: str, place: int, put: str, cut: int) -> None:
    at = place % len(text)
    _try(text[:at] + put + text[at + cut :])


def test_one_letter_slips_are_found_on_their_line() -> None:
    """A slip in a keyword is never accepted with another meaning, and mostly gives one message."""
    rng, single, shown = random.Random(7), 0, 0
    for path in sorted(shared("data/rubrics").glob("1*.rubric")):
        rows = path.read_text(encoding="utf-8").split("\n")
        usual = len(read("\n".join(rows)).errors)
        for number in rng.sample(range(len(rows)), 8):
            key, colon, rest = rows[number].partition(":")
            if not colon or key.strip().startswith(("#", "|")) or len(key.strip()) < 3:
                continue
            place = rng.randrange(len(key) - len(key.lstrip()), len(key))
            damaged = [*rows[:number], key[:place] + "q" + key[place + 1 :] + colon + rest, *rows[number + 1 :]]
            problems = read("\n".join(damaged)).errors
            assert any(problem.span.line.number == number + 1 for problem in problems), damaged[number]
            single += len(problems) <= usual + 1
            shown += 1
    assert shown > 20
    assert single / shown > 0.9


def test_huge_files_and_lines_are_refused_at_once() -> None:
    assert [problem.code for problem in read("rubric: A\n" + "# x\n" * 10_001).errors] == ["R106"]
    assert [problem.code for problem in read("x" * 600_000).errors] == ["R106"]
    assert [problem.code for problem in read("rubric: A\nabout: " + "x" * LONGEST_LINE).errors] == ["R107"]
    deep = "rubric: A\n" + "".join("group: " + ">".join(map(str, range(n))) + "\n" for n in range(1, 400))
    assert "R107" in [problem.code for problem in read(deep).errors]
    brackets = "rubric: A\ncriterion: B\n check: " + "(" * 500 + "answer is empty" + ")" * 500
    assert "R107" in [problem.code for problem in read(brackets).errors]
