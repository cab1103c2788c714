"""Who votes how often on what, and what is asked for only once over all runs."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.judges.asking import Judges, seats, unknown_judges
from engine.judges.questionnaire import Questionnaire
from engine.judges.task import Judge, Task, identity_together
from engine.model.exchange import Exchange
from engine.model.grade import GradeStatus, Vote
from engine.rubric.grade import compile_rubric
from engine.rubric.syntax import Judge as Wanted
from engine.rubric.syntax import Panel
from engine.store.vote_cache import open_vote_cache
from tests.doubles import JustCalls
from tests.judges.build import Model, answers, judge, questionnaire, unreachable
from tests.rubric.build import exchange

_ASK = "criterion: A\n  ask: Is it?\n  {}\n"


def _votes(
    judges: Judges, asked: Questionnaire, what: Exchange | None = None, repeat: int = 1
) -> dict[str, tuple[Vote, ...]]:
    task = Task(asked, tuple(asked.questions), what or exchange("An answer."), repeat=repeat)
    return asyncio.run(judges.votes(task, JustCalls()))


@pytest.mark.parametrize(
    ("wanted", "names", "found"),
    [
        ((), ("x",), [("x", 1)]),
        ((), (), []),
        ((Wanted("llm", 3),), ("x",), [("x", 1), ("x", 2), ("x", 3)]),
        ((Wanted("llm", 3),), ("x", "y"), [("x", 1), ("y", 1), ("x", 2)]),
        ((Wanted("llm", 1, "y"), Wanted("llm", 2)), ("x", "y"), [("y", 1), ("x", 1), ("y", 2)]),
        ((Wanted("llm", 2), Wanted("human", 2)), ("x",), [("x", 1), ("x", 2)]),
        ((Wanted("human"),), ("x",), []),
        ((Wanted("llm", 1, "z"),), ("x",), []),
    ],
)
def test_seats(wanted: tuple[Wanted, ...], names: Sequence[str], found: list[tuple[str, int]]) -> None:
    assert [*seats(Panel(wanted), names)] == found


@pytest.mark.parametrize(
    ("failing", "quorum", "score"),
    [(0, "quorum: 3", 1.0), (1, "quorum: 3", None), (2, "quorum: 3", None), (2, "", None), (1, "", 1.0)],
)
def test_one_judge_that_survives_does_not_decide(failing: int, quorum: str, score: float | None) -> None:
    """F77: three judges, two of them fail, and the rubric wants three."""
    asked = questionnaire(_ASK.format(f"judge: 3 llm\n  {quorum}"))
    models = [Model(unreachable if at < failing else answers("yes")) for at in range(3)]
    votes = _votes(Judges([judge(model, f"j{at}") for at, model in enumerate(models)]), asked)
    (grade,) = compile_rubric(asked.rubric).grade(exchange("An answer."), votes).grades

    assert [vote.judge for vote in votes["a"]] == ["j0", "j1", "j2"]
    assert (grade.score, grade.status is GradeStatus.UNGRADED) == (score, score is None)
    assert score is not None or "judges gave a usable answer, and" in grade.reason
    assert score is not None or "(no_reply)" in grade.reason


def test_people_stay_open_beside_models() -> None:
    asked = questionnaire(_ASK.format("judge: 1 llm, 1 human"))
    votes = _votes(Judges([judge(Model(answers("yes")))]), asked)
    (grade,) = compile_rubric(asked.rubric).grade(exchange("An answer."), votes).grades

    assert [vote.said for vote in votes["a"]] == ["yes"]
    assert grade.status is GradeStatus.UNGRADED


def test_nobody_is_asked_where_there_is_nobody() -> None:
    asked = questionnaire(_ASK.format(""))

    assert _votes(Judges([]), asked) == {"a": ()}
    assert identity_together(()) == {}


def test_a_judge_can_be_asked_for_by_its_name() -> None:
    asked = questionnaire(_ASK.format('judge: llm "careful one"'))
    quick, careful = Model(answers("yes")), Model(answers("no"))
    judges = Judges([judge(quick, "quick"), judge(careful, "careful one")])

    assert [vote.said for vote in _votes(judges, asked)["a"]] == ["no"]
    assert (len(quick.asked), len(careful.asked)) == (0, 1)
    assert {name.partition(".")[0] for name in identity_together(tuple(judges.members.values()))} == {
        "quick",
        "careful one",
    }


def test_a_judge_whom_nobody_knows_is_a_problem_before_anything_is_paid() -> None:
    asked = questionnaire(_ASK.format('judge: llm "carefull", llm "careful", 2 llm, human "Ann"'))
    (problem,) = unknown_judges(asked, ("quick", "careful"))

    assert "“a” judged by “carefull”" in problem.message
    assert "did you mean “careful”?" in problem.help
    assert [*unknown_judges(asked, ("carefull", "careful"))] == []
    assert [*unknown_judges(asked, ())] == []


def test_several_votes_and_several_questions_are_few_calls() -> None:
    asked = questionnaire(
        "criterion: A\n  ask: Is it?\n  judge: 2 llm\ncriterion: B\n  ask: Is it so?\ncriterion: C\n  ask: Is it now?\n"
    )
    model = Model(answers("yes"))
    found = _votes(Judges([judge(model)]), asked)

    assert {name: len(votes) for name, votes in found.items()} == {"a": 2, "b": 1, "c": 1}
    assert len(model.asked) == 2


def test_what_was_asked_in_another_run_is_not_paid_for_again(tmp_path: Path) -> None:
    asked, model = questionnaire(_ASK.format("judge: 2 llm")), Model(answers("yes"))

    def run(name: str, who: Judge, text: str = "An answer.", repeat: int = 1, of: Questionnaire = asked) -> list[Vote]:
        judges = Judges([who], {who.name: open_vote_cache(tmp_path, who.identity, name)})
        found = _votes(judges, of, exchange(text), repeat)
        judges.close()
        return [*found["a"]]

    first = run("r1", judge(model))
    second = run("r2", judge(model))

    assert len(model.asked) == 2
    assert [vote.cached for vote in (*first, *second)] == [False, False, True, True]
    assert [vote._replace(cached=False) for vote in second] == first
    run("r3", judge(model), text="Another.")
    assert len(model.asked) == 4
    run("r4", judge(model), repeat=2)
    assert len(model.asked) == 6
    run("r5", judge(model, temperature=0.3))
    assert len(model.asked) == 8
    run("r6", judge(model), of=questionnaire(_ASK.format("judge: 2 llm\n  guidance: Look closely.")))
    assert len(model.asked) == 10
    run("r7", judge(model), of=questionnaire(_ASK.format("judge: 2 llm\n  weight: 7")))
    run("r8", judge(model), of=questionnaire(_ASK.format("judge: 3 llm")))
    assert len(model.asked) == 11  # a weight changes nothing, and of three votes one is new


def test_a_resumed_run_looks_into_its_journal_and_not_into_the_cache(tmp_path: Path) -> None:
    """Calls are found again by their number, so a run must never skip one of its own."""
    asked, model = questionnaire(_ASK.format("")), Model(answers("yes"))
    for _ in range(2):
        who = judge(model)
        judges = Judges([who], {who.name: open_vote_cache(tmp_path, who.identity, "r1")})
        assert not _votes(judges, asked)["a"][0].cached
        judges.close()

    assert len(model.asked) == 2


def test_what_could_not_be_used_is_not_remembered(tmp_path: Path) -> None:
    asked, model = questionnaire(_ASK.format("")), Model(answers("blue"))
    for name in ("r1", "r2"):
        who = judge(model)
        judges = Judges([who], {who.name: open_vote_cache(tmp_path, who.identity, name)})
        assert _votes(judges, asked)["a"][0].problem == "off_menu"
        judges.close()

    assert len(model.asked) == 2
    assert [file.read_bytes() for file in (tmp_path / "votes").iterdir()] == [b""]


def test_every_item_of_a_checklist_is_remembered_by_itself(tmp_path: Path) -> None:
    asked, model = questionnaire("checklist: F\n  - One\n  - Two\n"), Model(answers("yes", "no"))
    for name in ("r1", "r2"):
        who = judge(model)
        judges = Judges([who], {who.name: open_vote_cache(tmp_path, who.identity, name)})
        assert [vote.said for (vote,) in _votes(judges, asked).values()] == ["yes", "no"]
        judges.close()

    assert len(model.asked) == 1
