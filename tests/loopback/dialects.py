"""The formats of the model APIs, whole and streamed, as their makers document them."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from tests.loopback.usage import Used, written_by

__all__ = ["DIALECTS", "Answered", "Asked", "Dialect", "sse"]

_PIECE = 5  # characters of a streamed piece of text
_NEWER = "2024-09-01"  # older versions of Azure's API refuse members that came later

Object = dict[str, object]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request asks a model.

    Attributes:
        schema: what the answer has to satisfy; None for free text.
        refusal: why the request is none, None when it is one.
    """

    prompt: str
    model: str
    most: int
    streamed: bool
    schema: Mapping[str, object] | None = None
    counted: bool = True
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """What the model says, and how that is told: `lie` is one of usage.LIES or empty."""

    text: str
    model: str | None
    used: Used
    lie: str = ""
    vllm: bool = False
    azure: bool = False
    counted: bool = True

    def usage(self, true: Object, names: tuple[str, str]) -> Object:
        """The member `usage` of a whole reply; empty when there is none."""
        if self.lie == "null":
            return {"usage": None}
        found = written_by(true, self.lie, names)
        return {} if found is None else {"usage": found}

    @property
    def pieces(self) -> list[str]:
        """The text as it is streamed."""
        return [self.text[at : at + _PIECE] for at in range(0, len(self.text), _PIECE)] or [""]


class Dialect(ABC):
    """One way to ask and to answer."""

    @abstractmethod
    def asked(self, body: Object, path: str, version: str | None) -> Asked:
        """What a request asks. Raises KeyError and TypeError when something that is needed is not there."""

    @abstractmethod
    def whole(self, said: Answered) -> Object:
        """The reply in one piece."""

    @abstractmethod
    def stream(self, said: Answered) -> list[bytes]:
        """The pieces of the reply as they are sent."""

    def error(self, message: str, status: int) -> Object:
        """The body of a refusal."""
        return {"error": {"message": message, "type": _ERRORS.get(status, "api_error"), "param": None, "code": None}}

    def streamed_error(self, message: str) -> bytes:
        """An error in the middle of a stream."""
        return sse(self.error(message, 500))


