"""Recognising a pasted secret, so that it is refused before any file could hold it."""

from collections.abc import Mapping

from engine.errors import Problem
from engine.providers.secret_shapes import SHAPES, secret_values

__all__ = ["looks_secret", "secret_problem"]


def looks_secret(text: str, environment: Mapping[str, str]) -> bool:
    """Whether the text has the shape of a key, or holds the value of a secret in the environment.

    Environment values shorter than 8 characters are not compared: they would match ordinary words.
    """
    return SHAPES.search(text) is not None or any(value in text for value in secret_values(environment))


def secret_problem(setting: str, place: str) -> Problem:
    """The refusal. It never repeats the value."""
    return Problem(
        f"{setting} looks like a key or password, and settings are written into the run folder.",
        place,
        "keep it in an environment variable; nothing was written",
    )
