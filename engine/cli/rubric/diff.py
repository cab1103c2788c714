"""`assay rubric diff`: what is different between two rubrics, in words, and which labels stay valid."""

import argparse
from pathlib import Path

from engine.cli.parser import Commands
from engine.cli.rubric.source import A_RUBRIC, whole
from engine.cli.screen import say, screen_width
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
_EXAMPLES = """\
examples:
  assay rubric diff old.rubric rubrics/support.rubric
  assay rubric diff old.rubric rubrics/support.rubric --json

exit code of this action: 0 when both give the same scores and verdicts, 1 when they do not."""


def add(commands: Commands) -> None:
    """Declare the action."""
    parser = commands.add_action("rubric", "diff", epilog=_EXAMPLES)
    parser.add_argument("old", type=Path, metavar="OLD", help=A_RUBRIC)
    parser.add_argument("new", type=Path, metavar="NEW", help="the file it is compared with")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of words")
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Read both, compare, print."""
    workspace = Workspace(args.workspace)
    found = differences(_read(args.old, workspace), _read(args.new, workspace))
    if args.json:
        print(strict_json.printable(_json(found)))
    else:
        width = screen_width()
        for line in _lines(found):
            say(fitted(line, width))
    return Exit.PASSED if found.same else Exit.BLOCKED


def _read(file: Path, workspace: Workspace) -> tuple[Rubric, Written]:
    rubric, source = whole(file, workspace)
    return rubric, written(source.text, source.name)


def _lines(found: Differences) -> list[str]:
    lines = [line for change in found.changes for line in _said(change)]
    meaning = (
        "Both give the same scores and verdicts." if found.same else "Scores or verdicts can come out differently."
    )
    kept = f"{count(found.kept, 'criterion', 'criteria')} of the old rubric"
    return [
        *(lines or ["Nothing is different."]),
        "",
        meaning,
        f"Labels of {kept} stay valid; those of {found.lost} no longer count.",
    ]


def _said(change: Change) -> list[str]:
    valid = " (labels stay valid)" if change.labels is Labels.VALID else ""
    lines = [f"- {one_line(change.words)}{valid}"]
    if change.before:
        lines.append(f"    before: {one_line(change.before)}")
    if change.now:
        lines.append(f"    now:    {one_line(change.now)}")
    return lines


def _json(found: Differences) -> dict[str, object]:
    return {
        "schema": _SCHEMA,
        "same_meaning": found.same,
        "changes": [
            {
                "what": change.what,
                "id": change.id,
                "words": change.words,
                "labels": change.labels.value,
                "before": change.before or None,
                "now": change.now or None,
            }
            for change in found.changes
        ],
        "labels": {"criteria_that_keep_theirs": found.kept, "criteria_that_do_not": found.lost},
    }
