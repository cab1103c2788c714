"""`assay rubric format`: rewrites a rubric in its one spelling, without changing what it says."""

import argparse
import difflib
import sys
from pathlib import Path

from engine.cli.parser import Commands
from engine.cli.rubric.source import A_RUBRIC, Source, opened
from engine.cli.rubric.writing import rewrite
from engine.cli.screen import say
from engine.errors import Exit, Problem, UsageError
from engine.rubric import Diagnostic
from engine.rubric.format import format_text, left_alone
from engine.store.workspace import Workspace
from engine.text import count

__all__ = ["add", "do"]

_EXAMPLES = """\
examples:
  assay rubric format rubrics/search.rubric
  assay rubric format --check rubrics/*.rubric       for CI: change nothing, exit 1 if something would change
  assay rubric format --diff rubrics/search.rubric   change nothing, show what would change
  assay rubric format - < draft.rubric               from standard input to standard output

A line that does not read is left exactly as it is, the rest is formatted; each such line is named, and the exit
code is 2. What the rubric says never changes."""


def add(commands: Commands) -> None:
    """Declare the action."""
    parser = commands.add_action("rubric", "format", epilog=_EXAMPLES)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help=A_RUBRIC)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if something would change")
    parser.add_argument("--diff", action="store_true", help="change nothing; show what would change")
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Format each file; what cannot be read is said at the end."""
    workspace = Workspace(args.workspace)
    problems: list[Problem] = []
    changes = False
    for file in args.files:
        try:
            source = opened(file, workspace)
            left = left_alone(source.text, source.name)
            changes = _formatted(source, left, args) or changes
            problems += [problem.problem() for problem in left]
        except UsageError as error:
            problems += error.problems
    if problems:
        raise UsageError(*problems)
    return Exit.BLOCKED if args.check and changes else Exit.PASSED


def _formatted(source: Source, left: tuple[Diagnostic, ...], args: argparse.Namespace) -> bool:
    """Write or show; True when something changes."""
    text = format_text(source.text, source.name)
    changes = text != source.text
    if args.diff:
        _show_difference(source, text)
    if args.check:
        say(f"{source.name}: {'would be formatted' if changes else 'is formatted'}{_but(left)}")
    elif not args.diff:
        _write(source, text, _but(left))
    return changes


def _write(source: Source, text: str, but: str) -> None:
    if source.path is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8"))
    elif text == source.text:
        say(f"{source.name}: is formatted already{but}")
    else:
        rewrite(source.path, source.text, text)
        say(f"{source.name}: formatted{but}")


def _but(left: tuple[Diagnostic, ...]) -> str:
    return f", but for {count(len(left), 'place')} named below" if left else ""


def _show_difference(source: Source, text: str) -> None:
    before = source.text.removeprefix("\ufeff").splitlines()
    rows = list(difflib.unified_diff(before, text.splitlines(), source.name, source.name, lineterm=""))
    for row in rows:
        say(row)
    if not rows and text != source.text:
        say(f"{source.name}: only what cannot be seen would change: line ends, or a mark at the start of the file")
