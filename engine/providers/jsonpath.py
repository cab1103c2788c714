"""Paths into JSON, `$.results[*].id`, followed: compiled once to plain functions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from engine.providers.path_text import EVERY, Every, Step, steps_of, written

__all__ = ["MISSING", "Gap", "JsonPath"]

MISSING: Final = object()
"""Stands for a value that is not there; null is one that is."""

_Walk = Callable[[object], object]


class Gap(NamedTuple):
    """Where a path leads nowhere: how far it was found, what is there, the step that it lacks, and those after it."""

    found: str
    value: object
    step: Step
    rest: str


@dataclass(frozen=True, slots=True)
class JsonPath:
    """A path that was read. `one` follows it to its first value, `all` to every value, in order."""

    text: str
    steps: tuple[Step, ...]
    one: Callable[[object], object]
    all: Callable[[object], list[object]]

    @classmethod
    def read(cls, text: str) -> "JsonPath":
        """From what a person wrote. Raises PathError."""
        return cls._of(steps_of(text), text)

    @classmethod
    def _of(cls, steps: tuple[Step, ...], text: str) -> "JsonPath":
        pieces = _pieces(steps)
        if len(pieces) == 1 and not isinstance(walk := pieces[0], Every):
            return cls(text, steps, walk, lambda value: _as_list(walk(value)))
        every_value = _every_value(pieces)

        def first(value: object) -> object:
            found = every_value(value)
            return found[0] if found else MISSING

        return cls(text, steps, first, every_value)

    def parted(self) -> "tuple[JsonPath, JsonPath]":
        """What leads to each of several, up to the last `[*]`, and what is found in each of them; without any, `$`."""
        last = max((at + 1 for at, step in enumerate(self.steps) if step is EVERY), default=len(self.steps))
        first, then = self.steps[:last], self.steps[last:]
        return JsonPath._of(first, written(first)), JsonPath._of(then, written(then))

    def gap(self, value: object) -> Gap | None:
        """Why it finds nothing in a value; None when it finds something, or ends in a list that is empty."""
        nodes = [value]
        for at, step in enumerate(self.steps):
            if isinstance(step, Every):
                holders = [node for node in nodes if isinstance(node, list | dict)]
                following = [inner for node in holders for inner in _members(node)]
                if holders and not following:
                    return None
            else:
                walk = _walk((step,))
                following = [inner for node in nodes if (inner := walk(node)) is not MISSING]
            if not following:
                return Gap(written(self.steps[:at]), nodes[0], step, written(self.steps[at + 1 :])[1:])
            nodes = following
        return None


def _pieces(steps: tuple[Step, ...]) -> list[_Walk | Every]:
    """Runs of plain steps, as one function each, between the `[*]`."""
    found: list[_Walk | Every] = []
    run: list[str | int] = []
    for step in steps:
        if isinstance(step, Every):
            found += [_walk(tuple(run)), EVERY] if run else [EVERY]
            run = []
        else:
            run.append(step)
    return [*found, _walk(tuple(run))] if run or not found else found


def _walk(steps: tuple[str | int | Every, ...]) -> _Walk:
    if len(steps) == 1 and isinstance(steps[0], str):
        name = steps[0]
        return lambda value: value.get(name, MISSING) if type(value) is dict else MISSING

    def walk(value: object) -> object:
        for step in steps:
            if type(step) is str:
                value = value.get(step, MISSING) if type(value) is dict else MISSING
            elif type(value) is list and type(step) is int and -len(value) <= step < len(value):
                value = value[step]
            else:
                return MISSING
        return value

    return walk


def _every_value(pieces: list[_Walk | Every]) -> Callable[[object], list[object]]:
    def all_of(value: object) -> list[object]:
        values = [value]
        for piece in pieces:
            if isinstance(piece, Every):
                values = _members(values[0]) if len(values) == 1 else [i for held in values for i in _members(held)]
            else:
                values = [found for held in values if (found := piece(held)) is not MISSING]
        return values

    return all_of


def _members(value: object) -> list[object]:
    if type(value) is list:
        return value
    return list(value.values()) if type(value) is dict else []


def _as_list(value: object) -> list[object]:
    return [] if value is MISSING else [value]
