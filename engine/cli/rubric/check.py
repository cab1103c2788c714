"""`assay rubric check`: says what is wrong with a rubric before anything is run, and mends what is plain."""

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from engine.cli.parser import Commands
from engine.cli.rubric.checked import Checked, as_json, in_words, summary
from engine.cli.rubric.published import broken_promises
from engine.cli.rubric.source import A_RUBRIC, STDIN, Source, opened
from engine.cli.rubric.watch import Key, Texts, watch
from engine.cli.rubric.writing import rewrite
from engine.cli.screen import say
from engine.errors import Problem, UsageError, worst_exit
from engine.rubric import criteria
from engine.rubric.fixes import fixed
from engine.store.workspace import Workspace

__all__ = ["add", "do"]

_EXAMPLES = """\
examples:
  assay rubric check rubrics/search.rubric
  assay rubric check rubrics/*.rubric
  assay rubric check --fix rubrics/search.rubric     mend what can be mended in one way only, and say what is left
  assay rubric check --watch rubrics/search.rubric   look again at every change; Ctrl-C stops

Only errors keep a rubric from being used (exit 2). Warnings and hints are shown and do not fail;
with --strict a warning does (exit 1)."""


def add(commands: Commands) -> None:
    """Declare the action."""
    parser = commands.add_action("rubric", "check", epilog=_EXAMPLES)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help=A_RUBRIC)
    parser.add_argument("--fix", action="store_true", help="mend what can be mended in one way only")
    parser.add_argument("--watch", action="store_true", help="check again whenever the file or one it uses changes")
    parser.add_argument("--strict", action="store_true", help="warnings fail too")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of words")
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Read, mend where asked, print."""
    _refuse_what_makes_no_sense(args)
    if args.watch:
        _watch(args, time.sleep)
    workspace = Workspace(args.workspace)
    files: list[Checked] = []
    unread: list[Problem] = []
    for file in args.files:
        try:
            source = opened(file, workspace)
            files.append(replace(_mended(source) if args.fix else _checked(source), strict=args.strict))
        except UsageError as error:
            unread += error.problems
    _show(files, len(unread), args)
    if unread:
        raise UsageError(*unread)
    return worst_exit(each.exit for each in files)


def _refuse_what_makes_no_sense(args: argparse.Namespace) -> None:
    if STDIN in args.files and (args.fix or args.watch):
        option = "--fix" if args.fix else "--watch"
        raise UsageError(Problem(f"{option} needs a file, and - is standard input", "command line", "name the file"))
    if args.fix and args.watch:
        problem = "--watch only looks: a file that changes while you write in it would lose your place"
        raise UsageError(Problem(problem, "command line", "use --fix by itself"))


def _checked(source: Source) -> Checked:
    reading = source.read()
    broken = broken_promises(source.path, reading.rubric, source.text)
    known = None if reading.rubric is None or broken else sum(1 for _ in criteria(reading.rubric.root))
    return Checked(source, (*reading.problems, *broken), known)


def _mended(source: Source) -> Checked:
    found = fixed(source.text, lambda text: replace(source, text=text).read().problems)
    if source.path is None:
        return _checked(source)
    if found.applied:
        rewrite(source.path, source.text, found.text)
    return replace(_checked(replace(source, text=found.text)), applied=found.applied)


def _show(files: list[Checked], unread: int, args: argparse.Namespace) -> None:
    if args.json:
        print(as_json(files))
        return
    for each in files:
        for text in in_words(each):
            say(text)
    if len(args.files) > 1:
        say(summary(files, unread))


# ---- --watch ----------------------------------------------------------------------------------


def _watch(args: argparse.Namespace, sleep: Callable[[float], None]) -> None:
    """Never returns: Ctrl-C ends it, as it ends every command."""
    workspace = Workspace(args.workspace)

    def report() -> Texts:
        texts: dict[Key, str | None] = {}
        files: list[Checked] = []
        for file in args.files:
            try:
                source = _noted(opened(file, workspace), texts)
                files.append(replace(_checked(source), strict=args.strict))
            except UsageError as error:
                texts[str(file), ""] = None
                for problem in error.problems:
                    say(str(problem))
        _show(files, len(args.files) - len(files), args)
        sys.stdout.flush()
        return texts

    def look(keys: Iterable[Key]) -> Texts:
        return {key: _present(key, workspace) for key in keys}

    watch(report, look, sleep)


def _noted(source: Source, texts: dict[Key, str | None]) -> Source:
    """The same rubric; what is read of it and of the files it uses is written down in `texts`."""
    texts[source.name, ""] = source.text
    return replace(source, library=_Noting(source, texts))


@dataclass(frozen=True, slots=True)
class _Noting:
    """A library that writes down what it gave."""

    source: Source
    texts: dict[Key, str | None]

    def __call__(self, path: str, /) -> str | None:
        self.texts[self.source.name, path] = None
        text = self.source.library(path)
        self.texts[self.source.name, path] = text
        return text

    def names(self) -> Iterable[str]:
        return self.source.library.names()


def _present(key: Key, workspace: Workspace) -> str | None:
    name, used = key
    try:
        source = opened(Path(name), workspace)
        return source.library(used) if used else source.text
    except UsageError:
        return None
