"""`assay rubric explain`: what a code in a message means, with a small rubric that gets it and one that does not."""

import argparse
import textwrap
from collections.abc import Iterator

from engine import rubric as language
from engine.cli.parser import Commands
from engine.cli.screen import say
from engine.errors import Exit, Problem, UsageError
from engine.rubric.codes import CODES, Code
from engine.text import nearest, one_line

__all__ = ["add", "do"]

_EXAMPLES = """\
examples:
  assay rubric explain R502
  assay rubric explain          (every code, one line each)"""
_MEANS = {
    "error": "an error: the rubric cannot be used until it is mended",
    "warning": "a warning: the rubric works, and probably not as you mean it",
    "hint": "a hint: something to think about",
}
_WIDTH = 100
_MOST_LINES = 20


def add(commands: Commands) -> None:
    """Declare the action."""
    parser = commands.add_action("rubric", "explain", epilog=_EXAMPLES)
    parser.add_argument("codes", nargs="*", metavar="CODE", help="the code in brackets at the end of a message, R502")
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Look up, print."""
    rows = [_found(code) for code in args.codes]
    for row in rows or CODES.values():
        say("\n".join(_told(row)) if rows else f"{row.code}  {row.severity:<8} {row.title}")
    return Exit.PASSED


def _found(code: str) -> Code:
    wanted = code.strip("[]").upper()
    if wanted in CODES:
        return CODES[wanted]
    near = nearest(wanted, CODES)
    hint = f"did you mean {near}?" if near else "every code: assay rubric explain"
    raise UsageError(Problem(f"there is no code {one_line(code, 40)}", "command line", hint))


def _told(row: Code) -> Iterator[str]:
    yield f"{row.code}  {row.title}"
    yield f"This is {_MEANS[row.severity]}."
    yield ""
    yield from textwrap.wrap(row.why, _WIDTH)
    for name, text in row.files:
        yield from ("", f"With this file beside it, {name}:", "")
        yield from _quoted(text)
    if row.published:
        yield from ("", "After this was published:", "")
        yield from _quoted(row.published)
    yield from ("", "This gets it:", "")
    yield from _quoted(row.wrong)
    message = _message(row)
    if message:
        yield from ("", "The message:", "")
        yield from _quoted(message)
    yield from ("", "This does not:", "")
    yield from _quoted(row.right)
    if row.fix:
        yield from ("", "It can be mended for you: assay rubric check --fix FILE")
    yield ""


def _message(row: Code) -> str:
    """What is said about the example; nothing where it takes more than the file to say it."""
    problems = language.read(row.wrong, "demo.rubric", dict(row.files).get).problems
    return next((str(problem) for problem in problems if problem.code == row.code), "")


def _quoted(text: str) -> Iterator[str]:
    lines = text.rstrip("\n").split("\n")
    for line in lines[:_MOST_LINES]:
        yield f"    {line}".rstrip()
    if len(lines) > _MOST_LINES:
        yield f"    ... and {len(lines) - _MOST_LINES:,} more lines"
