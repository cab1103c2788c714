"""`assay target check`: one live question to a target, and what came of it."""

import argparse
import asyncio
import shlex
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from engine.cli.parser import Commands
from engine.cli.screen import say, screen_symbols, screen_width
from engine.errors import Exit
from engine.model.calls import CallFailure, Ended, GuardStop, Started
from engine.model.exchange import Answer, Turn
from engine.model.record import Failure, TargetFailure
from engine.model.usage import Cost, CostBasis, CostStatus, Usage
from engine.store.workspace import Workspace
from engine.text import one_line

if TYPE_CHECKING:
    from engine.cli.opened import Opened
    from engine.plan.compose import Job
    from engine.plan.settings import Settings

__all__ = ["add", "do"]

_EPILOG = """\
It asks one question, shows what came back, and says what to do when nothing did. No run is made. A model is paid
for this one answer; its price need not be known.

exit codes of a check: 0 it answered; 5 it answered, and nobody knows what that cost; 4 it did not answer

examples:
  assay target check                                         the target of conf/config.yaml, the first query
  assay target check target=openai_chat target.model=gpt-5-mini
  assay target check target=my_search --ask "opening hours"  a question of your own"""


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("target", help="ask a target one question, and see what came back", epilog=_EPILOG)
    parser.add_argument("action", choices=("check",), help="ask one question")
    parser.add_argument("overrides", nargs="*", metavar="NAME=VALUE", help="which target: target=NAME, target.url=…")
    parser.add_argument("--ask", metavar="TEXT", help="the question (default: the first query of the query set)")
    parser.add_argument(
        "--allow-code", action="store_true", help="let the settings name Python code or a command (python, asgi, mcp)"
    )
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Compose as a run does, ask, print."""
    from engine.plan import compose  # Hydra and pydantic: half a second that --help does without

    workspace = Workspace(args.workspace.resolve())
    typed = compose.Typed(workspace, tuple(args.overrides))
    return compose.run_one(typed, lambda job: _check(job, workspace, args))


def _check(job: "Job", workspace: Workspace, args: argparse.Namespace) -> Exit:
    from engine.cli.opened import opened
    from engine.cli.options import Options
    from engine.judges.none import NoJudge
    from engine.providers.dialect import ModelSettings, Reached
    from engine.report.first_answer import answer_lines, failure_lines, identity_line, unpriced_step

    turn = _turn(job.settings, workspace, args.ask)
    symbols = screen_symbols(args)
    options = Options(None, symbols, screen_width(), "", allow_code=args.allow_code)
    # one call whose price is not known does no harm, and it tells the name that a price is looked up by
    settings = job.settings.model_copy(update={"cost_allow_unknown": True, "judge": NoJudge()})
    with opened(replace(job, settings=settings), workspace, options) as open_:
        say(identity_line(open_.target.identity))
        say(f'{"asked":<9} "{one_line(turn.say, 200)}"')
        started = perf_counter()
        try:
            answer = asyncio.run(_asked(open_, turn, settings))
        except (CallFailure, TargetFailure) as error:
            reached = settings.target if isinstance(settings.target, Reached) else None
            for line in failure_lines(error, reached, symbols):
                say(line)
            return Exit.FAILED
        except GuardStop as stop:
            say(f"{symbols.bad} nothing was asked: {one_line(str(stop), 300)}")
            return Exit.COST
    for line in answer_lines(answer, perf_counter() - started, symbols):
        say(line)
    step = unpriced_step(answer, model=isinstance(settings.target, ModelSettings))
    if step:
        say(f"{symbols.unknown} it answers, and nobody knows what that costs")
        say(f"  {symbols.arrow} {step}")
        return Exit.COST
    say(f"{symbols.good} it answers; run it: {_command(args)}")
    return Exit.PASSED


def _turn(settings: "Settings", workspace: Workspace, asked: str | None) -> Turn:
    from engine.store.query_files import choose, read_set

    if asked is not None:
        return Turn(asked, "")
    queries = choose(read_set(workspace, settings.wanted), settings.where, settings.cases, settings.limit)
    return Turn(queries.queries[0].text, queries.queries[0].id)


async def _asked(open_: "Opened", turn: Turn, settings: "Settings") -> Answer:
    """The answer, paid for as in a run, and within the time that a run gives it."""
    from engine.cli.opened import guard_of
    from engine.execute.budget import Budget
    from engine.execute.paying import Payer

    calls = Payer(Budget(guard_of(settings)), _NoLedger()).trial("check")
    try:
        async with asyncio.timeout(settings.timeout_s) as calls.limit:
            return await open_.target.answer(turn, (), calls)
    except TimeoutError:
        charged = any(spent.unknown for spent in calls.spent.values())
        unknown = Usage(problem="no whole answer came"), Cost(None, CostStatus.UNKNOWN_USAGE, CostBasis.DECLARED)
        late = f"no answer within {settings.timeout_s:g} seconds (timeout_s)"
        raise CallFailure(Failure.TIMEOUT, late, spent=unknown if charged else None) from None
    finally:
        await open_.network.aclose()


class _NoLedger:
    """A check leaves no trace: what it cost stands on the screen."""

    def started(self, call: Started) -> None:
        """Nothing is written down."""

    def ended(self, call: Ended) -> None:
        """Nothing is written down."""


def _command(args: argparse.Namespace) -> str:
    words = [shlex.quote(word) for word in args.overrides]
    code = ["--allow-code"] if args.allow_code else []
    folder = [] if args.workspace == Path() else ["--workspace", shlex.quote(str(args.workspace))]
    return one_line(" ".join(("assay run", *words, *code, *folder)))
