"""`assay rubric test`: does a rubric decide as its author expects? Its own examples, and worked cases beside it."""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from engine import rubric as language
from engine.cli.parser import Commands
from engine.cli.rubric.source import A_RUBRIC, Source, opened
from engine.cli.rubric.tested import Tested, as_json, in_words, summary
from engine.cli.screen import say
from engine.errors import Problem, UsageError, worst_exit
from engine.rubric import Grader
from engine.rubric.case_fit import misfits
from engine.rubric.cases import Tried, tried
from engine.rubric.example_runs import examples
from engine.store.rubric_cases import ENDING, read_cases
from engine.store.workspace import Workspace
from engine.text import one_line

__all__ = ["add", "do"]

_EXAMPLES = """\
examples:
  assay rubric test                         every rubric in rubrics/
  assay rubric test rubrics/support.rubric  its examples, and the cases in rubrics/support.cases.yaml
  assay rubric test support --cases more.cases.yaml

A case is an answer, what judges said about it, and what should come out:

  cases:
    - name: a complete answer
      answer: Refunds take 30 days.
      citations: [refunds.md]
      votes: {content/helps: good}
      expect: {verdict: send}

exit code 1: something came out otherwise. 3: there is nothing to test."""

_OWN_EXAMPLE = "R518"


def add(commands: Commands) -> None:
    """Declare the action."""
    parser = commands.add_action("rubric", "test", epilog=_EXAMPLES)
    parser.add_argument(
        "files", nargs="*", type=Path, metavar="FILE", help=f"{A_RUBRIC} (default: every rubric in rubrics/)"
    )
    parser.add_argument("--cases", type=Path, metavar="FILE", help="cases to try (default: NAME.cases.yaml beside it)")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of words")
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Read, try, print."""
    if args.cases is not None and len(args.files) != 1:
        message = "--cases goes with one rubric"
        raise UsageError(Problem(message, "command line", "name it: assay rubric test FILE --cases CASES"))
    workspace = Workspace(args.workspace)
    named = bool(args.files)
    tests: list[Tested] = []
    problems: list[Problem] = []
    for file in args.files or _all(workspace):
        try:
            tested = _tested(opened(file, workspace), args.cases)
        except UsageError as error:
            problems += error.problems
            continue
        tests.append(replace(tested, needed=True) if named else tested)
    _show(tests, args)
    if problems:
        raise UsageError(*problems)
    return worst_exit(each.exit for each in tests)


def _all(workspace: Workspace) -> list[Path]:
    own = workspace.rubric_folders[0]
    found = sorted(path for path in own.rglob("*.rubric") if path.is_file())
    if not found:
        step = "write one: assay rubric new; or name one that comes with the engine: assay rubric test rag"
        raise UsageError(Problem("there are no rubrics here", one_line(workspace.shown(own)), step))
    return found


def _show(tests: list[Tested], args: argparse.Namespace) -> None:
    if args.json:
        print(as_json(tests))
        return
    for each in tests:
        for text in in_words(each):
            say(text)
    if len(tests) > 1:
        say(summary(tests))


def _tested(source: Source, cases: Path | None) -> Tested:
    """Raises UsageError: the rubric or its cases cannot be used, with everything that is wrong."""
    reading = source.read()
    if reading.rubric is None:
        if all(problem.code == _OWN_EXAMPLE for problem in reading.errors):
            return Tested(source.name, broken=reading.errors)
        raise UsageError(*(problem.problem() for problem in reading.errors))
    file = _beside(source) if cases is None else cases
    grader = language.compile(reading.rubric)
    found = tuple(_cases(file, grader)) if file is not None else ()
    shown = "" if file is None else str(file)
    needed = not reading.rubric.library
    return Tested(source.name, examples(reading.rubric), found, cases_file=shown, needed=needed)


def _beside(source: Source) -> Path | None:
    if source.path is None:
        return None
    file = source.path.with_name(source.path.name.removesuffix(".rubric") + ENDING)
    return file if file.exists() else None


def _cases(file: Path, grader: Grader) -> Iterator[Tried]:
    """Every case, or every reason why one does not fit its rubric."""
    read = read_cases(file)
    problems = [
        Problem(misfit.message, read.at(number, misfit.steps), misfit.help)
        for number, case in enumerate(read.cases)
        for misfit in misfits(case, grader)
    ]
    if problems:
        raise UsageError(*problems)
    for case in read.cases:
        yield tried(case, grader)
