"""What a person should know before the first query is asked, and what would make asking useless."""

import sys
from collections.abc import Iterator

from engine.cli.opened import Opened
from engine.cli.rubric.published import broken_promises
from engine.corpus.unknown_sources import unknown_sources
from engine.plan.prepare import Prepared
from engine.store.history import recent_hash
from engine.store.query_files import edited
from engine.store.workspace import Workspace
from engine.text import count, one_line

__all__ = ["before_the_first_query", "judged_by"]


def before_the_first_query(prepared: Prepared, open_: Opened, workspace: Workspace) -> None:
    """Notes, to standard error.

    Raises:
        UsageError: the rubric wants a judge whom this run does not have.
    """
    _check_judges(prepared, open_)
    queries, known = prepared.queries, open_.target.sources
    versions = edited(queries, recent_hash(workspace.runs, workspace.baselines))
    sources = () if known is None else unknown_sources(queries, known)
    for note in (*queries.notes, *versions, *sources, *_about_the_rubric(prepared, open_, workspace)):
        print(one_line(f"note: {note}"), file=sys.stderr)


def judged_by(prepared: Prepared, open_: Opened) -> str:
    """Who answers questions in this run; empty when nobody is asked."""
    if not (prepared.rubric.grader.asks and open_.judges):
        return ""
    from engine.cli.jury import asked_label  # most runs ask nobody

    return asked_label(prepared, open_)


def _check_judges(prepared: Prepared, open_: Opened) -> None:
    if prepared.rubric.grader.asks and open_.judges:
        from engine.cli.jury import refuse_unknown_judges

        refuse_unknown_judges(prepared, open_)


def _about_the_rubric(prepared: Prepared, open_: Opened, workspace: Workspace) -> Iterator[str]:
    asks, name = prepared.rubric.grader.asks, prepared.job.settings.rubric
    for problem in broken_promises(workspace.find_rubric(name), prepared.rubric.rubric, prepared.rubric.text):
        yield f"{problem.message}; see: assay rubric check {name}"
    if asks and not open_.judges:
        what = f"{count(asks, 'question')} of the rubric {name} {'is' if asks == 1 else 'are'} for judges"
        yield f"{what}, and nobody is asked (judge={prepared.job.settings.judge.kind}): what they decide stays ungraded"
