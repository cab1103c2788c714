"""One run as a person sees it: from a checked job to the last line printed."""

import argparse
import platform
import random
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from engine import __version__
from engine.cli.interrupt import Stop, stoppable
from engine.cli.screen import Progress, screen_symbols, screen_width
from engine.errors import Exit, Problem, UsageError, worst_exit
from engine.execute.session import Session, run
from engine.gate.compare import compare
from engine.model.plan import Plan
from engine.model.record import Record
from engine.model.run import RunInfo, RunStatus
from engine.model.target import Surroundings, Target
from engine.plan import compose
from engine.plan.compose import Job
from engine.plan.prepare import Prepared, begun, prepare
from engine.plan.resume import changes
from engine.plan.settings import Compare
from engine.report.ending import Ending, ending_json, short_lines, summary_lines
from engine.report.symbols import Symbols
from engine.report.terminal import Look, quiet_item, verbose_item
from engine.store.baselines import read_baseline
from engine.store.history import recent_hash
from engine.store.query_files import edited
from engine.store.revision import revision
from engine.store.runs import BeginRun, RunFolder, begin, info, open_run
from engine.store.workspace import Workspace
from engine.text import count, one_line, safe

__all__ = ["Options", "Outcome", "dry_run", "go_on", "identity", "resume_one", "start_one", "surroundings"]


