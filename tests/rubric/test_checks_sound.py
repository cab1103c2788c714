"""What the rules claim about every answer, tried on many answers: a claim that one answer breaks is a lie."""

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from engine import rubric
from engine.model.exchange import Exchange
from engine.rubric.check.attainable import attainable
from tests.rubric.build import exchange, read, votes

_PATIENT = settings(max_examples=120, deadline=None)
_TEXTS = ("a", "ab", "b", "a b", "ba")

_ATOMS = st.one_of(
    st.sampled_from(_TEXTS).flatmap(
        lambda text: st.sampled_from(
            [
                f'answer contains "{text}"', f'answer does not contain "{text}"', f'answer has the word "{text}"',
                f'answer starts with "{text}"', f'answer ends with "{text}"', f'answer equals "{text}"',
                f'answer contains all of "{text}", "b"', f'answer contains any of "{text}", "b"',
                f'answer does not contain any of "{text}", "b"', f'answer cites "{text}"',
            ]
        )
    ),
    st.builds(
        "answer has {} {} {}".format,
        st.sampled_from(["at least", "at most", "more than", "fewer than", "exactly"]),
        st.integers(0, 3),
        st.sampled_from(["words", "characters"]),
    ),
    st.sampled_from(
        [
            "answer is empty", "answer is not empty", "intent is lookup", "intent is not lookup",
            "intent is one of lookup, how-to", "answer cites at least 1 source", "answer does not cite any source",
            "latency is below 2 seconds", "latency is above 1 second", "latency is at least 0 seconds",
        ]
    ),
)  # fmt: skip
_CHECKS = st.lists(
    st.one_of(
        _ATOMS,
        st.lists(_ATOMS, min_size=2, max_size=3).map(" and ".join),
        st.lists(_ATOMS, min_size=2, max_size=3).map(" or ".join),
    ),
    min_size=1,
    max_size=3,
)
_EXCHANGES = [
    exchange(text, cites=cites, latency=latency, intent=intent)
    for text in ("", "  ", "a", "b", "ab", "a b", "b a", "ba", "ab b a", "c c c c")
    for cites, latency, intent in (
        ((), 0.5, "lookup"), (("a",), 1.5, "how-to"), (("ab", "b"), 2.5, "other"), (("b",), 2.0, "lookup"),
    )
]  # fmt: skip


def _scores(text: str) -> list[float | None]:
    """What each of the answers scores under the first criterion, once its verdicts on the rubric are put aside."""
    reading = read(text + "\n  partial credit: yes")
    assert reading.rubric is not None, reading.errors
    grader = rubric.compile(reading.rubric)
    return [grader.grade(each).grades[0].score for each in _EXCHANGES]


@_PATIENT
@given(_CHECKS)
def test_no_answer_meets_what_is_said_to_be_impossible(lines: list[str]) -> None:
    text = "rubric: A\nversion: 1\ncriterion: B\n" + "\n".join(f"  check: {line}" for line in lines)
    codes = {problem.code for problem in read(text).problems}

    if "R506" in codes:
        assert 1.0 not in _scores(text)


@_PATIENT
@given(_ATOMS | st.lists(_ATOMS, min_size=2, max_size=3).map(" or ".join))
def test_every_answer_meets_what_is_said_to_be_met_always(line: str) -> None:
    text = f"rubric: A\nversion: 1\ncriterion: B\n  check: {line}"

    if "R507" in {problem.code for problem in read(text).problems}:
        assert set(_scores(text)) == {1.0}


# ---- attainable range -------------------------------------------------------------------------

_SCALES = (("good 0.9", "okay 0.5", "poor 0.2"), ("fine 1", "bad 0.1"), ("high 0.6", "low 0.4"))


