"""`assay compare A B`: two runs side by side."""

import argparse
from pathlib import Path

from engine.cli.parser import Commands
from engine.cli.screen import screen_symbols, screen_width
from engine.gate.compare import compare_runs
from engine.model.run import Thresholds
from engine.report.comparison import side_by_side_text
from engine.report.layout import fitted
from engine.store import history
from engine.store.workspace import Workspace

__all__ = ["add", "do"]

_EXAMPLES = """\
examples:
  assay compare 2026-11-30T20-04-46-3fa9 2026-12-01T09-12-00-77b1
  assay compare 2026-11-30 2026-12-01        the beginning of an id is enough
The settings of the two runs may differ: they are the question. The queries, the corpus and the
rubric must be the same, else exit code 3. A dimension that drops by more than 0.05 is exit code 1."""


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("compare", help="put two runs side by side", epilog=_EXAMPLES)
    parser.add_argument("a", metavar="A", help="the first run, what is compared with")
    parser.add_argument("b", metavar="B", help="the second run")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="look for the runs in this folder")
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Read, compare, print."""
    folder = args.folder or Workspace(args.workspace).runs
    found = history.find(folder, args.a), history.find(folder, args.b)
    (a, first), (b, second) = history.read(found[0]), history.read(found[1])
    pair = compare_runs(a, b, (first.results, second.results), Thresholds())
    print(fitted(side_by_side_text(pair, screen_symbols(args)), screen_width()))
    return pair.comparison.exit
