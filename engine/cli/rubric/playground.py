"""`assay rubric playground`: one offline page that grades an answer while it is typed, and tries other weights."""

import argparse
from pathlib import Path

from engine.cli.parser import Commands
from engine.cli.rubric.source import A_RUBRIC, whole
from engine.cli.rubric.writing import FORCE, refuse_existing, refuse_losing, write_new
from engine.cli.screen import say
from engine.errors import Exit, Problem, UsageError
from engine.rubric.playground import page
from engine.store.workspace import Workspace
from engine.text import one_line

__all__ = ["add", "do"]

_EXAMPLES = """\
examples:
  assay rubric playground rubrics/support.rubric --out support.html
  assay rubric playground support --answer answer.txt --out support.html --force"""
_PAGES = (".html", ".htm")


def add(commands: Commands) -> None:
    """Declare the action."""
    parser = commands.add_action("rubric", "playground", epilog=_EXAMPLES)
    parser.add_argument("file", type=Path, metavar="FILE", help=A_RUBRIC)
    parser.add_argument("--out", required=True, type=Path, metavar="FILE.html", help="where to write the page")
    parser.add_argument(
        "--answer", type=Path, metavar="FILE", help="a text file whose content stands in the answer box"
    )
    parser.add_argument("--force", action="store_true", help=FORCE)
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Read, write one page."""
    if args.out.suffix.casefold() not in _PAGES:  # so that --force can never cost a rubric
        name = one_line(str(args.out))
        raise UsageError(Problem("the page needs a name that ends in .html", name, f"write: --out {name}.html"))
    if not args.force:
        refuse_existing(args.out)
    rubric, source = whole(args.file, Workspace(args.workspace))
    refuse_losing(args.out, *(file for file in (source.path, args.answer) if file is not None))
    if rubric.library:
        step = "give a rubric that uses it"
        raise UsageError(
            Problem("this is a library, and a library grades nothing by itself", one_line(source.name), step)
        )
    answer = None if args.answer is None else _answer(args.answer)
    write_new(args.out, page(rubric, answer))
    say(f"written: {args.out} (open it in a browser; it needs no network)")
    return Exit.PASSED


def _answer(path: Path) -> str:
    name = one_line(str(path))
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(Problem("this answer is not UTF-8 text", name, "save it again as UTF-8")) from None
    except OSError as error:
        raise UsageError(Problem(f"this answer cannot be read: {error.strerror}", name)) from error
