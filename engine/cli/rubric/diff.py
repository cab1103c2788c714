"""`assay rubric diff`: what is different between two rubrics, in words, and which labels stay valid."""

import argparse
from pathlib import Path

from engine.cli.parser import Commands
from engine.cli.rubric.files import say
from engine.cli.rubric.whole import whole
from engine.cli.screen import screen_width
from engine.errors import Exit
from engine.report.layout import fitted
from engine.rubric import Rubric
from engine.rubric.diff import Change, Differences, Labels, differences
from engine.rubric.written import Written, written
from engine.store import strict_json
from engine.store.workspace import Workspace
from engine.text import count, one_line

__all__ = ["add", "do"]

_SCHEMA = "assay.rubric-diff/1"
_ABOUT = "what is different between two rubrics, and which labels stay valid"
_EXAMPLES = """\
examples:
  assay rubric diff old.rubric rubrics/support.rubric
  assay rubric diff old.rubric rubrics/support.rubric --json

exit code of this action: 0 when both give the same scores and verdicts, 1 when they do not."""


def add(commands: Commands) -> None:
    """Declare the action."""
    parser = commands.add_parser("rubric diff", help=_ABOUT, epilog=_EXAMPLES)
    parser.add_argument("old", type=Path, metavar="OLD", help="a .rubric file, the name of a rubric, or -")
    parser.add_argument("new", type=Path, metavar="NEW", help="the file it is compared with")
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Read both, compare, print."""
    workspace = Workspace(args.workspace)
    found_ = differences(_read(args.old, workspace), _read(args.new, workspace))
    if args.json:
        print(strict_json.printable(_json(found_)))
    else:
        width = screen_width()
        for line in _lines(found_):
            say(fitted(line, width))
    return Exit.PASSED if found_.same else Exit.BLOCKED


def _read(file: Path, workspace: Workspace) -> tuple[Rubric, Written]:
    rubric, source = whole(file, workspace)
    return rubric, written(source.text, source.name)


def _lines(found_: Differences) -> list[str]:
    lines = [line for change in found_.changes for line in _said(change)]
    meaning = (
        "Both give the same scores and verdicts." if found_.same else "Scores or verdicts can come out differently."
    )
    kept = f"{count(found_.kept, 'criterion', 'criteria')} of the old rubric"
    return [
        *(lines or ["Nothing is different."]),
        "",
        meaning,
        f"Labels of {kept} stay valid; those of {found_.lost} no longer count.",
    ]


def _said(change: Change) -> list[str]:
    valid = " (labels stay valid)" if change.labels is Labels.VALID else ""
    lines = [f"- {one_line(change.words)}{valid}"]
    if change.before:
        lines.append(f"    before: {one_line(change.before)}")
    if change.now:
        lines.append(f"    now:    {one_line(change.now)}")
    return lines


def _json(found_: Differences) -> dict[str, object]:
    return {
        "schema": _SCHEMA,
        "same_meaning": found_.same,
        "changes": [
            {
                "what": change.what,
                "id": change.id,
                "words": change.words,
                "labels": change.labels.value,
                "before": change.before or None,
                "now": change.now or None,
            }
            for change in found_.changes
        ],
        "labels": {"criteria_that_keep_theirs": found_.kept, "criteria_that_do_not": found_.lost},
    }
