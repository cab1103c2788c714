"""JSON that is read strictly and can always be written: the one place that turns bytes into values and back."""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Never

from engine.errors import Problem, UsageError
from engine.store import json_places
from engine.text import encodable

__all__ = [
    "BOM",
    "DEEPEST",
    "LONGEST_LINE",
    "canonical",
    "decode",
    "dumps",
    "encode",
    "lines",
    "loads",
    "printable",
    "sha256",
]

LONGEST_LINE = 64 * 2**20  # bytes
DEEPEST = 200  # objects and lists inside each other
_BUFFER = 2**18  # a long line is put together from pieces of this size
BOM = b"\xef\xbb\xbf"


def loads(data: str | bytes, place: str) -> object:
    """The one JSON value in `data`.

    Args:
        data: the whole text, in UTF-8 when it is bytes. A byte order mark at its start is skipped.
        place: where it came from, for messages: a file, or `file:line` for a line of a longer file.

    Raises:
        UsageError: not JSON, or JSON that two readers would understand differently: a key given
            twice, NaN, a number too large, a lone surrogate, invalid UTF-8, more than 200 levels.
    """
    text = decode(data, place)
    if text.count("[") + text.count("{") > DEEPEST and _too_deep(text):
        raise UsageError(Problem(f"the JSON is nested more than {DEEPEST} levels deep", place))
    try:
        value: object = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise UsageError(_syntax(error, text, place)) from None
    except _RefusedError as error:
        found = json_places.first(text, error.token) if error.token else json_places.duplicate(text)
        raise UsageError(Problem(error.message, _at(place, *found) if found else place, error.advice)) from None
    except ValueError:  # int() refuses to read more than 4,300 digits
        raise UsageError(Problem("a number has more digits than can be read", place)) from None
    except RecursionError:  # the caller was deep in calls already
        raise UsageError(Problem("the JSON is nested too deep", place)) from None
    if "\\u" in text and _has_surrogate(value):
        raise UsageError(Problem("a lone surrogate (half of a character, \\ud800 to \\udfff) is not text", place))
    return value


def decode(data: str | bytes, place: str) -> str:
    """The text without a byte order mark; text that is not valid Unicode is refused with its place."""
    if isinstance(data, bytes):
        try:
            return data.decode().removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            at = _at(place, data.count(b"\n", 0, error.start) + 1, error.start - data.rfind(b"\n", 0, error.start))
            message = f"byte 0x{data[error.start]:02x} is not UTF-8"
            raise UsageError(Problem(message, at, "save the file as UTF-8")) from None
    if not data.isascii() and encodable(data) != data:
        raise UsageError(Problem("a lone surrogate (half of a character) is not text", place))
    return data.removeprefix("\ufeff")


def dumps(value: object) -> str:
    """Compact JSON in one line, keys in the order they have; lone surrogates are replaced.

    Raises:
        ValueError: the value holds NaN or an infinity: not known is None.
    """
    text = _ENCODER.encode(value)
    return text if text.isascii() else encodable(text)


def encode(value: object) -> bytes:
    """`dumps` as UTF-8, at half the price: for the thousands of lines that a run writes.

    Raises:
        ValueError: the value holds NaN or an infinity: not known is None.
    """
    from pydantic_core import PydanticSerializationError, to_json  # a run has it loaded; a listing does without

    try:
        data = to_json(value, inf_nan_mode="constants")
    except PydanticSerializationError:  # a lone surrogate
        return dumps(value).encode()
    # The words may stand in a text, or be the number that must not be written: the slow way knows.
    return dumps(value).encode() if b"NaN" in data or b"Infinity" in data else data


def printable(value: object) -> str:
    """`dumps`, with every character that a terminal would obey or hide written as `\\uXXXX`."""
    return _NOT_ASCII.sub(_escaped, dumps(value))


def canonical(value: object) -> bytes:
    """The same bytes for equal values: sorted keys, compact, UTF-8."""
    return encodable(_CANONICAL.encode(value)).encode()


