"""How a run ends: compared with the baseline, told, and turned into an exit code."""

from collections.abc import Iterator
from dataclasses import replace

from engine.cli.interrupt import Stop
from engine.cli.options import Options
from engine.errors import Exit, worst_exit
from engine.execute.budget import Budget
from engine.execute.session import Finished
from engine.gate.compare import compare
from engine.model.comparison import Comparison
from engine.model.run import RunStatus
from engine.plan.prepare import Prepared
from engine.report.ending import Ending, short_lines, summary_lines
from engine.report.spending import Spending, spending_lines
from engine.store.baselines import read_baseline, refusals
from engine.store.workspace import Workspace
from engine.text import one_line

__all__ = ["conclude", "exit_of", "last_lines"]


def conclude(finished: Finished, prepared: Prepared, workspace: Workspace, budget: Budget) -> Ending:
    """Compare a run with the baseline of its query set, when there is one."""
    ended, limits = finished.info, prepared.job.settings.compare.thresholds()
    apart = tuple(name for name in prepared.rubric.grader.dimensions if ended.done and name not in ended.averages)

    def ending(comparison: Comparison | None, uncompared: str = "") -> Ending:
        counts = finished.counts
        return Ending(
            ended,
            comparison,
            uncompared,
            counts.ungraded,
            counts.verdicts,
            apart,
            _spending(finished, budget),
            tuple(finished.distrusted.values()),
            finished.left,
        )

    if ended.status is RunStatus.INTERRUPTED:
        return ending(None, "the run is not finished")
    baseline = read_baseline(workspace.baselines, ended.queries)
    if baseline is None:
        return ending(None, f"there is no baseline for {ended.queries}")
    comparison = compare(baseline.run, ended, limits)
    if baseline.thresholds != limits:
        moved = "the limits (compare.*) are not those of the baseline: see assay baseline show"
        comparison = replace(comparison, warnings=(*comparison.warnings, moved))
    return ending(comparison)


def last_lines(ending: Ending, mode: str, options: Options) -> Iterator[str]:
    """What is printed after the last query."""
    run_id = one_line(ending.info.id)
    if mode == "json":
        return
    if ending.info.status is RunStatus.INTERRUPTED:
        seen, planned = ending.info.done + ending.info.failed, ending.info.planned or 0
        guard = ending.spending.stopped if ending.spending is not None else ""
        why = f" by the cost guard: {one_line(guard)}" if guard else ""
        yield f"{options.symbols.unknown} stopped after {seen:,} of {planned:,}{why}; what was recorded is kept"
        if ending.left:
            more = planned - seen - len(ending.left)
            ids = ", ".join(one_line(name, 60) for name in ending.left)
            yield f"   not done: {ids}{f' and {more:,} more' if more > 0 else ''}"
        if ending.spending is not None:
            yield from spending_lines(ending.spending)
        if options.alone:
            way_on = f" {ending.spending.way_on}" if ending.spending is not None and ending.spending.way_on else ""
            yield options.resume(run_id) + way_on
    elif mode == "silent":
        yield from short_lines(ending, options.symbols)
    else:
        yield from summary_lines(ending, options.symbols)
        yield f"   run {run_id}: {one_line(ending.info.folder)}"
        yield f"   asked {_what(ending)}"
        if ending.comparison is None and not refusals(ending.info):
            yield f"   compare later runs with this one: assay baseline set {run_id}{options.again}"
        elif ending.comparison is not None and not ending.comparison.comparable:
            base = one_line(ending.comparison.baseline.id)
            yield f"   put them side by side: assay compare {base} {run_id}{options.again}"


def exit_of(ending: Ending, stop: Stop) -> Exit:
    """The one exit code of everything that a run came to."""
    if ending.info.status is RunStatus.INTERRUPTED:
        guarded = ending.spending is not None and ending.spending.stopped
        return stop.exit or (Exit.COST if guarded else Exit.FAILED)
    found = []
    overall = ending.info.averages.get("overall")
    if ending.info.status is RunStatus.FAILED:
        found.append(Exit.FAILED)
    if ending.info.failed or ending.distrusted or overall is None or not overall.graded:
        found.append(Exit.INCONCLUSIVE)
    if ending.comparison is not None:
        found.append(ending.comparison.exit)
    return worst_exit(found)


def _spending(finished: Finished, budget: Budget) -> Spending | None:
    if not (finished.spent or budget.stopped):
        return None
    return Spending(
        finished.spent, budget.spent, budget.limit, budget.unknown, budget.unbounded, budget.stopped, budget.way_on
    )


def _what(ending: Ending) -> str:
    """What was really run: `core@1.0.0 of python_docs, graded with search@1`."""
    info = ending.info
    target = info.settings.get("target.path") or info.settings.get("target.kind")
    judged = "" if info.graded_by == "measured" else f", judged by {info.graded_by}"
    return one_line(f"{info.queries}@{info.set_version} of {target}, graded with {info.rubric}{judged}")