@st.composite
def _rubrics(draw: Callable[[st.SearchStrategy[object]], object]) -> tuple[str, dict[str, list[str]]]:
    """A rubric of questions with its judges' menus, by the id of the question."""
    combine = draw(st.sampled_from(["weighted mean", "weighted mean", "mean", "lowest", "highest"]))
    means = combine in ("weighted mean", "mean")
    roles = ["criterion", "criterion", "penalty", "bonus"] if means else ["criterion"]
    rows = [f"rubric: A\nversion: 1\ncombine: {combine}"]
    if draw(st.integers(0, 3)) == 0:
        rows.append("minimum graded: 40%")
    asked: dict[str, list[str]] = {}
    for number in range(int(str(draw(st.integers(1, 4))))):
        scale = draw(st.sampled_from(_SCALES))
        assert isinstance(scale, tuple)
        rows.append(f"{draw(st.sampled_from(roles))}: C{number}\n  ask: Is it so, number {number}?")
        if combine == "weighted mean":
            rows.append(f"  weight: {draw(st.sampled_from(['1', '2', '0.5']))}")
        if draw(st.booleans()):
            rows.append(f"  only when: intent is {draw(st.sampled_from(['lookup', 'other']))}")
        rows.append("  scale:")
        rows += [f"  | {level.split()[0]} | {level.split()[1]} | It is {level.split()[0]} so |" for level in scale]
        menu = [level.split()[0] for level in scale]
        if draw(st.booleans()):
            rows.append("  allow n/a: yes")
            menu.insert(1, "n/a")
        asked[f"c{number}"] = menu
    return "\n".join(rows), asked


@settings(max_examples=100, deadline=None)
@given(_rubrics(), st.data())
def test_no_answer_scores_outside_the_attainable_range(
    made: tuple[str, dict[str, list[str]]], data: st.DataObject
) -> None:
    text, asked = made
    reading = read(text)
    assert reading.rubric is not None, reading.errors
    low, high = attainable(reading.rubric)[""]
    grader = rubric.compile(reading.rubric)
    what: Exchange = exchange("x", intent=data.draw(st.sampled_from(["lookup", "other"])))
    end = data.draw(st.sampled_from([0, -1]))  # scores near an end of the range need answers that agree
    said = {name: data.draw(st.sampled_from([menu[end], menu[end], *menu])) for name, menu in asked.items()}

    score = grader.grade(what, votes(said)).scores.get("overall")

    assert score is None or float(low) - 1e-4 <= score <= float(high) + 1e-4


def test_both_ends_of_the_range_can_be_had() -> None:
    """A range that is always 0 to 1 would be sound, and useless."""

    def part(heading: str, best: str, worst: str, *lines: str) -> str:
        rows = f"  scale:\n  | a | {best} | Yes it is |\n  | b | {worst} | No it is not |\n"
        return f"{heading}\n  ask: About {heading}?\n{rows}" + "".join(f"  {line}\n" for line in lines)

    def ends(*parts: str) -> tuple[float, ...]:
        found = read("rubric: A\n" + "".join(parts)).rubric
        assert found is not None
        return tuple(map(float, attainable(found)[""]))

    one = part("criterion: B", "0.9", "0.2")
    assert ends(one) == (0.2, 0.9)
    assert ends(one, part("criterion: C", "0.8", "0.4", "weight: 3")) == (0.35, 0.825)
    assert ends(one, part("penalty: C", "0.8", "0.4", "weight: 0.5")) == (0.0, 0.7)
    assert ends(one, part("bonus: C", "0.1", "0", "weight: 0.5")) == (0.2, 0.95)
    assert ends(one, part("criterion: C", "1", "0", "only when: intent is lookup")) == (0.1, 0.95)
    assert ends(one, part("criterion: C", "0.8", "0.4", "allow n/a: yes")) == (0.2, 0.9)
    assert ends("combine: lowest\n", one, part("criterion: C", "0.8", "0.4")) == (0.2, 0.8)
    assert ends("combine: highest\n", one, part("criterion: C", "0.8", "0.4")) == (0.4, 0.9)
    assert ends(part("must not: B", "0.9", "0.2", "weight: 1", "pass mark: 0.5")) == (0.1, 0.8)
