"""A model judge: what it is asked in how many calls, what its answers cost nobody twice, and what it is called."""

import asyncio
import json
from collections.abc import Mapping

import pytest

from engine.execute.budget import Budget
from engine.execute.paying import Payer
from engine.judges.model import ModelJudge
from engine.judges.questionnaire import Questionnaire
from engine.judges.task import Task
from engine.model.calls import Attempt, Call, Ended, GuardStop, Started
from engine.model.grade import Vote
from engine.rubric.request import LONGEST
from tests.judges.build import Model, answers, ask, judge, questionnaire, unreachable
from tests.rubric.build import exchange, grader

_THREE = (
    "criterion: Tone\n  ask: Is it kind?\n  show: answer\n"
    "checklist: Facts\n  - Says when\n  - Says who\n"
    "criterion: Depth\n  ask: Is it deep?\n"
)


def test_all_questions_that_show_the_same_go_in_one_call() -> None:
    model = Model(answers("yes"))
    found = ask(judge(model), questionnaire(_THREE))

    assert {name: vote.said for name, vote in found.items()} == {
        "tone": "yes",
        "facts/says-when": "yes",
        "facts/says-who": "yes",
        "depth": "yes",
    }
    assert [user.count("\n## ") for user in model.users] == [1, 2]
    assert "The question:" not in model.users[0]


def test_apart_every_criterion_has_a_call_of_its_own() -> None:
    model = Model(answers("yes", "no"))
    found = ask(judge(model, calls="apart"), questionnaire(_THREE))

    assert len(model.users) == 3
    assert (found["facts/says-when"].said, found["facts/says-who"].said) == ("yes", "no")


def test_only_what_is_asked_for_is_asked() -> None:
    model = Model(answers("yes"))

    assert ask(judge(model), questionnaire(_THREE), ids=("depth",)).keys() == {"depth"}
    assert "Is it kind" not in model.users[0]
    assert "Says when" not in model.users[0]


def test_a_vote_names_the_judge_and_the_model_that_answered() -> None:
    vote = ask(judge(Model(answers("yes")), "strict"), questionnaire("criterion: A\n  ask: Is it?\n"))["a"]

    assert vote == Vote("yes", "strict", "m-2026", "seen")
    assert judge(Model(answers("yes"))).label == "AI (m)"


def test_no_name_of_the_rubric_reaches_the_judge() -> None:
    """Titles and ids are outside the hash that a vote binds to, so a judge must not see them."""
    text = "rubric: Loud\ncriterion: Quick\n  ask: Is it?\nchecklist: Wild\n  ask: Is it so?\n  - One\n  - Two\n"
    model, renamed = Model(answers("yes")), Model(answers("yes"))
    asked, other = (
        Questionnaire(grader(each).rubric) for each in (text, text.replace("Wild", "Mild").replace("Quick", "Q"))
    )
    for target, who in ((asked, model), (other, renamed)):
        ask(judge(who), target)

    assert not {name for name in ("Loud", "Quick", "quick", "Wild", "wild") if name in str(model.asked)}
    assert _plain(model) == _plain(renamed)
    assert [*asked.keys(asked.questions, exchange("x")).values()] == [
        *other.keys(other.questions, exchange("x")).values()
    ]


def _plain(model: Model) -> list[str]:
    """Requests without their markers."""
    found = []
    for user in model.users:
        marker = user.partition("two marks that carry ")[2].partition(".")[0]
        found.append(user.replace(marker, "MARK"))
    return found


def test_the_marker_is_new_in_every_request() -> None:
    model = Model(answers("yes"))
    asked = questionnaire("criterion: A\n  ask: Is it?\n")
    for _ in range(2):
        ask(judge(model), asked)

    first, second = (user.partition("two marks that carry ")[2].partition(".")[0] for user in model.users)
    assert first != second
    assert len(first) == 16


def test_votes_of_one_judge_differ_by_their_seed_and_the_usual_one_is_kept() -> None:
    model = Model(answers("yes"))
    asked = questionnaire("criterion: A\n  ask: Is it?\n")
    who = judge(model, seed=7)
    for number, repeat in ((1, 1), (2, 1), (1, 2), (2, 1)):
        from tests.doubles import JustCalls

        asyncio.run(who.votes(Task(asked, ("a",), exchange("x"), number, repeat), JustCalls()))

    assert [asked["seed"] for asked in model.asked] == [7, 8, 107, 8]
    assert [asked["temperature"] for asked in model.asked] == [0, 0, 0, 0]


def test_a_judge_that_cannot_be_reached_gives_no_grade_and_never_a_zero() -> None:
    """A65: an unreachable judge is evidence about the judge."""
    text = "criterion: A\n  ask: Is it?\n"
    votes = ask(judge(Model(unreachable)), questionnaire(text))
    (grade,) = grader(text).grade(exchange("x"), {name: (vote,) for name, vote in votes.items()}).grades

    assert (votes["a"].said, votes["a"].problem) == (None, "no_reply")
    assert (grade.score, grade.low, grade.high) == (None, 0, 1)
    assert grade.reason == "the judge did not answer: timeout"


class Stopped:
    """A cost guard that allows nothing."""

    async def pay(self, call: Call[object]) -> Attempt[object]:
        raise GuardStop


def test_the_cost_guard_ends_the_asking() -> None:
    with pytest.raises(GuardStop):
        ask(judge(Model(answers("yes"))), questionnaire(_THREE), calls=Stopped())  # type: ignore[arg-type]


