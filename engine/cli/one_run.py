"""One run as a person sees it: from a checked job to the last line printed."""

import platform
import random
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine import __version__
from engine.cli.before import before_the_first_query, judged_by
from engine.cli.conclusion import conclude, exit_of, last_lines
from engine.cli.interrupt import stoppable
from engine.cli.opened import Opened, guard_of, opened
from engine.cli.options import Options
from engine.cli.screen import Progress
from engine.errors import EngineError, Exit, Problem, UsageError
from engine.execute.budget import Budget
from engine.execute.loop import Jury
from engine.execute.session import Finished, Session, run
from engine.model.plan import Plan
from engine.model.record import Record
from engine.model.run import RunStatus
from engine.plan import compose
from engine.plan.compose import Job
from engine.plan.prepare import Prepared, begun, prepare
from engine.plan.resume import changes
from engine.report.ending import Ending, ending_json
from engine.report.layout import fitted
from engine.report.terminal import Look, quiet_item, verbose_item
from engine.store.revision import revision
from engine.store.runs import BeginRun, RunFolder, begin, info, open_run
from engine.store.workspace import Workspace

__all__ = ["Outcome", "go_on", "identity", "resume_one", "start_one"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run: its exit code and the object that `--json` prints."""

    exit: Exit
    report: Mapping[str, object]
    ending: Ending | None = None


def start_one(
    job: Job,
    workspace: Workspace,
    options: Options,
    told: Callable[[RunFolder], None] = lambda _: None,
    left: int | None = None,
) -> Outcome:
    """Begin a new run and go through with it.

    Args:
        told: hears of the folder before the first query.
        left: micro-dollars that its sweep may still spend; None for no limit.
    """
    prepared = prepare(job, workspace)
    with opened(job, workspace, options) as open_:
        target = open_.target
        before_the_first_query(prepared, open_, workspace)
        plan = prepared.plan(target, open_.judge_identity)
        start = BeginRun(
            info=begun(prepared, target, judged_by(prepared, open_)),
            plan=(
                {"key": t.key, "position": t.position, "query_id": t.query.id, "set": t.set_name, "repeat": t.repeat}
                for t in plan.trials()
            ),
            config=job.config,
            rubric=prepared.rubric.text,
            libraries=prepared.rubric.libraries,
            details=_details(prepared, open_, plan, workspace),
        )
        folder = begin(workspace.runs, start, time.time(), random.SystemRandom())
        prepared.rubric.keep()
        told(folder)
        return _go(prepared, plan, open_, _Where(folder, workspace, options, left))


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


def go_on(job: Job, folder: RunFolder, workspace: Workspace, options: Options, left: int | None = None) -> Outcome:
    """Ask what has no record yet. Refuses when what the run asks or grades with is no longer the same.

    `left`: see `start_one`; what this run has spent before counts too.
    """
    prepared = prepare(job, workspace)
    with opened(job, workspace, options) as open_:
        plan = prepared.plan(open_.target, open_.judge_identity)
        changed = changes(folder, begun(prepared, open_.target), job, plan.identity)
        if changed:
            advice = "put it back as it was, or start a new run: assay run"
            raise UsageError(
                Problem(f"{folder.id} cannot go on: what it was planned with has changed.", help=advice), *changed
            )
        return _go(prepared, plan, open_, _Where(folder, workspace, options, left))


def identity(prepared: Prepared, workspace: Workspace, options: Options) -> str:
    """Hash of everything a run asks and grades with. Opens the target, which finds what is wrong with it."""
    with opened(prepared.job, workspace, options, to_ask=False) as open_:
        return f"{prepared.plan(open_.target, open_.judge_identity).identity}:{prepared.queries.sha256}"


@dataclass(frozen=True, slots=True)
class _Where:
    """Where a run is recorded and told, and micro-dollars that its sweep has left (None: no limit)."""

    folder: RunFolder
    workspace: Workspace
    options: Options
    left: int | None


def _go(prepared: Prepared, plan: Plan, open_: Opened, where: _Where) -> Outcome:
    folder, workspace, options = where.folder, where.workspace, where.options
    settings = prepared.job.settings
    known = info(folder)
    mode = options.mode or str(settings.output)
    look = Look(options.symbols, options.width, known.graded_by)
    budget = Budget(guard_of(settings, where.left))
    jury = _jury(prepared, open_, folder, workspace)
    teller = _Teller(mode, len(plan), look, Progress(len(plan)), budget)
    with stoppable() as stop:
        finished = _resumable(
            Session(
                folder=folder,
                info=known,
                plan=plan,
                target=open_.target,
                grader=prepared.rubric.grader,
                concurrency=settings.concurrency,
                timeout_s=settings.timeout_s,
                durability=settings.durability,
                on_record=teller.tell,
                stop=lambda: stop() or teller.gone,
                budget=budget,
                jury=jury,
                closing=open_.network.aclose,
            ),
            options,
        )
    if teller.failed is not None:
        raise teller.failed
    teller.progress.clear()
    ending = conclude(finished, prepared, workspace, budget)
    for line in last_lines(ending, mode, options):
        print(fitted(line, options.width))
    if mode == "json" and ending.info.status is RunStatus.INTERRUPTED and options.alone:
        print(f"{options.resume(folder.id)} {budget.way_on}".rstrip(), file=sys.stderr)
    return Outcome(exit_of(ending, stop), ending_json(ending), ending)


def _jury(prepared: Prepared, open_: Opened, folder: RunFolder, workspace: Workspace) -> Jury | None:
    if not (prepared.rubric.grader.asks and open_.judges):
        return None
    from engine.cli.jury import jury_of  # most runs ask nobody

    return jury_of(prepared, open_, folder, workspace)


def _resumable(session: Session, options: Options) -> Finished:
    """Run; whatever ends it, the person hears how to go on."""
    kept, command = f"what was recorded of {session.folder.id} is kept", options.resume(session.folder.id)
    try:
        return run(session)
    except EngineError as error:
        if not session.folder.path.is_dir():  # somebody deleted it: nothing to go on with
            raise
        raise EngineError(*error.problems, Problem(f"{kept}.", help=command)) from error
    except KeyboardInterrupt:
        print(f"{kept}; {command}", file=sys.stderr)
        raise


@dataclass(slots=True)
class _Teller:
    """Tells of each record. When nobody can be told any more, the run still ends as it should.

    `failed` is what kept the output from being written. A reader that has gone (`| head`) ends the
    run like Ctrl-C; a full disk does not: what is paid for is recorded.
    """

    mode: str
    planned: int
    look: Look
    progress: Progress
    budget: Budget
    failed: OSError | None = None

    def tell(self, record: Record, seen: int) -> None:
        """After each record."""
        item = {"verbose": verbose_item, "quiet": quiet_item}.get(self.mode)
        if self.failed is not None:
            return
        try:
            if item is not None:
                self.progress.clear()
                print(fitted(item(record, self.planned, self.look), self.look.width))
            self.progress.tell(seen, self.budget.told() if self.budget.spent else "")
        except OSError as error:
            self.failed = error

    @property
    def gone(self) -> bool:
        """Whether the reader has gone."""
        return isinstance(self.failed, BrokenPipeError)


def _details(prepared: Prepared, open_: Opened, plan: Plan, workspace: Workspace) -> dict[str, object]:
    job, queries = prepared.job, prepared.queries
    return {
        "command": "assay run",
        "overrides": list(job.overrides),
        "experiment": job.settings.experiment.name,
        "versions": {"engine": __version__, "python": platform.python_version()},
        "revision": revision(workspace.folder),
        "target": dict(open_.target.identity),
        "judge": {"kind": job.settings.judge.kind, **open_.judge_identity},
        **({"prices": open_.prices.label} if open_.prices.version else {}),
        "query_sets": [
            {"name": m.name, "version": m.version, "sha256": m.sha256, "queries": m.queries} for m in queries.members
        ],
        "plan_identity": plan.identity,
    }
