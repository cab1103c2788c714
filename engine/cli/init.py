"""`assay init`: a small working workspace to start from, every file explained for a beginner."""

import argparse
import os
import shlex
from pathlib import Path

from engine.cli.parser import Commands
from engine.errors import EngineError, Problem, UsageError
from engine.text import count, one_line

__all__ = ["add", "do"]

_STARTER = Path(__file__).with_name("starter")
_NAMES = {"gitignore": ".gitignore"}  # a real .gitignore would hide files of this repository


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "init",
        help="make a small working workspace to start from",
        epilog="example:\n  assay init shop && cd shop && assay run",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder to make; nothing in it is overwritten")
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Copy the starter files, all or none."""
    folder: Path = args.workspace / args.folder
    if not str(args.folder).strip() or args.folder == Path():
        raise UsageError(Problem("the new folder needs a name.", "command line", "for example: assay init shop"))
    if folder.exists() and not folder.is_dir():
        raise UsageError(Problem("is a file, and a workspace is a folder.", one_line(str(folder))))
    files = {folder / _place(source): source for source in sorted(_STARTER.rglob("*")) if source.is_file()}
    there = [path for path in files if os.path.lexists(path)]
    if there:
        raise UsageError(
            *(Problem("is already there and is not overwritten.", one_line(str(path))) for path in there[:5]),
            Problem(
                f"nothing was written: {count(len(there), 'file')} would have been replaced",
                help="name an empty folder",
            ),
        )
    written: list[Path] = []
    try:
        for path, source in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:  # x: never through a link, never over a file made meanwhile
                written.append(path)
                file.write(source.read_bytes())
    except OSError as error:
        for path in files:
            if path in written:
                path.unlink(missing_ok=True)
        raise EngineError(Problem(f"cannot write: {error.strerror}.", one_line(str(folder)))) from error
    shown = one_line(str(args.folder))
    print(f"Made {shown}: {count(len(files), 'file')}. Every one explains itself; start with {shown}/README.md.")
    print(f"  next: cd {one_line(shlex.quote(str(args.folder)))} && assay run")
    return 0


def _place(source: Path) -> Path:
    inside = source.relative_to(_STARTER)
    return inside.with_name(_NAMES.get(inside.name, inside.name))
