"""`assay rubric show`: a rubric for reading, in the terminal or as a Markdown page to review and sign."""

import argparse
import sys
from pathlib import Path

from engine.cli.parser import Commands
from engine.cli.rubric.source import A_RUBRIC, whole
from engine.cli.rubric.writing import FORCE, refuse_a_rubric, refuse_existing, refuse_losing, write_new
from engine.cli.screen import say, screen_width
from engine.errors import Exit
from engine.rubric.view.markdown import markdown
from engine.rubric.view.terminal import terminal
from engine.rubric.written import written
from engine.store.workspace import Workspace

__all__ = ["add", "do"]

_EXAMPLES = """\
examples:
  assay rubric show rubrics/search.rubric
  assay rubric show rubrics/search.rubric --markdown --out review.md"""


def add(commands: Commands) -> None:
    """Declare the action."""
    parser = commands.add_action("rubric", "show", epilog=_EXAMPLES)
    parser.add_argument("file", type=Path, metavar="FILE", help=A_RUBRIC)
    parser.add_argument("--markdown", action="store_true", help="a page for line-by-line review, to be signed")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write it into this file instead of printing it")
    parser.add_argument("--force", action="store_true", help=FORCE)
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Read, print."""
    if args.out is not None:
        _may_be_written(args)
    rubric, source = whole(args.file, Workspace(args.workspace))
    if args.out is not None and source.path is not None:
        refuse_losing(args.out, source.path)
    notes = written(source.text, source.name)
    if args.markdown:
        page = markdown(rubric, notes)
    elif args.out is None:
        page = terminal(rubric, notes, screen_width(), "█" if _shows("█") else "#")
    else:
        page = terminal(rubric, notes, 0, "█")
    if args.out is None:
        say(page.rstrip("\n"))
    else:
        write_new(args.out, page)
        say(f"{args.out}: written")
    return Exit.PASSED


def _may_be_written(args: argparse.Namespace) -> None:
    """Refuses to write over a file that nobody gave up, and over a rubric always."""
    refuse_a_rubric(args.out, "a page for reading would stand where a rubric stands", "review.md")
    if not args.force:
        refuse_existing(args.out)


def _shows(char: str) -> bool:
    try:
        char.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