_ERRORS = {400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error"}


class Chat(Dialect):
    """Chat completions: OpenAI, Azure, vLLM."""

    names = ("prompt_tokens", "completion_tokens")

    def asked(self, body: Object, path: str, version: str | None) -> Asked:
        """Of Azure's older API the model is in the path."""
        options = body.get("stream_options")
        old = version is not None and version < _NEWER
        unknown = [name for name in ("stream_options", "max_completion_tokens") if old and name in body]
        return Asked(
            _prompt(body["messages"]),
            path.partition("/deployments/")[2].partition("/")[0] or str(body["model"]),
            int(str(body.get("max_completion_tokens") or body.get("max_tokens") or 4096)),
            body.get("stream") is True,
            _schema(body, "response_format", "json_schema", "schema"),
            counted=isinstance(options, dict) and options.get("include_usage") is True,
            refusal=f"Unrecognized request argument supplied: {unknown[0]}" if unknown else None,
        )

    def whole(self, said: Answered) -> Object:
        """One choice."""
        thought = {"reasoning_content": "It is a sum."} if said.vllm else {}
        message = {"role": "assistant", "content": said.text, **thought}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        return {**self._head(said, "chat.completion"), "choices": [choice], **said.usage(self._usage(said), self.names)}

    def stream(self, said: Answered) -> list[bytes]:
        """Usage in a last piece without choices, and only when it was asked for."""
        head = self._head(said, "chat.completion.chunk")

        def piece(delta: Object, reason: str | None = None) -> Object:
            return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

        thought = [piece({"reasoning_content": "It is a sum."})] if said.vllm else []
        filtered: list[Object] = (
            [{**head, "model": "", "choices": [], "prompt_filter_results": []}] if said.azure else []
        )
        texts = [piece({"content": text}) for text in said.pieces]
        pieces = [*filtered, piece({"role": "assistant", "content": ""}), *thought, *texts, piece({}, "stop")]
        usage = said.usage(self._usage(said), self.names) if said.counted and said.lie != "dropped" else {}
        match said.lie:
            case "wrong":
                pieces[0] = {**pieces[0], **usage}
                usage = {}
            case "twice":
                pieces[-1] = {
                    **pieces[-1],
                    "usage": {**self._usage(said), "completion_tokens": 1, "total_tokens": said.used.read + 1},
                }
        if usage:
            pieces.append({**head, "choices": [], **usage})
        return _ended([sse(piece) for piece in pieces], said, self, b"data: [DONE]\n\n", usages=1)

    def _head(self, said: Answered, kind: str) -> Object:
        model = {} if said.model is None else {"model": said.model}
        return {"id": "chatcmpl-1", "object": kind, "created": 1764547200, **model}

    def _usage(self, said: Answered) -> Object:
        used = said.used
        counts: Object = {
            "prompt_tokens": used.read,
            "completion_tokens": used.wrote,
            "total_tokens": used.read + used.wrote,
        }
        cached = used.read + 5 if said.lie == "cached" else used.cached
        details: Object = {
            "prompt_tokens_details": {"cached_tokens": cached},
            "completion_tokens_details": {"reasoning_tokens": used.reasoning},
        }
        return counts if said.vllm and said.lie != "cached" else {**counts, **details}


class Responses(Dialect):
    """The Responses API of OpenAI."""

    names = ("input_tokens", "output_tokens")

    def asked(self, body: Object, path: str, version: str | None) -> Asked:
        """`input` is a text or a list of messages."""
        given = body["input"]
        prompt = given if isinstance(given, str) else _prompt(given)
        return Asked(
            f"{body.get('instructions') or ''}\n{prompt}".strip(),
            str(body["model"]),
            int(str(body.get("max_output_tokens") or 4096)),
            body.get("stream") is True,
            _schema(body, "text", "format", "schema"),
        )

    def whole(self, said: Answered) -> Object:
        """The answer is an item of a list."""
        part = {"type": "output_text", "text": said.text, "annotations": []}
        message = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [part]}
        usage = said.usage(self._usage(said), self.names)
        return {
            **self._head(said, "completed"),
            "output": [{"type": "reasoning", "id": "rs_1", "summary": []}, message],
            **usage,
        }

    def stream(self, said: Answered) -> list[bytes]:
        """Typed events; the last one has the whole."""
        begun = {**self._head(said, "in_progress"), "output": [], "usage": None}
        last = self.whole(said)
        if said.lie in ("wrong", "dropped"):
            last.pop("usage")
        if said.lie in ("wrong", "twice"):
            begun["usage"] = self._usage(said) if said.lie == "wrong" else {**self._usage(said), "output_tokens": 1}
        place = {"item_id": "msg_1", "output_index": 1, "content_index": 0}
        events: list[Object] = [
            {"type": "response.created", "response": begun},
            *({"type": "response.output_text.delta", **place, "delta": text} for text in said.pieces),
            {"type": "response.output_text.done", **place, "text": said.text},
            {"type": "response.completed", "response": last},
        ]
        numbered = [{**event, "sequence_number": number} for number, event in enumerate(events)]
        return _ended([sse(event, str(event["type"])) for event in numbered], said, self, b"", usages=1)

    def streamed_error(self, message: str) -> bytes:
        """An event of its own."""
        return sse({"type": "error", "code": "server_error", "message": message, "param": None}, "error")

    def _head(self, said: Answered, status: str) -> Object:
        model = {} if said.model is None else {"model": said.model}
        return {
            "id": "resp_1",
            "object": "response",
            "created_at": 1764547200,
            "status": status,
            "error": None,
            **model,
        }

    def _usage(self, said: Answered) -> Object:
        used = said.used
        return {
            "input_tokens": used.read,
            "input_tokens_details": {"cached_tokens": used.read + 5 if said.lie == "cached" else used.cached},
            "output_tokens": used.wrote,
            "output_tokens_details": {"reasoning_tokens": used.reasoning},
            "total_tokens": used.read + used.wrote,
        }


class Messages(Dialect):
    """The Messages API of Anthropic."""

    names = ("input_tokens", "output_tokens")

    def asked(self, body: Object, path: str, version: str | None) -> Asked:
        """`max_tokens` has to be there."""
        return Asked(
            f"{body.get('system') or ''}\n{_prompt(body['messages'])}".strip(),
            str(body["model"]),
            int(str(body["max_tokens"])),
            body.get("stream") is True,
            _schema(body, "output_config", "format", "schema"),
        )

    def whole(self, said: Answered) -> Object:
        """Content in blocks."""
        usage = said.usage(self._usage(said), self.names)
        return {
            **self._head(said),
            "content": [{"type": "text", "text": said.text}],
            "stop_reason": "end_turn",
            **usage,
        }

    def stream(self, said: Answered) -> list[bytes]:
        """What was read is told at the start, what was written at the end; those counts are cumulative."""
        first, wrong, last = self._told(said)
        block = {"index": 0}
        begun: Object = {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 1}}
        events: list[Object] = [
            {"type": "message_start", "message": {**self._head(said), "content": [], "stop_reason": None, **first}},
            {"type": "content_block_start", **block, "content_block": {"type": "text", "text": ""}, **wrong},
            {"type": "ping"},
            *(
                {"type": "content_block_delta", **block, "delta": {"type": "text_delta", "text": text}}
                for text in said.pieces
            ),
            {"type": "content_block_stop", **block},
            *([begun] if said.lie == "twice" else []),
            {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, **last},
            {"type": "message_stop"},
        ]
        return _ended([sse(event, str(event["type"])) for event in events], said, self, b"", usages=2)

    def _told(self, said: Answered) -> tuple[Object, Object, Object]:
        """The usage of a stream: at its start, at a place where it does not belong, and at its end."""
        true = self._usage(said)
        match said.lie:
            case "null":
                return {"usage": None}, {}, {"usage": None}
            case "wrong":
                return {}, {"usage": true}, {}
        told = None if said.lie == "dropped" else written_by(true, said.lie, self.names)
        if told is None:
            return {}, {}, {}
        begun = {**told, "output_tokens": 1} if told.get("output_tokens") else told
        wrote = {name: told[name] for name in told if "output" in name.lower()}
        return {"usage": begun}, {}, {"usage": wrote or told}

    def error(self, message: str, status: int) -> Object:
        """With a type of its own."""
        return {"type": "error", "error": {"type": _ERRORS.get(status, "api_error"), "message": message}}

    def streamed_error(self, message: str) -> bytes:
        """An event of its own."""
        return sse(self.error(message, 500), "error")

    def _head(self, said: Answered) -> Object:
        model = {} if said.model is None else {"model": said.model}
        return {"id": "msg_1", "type": "message", "role": "assistant", **model, "stop_sequence": None}

    def _usage(self, said: Answered) -> Object:
        used = said.used
        return {
            "input_tokens": used.read - used.cached,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": used.cached
            if said.lie != "cached"
            else -1,  # what is read is a sum: it cannot be more
            "output_tokens": used.wrote,
        }


