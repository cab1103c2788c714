"""Pydantic's errors in words for the person who wrote the file."""

from collections.abc import Callable, Sequence
from typing import get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from engine.errors import Problem
from engine.plan.settings import Settings
from engine.text import nearest, one_line

__all__ = ["Path", "complaints"]

Path = tuple[str | int, ...]


def complaints(error: ValidationError, place: Callable[[Path], str], kinds: Sequence[str]) -> tuple[Problem, ...]:
    """One problem per mistake. `place` turns a path of keys into file:line:column."""
    seen: dict[Path, Problem] = {}
    for item in error.errors(include_url=False, include_context=True):
        path = tuple(part for part in item["loc"] if part not in kinds or part in _names(Settings))
        seen.setdefault(path, _problem(item, path, place(path)))
    return tuple(seen.values())


def _problem(item: ErrorDetails, path: Path, place: str) -> Problem:
    name, kind, given = ".".join(map(str, path)), item["type"], item.get("input")
    shown = one_line(repr(given), 60)
    if kind == "extra_forbidden":
        return _unknown(path, place)
    if kind == "missing":
        return Problem(f"'{name}' is missing.", place, "give it a value; see conf/base.yaml")
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        choices = item.get("ctx", {}).get("expected_tags", "")
        return Problem(f"'{name}.kind' is not one that this version knows.", place, f"kinds are: {choices}")
    if kind == "string_type" and isinstance(given, bool | int | float):
        help_ = "write it in quotes to make it text"
        if place.startswith("command line"):
            help_ += f": {name}='\"{one_line(place.partition('=')[2], 60)}\"'"
        return Problem(f"'{name}' is text, and YAML reads this as {shown}.", place, help_)
    expected = {
        "int_type": "a whole number",
        "int_from_float": "a whole number",
        "float_type": "a number",
        "bool_type": "true or false",
        "string_type": "text",
        "tuple_type": "a list",
        "dict_type": "a group of settings",
        "model_type": "a group of settings",
        "finite_number": "an ordinary number",
    }.get(kind)
    if expected:
        return Problem(f"'{name}' must be {expected}, not {shown}.", place)
    if kind in ("literal_error", "enum"):
        return Problem(f"'{name}' cannot be {shown}.", place, f"it can be: {item['ctx']['expected']}")
    message = str(item["msg"]).removeprefix("Value error, ").removeprefix("Input ").rstrip(".")
    if isinstance(given, dict):
        return Problem(f"'{name}': {message}." if name else f"{message}.", place)
    return Problem(f"'{name}': {shown}: {message}.", place)


def _unknown(path: Path, place: str) -> Problem:
    name = ".".join(map(str, path))
    choices = _choices(path[:-1])
    near = nearest(str(path[-1]), choices) if choices else None
    prefix = "".join(f"{part}." for part in path[:-1])
    if near:
        return Problem(f"'{name}' is not a setting. Did you mean '{prefix}{near}'?", place)
    listed = f"{prefix or 'settings: '}{', '.join(sorted(choices))}" if choices else ""
    return Problem(f"'{name}' is not a setting.", place, f"there is: {listed}" if listed else "")


def _choices(path: Path) -> tuple[str, ...]:
    """The names that are settings below a path. A key of a mapping (`ranking`) is not a setting itself."""
    models: tuple[type[BaseModel], ...] = (Settings,)
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
