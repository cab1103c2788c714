"""`assay rubric publish`: promises that this version keeps its meaning, and gives every heading an id that stays."""

import argparse
import time
from dataclasses import replace
from pathlib import Path

from engine.cli.parser import Commands
from engine.cli.rubric.published import broken_promises, lock_of
from engine.cli.rubric.source import Source, opened
from engine.cli.rubric.writing import rewrite
from engine.cli.screen import say
from engine.errors import EngineError, Exit, Problem, UsageError
from engine.rubric import Rubric
from engine.rubric.ids import with_ids
from engine.rubric.lock import entry_of
from engine.rubric.source import lines
from engine.store.rubric_lock import lock_path, publishing, write_lock
from engine.store.workspace import Workspace, packaged
from engine.text import count

__all__ = ["add", "do"]

_EXAMPLES = """\
examples:
  assay rubric publish rubrics/support.rubric

It writes an id: line under every heading that has none, so that a title can be changed later without losing its
labels, and it remembers in rubrics.lock, beside the rubrics folder, what this version means. Commit both files."""


def add(commands: Commands) -> None:
    """Declare the action."""
    parser = commands.add_action("rubric", "publish", epilog=_EXAMPLES)
    parser.add_argument("file", type=Path, metavar="FILE", help="a .rubric file, or the name of a rubric")
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Check, write, print."""
    workspace = Workspace(args.workspace)
    source = opened(args.file, workspace)
    path = _ours(source, workspace)
    with publishing(lock_path(path)):
        return _published(path, source)


def _published(path: Path, source: Source) -> Exit:
    reading, name = source.read(), source.name
    problems = (*reading.problems, *broken_promises(path, reading.rubric, source.text))
    for problem in problems:
        say(str(problem) + "\n")
    rubric = reading.rubric
    if rubric is None or len(problems) > len(reading.problems):
        say(f"{name} was not published.")
        return Exit.USAGE
    if not rubric.version:
        raise UsageError(Problem("only a version can be published", name, "write under its name: version: 1"))
    _write(path, rubric, source)
    return Exit.PASSED


def _ours(source: Source, workspace: Workspace) -> Path:
    """Its file. Refuses one that came with the engine: the next update would take the promise away."""
    if source.path is None:
        raise UsageError(Problem("a promise needs a file, and - is standard input", "command line", "name the file"))
    shipped, here = packaged().resolve(), source.path.resolve()
    if here.is_relative_to(shipped) and not here.is_relative_to(workspace.folder.resolve()):
        step = "copy it into your own rubrics folder, and publish the copy"
        raise UsageError(Problem("this rubric comes with the engine", str(source.path), step))
    return source.path


def _write(path: Path, rubric: Rubric, source: Source) -> None:
    """The ids first: when the second file cannot be written, nothing was promised, and it can be tried again."""
    name, text = source.name, source.text
    with_all = with_ids(rubric, text)
    again = replace(source, text=with_all).read().rubric
    if again is None or again.sha256 != rubric.sha256:
        raise EngineError(Problem("writing the ids would change what this rubric means; nothing was written", name))
    lock = lock_of(path)
    earlier = lock.find(rubric.id, rubric.version)
    if with_all != text:
        rewrite(path, text, with_all)
        added = len(lines(with_all, name)) - len(lines(text, name))
        say(f"{name}: {count(added, 'id: line')} written")
    called = f"version {rubric.version} of “{rubric.title}”"
    if earlier is not None:
        say(f"{name}: {called} was published on {earlier.on}, with the same meaning")
        return
    today = time.strftime("%Y-%m-%d", time.gmtime())
    write_lock(lock_path(path), lock.adding(rubric.id, entry_of(rubric, today)))
    say(f"{name}: {called} is published ({rubric.sha256[:16]})")
    say(f"remembered in {lock_path(path)}; keep this file with the rubric: whoever gets the rubric needs it too")
