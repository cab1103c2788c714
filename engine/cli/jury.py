"""The judges of a run, ready to be asked: checked against the rubric, with what they said in earlier runs."""

from engine.cli.opened import Opened
from engine.errors import UsageError
from engine.execute.judging import Judging
from engine.judges.asking import Judges, seats, unknown_judges
from engine.judges.questionnaire import Questionnaire
from engine.plan.prepare import Prepared
from engine.store.runs import RunFolder
from engine.store.vote_cache import open_vote_cache
from engine.store.workspace import Workspace

__all__ = ["asked_label", "calls_at_most", "jury_of", "refuse_unknown_judges"]


def refuse_unknown_judges(prepared: Prepared, opened: Opened) -> None:
    """Refuse a rubric that names judges whom this run does not have: their votes would be missing.

    Raises:
        UsageError: one problem for each.
    """
    found = tuple(unknown_judges(Questionnaire(prepared.rubric.rubric), [judge.name for judge in opened.judges]))
    if found:
        raise UsageError(*found)


def jury_of(prepared: Prepared, opened: Opened, folder: RunFolder, workspace: Workspace) -> Judging:
    """Who is asked, with the votes of earlier runs on the same questions about the same answers."""
    caches = {
        judge.name: open_vote_cache(workspace.cache, judge.identity, folder.id)
        for judge in opened.judges
        if judge.believes
    }
    judges = Judges(opened.judges, caches)
    return Judging(prepared.rubric.grader, judges, with_canaries=prepared.job.settings.judge_canaries)


def calls_at_most(prepared: Prepared, opened: Opened) -> int:
    """How many calls the judges can make in the whole run, canaries aside."""
    each = Judges(opened.judges).calls(Questionnaire(prepared.rubric.rubric))
    return each * len(prepared.queries.queries) * prepared.job.settings.repeats


def asked_label(prepared: Prepared, opened: Opened) -> str:
    """Who grades, for output: those of the judges whom the rubric gives a vote."""
    names = tuple(judge.name for judge in opened.judges)
    asked = {who for question in prepared.rubric.grader.questions.values() for who, _ in seats(question.panel, names)}
    return ", ".join(dict.fromkeys(judge.label for judge in opened.judges if judge.name in asked))
