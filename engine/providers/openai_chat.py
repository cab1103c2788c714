"""Chat completions, as OpenAI speaks them and many others do: Azure, vLLM, llama.cpp, gateways."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from engine.model.exchange import ToolCall
from engine.model.network import Header
from engine.model.usage import Usage
from engine.providers.dialect import Chat, Finish, ModelReply
from engine.providers.reading import is_object, read_whole, text_of, tool_call
from engine.providers.sse import Events
from engine.providers.streaming import StreamReader
from engine.providers.usage import chat_usage, latest
from engine.providers.writing import JsonApi, enforceable, role_messages

__all__ = ["ChatCompletions", "OpenAIChat"]

_FINISHES = {
    "stop": Finish.STOP,
    "length": Finish.LENGTH,
    "content_filter": Finish.REFUSED,
    "tool_calls": Finish.TOOLS,
    "function_call": Finish.TOOLS,
}
_NO_SUCH_KEYWORD = frozenset({"$schema", "minLength", "maxLength"})


class ChatCompletions(JsonApi):
    """What all that speak this dialect share."""

    OWN: ClassVar[frozenset[str]] = frozenset(
        {"model", "messages", "stream", "n", "max_tokens", "max_completion_tokens", "temperature", "seed"}
    )

    def address(self) -> str:
        """The address that is posted to."""
        return f"{self.url.rstrip('/')}/chat/completions"

    def fixed_headers(self) -> tuple[Header, ...]:
        """The key as a bearer token."""
        return self.bearer()

    def limit(self) -> str:
        """What the limit of tokens is called."""
        return "max_completion_tokens"

    def counts_in_streams(self) -> bool:
        """Whether the usage can be asked for in a stream; it does not come by itself."""
        return True

    def fixed(self) -> dict[str, object]:
        """The members that are the same in every request."""
        chance = {"temperature": self.temperature, "seed": self.seed}
        streamed: dict[str, object] = {"stream": True} if self.stream else {}
        if self.stream and self.counts_in_streams():
            streamed["stream_options"] = {"include_usage": True}
        given = {name: value for name, value in chance.items() if value is not None}
        return {"model": self.model, self.limit(): self.max_tokens, **given, **streamed}

    def enforcing(self, schema: Mapping[str, object]) -> dict[str, object]:
        """Structured outputs."""
        kept = {"name": "answer", "strict": True, "schema": enforceable(schema, _NO_SUCH_KEYWORD)}
        return {"response_format": {"type": "json_schema", "json_schema": kept}}

    def said(self, chat: Chat) -> dict[str, object]:
        """What is asked."""
        return {"messages": role_messages(chat)}

    def read(self, body: bytes) -> ModelReply:
        """A whole reply. Raises BadReply."""
        return read_whole(body, _read, _said_usage)

    def reader(self) -> "StreamReader":
        """A reader for one streamed reply."""
        return _Reader()


class OpenAIChat(ChatCompletions):
    """The chat completions of OpenAI."""

    kind: Literal["openai_chat"] = "openai_chat"
    url: str = Field(
        default="https://api.openai.com/v1", min_length=1, description="where the API is, up to its version"
    )
    key: str | None = Field(default="env:OPENAI_API_KEY", description="the key, as env:NAME; null for none")


def _read(value: Mapping[str, object]) -> ModelReply:
    match value.get("choices"):
        case [{"message": dict(message), **choice}, *_]:
            pass
        case []:
            raise ValueError("there is no answer in it (choices is empty)")
        case _:
            raise ValueError("it has no choices with a message")
    text, refusal = _content(message)
    called = message.get("tool_calls")
    if called is None:
        calls: tuple[ToolCall, ...] = ()
    elif isinstance(called, list):
        calls = tuple(_call(item) for item in called)
    else:
        raise ValueError("tool_calls is no list")
    usage = chat_usage(value.get("usage"), wrote=bool(text or refusal or calls))
    return _made(text, refusal, choice.get("finish_reason"), usage, value.get("model"), calls)


def _made(  # noqa: PLR0913, PLR0917 (the parts of a reply, in its order)
    text: str, refusal: str, finish: object, usage: Usage, model: object, calls: tuple[ToolCall, ...]
) -> ModelReply:
    found = Finish.REFUSED if refusal else _FINISHES.get(text_of(finish, "finish_reason"), Finish.OTHER)
    return ModelReply(text or refusal, found, usage, text_of(model, "model") or None, calls)


def _content(message: Mapping[str, object]) -> tuple[str, str]:
    """The text and the refusal of a message or a piece of one. What the model thought first is neither."""
    content, refusal = message.get("content"), text_of(message.get("refusal"), "refusal")
    if not isinstance(content, list):
        return text_of(content, "content"), refusal
    texts = []
    for part in content:
        if not is_object(part):
            raise ValueError("a part of content is no object")
        if part.get("type") in ("text", "output_text"):
            texts.append(text_of(part.get("text"), "a part of content"))
        elif part.get("type") == "refusal":
            refusal += text_of(part.get("refusal"), "refusal")
    return "".join(texts), refusal


def _call(value: object) -> ToolCall:
    match value:
        case {"function": {"name": name, **function}}:
            return tool_call(name, function.get("arguments"))
        case {"custom": {"name": name, **custom}}:
            return tool_call(name, custom.get("input"))
    raise ValueError("a tool call has no function")


def _said_usage(value: Mapping[str, object]) -> Usage:
    return chat_usage(value.get("usage"), wrote=False)


class _Reader(StreamReader):
    """Puts a streamed reply together. Its usage comes in a last piece that has no choices."""

    def __init__(self) -> None:
        super().__init__(Events())
        self._texts: list[str] = []
        self._refusals: list[str] = []
        self._calls: dict[int, list[str]] = {}  # by index: the name, then pieces of the arguments
        self._finish: object = None
        self._model: object = None
        self._usages: tuple[object, ...] = ()  # the first and the last

    def take(self, value: dict[str, object]) -> None:
        """Take the next piece."""
        if value.get("usage") is not None:
            self._usages = (*self._usages[:1], value["usage"])
        self._model = self._model or value.get("model")
        match value.get("choices"):
            case [{"delta": dict(delta), **choice}, *_]:
                self._finish = choice.get("finish_reason") or self._finish
                self._add(delta)
            case None | [] | [{"delta": None}, *_]:
                return
            case _:
                raise ValueError("choices of a piece cannot be read")

    def _add(self, delta: Mapping[str, object]) -> None:
        text, refusal = _content(delta)
        if text:
            self._texts.append(text)
            self.started = True
        if refusal:
            self._refusals.append(refusal)
        called = delta.get("tool_calls")
        if called is None:
            return
        if not isinstance(called, list):
            raise ValueError("tool_calls is no list")  # noqa: TRY004
        for item in called:
            self._add_call(item)

    def _add_call(self, item: object) -> None:
        """A piece of a tool call: the name comes first, its arguments bit by bit."""
        match item:
            case {"function": dict(function), **rest}:
                at = rest.get("index", 0)
                if type(at) is not int:
                    raise ValueError("the index of a tool call is no number")
                call = self._calls.setdefault(at, [""])
                call[0] += text_of(function.get("name"), "the name of a tool")
                call.append(text_of(function.get("arguments"), "arguments"))
            case _:
                raise ValueError("a tool call has no function")

    def usage(self) -> Usage | None:
        """What is known so far."""
        if not self._usages:
            return None
        wrote = bool(self._texts or self._refusals or self._calls)
        last = chat_usage(self._usages[-1], wrote=wrote)
        return last if len(self._usages) == 1 else latest(chat_usage(self._usages[0], wrote=False), last)

    def closed(self) -> bool:
        """Some never send `[DONE]`: why the model stopped is then the end of it."""
        return self.whole or self._finish is not None

    def reply(self) -> ModelReply:
        """The reply, from all pieces."""
        text, refusal = "".join(self._texts), "".join(self._refusals)
        calls = tuple(tool_call(name, "".join(pieces)) for name, *pieces in self._calls.values())
        if not (text or refusal or calls or self._finish):
            raise ValueError("there is no answer in it (no piece had choices)")
        usage = self.usage() or chat_usage(None, wrote=True)
        return _made(text, refusal, self._finish, usage, self._model, calls)
