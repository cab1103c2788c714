"""`assay run --dry-run`: the plan of a job and what it can cost at most. Nothing is asked."""

import json

from engine.cli.before import before_the_first_query, judged_by
from engine.cli.opened import Opened, guard_of, opened
from engine.cli.options import Options
from engine.errors import Exit
from engine.model.exchange import Turn
from engine.model.plan import Plan
from engine.plan.compose import Job
from engine.plan.prepare import Prepared, prepare
from engine.report.layout import fitted
from engine.store.workspace import Workspace
from engine.text import count, dollars, one_line

__all__ = ["dry_run"]


def dry_run(job: Job, workspace: Workspace, options: Options) -> Exit:
    """Print the plan of one job. Nothing is asked and no run is made."""
    prepared = prepare(job, workspace)
    with opened(job, workspace, options, to_ask=False) as open_:
        for name, value in _planned(prepared, open_, options).items():
            print(fitted(f"{name:<8} {one_line(value)}", options.width))
        before_the_first_query(prepared, open_, workspace)
    print("dry run: nothing was asked, and no run was made")
    return Exit.PASSED


def _planned(prepared: Prepared, open_: Opened, options: Options) -> dict[str, str]:
    plan = prepared.plan(open_.target, open_.judge_identity)
    settings, queries, rubric = prepared.job.settings, prepared.queries, prepared.rubric
    asked, dot = count(len(queries.queries), "query", "queries"), options.symbols.dot
    target = {name.removeprefix("target."): value for name, value in settings.scoring().items() if "target." in name}
    asks = ""
    if rubric.grader.asks and not open_.judges:
        asks = f" ({count(rubric.grader.asks, 'question')} will stay ungraded)"
    trials = f"{count(settings.repeats, 'repeat')} = {count(len(plan), 'trial')}"
    return {
        "queries": f"{queries.name} {queries.version}: {asked} {dot} {trials}",
        "target": ", ".join(f"{name}={json.dumps(value)}" for name, value in target.items() if value is not None),
        "rubric": f"{settings.rubric} {rubric.rubric.version or '(no version)'}: {', '.join(rubric.grader.dimensions)}",
        "judge": (judged_by(prepared, open_) or settings.judge.kind) + asks,
        "cost": _cost(prepared, open_, plan),
        "plan": plan.identity[:12],
    }


def _cost(prepared: Prepared, open_: Opened, plan: Plan) -> str:
    """What the calls can cost at most, and of which limit."""
    asked = [open_.target.most(Turn(query.text, query.id)) for query in prepared.queries.queries]
    known = [most for most in asked if most is not None]
    calls = f"{count(len(plan), 'call')} of the target"
    if len(known) < len(asked):
        said = f"{calls}; nobody can say what they cost at most"
    else:
        whole = sum(known) * prepared.job.settings.repeats
        said = f"at most {dollars(whole)} for {calls}" if whole else "nothing for the target"
    if prepared.rubric.grader.asks and open_.judges:
        from engine.cli.jury import calls_at_most  # most runs ask nobody

        judged = count(calls_at_most(prepared, open_), "call")
        said += f"; judges make {judged} at most, which cost more the longer an answer is"
    elif not known or not any(known):
        return said if len(known) < len(asked) else "nothing: no model is called"
    limit = guard_of(prepared.job.settings).limit
    return said + (f"; the limit is {dollars(limit)}" if limit is not None else "; there is no limit")
