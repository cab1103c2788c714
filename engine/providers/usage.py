"""What a reply says that it used, as one record: a count that is missing or makes no sense is never 0."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, Never

from engine.model.usage import Usage, UsageSource

__all__ = ["anthropic_usage", "chat_usage", "latest", "ollama_usage", "responses_usage"]

_MOST = 2**53  # beyond it no count of tokens is one, and numbers are no longer exact everywhere
_LARGEST_RAW, _MOST_GROUPS = 4_000, 50
_Raw = Mapping[str, object]


class _UnusableError(Exception):
    """Counts that cannot be right. The text says what is wrong with them."""


class _Counts(NamedTuple):
    """As in `Usage`."""

    input: int | None
    cached: int | None
    cache_write: int | None
    output: int | None
    reasoning: int | None


def chat_usage(raw: object, *, wrote: bool) -> Usage:
    """`usage` of a chat completion. What came from a cache is part of `prompt_tokens`.

    Some count reasoning in `total_tokens` alone. What that has beyond the two other counts was written.

    Args:
        wrote: whether there is an answer: then some tokens were written.
    """
    return _usage(raw, _of_chat, ("prompt_tokens", "completion_tokens"), wrote)


def responses_usage(raw: object, *, wrote: bool) -> Usage:
    """`usage` of a response of OpenAI: the same by other names."""
    return _usage(raw, _of_response, ("input_tokens", "output_tokens"), wrote)


def anthropic_usage(raw: object, *, wrote: bool) -> Usage:
    """`usage` of a message. `input_tokens` is without what was read from a cache or written to it."""
    return _usage(raw, _of_message, ("input_tokens", "output_tokens"), wrote)


def ollama_usage(reply: _Raw, *, wrote: bool) -> Usage:
    """The counts of the last object. Older servers leave `prompt_eval_count` out, or say 0, for a cached prompt."""
    raw = {name: reply[name] for name in reply if name.endswith(("_count", "_duration"))}
    return _usage(raw or None, _of_ollama, ("prompt_eval_count", "eval_count"), wrote)


def latest(first: Usage, last: Usage) -> Usage:
    """Of two that one answer told: the later, because counts grow. When one shrank, they contradict each other."""
    shrank = _less(last.input_total, first.input_total) or _less(last.output_total, first.output_total)
    return Usage(raw=last.raw, problem="two usages that contradict each other") if shrank else last


def _less(one: int | None, other: int | None) -> bool:
    return one is not None and other is not None and one < other


def _usage(raw: object, counts_of: Callable[[_Raw], _Counts], names: tuple[str, str], wrote: bool) -> Usage:
    """The record, when its counts fit each other. What is merely missing leaves the others standing."""
    if raw is None:
        return Usage(problem="no usage in the answer")
    kept = _small(raw)
    if not isinstance(raw, dict) or not raw:
        return Usage(raw=kept, problem="the usage is empty" if raw == {} else "the usage is no object")
    try:
        counts = counts_of(raw)
        _check(counts, names, wrote)
    except _UnusableError as error:
        return Usage(raw=kept, problem=str(error))
    missing = [name for name, count in zip(names, (counts.input, counts.output), strict=True) if count is None]
    problem = f"no {' and no '.join(missing)} in the usage" if missing else ""
    source = UsageSource.MISSING if missing else UsageSource.PROVIDER
    return Usage(*counts, source=source, raw=kept, problem=problem)


def _check(counts: _Counts, names: tuple[str, str], wrote: bool) -> None:
    read, output = counts.input, counts.output
    if read is not None and (counts.cached or 0) + (counts.cache_write or 0) > read:
        raise _UnusableError(f"more tokens from a cache than {names[0]}")
    if output is not None and (counts.reasoning or 0) > output:
        raise _UnusableError(f"more tokens of reasoning than {names[1]}")
    if read == 0:
        raise _UnusableError(f"{names[0]} is 0, although something was asked")
    if output == 0 and wrote:
        raise _UnusableError(f"{names[1]} is 0, although there is an answer")


def _of_chat(raw: _Raw) -> _Counts:
    details = "prompt_tokens_details", "completion_tokens_details"
    return _of_openai(raw, ("prompt_tokens", "completion_tokens"), details)


def _of_response(raw: _Raw) -> _Counts:
    return _of_openai(raw, ("input_tokens", "output_tokens"), ("input_tokens_details", "output_tokens_details"))


def _of_openai(raw: _Raw, names: tuple[str, str], details: tuple[str, str]) -> _Counts:
    read, output, total = _count(raw, names[0]), _count(raw, names[1]), _count(raw, "total_tokens")
    if total is not None:
        if read is None and output is None:
            raise _UnusableError("the usage has only a total")
        if read is not None and output is not None:
            if total < read + output:
                raise _UnusableError(f"total_tokens is less than {names[0]} and {names[1]}")
            output = total - read
    return _Counts(
        read,
        _part(raw, details[0], "cached_tokens"),
        _part(raw, details[0], "cache_write_tokens"),
        output,
        _part(raw, details[1], "reasoning_tokens"),
    )


def _of_message(raw: _Raw) -> _Counts:
    plain = _count(raw, "input_tokens")
    read, written = _count(raw, "cache_read_input_tokens"), _count(raw, "cache_creation_input_tokens")
    total = None if plain is None else plain + (read or 0) + (written or 0)
    reasoning = _part(raw, "output_tokens_details", "thinking_tokens")
    return _Counts(total, read, written, _count(raw, "output_tokens"), reasoning)


def _of_ollama(raw: _Raw) -> _Counts:
    cached = _count(raw, "prompt_eval_cached_count")
    return _Counts(_count(raw, "prompt_eval_count"), cached, None, _count(raw, "eval_count"), None)


def _count(raw: _Raw, name: str) -> int | None:
    value = raw.get(name)
    if value is None:
        return None
    if type(value) is not int:  # neither True nor 12.0 nor "12"
        raise _UnusableError(f"{name} is no whole number")
    return value if 0 <= value <= _MOST else _out_of_range(name, value)


def _out_of_range(name: str, value: int) -> Never:
    raise _UnusableError(f"{name} is negative" if value < 0 else f"{name} is too large to be true")


def _part(raw: _Raw, group: str, name: str) -> int | None:
    value = raw.get(group)
    if value is None:
        return None
    if not isinstance(value, dict):
        raise _UnusableError(f"{group} is no object")
    return _count(value, name)


def _small(raw: object) -> object:
    """What was sent, word for word, unless it is no usage by its size: it stands in every record."""
    try:
        text = repr(raw)
    except RecursionError:
        text = _LARGEST_RAW * "-"
    fits = len(text) < _LARGEST_RAW and text.count("{") + text.count("[") < _MOST_GROUPS
    return raw if fits else "left out: it is too large"
