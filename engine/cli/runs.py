"""`assay runs`: what was run, one run in full, one query over time."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.cli.parser import Commands
from engine.cli.screen import screen_symbols, screen_width
from engine.errors import Exit, Problem, UsageError
from engine.model.run import QueryResult, RunInfo
from engine.report.history import listing, run_as_json, run_in_full, trend_text
from engine.report.layout import fitted
from engine.store.index import list_runs
from engine.store.workspace import Workspace
from engine.text import nearest, one_line, safe

__all__ = ["add", "do"]

_EXAMPLES = """\
examples:
  assay runs                              every run, newest first
  assay runs list -n 10                   the newest ten
  assay runs list --folder ~/old-runs     runs elsewhere, also of earlier tools; nothing is written there
  assay runs show 2026-11-30T20           one run, by the beginning of its id
  assay runs trend with-001               one query over all comparable runs"""


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("runs", help="list runs, show one, follow one query over time", epilog=_EXAMPLES)
    parser.add_argument("action", nargs="?", choices=_ACTIONS, default="list", help="list (default), show or trend")
    parser.add_argument("what", nargs="?", metavar="RUN|QUERY", help="a run for show, a query id for trend")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="runs in this folder and one level below")
    parser.add_argument("-n", type=_positive, dest="newest", metavar="N", help="only the newest N")
    parser.add_argument("--json", action="store_true", help="one JSON object for other programs")
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Read and print. Exit code 0 also when there is nothing yet."""
    if args.what is None and args.action != "list":
        noun = "a run" if args.action == "show" else "a query id"
        raise UsageError(
            Problem(f"say which: assay runs {args.action} needs {noun}", "command line", "see: assay runs")
        )
    if args.what is not None and args.action == "list":
        problem = f'"{one_line(args.what, 60)}" is not understood here'
        raise UsageError(Problem(problem, "command line", f"did you mean: assay runs show {one_line(args.what, 60)}?"))
    return _ACTIONS[args.action](args)


def _list(args: argparse.Namespace) -> int:
    folder, keep = _folder(args)
    found, problems = list_runs(folder, keep)
    shown = found[: args.newest] if args.newest else found
    if args.json:
        _print_json({"runs": [run_as_json(run) for run in shown], "of": len(found)})
    elif found:
        print(listing(shown, screen_width()))
        if len(shown) < len(found):
            print(f"{len(found) - len(shown)} older of {len(found)} are not shown")
    else:
        print(f"There are no runs in {one_line(str(folder))} yet. Make one with: assay run")
    for problem in problems:
        print(safe(str(problem)), file=sys.stderr)
    return Exit.PASSED


def _show(args: argparse.Namespace) -> int:
    from engine.store import history  # the readers of records: a listing needs none

    run = history.find(_folder(args)[0], args.what)
    run, folded = history.read(run)
    if args.json:
        _print_json({**run_as_json(run), "results": [_result_as_json(result) for result in folded.results]})
    else:
        print(fitted(run_in_full(run, folded.results, screen_symbols(args)), screen_width()))
    for problem in run.damage:
        print(safe(str(problem)), file=sys.stderr)
    return Exit.PASSED


def _trend(args: argparse.Namespace) -> int:
    from engine.gate.compare import not_comparable, trend  # exact numbers: a listing needs none
    from engine.store import history

    folder, keep = _folder(args)
    newest_first, _ = list_runs(folder, keep)
    reference, query_id = _reference(newest_first, args.what)
    same_set = [run for run in reversed(newest_first) if run.queries == reference.queries]
    reasons = {run.id: not_comparable(reference, run) for run in same_set}
    rows = []
    for run in same_set:
        if not reasons[run.id]:
            checked, folded = history.read(run)
            reasons[run.id] = not_comparable(reference, checked)
            rows += [] if reasons[run.id] else [(checked, folded.results)]
    left_out = tuple((run_id, reason) for run_id, reason in reasons.items() if reason)
    found = trend(query_id, rows, left_out)
    if args.json:
        points = [
            {"run": point.run_id, "overall": None if point.score is None else float(point.score)}
            for point in found.points
        ]
        _print_json({"query_id": found.query_id, "query": found.query, "points": points, "left_out": dict(left_out)})
    else:
        print(fitted(trend_text(found, screen_symbols(args)), screen_width()))
    return Exit.PASSED


_ACTIONS = {"list": _list, "show": _show, "trend": _trend}


def _reference(newest_first: Sequence[RunInfo], wanted: str) -> tuple[RunInfo, str]:
    """The newest whole run that has the query, and the id of the query there."""
    from engine.store import history
    from engine.store.baselines import refusals

    seen: set[str] = set()
    for run in newest_first:
        if refusals(run):  # what could be no baseline is no measure for others either
            continue
        ids = {result.query_id for result in history.read(run)[1].results}
        found = _id_in(ids, wanted)
        if found is not None:
            return run, found
        seen |= ids
    close = nearest(wanted, seen)
    help_ = f'did you mean "{close}"?' if close else "see the ids of a run: assay runs show RUN"
    raise UsageError(Problem(f'no complete run has a query with the id "{one_line(wanted, 80)}"', help=help_))


def _id_in(ids: set[str], wanted: str) -> str | None:
    """The id itself, or the only one of a combined set (`set:id`) that ends so."""
    if wanted in ids:
        return wanted
    members = [query_id for query_id in ids if query_id.endswith(f":{wanted}")]
    return members[0] if len(members) == 1 else None


def _folder(args: argparse.Namespace) -> tuple[Path, bool]:
    """Where the runs are, and whether an index may be kept there."""
    if args.folder is None:
        return Workspace(args.workspace).runs, True
    if not args.folder.is_dir():
        problem = f"there is no folder {one_line(str(args.folder), 100)}"
        raise UsageError(Problem(problem, "command line", "--folder names a folder that exists"))
    return args.folder, False


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() and len(text) < 10 else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{one_line(text, 40)!r} is not a whole number of 1 or more")
    return number


def _result_as_json(result: QueryResult) -> dict[str, object]:
    return {
        "query_id": result.query_id,
        "query": result.query,
        "category": result.category,
        "position": result.position,
        "repeat": result.repeat,
        "scores": dict(result.scores),
        "failure": result.failure,
        "verdict": result.verdict,
        "judgment": result.judgment,
    }


def _print_json(value: dict[str, object]) -> None:
    """ASCII only: no control character of a foreign text reaches the terminal."""
    print(json.dumps(value, allow_nan=False))
