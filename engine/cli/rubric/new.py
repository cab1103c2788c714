"""`assay rubric new`: a rubric of your own from a few questions in plain words. Nothing is ever overwritten."""

import argparse
import io
import shlex
import sys
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from engine import rubric as language
from engine.cli.parser import Commands
from engine.cli.rubric.dialogue import Dialogue, Gone
from engine.cli.rubric.writing import TAKEN, write_together
from engine.errors import Exit, Problem, UsageError
from engine.rubric import criteria
from engine.rubric.starting import LEAST_GOOD, Started, Wishes, cleaned, score_typed, started
from engine.store.rubric_cases import ENDING
from engine.store.workspace import Workspace, checked_name, packaged
from engine.text import count, one_line, slug

__all__ = ["TEMPLATES", "add", "do"]

TEMPLATES = {
    "search": "search results",
    "rag": "an answer written from documents (rag)",
    "agent": "an agent that uses tools",
    "support": "a reply to a customer (support)",
    "conversation": "a whole conversation",
}

_FLAGS = 'assay rubric new --template rag --title "Help pages" --yes'
_EXAMPLES = f"""\
examples:
  assay rubric new                       asks five questions
  assay rubric new help-pages            the same, for rubrics/help-pages.rubric
  {_FLAGS}     asks nothing
  assay rubric new --plain < answers     one answer a line

Nothing is written before the last question is answered. Ctrl-C and Ctrl-D stop (exit 130)."""

