"""Arguments: argparse with our words, a did-you-mean, and the same global options everywhere."""

import argparse
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from engine.cli.help import EXIT_CODES
from engine.errors import Problem, UsageError
from engine.text import nearest, one_line

__all__ = ["Actions", "Commands", "Do", "Parser"]

Do = Callable[[argparse.Namespace], int]
Actions = Mapping[str, tuple[str, str]]
"""Of a command with actions: name → the module that declares it with `add`, and what it does."""


class Parser(argparse.ArgumentParser):
    """Reports a mistake as a problem with a next step instead of a page of usage."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(Problem(one_line(message, 300), "command line", f"see: {self.prog} --help"))

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is None or value in action.choices:
            return
        name = "/".join(action.option_strings) or action.metavar or action.dest
        known = list(map(str, action.choices))
        near = nearest(str(value), known)
        step = f"did you mean {near}?" if near else f"it can be: {', '.join(known)}"
        raise UsageError(Problem(f"{name} cannot be “{one_line(str(value), 40)}”", "command line", step))

    def parse_words(self, words: list[str]) -> argparse.Namespace:
        """Options and words in any order; an unknown option gets a suggestion."""
        args, extra = self.parse_known_intermixed_args(words)
        if extra:
            options = [option for action in self._actions for option in action.option_strings]
            near = nearest(extra[0].partition("=")[0], options)
            hint = f"did you mean {near}?" if near else f"see: {self.prog} --help"
            raise UsageError(Problem(f"{one_line(extra[0], 80)} is not understood here.", "command line", hint))
        return args


class Commands:
    """Collects the parser of one command; commands call `add_parser` as they would with argparse."""

    def __init__(self) -> None:
        self._parsers: dict[str, Parser] = {}
        self._actions: dict[str, Actions] = {}

    def add_parser(self, name: str, *, help: str, epilog: str = "") -> Parser:  # noqa: A002 - as in argparse
        """A parser for `assay NAME`. `epilog` holds at least one example."""
        parser = Parser(
            prog=f"assay {name}",
            description=f"{help[:1].upper()}{help[1:]}.",
            epilog=f"{epilog}\n\n{EXIT_CODES}" if epilog else EXIT_CODES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        parser.add_argument(
            "--workspace", type=Path, default=Path(), metavar="DIR", help="the folder to work in (default: this one)"
        )
        parser.add_argument(
            "--color", choices=("auto", "always", "never"), default="auto", help="colour in the output (default: auto)"
        )
        self._parsers[name] = parser
        return parser

    def add_actions(self, name: str, actions: Actions, *, help: str, epilog: str) -> None:  # noqa: A002 - as above
        """A command that is a family of actions, each with options of its own."""
        width = max(map(len, actions))
        listed = "\n".join(f"  {action:<{width}}  {about}" for action, (_, about) in actions.items())
        parser = self.add_parser(name, help=help, epilog=f"actions:\n{listed}\n\n{epilog}")
        parser.add_argument("action", metavar="ACTION", choices=tuple(actions), help="one of those below")
        self._actions[name] = actions

    def add_action(self, name: str, action: str, *, epilog: str) -> Parser:
        """A parser for `assay NAME ACTION`; what it does stands in the table of actions."""
        return self.add_parser(f"{name} {action}", help=self._actions[name][action][1], epilog=epilog)

    def run(self, name: str, words: list[str]) -> int:
        """Parse and do."""
        actions = self._actions.get(name, {})
        plain = _plain(words)
        place = next((place for place in plain if words[place] in actions), None)
        if place is not None:
            action = words.pop(place)
            import_module(actions[action][0]).add(self)
            name = f"{name} {action}"
        elif actions and plain:
            raise UsageError(_no_action(name, words[plain[0]], actions))
        elif actions and not {"-h", "--help"} & {*words}:
            listed = f"{', '.join(actions)}; see: assay {name} --help"
            raise UsageError(Problem(f"assay {name} needs to know what to do", "command line", listed))
        args = self._parsers[name].parse_words(words)
        if not args.workspace.is_dir():
            problem = f"there is no folder {one_line(str(args.workspace), 100)}"
            raise UsageError(Problem(problem, "command line", "--workspace names a folder that exists"))
        do: Do = args.do
        return do(args)


def _plain(words: list[str]) -> list[int]:
    """Where words stand that are no options. The value of a global option is none, even one called like an action."""
    values = {place + 1 for place, word in enumerate(words) if word in ("--workspace", "--color")}
    return [place for place, word in enumerate(words) if not word.startswith("-") and place not in values]


def _no_action(name: str, said: str, actions: Actions) -> Problem:
    near = nearest(said, actions)
    step = f"did you mean: assay {name} {near}" if near else f"see: assay {name} --help"
    return Problem(f"there is no action “{one_line(said, 40)}” of assay {name}", "command line", step)
