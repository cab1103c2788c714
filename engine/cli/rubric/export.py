"""`assay rubric export`: a rubric for programs in other languages, for a judge, or for promptfoo."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from engine.cli.parser import Commands
from engine.cli.rubric.source import A_RUBRIC, whole
from engine.cli.rubric.writing import FORCE, refuse_a_rubric, refuse_existing, refuse_losing, write_new
from engine.cli.screen import say
from engine.errors import Exit, Problem, UsageError
from engine.rubric import Json, Rubric, questions
from engine.rubric.exporting.canonical import canonical
from engine.rubric.exporting.judge_schema import judge_schema
from engine.rubric.exporting.promptfoo import Exported, promptfoo
from engine.store.workspace import Workspace
from engine.text import count, one_line, safe

__all__ = ["add", "do"]

_EXAMPLES = """\
examples:
  assay rubric export rubrics/support.rubric --to json --out support.json
  assay rubric export support --to judge-schema
  assay rubric export support --to promptfoo --out promptfooconfig.yaml"""


def add(commands: Commands) -> None:
    """Declare the action."""
    parser = commands.add_action("rubric", "export", epilog=_EXAMPLES)
    parser.add_argument("file", type=Path, metavar="FILE", help=A_RUBRIC)
    parser.add_argument(
        "--to",
        required=True,
        choices=tuple(_FORMS),
        help="json: everything with its hashes; judge-schema: JSON Schema of a judge's answer; promptfoo: its YAML",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to write it (default: the screen)")
    parser.add_argument("--force", action="store_true", help=FORCE)
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Read, print or write, and say what was lost."""
    if args.out is not None:
        _may_be_written(args)
    rubric, source = whole(args.file, Workspace(args.workspace))
    if args.out is not None and source.path is not None:
        refuse_losing(args.out, source.path)
    exported = _FORMS[args.to](rubric)
    if args.out is None:
        say(exported.text.rstrip("\n"))
    else:
        write_new(args.out, exported.text)
        say(f"{args.out}: written")
    for what in exported.lost:
        print(one_line(f"not exported: {what}"), file=sys.stderr)
    if exported.lost:
        print(f"{count(len(exported.lost), 'thing')} not exported; each is a comment in the file", file=sys.stderr)
    return Exit.PASSED


def _may_be_written(args: argparse.Namespace) -> None:
    """Refuses to write over a file that nobody gave up, and over a rubric always."""
    if not args.force:
        refuse_existing(args.out)
    instead = "promptfooconfig.yaml" if args.to == "promptfoo" else "rubric.json"
    refuse_a_rubric(args.out, "this is no rubric, and would stand where one stands", instead)


def _schema(rubric: Rubric) -> Json:
    asked = tuple(questions(rubric.root))
    if not asked:
        raise UsageError(Problem("this rubric asks judges nothing, so there is no answer to describe", rubric.title))
    return judge_schema(asked)


def _as_json(made: Callable[[Rubric], Json]) -> Callable[[Rubric], Exported]:
    return lambda rubric: Exported(_visible(json.dumps(made(rubric), ensure_ascii=False, indent=2)) + "\n", ())


def _visible(text: str) -> str:
    """JSON with every character that a terminal would obey or hide written with its number; it means the same."""
    return "".join(char if char == "\n" or safe(char) == char else json.dumps(char)[1:-1] for char in text)


_FORMS: Mapping[str, Callable[[Rubric], Exported]] = {
    "json": _as_json(canonical),
    "judge-schema": _as_json(_schema),
    "promptfoo": promptfoo,
}
