"""The Responses API of OpenAI: the answer is a list of items, and a stream ends with the whole of it."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field, field_validator

from engine.model.exchange import ToolCall
from engine.model.network import Header
from engine.model.usage import Usage
from engine.providers.dialect import Chat, Finish, ModelReply
from engine.providers.reading import failed, is_object, read_whole, text_of, tool_call
from engine.providers.sse import Events
from engine.providers.streaming import StreamReader
from engine.providers.usage import responses_usage
from engine.providers.writing import JsonApi, enforceable

__all__ = ["OpenAIResponses"]

_NO_SUCH_KEYWORD = frozenset({"$schema", "minLength", "maxLength"})
_ENDS = ("response.completed", "response.incomplete", "response.failed")


class OpenAIResponses(JsonApi):
    """The Responses API of OpenAI. Nothing is stored there, unless `extra` asks for it."""

    OWN: ClassVar[frozenset[str]] = frozenset(
        {"model", "input", "instructions", "stream", "max_output_tokens", "temperature", "background"}
    )

    kind: Literal["openai_responses"] = "openai_responses"
    url: str = Field(
        default="https://api.openai.com/v1", min_length=1, description="where the API is, up to its version"
    )
    key: str | None = Field(default="env:OPENAI_API_KEY", description="the key, as env:NAME; null for none")
    max_tokens: int = Field(
        default=1024, ge=16, description="tokens that an answer has at most, reasoning included; bounds its cost"
    )

    @field_validator("seed")
    @classmethod
    def _has_no_seed(cls, seed: int | None) -> int | None:
        if seed is not None:
            raise ValueError("this API takes none: leave it null")
        return seed

    def address(self) -> str:
        """The address that is posted to."""
        return f"{self.url.rstrip('/')}/responses"

    def fixed_headers(self) -> tuple[Header, ...]:
        """The key as a bearer token."""
        return self.bearer()

    def fixed(self) -> dict[str, object]:
        """The members that are the same in every request."""
        chance = {} if self.temperature is None else {"temperature": self.temperature}
        streamed = {"stream": True} if self.stream else {}
        return {"model": self.model, "max_output_tokens": self.max_tokens, "store": False, **chance, **streamed}

    def enforcing(self, schema: Mapping[str, object]) -> dict[str, object]:
        """Structured outputs."""
        kept = {"name": "answer", "strict": True, "schema": enforceable(schema, _NO_SUCH_KEYWORD)}
        return {"text": {"format": {"type": "json_schema", **kept}}}

    def said(self, chat: Chat) -> dict[str, object]:
        """What is asked."""
        system = {"instructions": chat.system} if chat.system else {}
        return {**system, "input": [{"role": role, "content": text} for role, text in chat.messages]}

    def read(self, body: bytes) -> ModelReply:
        """A whole reply. Raises BadReply."""
        return read_whole(body, _read, _said_usage)

    def reader(self) -> StreamReader:
        """A reader for one streamed reply."""
        return _Reader()


def _read(value: Mapping[str, object]) -> ModelReply:
    output = value.get("output")
    if not isinstance(output, list):
        raise ValueError("it has no list called output")  # noqa: TRY004 (all that is wrong with a reply is a ValueError)
    texts: list[str] = []
    refusals: list[str] = []
    calls: list[ToolCall] = []
    for item in output:
        match item:
            case {"type": "message", "content": [*parts]}:
                for part in parts:
                    _add(part, texts, refusals)
            case {"type": "function_call", "name": name}:
                calls.append(tool_call(name, item.get("arguments")))
            case {"type": "message"}:
                raise ValueError("a message has no list called content")
            case {"type": str()}:  # what the model thought, and tools of the API's own
                continue
            case _:
                raise ValueError("an item of output has no type")
    text, refusal = "".join(texts), "".join(refusals)
    usage = responses_usage(value.get("usage"), wrote=bool(text or refusal or calls))
    finish = _finish(value, usage, called=bool(calls))
    if not output and finish is Finish.STOP:
        raise ValueError("there is no answer in it (output is empty)")
    model = text_of(value.get("model"), "model") or None
    return ModelReply(text or refusal, Finish.REFUSED if refusal else finish, usage, model, tuple(calls))


def _add(part: object, texts: list[str], refusals: list[str]) -> None:
    if not is_object(part):
        raise ValueError("a part of content is no object")
    if part.get("type") == "output_text":
        texts.append(text_of(part.get("text"), "text"))
    elif part.get("type") == "refusal":
        refusals.append(text_of(part.get("refusal"), "refusal"))


def _finish(value: Mapping[str, object], usage: Usage, *, called: bool) -> Finish:
    match value.get("status"), value.get("incomplete_details"):
        case "completed", _:
            return Finish.TOOLS if called else Finish.STOP
        case "incomplete", {"reason": "max_output_tokens"}:
            return Finish.LENGTH
        case "incomplete", {"reason": "content_filter"}:
            return Finish.REFUSED
        case "incomplete", _:
            return Finish.OTHER
        case "failed" | "cancelled", _:
            raise failed(value.get("error"), usage)
    raise ValueError("its status is none of an answer")


def _said_usage(value: Mapping[str, object]) -> Usage:
    return responses_usage(value.get("usage"), wrote=False)


class _Reader(StreamReader):
    """Waits for the event that holds the whole response; of the pieces before it, only their coming counts."""

    def __init__(self) -> None:
        super().__init__(Events())
        self._response: dict[str, object] | None = None

    def take(self, value: dict[str, object]) -> None:
        """Take the next event."""
        kind = value.get("type")
        if kind == "response.output_text.delta":
            self.started = self.started or bool(text_of(value.get("delta"), "delta"))
        elif kind in _ENDS:
            response = value.get("response")
            if not is_object(response):
                raise ValueError("its last event has no response")
            self._response = response
            if response.get("error") is not None:
                raise failed(response["error"], _said_usage(response))
            self.whole = True

    def done(self) -> None:
        """The Responses API ends with an event of its own."""

    def usage(self) -> Usage | None:
        """What is known so far."""
        return None if self._response is None else _said_usage(self._response)

    def reply(self) -> ModelReply:
        """The reply, from the last event."""
        return _read(self._response or {})
