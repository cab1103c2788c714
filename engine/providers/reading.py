"""How a reply of a model API is read: strict JSON, or a BadReply that says what was wrong."""

import json
from collections.abc import Callable, Mapping
from typing import Never, TypeGuard

from engine.model.exchange import ToolCall
from engine.model.record import Failure
from engine.model.usage import Usage
from engine.providers.dialect import BadReply, ModelReply
from engine.text import encodable, one_line

__all__ = [
    "failed",
    "is_object",
    "parsed",
    "read_whole",
    "text_of",
    "tool_call",
]

_NO_USAGE = Usage(problem="no usage in the answer")


def _no_number(text: str) -> Never:
    raise ValueError(text)


def _finite(text: str) -> float:
    number = float(text)
    return number if abs(number) != float("inf") else _no_number(text)


_DECODER = json.JSONDecoder(parse_constant=_no_number, parse_float=_finite)


def parsed(data: bytes) -> object:
    """The value of some JSON. Raises ValueError, also for numbers that JSON lacks."""
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode()
        value: object = _DECODER.decode(text)
        return _mended(value) if "\\ud" in text or "\\uD" in text else value
    except (ValueError, RecursionError):
        raise ValueError("a piece of it is no JSON") from None


def _mended(value: object) -> object:
    """Half of a character that takes two: JSON allows it, and it cannot be written to a file."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {encodable(key): _mended(inner) for key, inner in value.items()}
    return [_mended(inner) for inner in value] if isinstance(value, list) else value


def is_object(value: object) -> TypeGuard[dict[str, object]]:
    """Whether it is an object of JSON."""
    return isinstance(value, dict)


def read_whole(
    body: bytes,
    read: Callable[[dict[str, object]], ModelReply],
    usage: Callable[[Mapping[str, object]], Usage],
) -> ModelReply:
    """A reply that is no stream. Raises BadReply: it is none, or it tells an error.

    Args:
        read: the reply from its object. Raises ValueError.
        usage: what the object says that it used, when it is no reply.
    """
    try:
        value = parsed(body)
    except ValueError:
        raise BadReply(Failure.SCHEMA_INVALID, _what(body), _NO_USAGE) from None
    if not is_object(value):
        raise BadReply(Failure.SCHEMA_INVALID, "the reply is no JSON object", _NO_USAGE)
    if value.get("error") is not None:
        raise failed(value["error"], usage(value))
    try:
        return read(value)
    except ValueError as error:
        raise BadReply(Failure.SCHEMA_INVALID, f"the reply cannot be read: {error}", usage(value)) from error


def _what(body: bytes) -> str:
    begins = body[:200].lstrip()
    if begins.startswith(b"<"):
        return "the reply is a web page; is the address that of an API?"
    if not begins:
        return "the reply is empty"
    return f'the reply is no JSON; it begins with "{one_line(begins.decode("utf-8", "replace"), 60)}"'


def failed(told: object, usage: Usage) -> BadReply:
    """An error, as APIs tell one after a status of 200: an object with a message, or a text."""
    fields = told if is_object(told) else {"message": told}
    text = fields.get("message") or fields.get("detail") or fields.get("type")
    reason = f": {one_line(text, 200)}" if isinstance(text, str) else ""
    limited = any(isinstance(kind, str) and "rate_limit" in kind for kind in (fields.get("type"), fields.get("code")))
    failure = Failure.RATE_LIMITED if limited else Failure.PROVIDER_ERROR
    return BadReply(failure, f"the other side failed while it answered{reason}", usage)


def text_of(value: object, place: str) -> str:
    """A text that may be missing or null. Raises ValueError for anything else."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{place} is no text")  # noqa: TRY004 (all that is wrong with a reply is a ValueError)
    return value


def tool_call(name: object, arguments: object) -> ToolCall:
    """A tool call, from arguments as an object or as the JSON of one. Raises ValueError.

    Arguments that are no object are kept as one text, as the model wrote them.
    """
    if not isinstance(name, str):
        raise ValueError("the name of a tool is no text")  # noqa: TRY004
    if isinstance(arguments, str):
        try:
            found = parsed(arguments.encode()) if arguments else {}
        except ValueError:
            found = None
    else:
        found = {} if arguments is None else arguments
    if not is_object(found):
        return ToolCall(name, {"arguments": arguments if isinstance(arguments, str) else _text(arguments)})
    return ToolCall(name, {key: inner if isinstance(inner, str) else _text(inner) for key, inner in found.items()})


def _text(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        raise ValueError("an argument of a tool is nested too deeply") from None
