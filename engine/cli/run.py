"""`assay run`: compose, plan, ask, grade, record, compare with the baseline."""

import argparse
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.cli.parser import Commands
from engine.errors import Exit, Problem, UsageError
from engine.store.workspace import Workspace
from engine.text import one_line

if TYPE_CHECKING:
    from engine.cli.one_run import Outcome

__all__ = ["add", "do"]

_EXAMPLES = """\
examples:
  assay run                                  ask the core queries
  assay run --set operators --quiet             another query set, one line a query
  assay run target.limit=5 rubric=search     change settings for this run
  assay run experiment=no_stemming           a file in conf/experiment/
  assay run -m queries=core,operators           one run of each
  assay run --resume 2026-11-30T20-04-46     go on with a run that was stopped
  assay run target=openai_chat cost_limit_usd=0.50   ask a model, and spend half a dollar at most"""


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "run", help="ask a query set, grade the answers, compare with the baseline", epilog=_EXAMPLES
    )
    parser.add_argument(
        "overrides", nargs="*", metavar="NAME=VALUE", help="settings for this run; see them with --cfg job"
    )
    parser.add_argument(
        "-m", "--multirun", action="store_true", help="try every combination of values given with commas"
    )
    parser.add_argument("--set", action="append", metavar="SET", help="the query set: short for queries=SET")
    loud = parser.add_mutually_exclusive_group()
    loud.add_argument("--quiet", action="store_true", help="one line a query")
    loud.add_argument("--silent", action="store_true", help="only the average and the verdict")
    loud.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--resume", metavar="RUN", help="go on with a run: ask only what has no record yet")
    parser.add_argument(
        "--dry-run", action="store_true", help="show the plan and stop; nothing is asked, and no run is made"
    )
    parser.add_argument(
        "--allow-code", action="store_true", help="let the settings name Python code or a command (python, asgi, mcp)"
    )
    parser.add_argument("--cfg", choices=("job",), help="print the settings as they would be used and stop")
    parser.add_argument(
        "--exit-zero", action="store_true", help="exit 0 also for a regression or an inconclusive result"
    )
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Run one job or a sweep of them."""
    # Hydra and pydantic: half a second that `assay run --help` does without
    from engine.cli.dry_run import dry_run
    from engine.cli.one_run import resume_one, start_one
    from engine.cli.options import Options
    from engine.plan import compose

    workspace = Workspace(args.workspace.resolve())
    above = workspace.above()
    if above is not None:
        problem = f"{one_line(str(workspace.folder))} has no conf/ of its own and lies inside a workspace."
        raise UsageError(Problem(problem, help=f"go there first: cd {one_line(shlex.quote(str(above)))}"))
    overrides = tuple(_overrides(args))
    options = Options.of(args)
    if args.resume is not None and (args.dry_run or args.cfg):
        problem = "--resume goes on with what was planned."
        raise UsageError(Problem(problem, "command line", "leave --dry-run and --cfg out"))
    if args.json and (args.dry_run or args.cfg):
        problem = "--json shows the result of a run, and --dry-run and --cfg make none."
        raise UsageError(Problem(problem, "command line", "leave --json out"))
    typed = compose.Typed(workspace, overrides)
    if args.multirun:
        from engine.cli.sweep import sweep

        return _code(sweep(typed, args, options), args)
    if args.resume is not None:
        return _code(resume_one(workspace, args.resume, overrides, options), args)
    if args.cfg:
        print(compose.run_one(typed, lambda job: job.config), end="")
        return Exit.PASSED
    if args.dry_run:
        return compose.run_one(typed, lambda job: dry_run(job, workspace, options))
    return _code(compose.run_one(typed, lambda job: start_one(job, workspace, options)), args)


def _overrides(args: argparse.Namespace) -> Iterator[str]:
    yield from args.overrides
    if args.set:
        if any(text.partition("=")[0].lstrip("+") == "queries" for text in args.overrides):
            raise UsageError(Problem("--set and queries= both name the query set.", "command line", "give one of them"))
        wanted = args.set[0] if len(args.set) == 1 else f"[{','.join(args.set)}]"
        yield f"queries={wanted}"


def _code(outcome: "Outcome", args: argparse.Namespace) -> int:
    if args.json:
        from engine.store.strict_json import printable

        print(printable(outcome.report))
    forgiven = args.exit_zero and outcome.exit in (Exit.BLOCKED, Exit.INCONCLUSIVE)
    return Exit.PASSED if forgiven else outcome.exit
