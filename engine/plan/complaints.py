"""Pydantic's errors in words for the person who wrote the file."""

from collections.abc import Callable
from typing import get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from engine.errors import Problem
from engine.plan.settings import Settings
from engine.text import nearest, one_line

__all__ = ["Path", "complaints"]

Path = tuple[str | int, ...]


def complaints(error: ValidationError, place: Callable[[Path], str], settings: type[Settings]) -> tuple[Problem, ...]:
    """One problem per mistake.

    Args:
        place: turns a path of keys into file:line:column.
        settings: what was to be made, with the classes of its target and its judge.
    """
    seen: dict[Path, Problem] = {}
    for item in error.errors(include_url=False, include_context=True):
        path = tuple(part for part in item["loc"] if part not in _NOT_A_KEY)
        if item["type"] == "extra_forbidden":
            problem = _unknown(path, place(path), settings)
        else:
            problem = _value(item, ".".join(map(str, path)), place(path))
        seen.setdefault(path, problem)
    return tuple(seen.values())


_NOT_A_KEY = ("str", "tuple[str, ...]")  # how pydantic names the members of a union
_EXPECTED = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "text",
    "tuple_type": "a list",
    "dict_type": "a group of settings",
    "finite_number": "an ordinary number",
}
_BOUNDS = {
    "greater_than_equal": ("at least", "ge"),
    "less_than_equal": ("at most", "le"),
    "greater_than": ("above", "gt"),
}


def _value(item: ErrorDetails, name: str, place: str) -> Problem:
    kind, given = item["type"], item.get("input")
    if kind == "missing":
        return Problem(f"'{name}' is missing.", place, "give it a value; see conf/base.yaml")
    if kind == "string_type" and isinstance(given, bool | int | float):
        return _not_text(name, given, place)
    if kind in _EXPECTED:
        is_one = kind == "tuple_type" and isinstance(given, str)
        help_ = f"write a list: {name}=[{one_line(str(given), 60)}]" if is_one else ""
        return Problem(f"'{name}' must be {_EXPECTED[kind]}, not {_said(given)}.", place, help_)
    if kind in _BOUNDS:
        words, key = _BOUNDS[kind]
        return Problem(f"'{name}' must be {words} {item['ctx'][key]:g}, not {_said(given)}.", place)
    if kind in ("model_attributes_type", "model_type"):
        help_ = f"choose it under `defaults:` with - override /{name}: {one_line(str(given), 40)}"
        return Problem(f"'{name}' cannot be {_said(given)}.", place, help_)
    if kind in ("literal_error", "enum"):
        return Problem(f"'{name}' cannot be {_said(given)}.", place, f"it can be: {item['ctx']['expected']}")
    message = str(item["msg"]).removeprefix("Value error, ").removeprefix("Input ").rstrip(".")
    if isinstance(given, dict):
        return Problem(f"'{name}': {message}." if name else f"{message}.", place)
    return Problem(f"'{name}': {_said(given)}: {message}.", place)


def _not_text(name: str, given: float, place: str) -> Problem:
    help_ = "write it in quotes to make it text"
    typed = place.partition(": ")[2]
    if typed.startswith(f"{name}="):
        help_ += f": {name}='\"{one_line(typed.partition('=')[2], 60)}\"'"
    return Problem(f"'{name}' is text, and YAML reads this as {_said(given)}.", place, help_)


def _unknown(path: Path, place: str, settings: type[Settings]) -> Problem:
    name = ".".join(map(str, path))
    choices = _choices(path[:-1], settings)
    near = nearest(str(path[-1]), choices) if choices else None
    prefix = "".join(f"{part}." for part in path[:-1])
    if near:
        return Problem(f"'{name}' is not a setting. Did you mean '{prefix}{near}'?", place)
    listed = f"{prefix or 'settings: '}{', '.join(sorted(choices))}" if choices else ""
    return Problem(f"'{name}' is not a setting.", place, f"there is: {listed}" if listed else "")


def _choices(path: Path, settings: type[Settings]) -> tuple[str, ...]:
    """The names that are settings below a path. A key of a mapping (`ranking`) is not a setting itself."""
    models: tuple[type[BaseModel], ...] = (settings,)
    mapping = False
    for part in path:
        if mapping:
            mapping = False
            continue
        fields = [field for model in models if (field := model.model_fields.get(str(part))) is not None]
        models = tuple(found for field in fields for found in _models(field.annotation))
        mapping = any(get_origin(field.annotation) is dict for field in fields)
    return tuple(dict.fromkeys(name for model in models for name in _names(model)))


def _models(annotation: object) -> tuple[type[BaseModel], ...]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return (annotation,)
    return tuple(model for part in get_args(annotation) for model in _models(part))


def _names(model: type[BaseModel]) -> tuple[str, ...]:
    return tuple(model.model_fields)


def _said(value: object) -> str:
    """A value as it is written in YAML."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return one_line(repr(value), 60)
