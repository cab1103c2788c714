"""What pages point at exists: files, headings, commands and options; and what `--help` shows as examples parses."""

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
from tests.workspaces import ROOT

PAGES = ("README.md", "CHANGELOG.md", *sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").glob("*.md")))
_FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
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
    headings = re.findall(r"^#+ +(.+)$", _prose(page), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


class _Kept(Commands):
    """Keeps the parser of the command that was declared."""

    def add_parser(self, name: str, *, help: str, epilog: str = "") -> Parser:
        self.parser = super().add_parser(name, help=help, epilog=epilog)
        return self.parser


@cache
def _parser(command: str) -> Parser:
    commands = _Kept()
    importlib.import_module(COMMANDS[command][0]).add(commands)
    return commands.parser


def _examples(command: str) -> Iterator[list[str]]:
    for line in _parser(command).format_help().splitlines():
        if line.strip().startswith("assay "):
            for part in re.split(r" {3,}|&&", line.strip())[:1]:
                yield shlex.split(part, comments=True)[1:]


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
    examples = [words for words in _examples(command) if words[0] == command]

    assert re.search(r"^examples?:$", text, re.M)
    assert EXIT_CODES in text
    assert examples
    for words in examples:
        assert isinstance(_parser(command).parse_words(words[1:]), argparse.Namespace)


def test_the_front_page_shows_every_command_with_examples() -> None:
    """`assay --help` is the map: each command in one line, examples, exit codes."""
    text = global_help({name: about for name, (_, about) in COMMANDS.items()})

    assert all(f"  {name} " in text for name in COMMANDS)
    assert EXIT_CODES in text
    for line in re.findall(r"^  assay (.*?)(?: {3,}.*)?$", text, re.M):
        command, *words = shlex.split(line)
        assert isinstance(_parser(command).parse_words(words), argparse.Namespace)


@pytest.mark.parametrize("page", PAGES)
def test_every_command_and_option_on_a_page_exists(page: str) -> None:
    """A page never promises a command, an action or an option that is not there."""
    text = _text(page)
    known = {option for command in COMMANDS for action in _parser(command)._actions for option in action.option_strings}
    options = set(_OPTION.findall(text)) - known - {"--version"} - _FOREIGN
    commands = set(re.findall(r"(?:^|`)assay ([a-z]+)", text, re.M)) - set(COMMANDS)

    assert (options, commands) == (set(), set())


@pytest.mark.parametrize("page", PAGES)
def test_every_assay_line_in_code_is_understood(page: str) -> None:
    """Also the commands inside sentences and tables parse: `assay runs show RUN`."""
    for line in re.findall(r"`(assay [^`\n]+)`", _prose(page)):
        _, command, *words = shlex.split(line)
        if command in COMMANDS and words:
            assert isinstance(_parser(command).parse_words(words), argparse.Namespace), line
