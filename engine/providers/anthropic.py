"""The Messages API of Anthropic: content in blocks, counts without what came from a cache, typed events."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field, field_validator

from engine.model.exchange import ToolCall
from engine.model.network import Header
from engine.model.usage import Usage, UsageSource
from engine.providers.dialect import Chat, Finish, ModelReply, secret_of
from engine.providers.reading import is_object, read_whole, text_of, tool_call
from engine.providers.sse import Events
from engine.providers.streaming import StreamReader
from engine.providers.usage import anthropic_usage
from engine.providers.writing import JsonApi, enforceable

__all__ = ["Anthropic"]

_FINISHES = {
    "end_turn": Finish.STOP,
    "stop_sequence": Finish.STOP,
    "max_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH,
    "refusal": Finish.REFUSED,
    "tool_use": Finish.TOOLS,
}
_NO_SUCH_KEYWORD = frozenset(
    {
        *("$schema", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    }
)


class Anthropic(JsonApi):
    """The Messages API of Anthropic."""

    OWN: ClassVar[frozenset[str]] = frozenset({"model", "messages", "system", "stream", "max_tokens", "temperature"})

    kind: Literal["anthropic"] = "anthropic"
    url: str = Field(default="https://api.anthropic.com", min_length=1, description="where the API is")
    key: str | None = Field(default="env:ANTHROPIC_API_KEY", description="the key, as env:NAME; null for none")
    temperature: float | None = Field(default=None, ge=0, le=1, description="how much chance; null leaves it out")

    @field_validator("seed")
    @classmethod
    def _has_no_seed(cls, seed: int | None) -> int | None:
        if seed is not None:
            raise ValueError("this API takes none: leave it null")
        return seed

    def address(self) -> str:
        """The address that is posted to."""
        return f"{self.url.rstrip('/').removesuffix('/v1')}/v1/messages"

    def fixed_headers(self) -> tuple[Header, ...]:
        """The version of the API, and the key in a header of its own."""
        key = None if self.key is None else secret_of(self.key)
        return (("anthropic-version", "2023-06-01"), *(() if key is None else (("x-api-key", key),)))

    def fixed(self) -> dict[str, object]:
        """The members that are the same in every request."""
        chance = {} if self.temperature is None else {"temperature": self.temperature}
        streamed = {"stream": True} if self.stream else {}
        return {"model": self.model, "max_tokens": self.max_tokens, **chance, **streamed}

    def enforcing(self, schema: Mapping[str, object]) -> dict[str, object]:
        """Structured outputs. A tool that must be called would do it for older models; newer ones refuse it."""
        return {"output_config": {"format": {"type": "json_schema", "schema": enforceable(schema, _NO_SUCH_KEYWORD)}}}

    def said(self, chat: Chat) -> dict[str, object]:
        """What is asked."""
        system = {"system": chat.system} if chat.system else {}
        return {**system, "messages": [{"role": role, "content": text} for role, text in chat.messages]}

    def read(self, body: bytes) -> ModelReply:
        """A whole reply. Raises BadReply."""
        return read_whole(body, _read, _said_usage)

    def reader(self) -> StreamReader:
        """A reader for one streamed reply."""
        return _Reader()


def _read(value: Mapping[str, object]) -> ModelReply:
    content = value.get("content")
    if not isinstance(content, list):
        raise ValueError("it has no list called content")  # noqa: TRY004 (all that is wrong with a reply is a ValueError)
    texts: list[str] = []
    calls: list[ToolCall] = []
    for block in content:
        match block:
            case {"type": "text"}:
                texts.append(text_of(block.get("text"), "text"))
            case {"type": "tool_use", "name": name}:
                calls.append(tool_call(name, block.get("input")))
            case {"type": str()}:  # what the model thought, and tools of the API's own
                continue
            case _:
                raise ValueError("a block of content has no type")
    text, reason = "".join(texts), value.get("stop_reason")
    if not content and reason is None:
        raise ValueError("there is no answer in it (content is empty)")
    return _made(text, reason, value.get("usage"), value.get("model"), tuple(calls))


def _made(text: str, reason: object, usage: object, model: object, calls: tuple[ToolCall, ...]) -> ModelReply:
    finish = _FINISHES.get(text_of(reason, "stop_reason"), Finish.OTHER)
    used = anthropic_usage(usage, wrote=bool(text or calls))
    return ModelReply(text, finish, used, text_of(model, "model") or None, calls)


def _said_usage(value: Mapping[str, object]) -> Usage:
    return anthropic_usage(value.get("usage"), wrote=False)


class _Reader(StreamReader):
    """Puts the blocks of a streamed message together. Its counts grow from event to event."""

    def __init__(self) -> None:
        super().__init__(Events())
        self._texts: list[str] = []
        self._calls: dict[int, tuple[str, list[str]]] = {}  # by the index of its block: name, pieces of its input
        self._others: set[int] = set()  # blocks that are no tool call of ours
        self._reason: object = None
        self._model: object = None
        self._usage: dict[str, object] | None = None

    def take(self, value: dict[str, object]) -> None:
        """Take the next event. Kinds that are not known are passed over, as the API asks for it."""
        match value:
            case {"type": "content_block_delta", "delta": {"type": "text_delta", "text": str(text)}}:
                self._texts.append(text)
                self.started = self.started or bool(text)
            case {"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": str(text)}}:
                self._add(value.get("index"), text)
            case {"type": "content_block_delta", "delta": {"type": "text_delta" | "input_json_delta"}}:
                raise ValueError("a piece of a block cannot be read")
            case {"type": "content_block_start", "content_block": dict(block)}:
                self._begin(value.get("index"), block)
            case {"type": "message_start", "message": dict(message)}:
                self._model = message.get("model")
                self._count(message.get("usage"))
            case {"type": "message_delta", "delta": dict(delta)}:
                self._reason = delta.get("stop_reason") or self._reason
                self._count(value.get("usage"))
            case {"type": "message_stop"}:
                self.whole = True
            case {"type": "message_start" | "message_delta" | "content_block_start"}:
                raise ValueError("an event cannot be read")

    def _begin(self, at: object, block: Mapping[str, object]) -> None:
        match block:
            case {"type": "tool_use", "name": str(name)} if type(at) is int:
                self._calls[at] = name, []
            case {"type": "tool_use"}:
                raise ValueError("a tool call has no name")
            case {"type": "text", "text": str(text)} if text:
                self._texts.append(text)
                self.started = True
            case {"type": str()} if type(at) is int:
                self._others.add(at)

    def _add(self, at: object, text: str) -> None:
        """A piece of the input of a tool: ours, or one that the API runs itself."""
        if type(at) is int and at in self._calls:
            self._calls[at][1].append(text)
        elif type(at) is not int or at not in self._others:
            raise ValueError("a tool call has no beginning")

    def _count(self, usage: object) -> None:
        """Later counts take the place of earlier ones; what a later event leaves out stays."""
        if is_object(usage):
            later = {name: count for name, count in usage.items() if count is not None}
            self._usage = {**(self._usage or {}), **later}
        elif usage is not None:
            raise ValueError("a usage is no object")

    def usage(self) -> Usage | None:
        """What is known so far. Before the end, what was written is not counted yet."""
        if self._usage is None:
            return None
        used = anthropic_usage(self._usage, wrote=self._reason is not None and bool(self._texts or self._calls))
        if self._reason is not None:
            return used
        problem = "the answer broke off before its usage was complete"
        return used._replace(output_total=None, output_reasoning=None, source=UsageSource.MISSING, problem=problem)

    def done(self) -> None:
        """The Messages API ends with an event of its own."""

    def reply(self) -> ModelReply:
        """The reply, from all blocks."""
        calls = tuple(tool_call(name, "".join(pieces)) for name, pieces in self._calls.values())
        text = "".join(self._texts)
        if not (text or calls or self._reason):
            raise ValueError("there is no answer in it (no block had content)")
        return _made(text, self._reason, self._usage, self._model, calls)
