"""Recognising a pasted secret, so that it is refused before any file could hold it."""

import re
from collections.abc import Mapping

from engine.errors import Problem

__all__ = ["looks_secret", "secret_problem"]

_SHAPES = re.compile(
    r"\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}"  # OpenAI, Anthropic, Stripe
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
    r"|\bxox[abeoprs]-[\w-]{10,}"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}|\bhf_[A-Za-z0-9]{20,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"  # JSON web token
    r"|(?i:\bbearer\s+)[\w.~+/-]{12,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|://[^/\s:@]+:[^/\s@]+@"  # password in an address
)
_SECRET_NAME = re.compile(r"(?i)key|token|secret|passw|credential|auth|cookie|dsn")
_NOT_SECRET_NAME = re.compile(r"(?i)^(?:ssh_auth_sock|xauthority|.*_?keyboard.*|.*author.*)$")


def looks_secret(text: str, environment: Mapping[str, str]) -> bool:
    """Whether the text has the shape of a key, or holds the value of a secret in the environment.

    Environment values shorter than 8 characters are not compared: they would match ordinary words.
    """
    if _SHAPES.search(text):
        return True
    return any(
        len(value) >= 8 and value in text
        for name, value in environment.items()
        if _SECRET_NAME.search(name) and not _NOT_SECRET_NAME.match(name)
    )


def secret_problem(setting: str, place: str) -> Problem:
    """The refusal. It never repeats the value."""
    return Problem(
        f"{setting} looks like a key or password, and settings are written into the run folder.",
        place,
        "keep it in an environment variable; nothing was written",
    )
