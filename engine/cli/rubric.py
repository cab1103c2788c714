"""`assay rubric`: says what is wrong with a rubric before anything is run."""

import argparse
from collections.abc import Callable
from pathlib import Path

from engine import rubric as language
from engine.cli.parser import Commands
from engine.errors import Exit, Problem, UsageError
from engine.rubric.syntax import criteria
from engine.store.workspace import Workspace
from engine.text import count, one_line, safe

__all__ = ["add", "do"]

_EXAMPLES = """examples:
  assay rubric check rubrics/search.rubric
  assay rubric check rubrics/*.rubric"""


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser("rubric", help="check what a rubric says", epilog=_EXAMPLES)
    parser.add_argument("action", choices=("check",), help="check: every mistake, with its place and what to do")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a .rubric file, or the name of a rubric")
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Read, print."""
    workspace = Workspace(args.workspace)
    wrong = False
    for file in args.files:
        path = _found(file, workspace)
        name = str(file)
        reading = language.read(_text(path, name), name, _library(path, workspace))
        for problem in reading.problems:
            _print(str(problem) + "\n")
        wrong = wrong or reading.rubric is None
        if reading.rubric is not None:
            number = sum(1 for _ in criteria(reading.rubric.root))
            _print(f"{name}: fine ({count(number, 'criterion', 'criteria')})")
    return Exit.USAGE if wrong else Exit.PASSED


def _found(file: Path, workspace: Workspace) -> Path:
    """A file as it was typed, from here or from the workspace, else a rubric by its name."""
    for path in (file, workspace.folder / file):
        if path.is_file():
            return path
    return workspace.find_rubric(str(file).removesuffix(".rubric"))


def _text(path: Path, name: str) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(Problem("this rubric is not UTF-8 text", one_line(name), "save it again as UTF-8")) from None
    except OSError as error:
        raise UsageError(Problem(f"this rubric cannot be read: {error.strerror}", one_line(name))) from error


def _library(path: Path, workspace: Workspace) -> Callable[[str], str | None]:
    """Used files lie beside the rubric, in a rubrics folder above it, or among the workspace's rubrics."""
    above = [folder for folder in path.resolve().parents if folder.name == "rubrics"]
    folders = (*above[:1], path.resolve().parent, *workspace.rubric_folders)

    def library(wanted: str) -> str | None:
        for folder in folders:
            file = folder / wanted
            if file.is_file() and folder.resolve() in file.resolve().parents:
                return _text(file, wanted)
        return None

    return library


def _print(text: str) -> None:
    for line in text.split("\n"):
        print(safe(line))
