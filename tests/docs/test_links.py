"""What pages speak of exists: files, headings, commands, options, measures, settings, words; and the examples parse."""

import argparse
import importlib
import re
import shlex
from collections.abc import Iterator
from functools import cache

import pytest

from engine.cli.help import EXIT_CODES, global_help
from engine.cli.main import COMMANDS
from engine.cli.parser import Commands, Parser
from engine.measures import MEASURES, SYNONYMS
from engine.plan.settings import Settings
from engine.rubric import names, read, words
from engine.targets import Folder
from tests.workspaces import ROOT

PAGES = ("README.md", "CHANGELOG.md", *sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").glob("*.md")))
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
# Options in commands of other programs.
_FOREIGN = {"--strict"}


def _text(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def _prose(page: str) -> str:
    return _FENCE.sub("", _text(page))


def _anchors(page: str) -> set[str]:
    """The anchors GitHub makes of headings."""
    headings = re.findall(r"^#+ +(.+)$", _prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


class _Kept(Commands):
    """Keeps the parser of the command that was declared."""

    def add_parser(self, name: str, *, help: str, epilog: str = "") -> Parser:  # noqa: A002 - as in argparse
        self.parser = super().add_parser(name, help=help, epilog=epilog)
        return self.parser


@cache
def _parser(command: str) -> Parser:
    commands = _Kept()
    importlib.import_module(COMMANDS[command][0]).add(commands)
    return commands.parser


def _examples(command: str) -> Iterator[list[str]]:
    """The words of each example after `assay`, without what stands to the right of it."""
    for line in re.findall(
        r"^  .*?\b(assay .*?)(?: {2,}.*| && .*|\)\")?$", _parser(command).epilog or "", re.MULTILINE
    ):
        yield shlex.split(line)[1:]


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    """A link names a file of the repository and, after `#`, a heading in it."""
    wrong = []
    for link in _LINK.findall(_prose(page)):
        path, _, anchor = link.partition("#")
        if re.match(r"https?://", link):
            continue
        aim = ((ROOT / page).parent / path).resolve() if path else ROOT / page
        if not aim.exists() or (anchor and anchor not in _anchors(aim.relative_to(ROOT).as_posix())):
            wrong.append(link)

    assert wrong == []


def test_every_page_is_reached_from_the_readme() -> None:
    """Nothing is written that nobody finds."""
    linked = {link.partition("#")[0] for link in _LINK.findall(_prose("README.md"))}

    assert {page for page in PAGES if page != "README.md"} <= linked


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_an_example_and_the_exit_codes(command: str) -> None:
    """A99: what a command does, an example that is understood, and what its exit codes mean."""
    text = _parser(command).format_help()
    examples = [example for example in _examples(command) if example[0] == command]

    assert re.search(r"^examples?:$", text, re.MULTILINE)
    assert EXIT_CODES in text
    assert examples
    for example in examples:
        assert isinstance(_parser(command).parse_words(example[1:]), argparse.Namespace)


def test_the_front_page_shows_every_command_with_examples() -> None:
    """`assay --help` is the map: each command in one line, examples, exit codes."""
    text = global_help({name: about for name, (_, about) in COMMANDS.items()})

    assert all(f"  {name} " in text for name in COMMANDS)
    assert EXIT_CODES in text
    shown = re.findall(r"^  assay (.*?)(?: {3,}.*)?$", text, re.MULTILINE)
    assert shown
    for line in shown:
        command, *words = shlex.split(line)
        assert isinstance(_parser(command).parse_words(words), argparse.Namespace)


@pytest.mark.parametrize("page", PAGES)
def test_every_command_and_option_on_a_page_exists(page: str) -> None:
    """A page never promises a command, an action or an option that is not there."""
    text = _text(page)
    known = {option for command in COMMANDS for action in _parser(command)._actions for option in action.option_strings}
    options = set(_OPTION.findall(text)) - known - {"--version"} - _FOREIGN
    commands = set(re.findall(r"(?:^|`)assay ([a-z]+)", text, re.MULTILINE)) - set(COMMANDS)

    assert (options, commands) == (set(), set())


@pytest.mark.parametrize("page", [page for page in PAGES if page != "CHANGELOG.md"])
def test_every_assay_line_in_code_is_understood(page: str) -> None:
    """Also the commands inside sentences and tables parse: `assay runs show RUN`."""
    for line in re.findall(r"`(assay [^`\n]+)`", _prose(page)):  # `list|show` names several
        _, command, *words = shlex.split(line)
        if command in COMMANDS and words and "|" not in line:
            assert isinstance(_parser(command).parse_words(words), argparse.Namespace), line


def _criterion(line: str) -> str:
    """A rubric of one criterion that is graded by a line of the page."""
    return f"rubric: T\nversion: 1\ncriterion: A\n{line}\nverdict: a when score is at least 0.5\nverdict: b otherwise\n"


def test_every_check_and_measure_on_the_page_is_understood() -> None:
    """A person who copies a line from docs/rubrics.md gets no error."""
    lines = re.findall(
        r"(?:^|`)((?:check|measure|only when): [^`…\n]*?)(?:`|$)", _text("docs/rubrics.md"), re.MULTILINE
    )
    wrong = []
    for line in lines:
        rubric = _criterion(line if not line.startswith("only") else f"{line}\nmeasure: ndcg@5")
        wrong += [line for found in read(rubric, "t.rubric", lambda _: None).problems if "error" in str(found)]

    assert len(lines) >= 20
    assert wrong == []


def test_the_page_lists_every_measure() -> None:
    """The table of docs/rubrics.md and the table of the engine name the same measures."""
    table = _text("docs/rubrics.md").partition("## Measures")[2].partition("\n## ")[0]
    rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    listed = {name.partition("@")[0] for row in rows for name in re.findall(r"`([^`]+)`", row)}

    assert listed - set(SYNONYMS) == set(MEASURES)


def test_what_the_page_calls_not_yet_is_refused_by_name() -> None:
    """What docs/rubrics.md says this version cannot grade is refused, and the list is whole."""
    part = _text("docs/rubrics.md").partition("## Not yet")[2]
    listed = {word.removesuffix(":") for word in re.findall(r"`([^`]+)`", part)}

    assert {*words.LATER, *names.LATER} <= listed
    for keyword in words.LATER:
        problems = read(_criterion(f"measure: ndcg@5\n{keyword}: 2 llm"), "t.rubric", lambda _: None).problems
        assert "R901" in "".join(map(str, problems)), keyword


def test_the_page_lists_every_setting() -> None:
    """docs/experiments.md and docs/targets.md name every setting of a run and of a search."""
    settings = set(Settings.model_fields) - {"experiment"}
    search = set(Folder.model_fields) - {"kind"}

    assert settings <= set(re.findall(r"`(\w+)`", _text("docs/experiments.md")))
    assert search <= set(re.findall(r"`(\w+)`", _text("docs/targets.md")))
