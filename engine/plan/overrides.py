"""What a person types after `assay run`: `target.limit=5`, `experiment=no_stemming`, `queries=core,other`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.errors import Problem, UsageError
from engine.plan.secrets import looks_secret, secret_problem
from engine.text import nearest, one_line

__all__ = ["COMMAND_LINE", "Override", "quoted", "read_overrides"]

COMMAND_LINE = "command line"
_KEY = re.compile(r"[A-Za-z_][\w-]*([./][A-Za-z_][\w-]*)*")


@dataclass(frozen=True, slots=True)
class Override:
    """One `key=value` as typed. `group` is set when the key names a folder of choices in conf/."""

    key: str
    value: str
    group: bool

    @property
    def typed(self) -> str:
        """The text as a person writes it."""
        return f"{self.key}={self.value}"

    def hydra(self, value: str) -> str:
        """The same in Hydra's words. Settings are forced in, so that *our* check names a typo."""
        return f"{self.key}={value}" if self.group else f"++{self.key}={value}"


def read_overrides(
    typed: Sequence[str], groups: Mapping[str, Sequence[str]], environment: Mapping[str, str]
) -> tuple[Override, ...]:
    """Overrides in the order typed, or UsageError with every mistake that can be seen in the text."""
    problems: list[Problem] = []
    found: dict[str, Override] = {}
    for text in typed:
        override = _read(text, groups, environment)
        if isinstance(override, Problem):
            problems.append(override)
        elif override.key in found:
            again = f"{override.key} is given twice: {found[override.key].typed} and {override.typed}"
            problems.append(Problem(one_line(again), COMMAND_LINE, "give it once; several values are joined by commas"))
        else:
            found[override.key] = override
    if problems:
        raise UsageError(*problems)
    return tuple(found.values())


def quoted(value: str) -> str:
    """The value as a Hydra string: for addresses, brackets and letters that its grammar refuses."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _read(text: str, groups: Mapping[str, Sequence[str]], environment: Mapping[str, str]) -> Override | Problem:
    key, equals, value = text.partition("=")
    bare = key.lstrip("+")
    if looks_secret(text, environment):
        return secret_problem(
            "an override" if looks_secret(key, environment) else f"{one_line(bare, 60)}=…", COMMAND_LINE
        )
    if not equals:
        return Problem(
            f"“{one_line(text, 80)}” does not say what to set.",
            COMMAND_LINE,
            f"write it as name=value: {_example(text)}",
        )
    if key.startswith("~"):
        return Problem(f"{one_line(text, 80)}: a setting cannot be removed.", COMMAND_LINE, "give it another value")
    if bare.split(".")[0].split("/")[0].split("@")[0] == "hydra":
        return Problem(f"{one_line(bare, 60)} belongs to Hydra and is not for changing.", COMMAND_LINE, "leave it out")
    if not _KEY.fullmatch(bare):
        return Problem(
            f"“{one_line(bare, 60)}” is not the name of a setting.", COMMAND_LINE, "see: assay run --cfg job"
        )
    if bare in groups:
        return _choice(bare, value, groups[bare])
    group, dot, last = bare.rpartition(".")
    if dot and last == "kind" and group in groups:
        problem = f"{one_line(text, 60)}: the kind is chosen with its settings, as a file in conf/{group}/."
        return Problem(problem, COMMAND_LINE, f"write {group}=NAME; there is: {', '.join(groups[group])}")
    if "/" in bare:
        near = nearest(bare, groups)
        hint = f"did you mean {near}=…?" if near else f"groups are: {', '.join(sorted(groups))}"
        return Problem(f"there is no folder conf/{one_line(bare, 60)}.", COMMAND_LINE, hint)
    return Override(bare, value, group=False)


def _choice(group: str, value: str, choices: Sequence[str]) -> Override | Problem:
    """A group takes the name of a file. Patterns (`glob(*)`) are left to Hydra."""
    if "(" not in value:
        for name in value.split(","):
            if name.strip() not in choices:
                near = nearest(name, choices)
                listed = f"Choices: {', '.join(choices)}."
                return Problem(
                    f"{group}={one_line(value, 60)}: there is no conf/{group}/{one_line(name, 60)}.yaml. {listed}",
                    COMMAND_LINE,
                    f"did you mean {group}={near}?" if near else "",
                )
    return Override(group, value, group=True)


def _example(text: str) -> str:
    word = re.sub(r"[^\w.]", "", text)[:30]
    return f"queries={word}" if word else "queries=core"
