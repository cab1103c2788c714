"""What a key looks like, and what an environment variable that holds one is called."""

import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import parse_qsl, urlsplit

__all__ = ["SHAPES", "named_secret", "secret_values"]

SHAPES = re.compile(
    r"\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}"  # OpenAI, Anthropic, Stripe
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
    r"|\bxox[abeoprs]-[\w-]{10,}"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}|\bhf_[A-Za-z0-9]{20,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"  # JSON web token
    r"|(?i:\bbearer\s+)[\w.~+/-]{12,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"  # password in an address
)
_SECRET_NAME = re.compile(r"(?i)key|token|secret|passw|credential|auth|cookie|dsn")
_NOT_SECRET_NAME = re.compile(r"(?i)^(?:ssh_auth_sock|xauthority|.*_?keyboard.*|.*author.*)$")


def secret_values(environment: Mapping[str, str]) -> Iterator[str]:
    """The values of the variables whose names say that they are secret, unless they are as short as words."""
    for name, value in environment.items():
        if len(value) >= 8 and _SECRET_NAME.search(name) and not _NOT_SECRET_NAME.match(name):
            yield value


_KEY_NAME = re.compile(
    r"(?i)(?:^|[-_.])(?:api[-_]?)?(?:key|token|secret|passw(?:or)?d|authorization|auth|cookie|credentials?)$"
)


def named_secret(path: Sequence[str | int], value: str) -> bool:
    """Whether a setting is called like a secret, and holds it itself: a header, a parameter, a part of an address."""
    if path and path[-1] == "url":
        return any(_KEY_NAME.search(name) and _itself(text) for name, text in parse_qsl(urlsplit(value).query))
    inside = any(part in ("headers", "parameters", "body", "extra") for part in path[:-1])
    return inside and _KEY_NAME.search(str(path[-1])) is not None and _itself(value)


def _itself(value: str) -> bool:
    return bool(value) and "env:" not in value and "{" not in value
