"""`assay prices`: what models cost as far as Assay knows, and prices taken from litellm's list."""

import argparse
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from engine.cli.parser import Commands
from engine.cli.screen import screen_width, typed
from engine.errors import Exit, Problem, UsageError
from engine.report.layout import fitted
from engine.report.prices import one_price, price_list, price_sources, prices_json
from engine.store.price_edit import Merged, Offered, merge_prices
from engine.store.price_files import PRICES, InForce, decimal_text, in_force, price_files
from engine.store.price_import import Taken, read_price_list
from engine.store.workspace import Workspace
from engine.text import count, nearest, one_line, safe

__all__ = ["add", "do"]

_EXAMPLES = """\
examples:
  assay prices                                  every price
  assay prices show gpt-4o-mini                 one of them, with its other names
  assay prices import model_prices.json gpt-4o  take a price from litellm's list into conf/prices.yaml
  assay prices import model_prices.json 'gpt-5*' --replace"""
_OWN = f"conf/{PRICES}"
_MOST_NAMES = 5


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("prices", help="show what models cost, or import prices", epilog=_EXAMPLES)
    parser.add_argument("action", nargs="?", choices=("show", "import"), default="show", help="default: show")
    parser.add_argument(
        "what", nargs="*", metavar="MODEL|FILE", help="show: a model. import: the file, then models or 'gpt-*'"
    )
    parser.add_argument("--replace", action="store_true", help=f"import: also prices that {_OWN} has already")
    parser.add_argument("--json", action="store_true", help="show: one JSON object for other programs")
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Read, and print or write."""
    workspace = Workspace(args.workspace)
    if args.action == "import":
        return _import(workspace, args.what, args.replace)
    if len(args.what) > 1:
        raise UsageError(Problem("show takes one model, or none for all", "command line", "see: assay prices --help"))
    return _show(workspace, args.what[0] if args.what else None, as_json=args.json)


def _show(workspace: Workspace, model: str | None, *, as_json: bool) -> int:
    files = price_files(workspace)
    found = in_force(files)
    if model is not None and model not in found:
        raise UsageError(_unknown(model, found))
    entry = found[model].entry if model is not None else None
    chosen = {name: each for name, each in found.items() if entry is None or each.entry is entry}
    if as_json:
        print(prices_json(files, chosen))
    else:
        width = screen_width()
        lines = price_list(chosen, width) if model is None else one_price(model, chosen)
        for line in (*price_sources(files), "", *lines):
            print(fitted(safe(line), width))
    return Exit.PASSED


def _unknown(model: str, found: Mapping[str, InForce]) -> Problem:
    near = nearest(model, found)
    meant = f"did you mean {near}? If not, " if near else ""
    return Problem(
        f"nobody knows what “{one_line(model, 60)}” costs",
        "command line",
        f"{meant}say it in a run: 'target.price={{input: 0.15, output: 0.60}}' (dollars per million tokens), or "
        f"target.free=true when it costs nothing; or write it into {_OWN} for every run",
    )


def _import(workspace: Workspace, words: Sequence[str], replace: bool) -> int:
    if not words:
        advice = "assay prices import model_prices.json, the file that litellm publishes"
        raise UsageError(Problem("import needs the file to read", "command line", advice))
    path = Path(words[0])
    taken = read_price_list(path, words[1:])
    if not taken.entries:
        reasons = "; ".join(f"{count(len(names), 'model')}: {reason}" for reason, names in taken.left_out.items())
        raise UsageError(Problem(f"there is no price to take: {reasons}; nothing was written", words[0]))
    now = datetime.now(UTC).astimezone()
    own = workspace.conf_folders[0] / PRICES
    source = f"{one_line(path.name, 60)}, imported"
    offered = Offered(taken.entries, f"{now:%Y-%m-%d}", source)
    merged = merge_prices(own, workspace.shown(own), offered, replace=replace)
    for line in _told(workspace.shown(own), merged, taken):
        print(fitted(safe(line), screen_width()))
    return Exit.PASSED


def _told(shown: str, merged: Merged, taken: Taken) -> list[str]:
    new = (*merged.added, *merged.replaced)
    lines = [f"{shown}: {count(len(merged.added), 'price')} added, {len(merged.replaced)} replaced"]
    for entry in new[:_MOST_NAMES]:
        note = f" ({entry.note})" if entry.note else ""
        price = f"input {decimal_text(entry.price.input)}, output {decimal_text(entry.price.output)}"
        lines.append(f"  {entry.name}: {price}{note}")
    if len(new) > _MOST_NAMES:
        lines.append(f"  and {len(new) - _MOST_NAMES} more: assay prices show")
    if merged.same:
        lines.append(f"already there with the same price: {_named(merged.same)}")
    if merged.kept:
        lines.append(f"kept as you wrote them, --replace overwrites them: {_named(merged.kept)}")
    lines += [f"left out, {reason}: {_named(names)}" for reason, names in taken.left_out.items()]
    return lines


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    return f"{len(names):,} ({', '.join(typed(name) for name in names[:_MOST_NAMES])}{more})"
