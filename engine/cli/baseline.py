"""`assay baseline`: what new runs of a query set are compared with."""

import argparse
import time
from pathlib import Path

from engine.cli.parser import Commands
from engine.cli.screen import screen_width
from engine.errors import Exit, Problem, UsageError
from engine.model.run import Baseline, RunInfo, Thresholds
from engine.report.history import baseline_text
from engine.report.layout import fitted
from engine.store import baselines, history
from engine.store.journal import timestamp
from engine.store.runs import RunFolder
from engine.store.workspace import Workspace
from engine.text import nearest, one_line, safe

__all__ = ["add", "do"]

_EXAMPLES = """\
examples:
  assay baseline                    every baseline
  assay baseline show core          one of them, with its scores and limits
  assay baseline set 2026-11-30T20  compare new runs of the same queries with this one"""


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("baseline", help="show or set what runs are compared with", epilog=_EXAMPLES)
    parser.add_argument("action", nargs="?", choices=tuple(_ACTIONS), default="show", help="show (default) or set")
    parser.add_argument("what", nargs="?", metavar="SET|RUN", help="a query set for show, a run for set")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="look for the run in this folder")
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Read or write, and print."""
    return _ACTIONS[args.action](args)


def _show(args: argparse.Namespace) -> int:
    folder = Workspace(args.workspace).baselines
    known = baselines.names(folder)
    if args.what is not None and args.what not in known:
        close = nearest(args.what, known)
        help_ = f'did you mean "{close}"?' if close else "set one: assay baseline set RUN"
        raise UsageError(Problem(f'the query set "{one_line(args.what, 60)}" has no baseline', help=help_))
    chosen = known if args.what is None else (args.what,)
    damaged: list[Problem] = []
    for name in chosen:
        try:
            baseline = baselines.read_baseline(folder, name)
        except UsageError as error:  # the others are shown all the same
            damaged += error.problems
            continue
        if baseline is not None:
            print(fitted(baseline_text(baseline, baselines.label(baseline.run)), screen_width()))
    if damaged:
        raise UsageError(*damaged)
    if not chosen:
        print("There is no baseline yet. Set one with: assay baseline set RUN")
    return Exit.PASSED


def _set(args: argparse.Namespace) -> int:
    if args.what is None:
        problem = "say which: assay baseline set needs a run"
        raise UsageError(Problem(problem, "command line", "see the ids of all runs: assay runs"))
    workspace = Workspace(args.workspace)
    run, _ = history.read(history.find(args.folder or workspace.runs, args.what))
    before, damaged = None, tuple[Problem, ...]()
    try:
        before = baselines.read_baseline(workspace.baselines, run.queries)
    except UsageError as error:
        damaged = error.problems
    baselines.write_baseline(workspace.baselines, Baseline(run, timestamp(time.time()), _limits_of(run)))
    print(f"The baseline of {one_line(run.queries)} is now {safe(baselines.label(run))}")
    if before:
        print(f"It was {safe(baselines.label(before.run))}")
    for lost in damaged:
        print(f"The earlier file was replaced: {safe(f'{lost.place}: {lost.message}')}")
    return Exit.PASSED


def _limits_of(run: RunInfo) -> Thresholds:
    """The limits of the run's own settings; those of earlier tools were the default ones."""
    from engine.plan.settings import Compare  # pydantic: showing a baseline does without
    from engine.store import strict_yaml

    if not (Path(run.folder) / "config.yaml").exists():
        return Thresholds()
    config = strict_yaml.load(RunFolder(Path(run.folder)).config(), run.folder).value
    return Compare.model_validate(config["compare"] if isinstance(config, dict) else {}).thresholds()


_ACTIONS = {"show": _show, "set": _set}
