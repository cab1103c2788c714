"""`assay rubric import`: rubric text from a table, from HealthBench examples or from promptfoo assertions."""

import argparse
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from engine.cli.parser import Commands
from engine.cli.rubric.source import STDIN
from engine.cli.rubric.writing import FORCE, refuse_existing, refuse_losing, write_new
from engine.cli.screen import say, typed
from engine.errors import Exit, Problem, UsageError
from engine.rubric.importing import healthbench, promptfoo, table
from engine.rubric.importing.decoding import Kind, decoded, kind_of
from engine.rubric.importing.writing import Imported
from engine.store import strict_json, strict_yaml
from engine.text import count, nearest, one_line

__all__ = ["add", "do"]

_EXAMPLES = """\
examples:
  assay rubric import criteria.csv --out rubrics/support.rubric
  assay rubric import promptfooconfig.yaml
  assay rubric import healthbench.jsonl --example 12 --out rubrics/example.rubric
  assay rubric import healthbench.jsonl --out rubrics/healthbench/"""

_LARGEST = 512 * 2**20  # the largest collection of examples there is has 60 MB


def add(commands: Commands) -> None:
    """Declare the action."""
    parser = commands.add_action("rubric", "import", epilog=_EXAMPLES)
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="a CSV table, HealthBench JSON or promptfoo YAML, or - for stdin"
    )
    parser.add_argument("--from", dest="kind", choices=tuple(Kind), help="what it is (default: told from its content)")
    parser.add_argument("--out", metavar="FILE", help="where to write it; a folder for many (default: the screen)")
    parser.add_argument(
        "--title", default="", metavar="TEXT", help="what the rubric is called (default: the file's name)"
    )
    parser.add_argument("--example", type=_number, metavar="N", help="which example of a HealthBench file, from 1")
    parser.add_argument("--force", action="store_true", help=FORCE)
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Read, print or write, and say what was lost."""
    place = _place(args)
    if args.out and not args.force and not _is_folder(args.out):
        refuse_existing(Path(args.out))
    if args.out and args.file != STDIN:
        refuse_losing(Path(args.out), args.file)
    text = decoded(_bytes(args.file), place)
    kind = Kind(args.kind) if args.kind else kind_of(text, place)
    title = args.title or ("Imported" if args.file == STDIN else args.file.stem.replace("_", " "))
    if args.example is not None and kind is not Kind.HEALTHBENCH:
        raise UsageError(Problem("--example chooses one of the examples of a HealthBench file", "command line"))
    match kind:
        case Kind.CSV:
            _one(table.imported(text, place, title), args)
        case Kind.PROMPTFOO:
            _one(promptfoo.imported(strict_yaml.load(text, place).value, place, args.title), args)
        case Kind.HEALTHBENCH:
            return _examples(text, title, args)
    return Exit.PASSED


def _place(args: argparse.Namespace) -> str:
    return "stdin" if args.file == STDIN else str(args.file)


def _number(word: str) -> int:
    if not (word.isascii() and word.isdigit()):
        raise argparse.ArgumentTypeError("write a number, from 1")
    return int(word[:9])


def _bytes(path: Path) -> bytes:
    try:
        if path == STDIN:
            return sys.stdin.buffer.read(_LARGEST)
        if path.stat().st_size > _LARGEST:
            raise UsageError(Problem("this file is too large to import", str(path), "import a part of it"))
        return path.read_bytes()
    except OSError as error:
        raise UsageError(_unreadable(path, error)) from error


def _unreadable(path: Path, error: OSError) -> Problem:
    near = None
    if isinstance(error, FileNotFoundError) and path.parent.is_dir():
        near = nearest(path.name, [other.name for other in path.parent.iterdir()])
    step = f"did you mean {typed(str(path.with_name(near)))}?" if near else ""
    return Problem(f"this file cannot be read: {(error.strerror or 'no reason is known').lower()}", str(path), step)


def _is_folder(out: str) -> bool:
    return out.endswith("/") or Path(out).is_dir()


# ---- HealthBench ------------------------------------------------------------------------------


def _examples(text: str, title: str, args: argparse.Namespace) -> Exit:
    place = _place(args)
    found = list(healthbench.examples(_values(text, place)))
    if not found:
        raise UsageError(Problem('no example in this file has criteria under "rubrics"', place))
    if args.example is not None and not 1 <= args.example <= len(found):
        problem = f"there is no example {args.example}: this file has {count(len(found), 'example')}"
        raise UsageError(Problem(problem, place))
    if args.example is not None or len(found) == 1:
        number = args.example or 1
        name = title if args.title or len(found) == 1 else f"{title} {number}"
        _one(healthbench.imported(found[number - 1], f"{place}, example {number}", name), args)
        return Exit.PASSED
    if not args.out or not _is_folder(args.out):
        step = "choose one: --example 1; or name a folder for all of them: --out rubrics/examples/"
        raise UsageError(Problem(f"this file has {count(len(found), 'example')}, and a rubric holds one", place, step))
    return _folder(found, title, args)


def _values(text: str, place: str) -> Iterator[object]:
    """One JSON value, or one a line."""
    rows = [(number, row) for number, row in enumerate(text.split("\n"), start=1) if row.strip()]
    if len(rows) > 1 and all(row.lstrip().startswith("{") and row.rstrip().endswith("}") for _, row in islice(rows, 2)):
        yield from (strict_json.loads(row, f"{place}:{number}") for number, row in rows)
    else:
        yield strict_json.loads(text, place)


def _folder(found: list[healthbench.Example], title: str, args: argparse.Namespace) -> Exit:
    """One file an example. An example without a rubric is said, and the others are written."""
    folder, wide = Path(args.out), len(str(len(found)))
    files = [folder / f"example-{number:0{wide}}.rubric" for number in range(1, len(found) + 1)]
    for file in () if args.force else files:
        refuse_existing(file)
    done: list[tuple[Path, Imported]] = []
    for number, (file, example) in enumerate(zip(files, found, strict=True), start=1):
        try:
            done.append((file, healthbench.imported(example, f"{_place(args)}, example {number}", f"{title} {number}")))
        except UsageError as error:
            _complain(str(error))
    folder.mkdir(parents=True, exist_ok=True)
    for file, imported in done:
        write_new(file, imported.text)
    lost = sum(len(imported.lost) for _, imported in done)
    criteria = sum(imported.criteria for _, imported in done)
    say(f"{folder}: {count(len(done), 'rubric')}, {count(criteria, 'criterion', 'criteria')}")
    left = len(found) - len(done)
    _complain(f"{count(lost, 'thing')} not brought over; each is a remark line in its file" if lost else "")
    _complain(f"{count(left, 'example')} without a rubric" if left else "")
    return Exit.USAGE if left else Exit.PASSED


# ---- one rubric -------------------------------------------------------------------------------


def _one(imported: Imported, args: argparse.Namespace) -> None:
    if args.out:
        file = Path(args.out)
        write_new(file, imported.text)
        say(f"{file}: {count(imported.criteria, 'criterion', 'criteria')}")
    else:
        say(imported.text.rstrip("\n"))
    for what in imported.lost:
        _complain(f"not brought over: {what}")
    if imported.lost:
        _complain(f"{count(len(imported.lost), 'thing')} not brought over; each is a remark line in the rubric")


def _complain(text: str) -> None:
    if text:
        print(one_line(text), file=sys.stderr)
