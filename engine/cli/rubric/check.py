"""`assay rubric check`: says what is wrong with a rubric before anything is run."""

import argparse
from pathlib import Path

from engine import rubric as language
from engine.cli.parser import Commands
from engine.cli.rubric.files import found, library, say, text_of
from engine.errors import Exit
from engine.rubric.syntax import criteria
from engine.store.workspace import Workspace
from engine.text import count

__all__ = ["add", "do"]

_EXAMPLES = """examples:
  assay rubric check rubrics/search.rubric
  assay rubric check rubrics/*.rubric"""


def add(commands: Commands) -> None:
    """Declare the action."""
    parser = commands.add_parser("rubric check", help="every mistake, with its place and what to do", epilog=_EXAMPLES)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a .rubric file, or the name of a rubric")
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Read, print."""
    workspace = Workspace(args.workspace)
    wrong = False
    for file in args.files:
        path = found(file, workspace)
        name = str(file)
        reading = language.read(text_of(path, name), name, library(path, workspace))
        for problem in reading.problems:
            say(str(problem) + "\n")
        wrong = wrong or reading.rubric is None
        if reading.rubric is not None:
            number = sum(1 for _ in criteria(reading.rubric.root))
            say(f"{name}: fine ({count(number, 'criterion', 'criteria')})")
    return Exit.USAGE if wrong else Exit.PASSED
