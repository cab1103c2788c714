"""What pages speak of exists: files, headings, commands, options and settings; and the examples parse."""

import argparse
import importlib
import re
import shlex
from collections.abc import Iterator, Mapping
from functools import cache

import pytest

from engine.cli.help import EXIT_CODES, global_help
from engine.cli.main import COMMANDS
from engine.cli.parser import Commands, Parser
from engine.cli.rubric import ACTIONS
from engine.plan.settings import Settings
from engine.targets.search_fts import Folder
from tests.workspaces import ROOT

PAGES = (
    "README.md",
    "CHANGELOG.md",
    "rubrics/README.md",
    *sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").glob("*.md")),
)
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
    """Keeps every parser that is declared, by its name: `run`, `rubric check`."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, Parser] = {}

    def add_parser(self, name: str, *, help: str, epilog: str = "") -> Parser:  # noqa: A002 - as in argparse
        parser = self.kept[name] = super().add_parser(name, help=help, epilog=epilog)
        return parser


@cache
def _parsers() -> Mapping[str, Parser]:
    commands = _Kept()
    for module, _ in (*COMMANDS.values(), *ACTIONS.values()):
        importlib.import_module(module).add(commands)
    return commands.kept


def _understood(words: list[str]) -> bool:
    """Whether a line after `assay` is a command with words that it takes."""
    action = " ".join(words[:2])
    name = action if action in _parsers() else words[0]
    rest = words[len(name.split()) :]
    return rest == ["--help"] or isinstance(_parsers()[name].parse_words(rest), argparse.Namespace)


def _examples(name: str) -> Iterator[list[str]]:
    """The words of each example after `assay`, without what stands to the right of it."""
    epilog = _parsers()[name].epilog or ""
    for line in re.findall(r"^  .*?\b(assay .*?)(?: {2,}.*| && .*| < .*|\)\")?$", epilog, re.MULTILINE):
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
    """Nothing is written that nobody finds: following links from the README leads to every page."""
    found: set[str] = set()
    ahead = ["README.md"]
    while ahead:
        page = ahead.pop()
        if page in PAGES and page not in found:
            found.add(page)
            links = (link.partition("#")[0] for link in _LINK.findall(_prose(page)))
            aims = ((ROOT / page).parent.joinpath(link).resolve() for link in links if link and "://" not in link)
            ahead += [aim.relative_to(ROOT).as_posix() for aim in aims if aim.is_relative_to(ROOT)]

    assert found == set(PAGES)


@pytest.mark.parametrize("name", [*COMMANDS, *(f"rubric {action}" for action in ACTIONS)])
def test_help_shows_an_example_and_the_exit_codes(name: str) -> None:
    """A99: what a command does, an example that is understood, and what its exit codes mean."""
    text = _parsers()[name].format_help()
    own = name.split()
    examples = [example for example in _examples(name) if example[: len(own)] == own]

    assert re.search(r"^examples?:$|^editors start this", text, re.MULTILINE)
    assert EXIT_CODES in text
    assert examples
    assert all(map(_understood, examples))


def test_the_front_page_shows_every_command_with_examples() -> None:
    """`assay --help` is the map: each command in one line, examples, exit codes."""
    text = global_help({name: about for name, (_, about) in COMMANDS.items()})

    assert all(f"  {name} " in text for name in COMMANDS)
    assert EXIT_CODES in text
    shown = re.findall(r"^  assay (.*?)(?: {3,}.*)?$", text, re.MULTILINE)
    assert shown
    for line in shown:
        assert _understood(shlex.split(line))


@pytest.mark.parametrize("page", PAGES)
def test_every_command_and_option_on_a_page_exists(page: str) -> None:
    """A page never promises a command, an action or an option that is not there."""
    text = _text(page)
    known = {option for parser in _parsers().values() for each in parser._actions for option in each.option_strings}
    options = set(_OPTION.findall(text)) - known - {"--version"} - _FOREIGN
    commands = set(re.findall(r"(?:^|`)assay ([a-z]+)", text, re.MULTILINE)) - set(COMMANDS)

    assert (options, commands) == (set(), set())


@pytest.mark.parametrize("page", [page for page in PAGES if page != "CHANGELOG.md"])
def test_every_assay_line_in_code_is_understood(page: str) -> None:
    """Also the commands inside sentences and tables parse: `assay runs show RUN`."""
    for line in re.findall(r"`(assay [^`\n]+)`", _prose(page)):  # `list|show` names several
        words = shlex.split(line)[1:]
        if len(words) > 1 and words[0] in COMMANDS and "|" not in line:
            assert " ".join(words) in _parsers() or _understood(words), line


def test_the_page_lists_every_setting() -> None:
    """docs/experiments.md and docs/targets.md name every setting of a run and of a search."""
    settings = set(Settings.model_fields) - {"experiment"}
    search = set(Folder.model_fields) - {"kind"}

    assert settings <= set(re.findall(r"`(\w+)`", _text("docs/experiments.md")))
    assert search <= set(re.findall(r"`(\w+)`", _text("docs/targets.md")))