def test_an_unusable_answer_is_asked_for_once_more_when_that_is_wanted() -> None:
    replies = iter(['{"q1": {"reason": "r", "said": "yes"}}', '{"q1": {"reason": "r", "said": "no"}}'])
    model = Model(lambda _: next(replies))
    found = ask(judge(model, reasks=1), questionnaire("checklist: F\n  - One\n  - Two\n"))

    assert [vote.said for vote in found.values()] == ["yes", "no"]
    assert "One" not in model.users[1]
    assert (
        model.users[1]
        .rstrip()
        .endswith(
            "An earlier answer could not be used: the judge left the question out, or a part of its answer. "
            "Keep every reason short, and write nothing but the JSON object."
        )
    )


def test_it_is_asked_for_no_more_than_once_and_not_where_it_is_hopeless() -> None:
    one = questionnaire("criterion: A\n  ask: Is it?\n")
    never, asks_none = Model(lambda _: "What?"), Model(lambda _: "What?")
    refuses, gone = Model(lambda _: "I will not.", finish="content_filter"), Model(unreachable)
    found = [ask(judge(model, reasks=1), one)["a"].problem for model in (never, refuses, gone)]
    ask(judge(asks_none), one)

    assert found == ["not_json", "refused", "no_reply"]
    assert [len(model.asked) for model in (never, refuses, gone, asks_none)] == [2, 1, 1, 1]


class Book:
    """What was written down, call by call."""

    def __init__(self) -> None:
        self.lines: list[Ended] = []

    def started(self, call: Started) -> None:
        pass

    def ended(self, call: Ended) -> None:
        self.lines.append(call)


def _paid(who: ModelJudge, asked: Questionnaire, text: str, before: list[Ended]) -> tuple[dict[str, Vote], list[Ended]]:
    book = Book()
    answered = {("t", ended.call.who, ended.call.nth): ended for ended in before}
    payer = Payer(Budget(), book, answered)
    task = Task(asked, tuple(asked.questions), exchange(text))
    return asyncio.run(who.votes(task, payer.trial("t"))), book.lines


def test_what_was_paid_for_is_not_asked_again_after_a_kill() -> None:
    asked = questionnaire(_THREE)
    model = Model(answers("yes", "blue"))
    votes, lines = _paid(judge(model), asked, "An answer.", [])
    lines = [json.loads(json.dumps(ended.kept)) and ended for ended in lines]  # what is kept is JSON
    again, further = _paid(judge(model), asked, "An answer.", lines)

    assert len(lines) == len(model.asked) == 2
    assert again == votes
    assert further == []


def test_what_was_kept_is_never_taken_for_the_answer_to_something_else() -> None:
    asked = questionnaire(_THREE)
    model = Model(answers("yes"))
    _, lines = _paid(judge(model), asked, "An answer.", [])
    _, further = _paid(judge(model), asked, "Another answer.", lines)

    assert len(further) == 2
    assert len(model.asked) == 4


def test_the_text_is_kept_where_something_in_it_could_not_be_used() -> None:
    asked = questionnaire("criterion: A\n  ask: Is it?\n")
    wrong = Model(lambda _: '{"verdict":"pass","why":"the ans\x1b' + "x" * 9_000)
    (good,), (bad,) = (_paid(judge(model), asked, "x", [])[1] for model in (Model(answers("yes")), wrong))

    assert (
        good.kept == {"asked": good.kept["asked"], "votes": {"a": {"said": "yes", "reason": "seen"}}}
        if good.kept
        else 0
    )
    raw = str((bad.kept or {})["raw"])
    assert raw.startswith('{"verdict":"pass"')
    assert len(raw) <= 2_000
    assert raw.isprintable()


def test_the_identity_says_what_can_change_a_vote_and_no_secret() -> None:
    """A62, A72: the wording and the cuts are in it; how it is reached and called is not."""
    first = judge(Model(answers("yes")), key="env:MY_KEY", headers={"x": "env:MY_KEY"}).identity
    other = judge(Model(answers("yes")), "other", retries=3).identity

    assert first == other
    assert "MY_KEY" not in str(first)
    assert (first["kind"], first["model"], first["temperature"], first["seed"]) == ("openai_chat", "m", 0.0, 1)
    assert first["shown_characters"] == LONGEST
    assert len(str(first["prompt_sha256"])) == 64
    assert judge(Model(answers("yes")), temperature=0.5).identity != first
    assert judge(Model(answers("yes")), calls="apart").identity != first


@pytest.mark.parametrize("name", ["_SYSTEM", "LONGEST"])
def test_another_wording_is_another_identity(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.judges import prompt
    from engine.rubric import request

    before = prompt.prompt_sha256.__wrapped__()
    old = getattr(request, name)
    monkeypatch.setattr(request, name, old + "!" if isinstance(old, str) else 100)

    assert prompt.prompt_sha256.__wrapped__() != before


def test_odd_settings_are_refused() -> None:
    for wrong in ({"reasks": 2}, {"calls": "sometimes"}, {"temperature": 3.0}, {"max_tokens": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            judge(Model(answers("yes")), **wrong)


def test_a_rubric_in_braces_is_only_text() -> None:
    said: list[Mapping[str, object]] = []

    def says(asked: Mapping[str, object]) -> str:
        said.append(asked)
        return answers("yes")(asked)

    found = ask(judge(Model(says)), questionnaire("criterion: A\n  ask: Is it?\n"), exchange("{why} {0} ${x} %s"))

    assert found["a"].said == "yes"
    assert "{why} {0} ${x} %s" in str(said)