class OllamaChat(Dialect):
    """The chat of Ollama: lines of JSON, streamed unless it is told not to."""

    names = ("prompt_eval_count", "eval_count")

    def asked(self, body: Object, path: str, version: str | None) -> Asked:
        """The limit of tokens is an option."""
        options = body.get("options")
        most = options.get("num_predict") if isinstance(options, dict) else None
        schema = body.get("format")
        return Asked(
            _prompt(body["messages"]),
            str(body["model"]),
            int(str(most or 4096)),
            body.get("stream", True) is not False,
            schema if isinstance(schema, dict) else None,
        )

    def whole(self, said: Answered) -> Object:
        """The counts stand beside the message."""
        return {**self._head(said), "message": {"role": "assistant", "content": said.text}, **self._end(said)}

    def stream(self, said: Answered) -> list[bytes]:
        """The last line has the counts."""
        true = self._counts(said)
        lines: list[Object] = [
            {**self._head(said), "message": {"role": "assistant", "content": text}, "done": False}
            for text in said.pieces
        ]
        end = self._end(said)
        if said.lie in ("wrong", "dropped"):
            end = {name: end[name] for name in end if name not in true}
        if said.lie in ("wrong", "twice"):
            lines[0] |= true if said.lie == "wrong" else {**true, "eval_count": 1}
        lines.append({**self._head(said), "message": {"role": "assistant", "content": ""}, **end})
        return _ended([json.dumps(line).encode() + b"\n" for line in lines], said, self, b"", usages=1)

    def error(self, message: str, status: int) -> Object:
        """A text."""
        return {"error": message}

    def streamed_error(self, message: str) -> bytes:
        """A line of its own."""
        return json.dumps(self.error(message, 500)).encode() + b"\n"

    def _head(self, said: Answered) -> Object:
        model = {} if said.model is None else {"model": said.model}
        return {**model, "created_at": "2026-12-01T00:00:00Z"}

    def _end(self, said: Answered) -> Object:
        if said.lie == "null":
            counts: Object = dict.fromkeys(self._counts(said))
        else:
            counts = written_by(self._counts(said), said.lie, self.names) or {}
        return {"done": True, "done_reason": "stop", "total_duration": 5_000_000, "eval_duration": 3_000_000, **counts}

    def _counts(self, said: Answered) -> Object:
        used = said.used
        counts: Object = {"prompt_eval_count": used.read, "eval_count": used.wrote}
        cached = used.read + 5 if said.lie == "cached" else used.cached
        return {**counts, "prompt_eval_cached_count": cached} if cached else counts


DIALECTS: Mapping[str, Dialect] = {
    "/chat/completions": Chat(),
    "/responses": Responses(),
    "/v1/messages": Messages(),
    "/api/chat": OllamaChat(),
}
"""By the end of the path."""


def sse(value: Object, event: str = "") -> bytes:
    """One server-sent event."""
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {json.dumps(value)}\n\n".encode()


def _ended(pieces: list[bytes], said: Answered, dialect: Dialect, end: bytes, usages: int) -> list[bytes]:
    """The pieces with what comes last. `usages`: how many pieces at the end are the usage and what follows it."""
    if said.lie == "cut":
        return [*pieces[:-usages], b""]
    if said.lie == "late":
        kept = pieces if usages == 1 else pieces[:-1]
        return [*kept, dialect.streamed_error("it failed at last")]
    return [*pieces, end] if end else pieces


def _prompt(messages: object) -> str:
    """All that is said, one message after the other."""
    if not isinstance(messages, list):
        raise TypeError("messages is no list")
    texts = []
    for message in messages:
        content = message["content"]
        texts.append(content if isinstance(content, str) else "".join(str(part["text"]) for part in content))
    return "\n".join(texts)


def _schema(body: object, *keys: str) -> Mapping[str, object] | None:
    for key in keys:
        body = body.get(key) if isinstance(body, dict) else None
    return body if isinstance(body, dict) else None
