"""The stand-in counts words, says so, and is never called AI."""

import asyncio

import pytest

from engine.judges import KINDS
from engine.judges.asking import Judges
from engine.judges.human import Human
from engine.judges.offline import Offline
from engine.judges.task import Task
from engine.model.exchange import Hit
from engine.model.grade import Vote
from engine.model.usage import NO_PRICES
from engine.store.strict_yaml import load
from tests.doubles import NoCalls, NoNetwork
from tests.judges.build import questionnaire
from tests.rubric.build import ROOT, exchange

_SCALE = "  scale:\n  | good | 1 | a |\n  | okay | 0.5 | b |\n  | bad | 0 | c |\n"


def _vote(text: str, answer: str | None, **what: object) -> Vote:
    asked = questionnaire(text)
    (who,) = Offline().judges(NoNetwork(), NO_PRICES)
    task = Task(asked, tuple(asked.questions), exchange(answer, **what))  # type: ignore[arg-type]
    return next(iter(asyncio.run(who.votes(task, NoCalls())).values()))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("Refunds arrive within thirty days", "good"),
        ("A refund takes thirty weeks", "okay"),
        ("Nothing at all", "bad"),
        ("", "bad"),
    ],
)
def test_the_share_of_the_expected_answer(answer: str, said: str) -> None:
    text = f"criterion: A\n  ask: Is it right?\n{_SCALE}  show: answer, expected answer\n"

    assert _vote(text, answer, expected="Refunded: thirty days, arrives").said == said


def test_what_is_asked_and_what_it_rests_on() -> None:
    hits = (Hit(1, "a.md", None, "", "asked long ago"),)
    vote = _vote(f"criterion: A\n  ask: Is it?\n{_SCALE}", "This was asked yesterday", results=hits)

    assert vote == Vote(
        "okay",  # 75% lies between two levels
        "offline",
        "word overlap, not AI",
        "words in common: of what was asked 100%, of the answer 50%",
    )


def test_an_item_of_a_checklist_and_a_bad_thing_by_their_own_words() -> None:
    assert _vote("checklist: F\n  - Refunds take thirty days\n", "The refund takes thirty days.").said == "yes"
    assert _vote("checklist: F\n  - Refunds take thirty days\n", "No idea.").said == "no"
    assert _vote("must not: A\n  ask: Are passwords shown?\n", "Passwords are shown here").said == "yes"


def test_no_result_is_something_to_compare_and_no_answer_is_not() -> None:
    """A64: an empty list of results is an observation."""
    text = f"criterion: A\n  ask: Do they fit?\n{_SCALE}  show: question, results\n"

    assert _vote(text, None, results=()).said == "bad"
    assert (_vote(text, "x").said, _vote(text, "x").problem) == (None, "nothing_shown")


@pytest.mark.parametrize(("scale", "said"), [("1 to 5", 3.0), ("0 to 1", 0.5), ("0 to 10", 5.0)])
def test_points(scale: str, said: float) -> None:
    text = f"criterion: A\n  ask: Is it right?\n  scale: {scale}\n  show: answer, expected answer\n"

    assert _vote(text, "thirty", expected="thirty days").said == said


def test_it_is_always_named_as_what_it_is() -> None:
    judges = Judges(Offline().judges(NoNetwork(), NO_PRICES))

    (judge,) = judges.members.values()
    assert judge.label == "offline (word overlap, not AI)"
    assert judge.identity == {"kind": "offline", "formula": 1}


def test_people_and_nobody_are_judges_that_are_not_asked() -> None:
    assert Human().judges(NoNetwork(), NO_PRICES) == ()
    assert KINDS.settings("none")().judges(NoNetwork(), NO_PRICES) == ()  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", [*KINDS])
def test_every_kind_opens_its_judges(kind: str) -> None:
    settings = KINDS.settings(kind)
    given = {"url": "https://m.example/v1", "model": "m", "kind": kind} if "model" in settings.model_fields else {}
    if kind == "panel":
        given = {"members": {"a": {"kind": "offline"}, "b": {"kind": "anthropic", "model": "m"}}}  # type: ignore[dict-item]
    judges = settings.model_validate(given).judges(_Somewhere(), NO_PRICES)  # type: ignore[attr-defined]

    assert len(judges) == {"none": 0, "human": 0, "panel": 2}.get(kind, 1)
    assert [judge.name for judge in judges][:1] == {
        "none": [],
        "human": [],
        "panel": ["a"],
        "offline": ["offline"],
    }.get(kind, ["llm"])


class _Somewhere:
    def line(self, site: object) -> object:
        return None


@pytest.mark.parametrize("name", ["none", "human", "offline", "panel"])
def test_the_shipped_file_is_of_its_kind(name: str) -> None:
    path = ROOT / "conf" / "judge" / f"{name}.yaml"
    shown = load(path.read_text("utf-8").replace("???", "m"), str(path)).value
    assert isinstance(shown, dict)
    settings = KINDS.settings(name).model_validate(shown)

    assert shown["kind"] == name
    assert shown.keys() == type(settings).model_fields.keys()


@pytest.mark.parametrize("members", [{}, {" ": {"kind": "offline"}}, {"a": {"kind": "panel"}}, {"a": {"kind": "none"}}])
def test_a_panel_has_members_with_names_who_can_be_asked(members: object) -> None:
    with pytest.raises(ValueError, match="members"):
        KINDS.settings("panel").model_validate({"members": members})