def sha256(value: object) -> str:
    """The hash of the canonical form, 64 hexadecimal digits."""
    return hashlib.sha256(canonical(value)).hexdigest()


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Each line with its number from 1, without its line end (`\\n` or `\\r\\n`, nothing else ends a line).

    Memory depends on the longest line, not on the file. Blank lines are handed out too, and so is a
    last line without a line end.

    Raises:
        UsageError: a line is longer than 64 MiB, or a byte order mark stands inside the file.
        OSError: the file cannot be read.
    """
    with path.open("rb", buffering=_BUFFER) as file:
        number = 0
        while line := file.readline(LONGEST_LINE + 2):
            number += 1
            over = len(line) - LONGEST_LINE  # only the line end may stand there; no copy of 64 MiB to find out
            if over > 0 and not line.endswith(b"\r\n"[-over:]):
                raise UsageError(Problem("the line is longer than 64 MiB", f"{path}:{number}"))
            if line.startswith(BOM):
                if number > 1:
                    message = "a byte order mark inside the file: two files were joined"
                    raise UsageError(Problem(message, f"{path}:{number}", "remove the character"))
                line = line[len(BOM) :]
            if line.endswith(b"\n"):
                line = line[:-2] if line.endswith(b"\r\n") else line[:-1]
            yield number, line


class _RefusedError(Exception):
    """Raised inside the decoder; `token` is the text of the refused number, empty for a double key."""

    def __init__(self, message: str, token: str = "", advice: str = "") -> None:
        self.message, self.token, self.advice = message, token, advice
        super().__init__(message)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _RefusedError(f"the key {json.dumps(key, ensure_ascii=False)} is given twice", advice="keep one of them")
    return value


def _constant(token: str) -> Never:
    raise _RefusedError(f"{token} is not a JSON number", token, "write null for a value that is not known")


def _float(token: str) -> float:
    number = float(token)
    if number in _INFINITE:
        shown = token if len(token) <= 20 else token[:20] + "…"
        raise _RefusedError(f"the number {shown} is too large", token)
    return number


_INFINITE = (float("inf"), float("-inf"))
_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=_float)
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_CANONICAL = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True)

_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def _too_deep(text: str) -> bool:
    """Peel off innermost pairs, level by level, in fast passes over the brackets outside strings."""
    outside = "".join(text.replace("\\\\", "").replace('\\"', "").split('"')[::2])
    brackets = outside.encode("ascii", "ignore").translate(None, _NOT_BRACKETS)
    brackets = brackets.replace(b"{", b"[").replace(b"}", b"]")
    for _ in range(DEEPEST):
        peeled = brackets.replace(b"[]", b"")
        if len(peeled) == len(brackets):
            break
        brackets = peeled
    # What is left is too deep. Brackets that never close are, too, when there are many of them.
    return brackets.count(b"[") > DEEPEST or b"[]" in brackets


def _has_surrogate(value: object) -> bool:
    try:
        _ENCODER.encode(value).encode()
    except UnicodeEncodeError:
        return True
    return False


_NOT_ASCII = re.compile(r"[^\x20-\x7e]")


def _escaped(match: re.Match[str]) -> str:
    char = match.group()
    return char if char.isprintable() else json.dumps(char)[1:-1]


def _syntax(error: json.JSONDecodeError, text: str, place: str) -> Problem:
    at = _at(place, error.lineno, error.colno)
    if not text.strip(" \t\r\n"):
        return Problem("there is nothing here, not even an empty JSON value", at)
    if error.pos >= len(text.rstrip()):
        return Problem("the JSON ends in the middle", at)
    if text[error.pos] == "\0":
        return Problem("a NUL character is not JSON", at)
    return Problem(f"this is not JSON: {error.msg[0].lower()}{error.msg[1:]}", at)


def _at(place: str, line: int, column: int) -> str:
    """`file:line:column`; a place that names its line already only gets the column."""
    return f"{place}:{column}" if re.search(r":\d+$", place) else f"{place}:{line}:{column}"