@dataclass(frozen=True, slots=True)
class Options:
    """What of a run is printed, and how.

    Attributes:
        mode: `verbose`, `quiet`, `silent` or `json`; None takes the setting `output`.
        again: the words that name this workspace in a command to type.
    """

    mode: str | None
    symbols: Symbols
    width: int
    again: str

    @classmethod
    def of(cls, args: argparse.Namespace) -> "Options":
        """From the command line and the terminal."""
        given = [mode for mode in ("quiet", "silent", "json") if getattr(args, mode)]
        again = "" if args.workspace == Path() else f" --workspace {safe(shlex.quote(str(args.workspace)))}"
        return cls(given[0] if given else None, screen_symbols(args), screen_width(), again)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run: its exit code and the object that `--json` prints."""

    exit: Exit
    report: Mapping[str, object]
    ending: Ending | None = None


def start_one(
    job: Job, workspace: Workspace, options: Options, told: Callable[[RunFolder], None] = lambda _: None
) -> Outcome:
    """Begin a new run and go through with it. `told` hears of the folder before the first query."""
    prepared = prepare(job, workspace)
    _notes(prepared, workspace)
    with job.settings.target.open(surroundings(workspace)) as target:
        plan = prepared.plan(target)
        start = BeginRun(
            info=begun(prepared, target),
            plan=(
                {"key": t.key, "position": t.position, "query_id": t.query.id, "set": t.set_name, "repeat": t.repeat}
                for t in plan.trials()
            ),
            config=job.config,
            rubric=prepared.rubric.text,
            libraries=prepared.rubric.libraries,
            details=_details(prepared, target, plan, workspace),
        )
        folder = begin(workspace.runs, start, time.time(), random.SystemRandom())
        prepared.rubric.keep()
        told(folder)
        return _go(prepared, plan, target, (folder, workspace, options))


def resume_one(workspace: Workspace, wanted: str, overrides: tuple[str, ...], options: Options) -> Outcome:
    """Go on with a run that stopped, with the settings it was started with."""
    folder = open_run(workspace.runs, wanted)
    recorded = folder.details().get("overrides")
    before = [str(text) for text in recorded] if isinstance(recorded, list) else []
    new = {text.partition("=")[0].lstrip("+") for text in overrides}
    kept = [text for text in before if text.partition("=")[0] not in new]
    return compose.run_one(
        compose.Typed(workspace, (*kept, *overrides)), lambda job: go_on(job, folder, workspace, options)
    )


def go_on(job: Job, folder: RunFolder, workspace: Workspace, options: Options) -> Outcome:
    """Ask what has no record yet. Refuses when what the run asks or grades with is no longer the same."""
    prepared = prepare(job, workspace)
    with job.settings.target.open(surroundings(workspace)) as target:
        plan = prepared.plan(target)
        changed = changes(folder, begun(prepared, target), job, plan.identity)
        if changed:
            advice = "put it back as it was, or start a new run: assay run"
            raise UsageError(
                Problem(f"{folder.id} cannot go on: what it was planned with has changed.", help=advice), *changed
            )
        return _go(prepared, plan, target, (folder, workspace, options))


def identity(prepared: Prepared, workspace: Workspace) -> str:
    """Hash of everything a run asks and grades with. Opens the target, which finds what is wrong with it."""
    with prepared.job.settings.target.open(surroundings(workspace)) as target:
        return f"{prepared.plan(target).identity}:{prepared.queries.sha256}"


def dry_run(job: Job, workspace: Workspace, options: Options) -> Exit:
    """Print the plan of one job. Nothing is asked and no run is made."""
    prepared = prepare(job, workspace)
    settings, queries, rubric = job.settings, prepared.queries, prepared.rubric
    asked, dot = count(len(queries.queries), "query", "queries"), options.symbols.dot
    trials = count(len(queries.queries) * settings.repeats, "trial")
    target = {name.removeprefix("target."): value for name, value in settings.scoring().items() if "target." in name}
    asks = f" ({count(rubric.grader.asks, 'question')} will stay ungraded)" if rubric.grader.asks else ""
    lines = {
        "queries": f"{queries.name} {queries.version}: {asked} {dot} {count(settings.repeats, 'repeat')} = {trials}",
        "target": ", ".join(f"{name}={value}" for name, value in target.items()),
        "rubric": f"{settings.rubric} {rubric.rubric.version}: {', '.join(rubric.grader.dimensions)}",
        "judge": settings.judge.kind + asks,
        "cost": "nothing: no model is called",
        "plan": identity(prepared, workspace)[:12],
    }
    for name, value in lines.items():
        print(f"{name:<8} {one_line(value)}")
    _notes(prepared, workspace)
    print("dry run: nothing was asked, and no run was made")
    return Exit.PASSED


def surroundings(workspace: Workspace) -> Surroundings:
    """What a target may touch; its notices go to standard error."""
    return Surroundings(
        workspace.folder, workspace.cache, workspace.runs, lambda line: print(one_line(line), file=sys.stderr)
    )


def _go(prepared: Prepared, plan: Plan, target: Target, where: tuple[RunFolder, Workspace, Options]) -> Outcome:
    folder, workspace, options = where
    settings = prepared.job.settings
    known = info(folder)
    mode = options.mode or str(settings.output)
    look = Look(options.symbols, options.width, known.graded_by)
    progress = Progress(len(plan))
    with stoppable() as stop:
        finished = run(
            Session(
                folder=folder,
                info=known,
                plan=plan,
                target=target,
                grader=prepared.rubric.grader,
                concurrency=settings.concurrency,
                timeout_s=settings.timeout_s,
                durability=settings.durability,
                on_record=_printer(mode, len(plan), look, progress),
                stop=stop,
            )
        )
    progress.clear()
    ending = _ending(finished.info, settings.compare, workspace, (finished.counts.ungraded, finished.counts.verdicts))
    for line in _last_lines(ending, mode, options):
        print(line)
    return Outcome(_exit(ending, stop), ending_json(ending), ending)


def _printer(mode: str, planned: int, look: Look, progress: Progress) -> Callable[[Record, int], None]:
    item = {"verbose": verbose_item, "quiet": quiet_item}.get(mode)

    def tell(record: Record, seen: int) -> None:
        if item is not None:
            progress.clear()
            print(item(record, planned, look))
        progress.tell(seen)

    return tell


def _ending(
    ended: RunInfo, limits: Compare, workspace: Workspace, counts: tuple[Mapping[str, int], Mapping[str, int]]
) -> Ending:
    ungraded, verdicts = counts
    if ended.status is RunStatus.INTERRUPTED:
        return Ending(ended, None, "the run is not finished", ungraded, verdicts)
    baseline = read_baseline(workspace.baselines, ended.queries)
    if baseline is None:
        return Ending(ended, None, f"there is no baseline for {ended.queries}", ungraded, verdicts)
    comparison = compare(baseline.run, ended, limits.thresholds())
    if baseline.thresholds != limits.thresholds():
        moved = "the limits (compare.*) are not those of the baseline: see assay baseline show"
        comparison = replace(comparison, warnings=(*comparison.warnings, moved))
    return Ending(ended, comparison, "", ungraded, verdicts)


def _last_lines(ending: Ending, mode: str, options: Options) -> Iterator[str]:
    run_id = one_line(ending.info.id)
    stopped = ending.info.status is RunStatus.INTERRUPTED
    if mode == "json":
        pass
    elif stopped:
        seen, planned = ending.info.done + ending.info.failed, ending.info.planned or 0
        yield f"{options.symbols.unknown} stopped after {seen:,} of {planned:,}; what was recorded is kept"
    elif mode == "silent":
        yield from short_lines(ending, options.symbols)
    else:
        yield from summary_lines(ending, options.symbols)
        yield f"   run {run_id}: {one_line(ending.info.folder)}"
        if ending.comparison is None:
            yield f"   compare later runs with this one: assay baseline set {run_id}{options.again}"
    if stopped:
        line = f"go on with: assay run --resume {run_id}{options.again}"
        if mode == "json":
            print(line, file=sys.stderr)
        else:
            yield line


def _exit(ending: Ending, stop: Stop) -> Exit:
    if ending.info.status is RunStatus.INTERRUPTED:
        return stop.exit or Exit.FAILED
    found = []
    overall = ending.info.averages.get("overall")
    if ending.info.status is RunStatus.FAILED:
        found.append(Exit.FAILED)
    if ending.info.failed or overall is None or not overall.graded:
        found.append(Exit.INCONCLUSIVE)
    if ending.comparison is not None:
        found.append(ending.comparison.exit)
    return worst_exit(found)


def _details(prepared: Prepared, target: Target, plan: Plan, workspace: Workspace) -> dict[str, object]:
    job, queries = prepared.job, prepared.queries
    return {
        "command": "assay run",
        "overrides": list(job.overrides),
        "experiment": job.settings.experiment.name,
        "versions": {"engine": __version__, "python": platform.python_version()},
        "revision": revision(workspace.folder),
        "target": dict(target.identity),
        "judge": {"kind": job.settings.judge.kind},
        "query_sets": [
            {"name": m.name, "version": m.version, "sha256": m.sha256, "queries": m.queries} for m in queries.members
        ],
        "plan_identity": plan.identity,
    }


def _notes(prepared: Prepared, workspace: Workspace) -> None:
    for note in (*prepared.queries.notes, *edited(prepared.queries, recent_hash(workspace.runs))):
        print(one_line(f"note: {note}"), file=sys.stderr)
