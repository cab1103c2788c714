"""What a YAML scalar without quotes means: JSON's words and numbers, and text for everything else.

So `NO`, `on`, `012`, `12:30:45` and dates are text here, while YAML 1.1 readers see booleans, numbers and days.
"""

import math
import re
from collections.abc import Mapping

__all__ = ["ambiguous", "scalar"]


def scalar(written: str) -> object:
    """The value.

    Raises:
        ValueError: a number too long or too large to be kept exactly.
    """
    if written in _CONSTANTS:
        return _CONSTANTS[written]
    match = _NUMBER.fullmatch(written)
    if match is None:
        return written
    if len(written) > 400:
        raise ValueError("the number has more digits than can be read")
    if match.lastindex is None:
        return int(written)
    number = float(written)
    if math.isinf(number):
        raise ValueError(f"the number {written} is too large")
    return number


def ambiguous(written: str) -> str | None:
    """What other (YAML 1.1) readers make of this unquoted text, or None when they agree with us."""
    if word := _WORDS.get(written.lower()):
        return word if written in {written.lower(), written.upper(), written.capitalize()} else None
    if len(written) <= 64 and _OTHER_NUMBER.fullmatch(written) and not _NUMBER.fullmatch(written):
        return "a number"
    return None


_CONSTANTS: Mapping[str, object] = {"": None, "~": None, "null": None, "true": True, "false": False}
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")

_WORDS = {
    "yes": "True",
    "on": "True",
    "true": "True",
    "no": "False",
    "off": "False",
    "false": "False",
    "null": "nothing",
}
_OTHER_NUMBER = re.compile(
    r"[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0o[0-7]+|[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"
    r"|[0-9][0-9_]*\.?[0-9_]*(?:[eE][-+]?[0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|\.(?:inf|Inf|INF))|\.(?:nan|NaN|NAN)"
)
