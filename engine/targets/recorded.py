"""A recorded answer, from JSON: strict about its shape, mending only documents that were returned twice."""

from collections.abc import Mapping
from typing import Never

from engine.measures.ranking import keep_first
from engine.model.exchange import Answer, Hit, ToolCall
from engine.text import count, field_name

__all__ = ["MalformedError", "read_answer"]


class MalformedError(ValueError):
    """The recorded answer has not the shape of an answer; the text says where and what was expected."""


def read_answer(value: Mapping[str, object]) -> Answer:
    """An answer from `{"hits": [{"source", "title"?, "snippet"?, "score"?}], "text"?, "citations"?, "tool_calls"?,
    "numbers"?}`.

    `"results": ["source", …]` may stand for hits. A part that is missing or null is not known: None. Hits
    are ranked in the order they stand in; a source that comes again is dropped, and a note says so.

    Raises:
        MalformedError: a part is of another type than it must be.
    """
    listed = value.get("hits")
    if listed is None:
        listed = value.get("results")
    hits, notes = (None, ()) if listed is None else _hits(listed)
    text = value.get("text")
    if text is not None and not isinstance(text, str):
        _wrong("text", "text")
    citations, calls = _sources(value.get("citations")), _tool_calls(value.get("tool_calls"))
    numbers = value.get("numbers")
    if numbers is None:
        return Answer(hits, text, citations, calls, notes=notes)
    return Answer(hits, text, citations, calls, notes=notes, numbers=_numbers(numbers))


def _numbers(value: object) -> Mapping[str, float]:
    if not isinstance(value, dict) or not all(
        isinstance(number, int | float) and not isinstance(number, bool) for number in value.values()
    ):
        _wrong("numbers", 'an object of numbers like {"similarity": 0.9, "steps": 4}')
    return {field_name(name): float(number) for name, number in value.items()}


def _hits(listed: object) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
    """Hits and notes. The hot path of a replay: one test a hit, and the reason only when it fails."""
    if not isinstance(listed, list):
        _wrong("hits", "a list")
    hits: dict[str, Hit] = {}
    for at, item in enumerate(listed):
        get = item.get if type(item) is dict else {"source": item}.get
        source, title, score, snippet = get("source"), get("title"), get("score"), get("snippet")
        if (
            type(source) is not str
            or not source
            or not (score is None or type(score) is float or type(score) is int)
            or not (title is None or type(title) is str)
            or not (snippet is None or type(snippet) is str)
        ):
            _wrong(f"hits[{at}]", _SHAPE)
        if source not in hits:
            hits[source] = Hit(len(hits) + 1, source, score, title or "", snippet or "")
    if len(hits) == len(listed):
        return tuple(hits.values()), ()
    _, repeats = keep_first([item if isinstance(item, str) else item["source"] for item in listed])
    again = ", ".join(sorted(set(repeats)))
    return tuple(hits.values()), (f"dropped {count(len(repeats), 'hit')} returned before: {again}",)


_SHAPE = (
    "a source, or an object with a source (text that is not empty) and perhaps title, snippet (text), score (number)"
)


def _sources(value: object) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(source, str) for source in value):
        _wrong("citations", "a list of sources")
    return tuple(value)


def _tool_calls(value: object) -> tuple[ToolCall, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        _wrong("tool_calls", "a list")
    return tuple(_tool_call(call, at) for at, call in enumerate(value))


def _tool_call(value: object, at: int) -> ToolCall:
    if not isinstance(value, dict) or not isinstance(name := value.get("name"), str):
        _wrong(f"tool_calls[{at}]", 'an object like {"name": "lookup", "arguments": {"id": "7"}}')
    arguments = value.get("arguments") or {}
    if not isinstance(arguments, dict) or not all(isinstance(argument, str) for argument in arguments.values()):
        _wrong(f"tool_calls[{at}].arguments", "an object of texts")
    return ToolCall(name, arguments)


def _wrong(place: str, expected: str) -> Never:
    raise MalformedError(f"{place} must be {expected}")