_NAMES = {"search": "Search results", "rag": "Answers from documents", "agent": "Agent", "support": "Support replies"}
_MOST_NEVER = 5


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is to be written, and where."""

    template: str
    file: Path
    wishes: Wishes


def add(commands: Commands) -> None:
    """Declare the action."""
    parser = commands.add_action("rubric", "new", epilog=_EXAMPLES)
    parser.add_argument("name", nargs="?", metavar="NAME", help="the file: rubrics/NAME.rubric (default: the title)")
    parser.add_argument("--template", choices=tuple(TEMPLATES), help="what is judged")
    parser.add_argument("--title", metavar="TEXT", help="what it is called")
    parser.add_argument("--owner", metavar="TEXT", help="who looks after it")
    parser.add_argument(
        "--never", action="append", metavar="TEXT", help="what must never happen; may be given several times"
    )
    parser.add_argument("--good", metavar="SCORE", help="from which score it is good (default: 0.75)")
    parser.add_argument("--yes", action="store_true", help="ask nothing: the usual answer where none is given")
    parser.add_argument("--plain", action="store_true", help="one answer a line, also without a terminal")
    parser.set_defaults(do=do)


def do(args: argparse.Namespace) -> int:
    """Ask, write, say what comes next."""
    workspace = Workspace(args.workspace)
    if args.good is not None and score_typed(args.good) is None:
        raise UsageError(Problem(f"--good {one_line(args.good, 40)}: {_NO_SCORE}", "command line", "write 0.75 or 75%"))
    if args.yes or (not _terminal() and not args.plain and args.template and (args.title or args.name)):
        wanted = _from_flags(args, workspace)
    else:
        if not (args.plain or _terminal()):
            message = "this asks questions, and there is no terminal to answer in"
            raise UsageError(Problem(message, "command line", f"write: {_FLAGS}; or use --plain, one answer a line"))
        try:
            wanted = _asked(Dialogue.over(sys.stdin or io.StringIO(), plain=args.plain), args, workspace)
        except (Gone, KeyboardInterrupt):
            print("\nStopped. Nothing was written.")
            return Exit.INTERRUPTED
    made = _write(wanted)
    _say_next(wanted, made, args, workspace)
    return Exit.PASSED


def _terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


# ---- without questions ---------------------------------------------------------------------------


def _from_flags(args: argparse.Namespace, workspace: Workspace) -> _Wanted:
    if args.template is None:
        raise UsageError(Problem("--yes needs to know what is judged", "command line", f"write: {_FLAGS}"))
    title = cleaned(args.title or args.name or "") or _title(args.template)
    file = _file(args.name or title, args.template, workspace)
    if _there(file):
        step = "give it another name: assay rubric new NAME"
        raise UsageError(Problem(TAKEN, one_line(workspace.shown(file)), step))
    good = score_typed(args.good or "") or Wishes(title).good
    return _Wanted(args.template, file, Wishes(title, args.owner or "", tuple(args.never or ()), good))


def _title(template: str) -> str:
    return _NAMES.get(template, "Conversations")


# ---- with questions ------------------------------------------------------------------------------

_NO_SCORE = f"that is no score between {LEAST_GOOD} and 1"


def _asked(dialogue: Dialogue, args: argparse.Namespace, workspace: Workspace) -> _Wanted:
    """What was given on the command line is not asked again. Raises Gone when nobody answers any more."""
    print("A rubric says what good means. A few questions; Enter alone takes what stands")
    print("in (brackets). Everything can be changed in the file afterwards.")
    print("Ctrl-C stops, and nothing is written.")
    template = args.template or _which(dialogue)
    title, file = _called(dialogue, args, template, workspace)
    owner = args.owner if args.owner is not None else dialogue.ask("\nWho looks after it, a person or a team? (nobody)")
    never = tuple(args.never) if args.never else _never(dialogue)
    good = score_typed(args.good or "") or _good(dialogue)
    return _Wanted(template, file, Wishes(title, owner, never, good))


def _which(dialogue: Dialogue) -> str:
    print("\nWhat do you want to judge?")
    names = list(TEMPLATES)
    for index, name in enumerate(names, start=1):
        print(f"  {index}  {TEMPLATES[name]}")
    while True:
        said = dialogue.ask(f"A number from 1 to {len(names)} (1)").casefold()
        if not said:
            return names[0]
        if said.isascii() and said.isdigit() and 1 <= int(said[:3]) <= len(names):
            return names[int(said[:3]) - 1]
        if said in TEMPLATES:
            return said
        print(f"  Please type a number from 1 to {len(names)}.")


def _called(dialogue: Dialogue, args: argparse.Namespace, template: str, workspace: Workspace) -> tuple[str, Path]:
    title = cleaned(args.title or "")
    name = args.name or ""
    while True:
        if not title:
            usual = cleaned(name) or _title(template)
            title = cleaned(dialogue.ask(f"\nWhat is it called? ({usual})")) or usual
        file = _file(name or title, template, workspace)
        if not _there(file):
            return title, file
        print(f"  {one_line(workspace.shown(file))} {TAKEN}. Please choose another name.")
        title, name = "", ""


def _never(dialogue: Dialogue) -> tuple[str, ...]:
    print("\nWhat must never happen? If it does, the answer is bad, however good the rest is.")
    print("For example: promises money back. One thing a line; Enter alone goes on.")
    found: list[str] = []
    while len(found) < _MOST_NEVER:
        said = cleaned(dialogue.ask(f"Never {len(found) + 1}"))
        if not said:
            break
        found.append(said)
    return tuple(found)


def _good(dialogue: Dialogue) -> Decimal:
    while True:
        said = dialogue.ask("\nScores run from 0 to 1. From which score on is it good? (0.75)")
        if not said:
            return Wishes("").good
        score = score_typed(said)
        if score is not None:
            return score
        print(f"  {_NO_SCORE[:1].upper()}{_NO_SCORE[1:]}. For example: 0.8")


# ---- writing -------------------------------------------------------------------------------------


def _file(name: str, template: str, workspace: Workspace) -> Path:
    """A file name that every system takes, from whatever was typed."""
    plain = slug(one_line(name.removesuffix(".rubric"))) or f"my-{template}"
    try:
        checked_name(plain, "rubric")
    except UsageError:
        plain = f"{plain[:40]}-rubric"
    return workspace.rubric_folders[0] / f"{plain}.rubric"


def _there(file: Path) -> bool:
    return any(path.exists() or path.is_symlink() for path in (file, _cases(file)))


def _cases(file: Path) -> Path:
    return file.with_suffix(ENDING)


def _write(wanted: _Wanted) -> Started:
    """The rubric and a first case for it: new files, both or none."""
    templates = Path(language.__file__).with_name("templates")
    made = started((templates / f"{wanted.template}.rubric").read_text("utf-8"), wanted.wishes)
    case = (templates / f"{wanted.template}{ENDING}").read_bytes()
    write_together({wanted.file: made.text.encode(), _cases(wanted.file): case})
    return made


def _say_next(wanted: _Wanted, made: Started, args: argparse.Namespace, workspace: Workspace) -> None:
    reading = language.read(made.text, wanted.file.name, lambda _: None)
    number = 0 if reading.rubric is None else sum(1 for _ in criteria(reading.rubric.root))
    shown, name = one_line(workspace.shown(wanted.file)), shlex.quote(wanted.file.stem)
    there = "" if args.workspace == Path() else f" --workspace {one_line(shlex.quote(str(args.workspace)))}"
    print(f"\nWritten: {shown} ({count(number, 'criterion', 'criteria')}). Open it and make it yours.")
    print(f"Written: {one_line(workspace.shown(_cases(wanted.file)))} (a first case that it should decide)")
    if made.title != cleaned(wanted.wishes.title):
        print(f'  It is called "{one_line(made.title)}": what you typed cannot be a title as it is.')
    for said in made.left_out:
        print(f"  Left out, because it cannot be a question as it is: {one_line(said)}")
    if (packaged() / "rubrics" / wanted.file.name).is_file():
        print(f"  From now on it is used instead of the rubric {wanted.file.stem} that comes with the engine.")
    print("Next:")
    width = max(len(name) + 18, 24)
    for command, why in (
        (f"rubric check {name}", "is anything wrong with it?"),
        (f"rubric show {name}", "what a colleague would read"),
        (f"rubric test {name}", "does it decide as you expect?"),
        (f"run rubric={name}", "grade with it"),
    ):
        print(f"  assay {command:<{width}}{there}  # {why}")
