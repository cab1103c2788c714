"""Ollama's own API: one JSON object a line when it streams, and the counts in the last one."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field, field_validator

from engine.model.exchange import ToolCall
from engine.model.network import Header
from engine.model.usage import Usage
from engine.providers.dialect import Chat, Finish, ModelReply
from engine.providers.ndjson import Lines
from engine.providers.reading import is_object, read_whole, text_of, tool_call
from engine.providers.streaming import StreamReader
from engine.providers.usage import ollama_usage
from engine.providers.writing import JsonApi, role_messages

__all__ = ["Ollama"]

_FINISHES = {"stop": Finish.STOP, "length": Finish.LENGTH}
_OWN_OPTIONS = ("num_predict", "temperature", "seed")


class Ollama(JsonApi):
    """A model that Ollama runs. It costs nothing only when `free` says so."""

    OWN: ClassVar[frozenset[str]] = frozenset({"model", "messages", "stream"})

    kind: Literal["ollama"] = "ollama"
    url: str = Field(default="http://localhost:11434", min_length=1, description="where Ollama is")
    local: bool = Field(default=True, description="it may be on this machine or in a private network")

    @field_validator("extra")
    @classmethod
    def _own_options_are_settings(cls, extra: dict[str, object]) -> dict[str, object]:
        options = extra.get("options", {})
        if not is_object(options):
            raise ValueError("options is an object, such as {num_ctx: 8192}")
        for name in _OWN_OPTIONS:
            if name in options:
                raise ValueError(f'options may not hold "{name}": a setting says it')
        return extra

    def address(self) -> str:
        """The address that is posted to."""
        return f"{self.url.rstrip('/').removesuffix('/api')}/api/chat"

    def fixed_headers(self) -> tuple[Header, ...]:
        """A server of one's own has no key; one behind a gateway may."""
        return self.bearer()

    def fixed(self) -> dict[str, object]:
        """The members that are the same in every request. It streams unless it is told not to."""
        chance = {"temperature": self.temperature, "seed": self.seed}
        given = {name: value for name, value in chance.items() if value is not None}
        return {"model": self.model, "stream": self.stream, "options": {"num_predict": self.max_tokens, **given}}

    def enforcing(self, schema: Mapping[str, object]) -> dict[str, object]:
        """The schema as the format of the answer."""
        return {"format": schema}

    def said(self, chat: Chat) -> dict[str, object]:
        """What is asked."""
        return {"messages": role_messages(chat)}

    def read(self, body: bytes) -> ModelReply:
        """A whole reply. Raises BadReply."""
        return read_whole(body, _read, _said_usage)

    def reader(self) -> StreamReader:
        """A reader for one streamed reply."""
        return _Reader()


def _read(value: Mapping[str, object]) -> ModelReply:
    return _made(*_message(value.get("message")), value)


def _message(message: object) -> tuple[str, tuple[ToolCall, ...]]:
    """The text and the tool calls of a message or a piece of one. What the model thought first is no part of it."""
    if not is_object(message):
        raise ValueError("it has no message")
    text, called = text_of(message.get("content"), "content"), message.get("tool_calls")
    if called is None:
        return text, ()
    if not isinstance(called, list):
        raise ValueError("tool_calls is no list")  # noqa: TRY004 (all that is wrong with a reply is a ValueError)
    return text, tuple(_call(item) for item in called)


def _call(value: object) -> ToolCall:
    match value:
        case {"function": {"name": name, **function}}:
            return tool_call(name, function.get("arguments"))
    raise ValueError("a tool call has no function")


def _made(text: str, calls: tuple[ToolCall, ...], last: Mapping[str, object]) -> ModelReply:
    if last.get("done") is not True:
        raise ValueError("it does not say that it is done")
    reason = text_of(last.get("done_reason"), "done_reason")
    finish = Finish.TOOLS if calls and reason == "stop" else _FINISHES.get(reason, Finish.OTHER)
    usage = ollama_usage(last, wrote=bool(text or calls))
    return ModelReply(text, finish, usage, text_of(last.get("model"), "model") or None, calls)


def _said_usage(value: Mapping[str, object]) -> Usage:
    return ollama_usage(value, wrote=False)


class _Reader(StreamReader):
    """Puts the lines of a streamed reply together, until one says that it is done."""

    def __init__(self) -> None:
        super().__init__(Lines())
        self._texts: list[str] = []
        self._calls: list[ToolCall] = []
        self._final: dict[str, object] = {}

    def take(self, value: dict[str, object]) -> None:
        """Take the next line."""
        text, calls = _message(value.get("message"))
        if text:
            self._texts.append(text)
            self.started = True
        self._calls.extend(calls)
        if value.get("done") is True:
            self._final, self.whole = value, True

    def usage(self) -> Usage | None:
        """What is known so far: nothing before the last line."""
        return ollama_usage(self._final, wrote=False) if self._final else None

    def reply(self) -> ModelReply:
        """The reply, from all lines."""
        return _made("".join(self._texts), tuple(self._calls), self._final)
