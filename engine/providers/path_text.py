"""Paths into JSON as a person writes them, `$.results[*].id`: names, places and `[*]`, or what is wrong and where."""

import json
import re
from typing import Final, Never

__all__ = ["EVERY", "Every", "PathError", "Step", "steps_of", "written"]


class Every:
    """`[*]`: all members of a list or an object."""

    def __repr__(self) -> str:
        return "[*]"


EVERY: Final = Every()
Step = str | int | Every

_NAME = re.compile(r"[^\s.\[\]()'\"*?@,:=<>{}]+")
_PLACE = re.compile(r"-?(?:0|[1-9][0-9]{0,8})(?=\])")
_QUOTED = re.compile(r"""'((?:[^'\\]|\\['"\\])*)'(?=\])|"((?:[^"\\]|\\['"\\])*)"(?=\])""")


class PathError(ValueError):
    """A path that cannot be read: what is wrong, where, and how it may be written. `at` counts from 0."""

    def __init__(self, text: str, at: int, what: str, instead: str) -> None:
        self.at = at
        super().__init__(f"{what}, at character {at + 1}:\n    {_shown(text)}\n    {' ' * at}^\n    {_shown(instead)}")


def _shown(text: str) -> str:
    """Nothing in it hides or moves what stands beside it."""
    return "".join(char if char.isprintable() else "?" for char in text)


def steps_of(text: str) -> tuple[Step, ...]:
    """The steps of a path. Raises PathError."""
    if not text.startswith("$"):
        bare = text.lstrip(".").strip()
        _wrong(text, 0, "a path begins with $", f"write $.{bare} instead" if bare else _LOOKS)
    found: list[Step] = []
    at = 1
    while at < len(text):
        step, at = _step(text, at)
        found.append(step)
    return tuple(found)


_LOOKS = "$.results[*].id is what a path looks like"


def _step(text: str, at: int) -> tuple[Step, int]:
    if text[at] == "[":
        return _bracket(text, at)
    if text[at] != ".":
        what = "there is a blank" if text[at].isspace() else f"a . or a [ belongs before {text[at : at + 20]!r}"
        _wrong(text, at, what, f"write {_as_one_name(text, at)} instead")
    if text.startswith("..", at):
        _wrong(text, at, ".. (at any depth) is not understood", "name each level, as in $.data.results[*].id, instead")
    if text.startswith(".*", at):
        _wrong(text, at, ".* is written differently here", f"write {text[:at]}[*]{text[at + 2 :]} instead")
    if text.startswith(".[", at):
        _wrong(text, at, "no . belongs before a [", f"write {text[:at]}{text[at + 1 :]} instead")
    name = _NAME.match(text, at + 1)
    if name is None:
        after = text[at + 1 :].strip()
        _wrong(
            text,
            at,
            "a name is missing after the .",
            f"write {_as_one_name(text, at + 1)} instead" if after else _LOOKS,
        )
    return name[0], name.end()


def _as_one_name(text: str, at: int) -> str:
    """The path with what stands around a character that no plain name has as one name; or else as two."""
    start = text.rfind(".", 0, at)
    end = min((found for mark in ".[" if (found := text.find(mark, at)) >= 0), default=len(text))
    name = text[start + 1 : end].strip().strip("'\"")
    if start < 0 or not name or any(mark in name for mark in "[]'\"\\"):
        rest = text[at:].strip()
        return f"{text[:at]}{'' if rest.startswith(('.', '[')) else '.'}{rest}"
    return f"{text[:start]}{written((name,))[1:]}{text[end:]}"


def _bracket(text: str, at: int) -> tuple[Step, int]:
    if text.startswith("[*]", at):
        return EVERY, at + 3
    place = _PLACE.match(text, at + 1)
    if place is not None:
        return int(place[0]), place.end() + 1
    quoted = _QUOTED.match(text, at + 1)
    if quoted is not None:
        name = quoted[1] if quoted[1] is not None else quoted[2]
        return re.sub(r"\\(.)", r"\1", name), quoted.end() + 1
    close = text.find("]", at)
    if close < 0:
        _wrong(text, at, "this [ is not closed", f"write {text[:at]}[*] for every member, or [0] for the first")
    inside = text[at + 1 : close]
    if inside.lstrip().startswith("?"):
        _wrong(text, at + 1, "conditions are not understood", "take every member with [*]")
    if ":" in inside or "," in inside:
        _wrong(text, at + 1, "ranges and lists are not understood", "take every member with [*], or one by its number")
    name = inside.strip().strip("'\"")
    number = name.removeprefix("-").isdecimal() and len(name) < 10
    meant = str(int(name)) if number else name if name == "*" else json.dumps(name, ensure_ascii=False)
    instead = f"write {text[:at]}[{meant}]{text[close + 1 :]} instead" if name else _LOOKS
    return _wrong(text, at + 1, "a number, * or a name in quotes belongs in [ ]", instead)


def _wrong(text: str, at: int, what: str, instead: str) -> Never:
    raise PathError(text, at, what, instead)


def written(steps: tuple[Step, ...]) -> str:
    """Steps as a path."""
    return "$" + "".join(_written(step) for step in steps)


def _written(step: Step) -> str:
    if isinstance(step, str):
        return f".{step}" if _NAME.fullmatch(step) else f"[{json.dumps(step, ensure_ascii=False)}]"
    return f"[{step}]" if isinstance(step, int) else "[*]"
