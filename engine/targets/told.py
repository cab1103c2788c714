"""What foreign code hands back, as the members of an answer: strict about meaning, easy about Python types."""

import math
from collections.abc import Mapping
from numbers import Integral, Real

from engine.providers.json_tree import tree
from engine.targets.recorded import MalformedError, read_answer
from engine.text import nearest, one_line

__all__ = ["checked", "members"]

_PARTS = ("text", "hits", "results", "citations", "tool_calls", "numbers")
_EXPECTED = 'a text, a list of hits, or a dict like {"text": "…", "hits": [{"source": "a1"}]}'
_DEEPEST, _LARGEST = 50, 2**63


def members(value: object) -> dict[str, object]:
    """Text, a list of hits, or a whole answer as an object of JSON values.

    Raises:
        MalformedError: it is something else, or holds what JSON cannot.
    """
    found = _plain(value, "the answer", _DEEPEST)
    match found:
        case dict():
            return found
        case str():
            return {"text": found}
        case list():
            return {"hits": found}
    raise MalformedError(f"{_EXPECTED} is expected, not {type(value).__name__}")


def checked(told: Mapping[str, object]) -> dict[str, object]:
    """Those members that are an answer, once they were read as one.

    Raises:
        MalformedError: a part is of another type than it must be, or no part is there at all.
    """
    answer = {part: told[part] for part in _PARTS if told.get(part) is not None}
    if not answer:
        near = next((f"; did you mean {meant}?" for name in told if (meant := nearest(name, _PARTS))), "")
        raise MalformedError(f"{_EXPECTED} is expected, not {one_line(tree(told), 200)}{near}")
    read_answer(answer)
    return answer


def _plain(value: object, place: str, levels: int) -> object:
    """The same in the types that JSON has: tuples are lists, and a number of another library is a number."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Real):
        return _number(value, place)
    if not levels:
        raise MalformedError(f"{place} is nested too deep")
    if isinstance(value, Mapping):
        return {_key(key, place): _plain(item, f"{place}.{key}", levels - 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, f"{place}[{at}]", levels - 1) for at, item in enumerate(value)]
    raise MalformedError(
        f"{one_line(place, 100)} is of a type that cannot be kept: {one_line(type(value).__name__, 80)}"
    )


def _key(key: object, place: str) -> str:
    if not isinstance(key, str):
        raise MalformedError(f"{one_line(place, 100)} has a name that is no text, of type {type(key).__name__}")
    return str(key)


def _number(value: Real, place: str) -> int | float:
    if isinstance(value, Integral) and abs(int(value)) < _LARGEST:
        return int(value)
    try:
        number = float(value)
    except (OverflowError, ValueError):
        number = math.inf
    if not math.isfinite(number):
        raise MalformedError(f"{one_line(place, 100)} is no finite number")
    return number
