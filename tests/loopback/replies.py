"""What a request gets: an honest reply, and then whatever is done to it."""

import base64
import email.utils
import json
import struct
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from urllib.parse import parse_qsl, unquote

from tests.loopback import search
from tests.loopback.behaviour import Behaviour
from tests.loopback.dialects import DIALECTS, Answered, Asked, Dialect, sse
from tests.loopback.model import answer_to, as_text, chooser, satisfying
from tests.loopback.usage import LIES, Used, written_by

__all__ = ["Reply", "Request", "reply_to"]

_JSON, _SSE, _LINES = "application/json", "text/event-stream", "application/x-ndjson"
_WRONG_TYPES = {
    "choices": "none",
    "output": 7,
    "content": {"text": 1},
    "message": [],
    "results": "many",
    "answer": 12,
    "usage": "much",
    "model": 3,
    "id": None,
    "done": "yes",
    "response": 3,
}
_FIRST_PAGE = "<!doctype html><html><head><title>Welcome</title></head><body>Please sign in.</body></html>"


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request. Names of headers are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def path(self) -> str:
        """Without what is asked after `?`."""
        return self.target.partition("?")[0]

    @property
    def behaviour(self) -> str:
        """The first part of the path."""
        return self.path.split("/", 2)[1]

    @property
    def query(self) -> dict[str, str]:
        """What is asked after `?`."""
        return dict(parse_qsl(self.target.partition("?")[2]))


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent.

    Attributes:
        pieces: the body as it is written; several with `chunked`.
        used: of a model that really answered; None for all else.
        question: what the model was asked.
        broken: the connection is broken after the last piece.
    """

    status: int
    pieces: tuple[bytes, ...]
    headers: Mapping[str, str] = field(default_factory=dict)
    chunked: bool = False
    used: Used | None = None
    question: str = ""
    broken: bool = False

    @property
    def body(self) -> bytes:
        """All pieces."""
        return b"".join(self.pieces)


def reply_to(request: Request, behaviour: Behaviour, nth: int) -> Reply:
    """The reply to the nth request of its path segment, without what happens to it on its way."""
    dialect = _dialect(request.path)
    status = behaviour.refusal(nth)
    if behaviour.has("to"):
        return _redirect(behaviour, status or 302)
    if status is not None:
        return _refusal(request, behaviour, dialect, status)
    key = behaviour.words.get("key")
    if key is not None and key not in _keys(request):
        return _refusal(request, behaviour, dialect, 401)
    if behaviour.breaks_off(nth):
        return replace(
            _honest(request, behaviour, dialect), pieces=(b'{"id": "chatcmpl-1", "choices": [',), chunked=False
        )
    found = _honest(request, behaviour, dialect)
    return found if found.status >= 400 else _changed(found, behaviour, dialect)


def _changed(reply: Reply, behaviour: Behaviour, dialect: Dialect | None) -> Reply:
    """The reply with another content."""
    if behaviour.has("html"):
        return replace(reply, pieces=(_FIRST_PAGE.encode(),), headers={"content-type": "text/html"}, chunked=False)
    if behaviour.has("empty"):
        return replace(reply, pieces=(b"",), chunked=False)
    if behaviour.has("types"):
        wrong: dict[str, object] = {
            **_WRONG_TYPES,
            "type": "response.completed" if dialect is DIALECTS["/responses"] else "message_start",
        }
        streamed = reply.headers["content-type"] == _SSE
        return replace(reply, pieces=(sse(wrong) if streamed else json.dumps(wrong).encode() + b"\n",))
    if behaviour.has("error"):
        if reply.chunked and dialect is not None:
            half = reply.pieces[: len(reply.pieces) // 2]
            return replace(reply, pieces=(*half, dialect.streamed_error("it failed while it answered")))
        return replace(reply, pieces=(_error(dialect, "it failed while it answered", 500),), chunked=False)
    size = behaviour.number("bomb")
    if size is not None:
        headers = {**reply.headers, "content-encoding": "gzip"}
        return replace(reply, pieces=(_bomb(size),), headers=headers, chunked=False)
    if behaviour.has("gzip"):
        packed = zlib.compressobj(wbits=31)
        small = packed.compress(reply.body) + packed.flush()
        return replace(reply, pieces=(small,), headers={**reply.headers, "content-encoding": "gzip"}, chunked=False)
    return reply


def _redirect(behaviour: Behaviour, status: int) -> Reply:
    return Reply(status, (b"",), {"location": behaviour.words["to"], "content-type": "text/plain"})


def _refusal(request: Request, behaviour: Behaviour, dialect: Dialect | None, status: int) -> Reply:
    headers, wait = {"content-type": _JSON}, behaviour.words.get("retry")
    if wait is not None:
        headers["retry-after"] = email.utils.formatdate(time.time() + 2, usegmt=True) if wait == "date" else wait
    message = _REFUSALS.get(status, "it failed")
    if behaviour.has("echo"):
        message += f": {_echo(request)}"
        headers["x-echo"] = _echo(request)
    return Reply(status, (_error(dialect, message, status),), headers)


_REFUSALS = {
    401: "the key is wrong",
    403: "the key may not do this",
    404: "there is no such model",
    429: "too many requests",
}


def _error(dialect: Dialect | None, message: str, status: int) -> bytes:
    return json.dumps({"detail": message} if dialect is None else dialect.error(message, status)).encode()


def _echo(request: Request) -> str:
    """Everything that a secret could be in, as it came and in base64."""
    plain = " ".join((unquote(request.target), *(f"{name}={value}" for name, value in request.headers.items())))
    values = (value for header in request.headers.values() for value in {header, header.split(" ")[-1]})
    packed = " ".join(base64.b64encode(value.encode("latin-1")).decode() for value in values)
    return f"{plain} {packed} {request.target}"


def _keys(request: Request) -> set[str]:
    names = ("authorization", "x-api-key", "api-key")
    return {request.headers.get(name, "").removeprefix("Bearer ") for name in names}


def _dialect(path: str) -> Dialect | None:
    return next((dialect for end, dialect in DIALECTS.items() if path.endswith(end)), None)


# ---- honest replies ---------------------------------------------------------------------------


def _honest(request: Request, behaviour: Behaviour, dialect: Dialect | None) -> Reply:
    end = request.path.rpartition("/")[2]
    if dialect is None and end in ("search", "agent"):
        return _searched(request, behaviour, end)
    if dialect is None and end == "models":
        listed = {"object": "list", "data": [{"id": "loopback", "object": "model"}]}
        return Reply(200, (json.dumps(listed).encode(),), {"content-type": _JSON})
    if dialect is None:
        return Reply(404, (b'{"detail": "Not Found"}',), {"content-type": _JSON})
    if request.method != "POST":
        return Reply(405, (_error(dialect, "only POST", 405),), {"content-type": _JSON})
    try:
        body = json.loads(request.body)
        asked = dialect.asked(body, request.path, request.query.get("api-version"))
    except (ValueError, KeyError, TypeError) as error:
        return Reply(400, (_error(dialect, f"that is no request: {error!r}", 400),), {"content-type": _JSON})
    if asked.refusal is not None:
        return Reply(400, (_error(dialect, asked.refusal, 400),), {"content-type": _JSON})
    if asked.model == "missing":
        return Reply(404, (_error(dialect, "The model `missing` does not exist", 404),), {"content-type": _JSON})
    return _modelled(request, asked, behaviour, dialect)


def _modelled(request: Request, asked: Asked, behaviour: Behaviour, dialect: Dialect) -> Reply:
    text = _said(asked, behaviour)
    if behaviour.has("echo"):
        text = f"{text} {_echo(request)}"
    used = _used(asked.prompt, text, asked.most, behaviour)
    azure = "/openai/" in request.path
    name: str | None = behaviour.words.get("model", f"{asked.model}-2026-01-01" if azure else asked.model)
    said = Answered(
        text,
        None if name == "none" else name,
        used,
        _lie(behaviour),
        vllm=behaviour.has("vllm"),
        azure=azure,
        counted=asked.counted,
    )
    if not asked.streamed:
        body = json.dumps(dialect.whole(said)).encode()
        return Reply(200, (body,), {"content-type": _JSON}, used=used, question=asked.prompt)
    kind = _LINES if request.path.endswith("/api/chat") else _SSE
    pieces = tuple(piece for piece in dialect.stream(said) if piece)
    return Reply(200, pieces, {"content-type": kind}, True, used, asked.prompt, said.lie == "cut")


def _said(asked: Asked, behaviour: Behaviour) -> str:
    if behaviour.has("say"):
        return behaviour.words["say"]
    if asked.schema is None:
        return answer_to(asked.prompt)
    return as_text(satisfying(asked.schema, chooser(behaviour.words.get("judge") or "first", asked.prompt)))


def _used(prompt: str, text: str, most: int, behaviour: Behaviour) -> Used:
    used = Used.by(prompt, text, most, behaviour.words.get("costs"))
    reasoning = min(behaviour.number("reasoning") or 0, max(most - used.wrote, 0))
    cached = min(behaviour.number("cached") or 0, used.read)
    return Used(used.read, used.wrote + reasoning, cached, reasoning)


def _lie(behaviour: Behaviour) -> str:
    lie = behaviour.words.get("usage", "")
    if lie and lie not in LIES:
        raise ValueError(f"there is no usage “{lie}”")
    return lie


def _searched(request: Request, behaviour: Behaviour, end: str) -> Reply:
    try:
        given = json.loads(request.body) if request.body else request.query
    except ValueError:
        given = None
    if not isinstance(given, dict) or not (query := given.get("q") or given.get("query")):
        return Reply(422, (b'{"detail": "q is missing"}',), {"content-type": _JSON})
    if end == "search":
        hits = search.found(str(query), int(given.get("limit") or 10))
        body = {"query": query, "total": len(hits), "results": hits}
        return Reply(200, (json.dumps(body).encode(),), {"content-type": _JSON})
    said = search.answered(str(query))
    if "say" in behaviour.words:
        said["answer"] = behaviour.words["say"]
    if behaviour.has("echo"):
        said["answer"] = f"{said['answer']} {_echo(request)}"
    used = _used(str(query), str(said["answer"]), 1000, behaviour)
    lie = _lie(behaviour)
    true: dict[str, object] = {
        "prompt_tokens": used.read,
        "completion_tokens": used.wrote,
        "total_tokens": used.read + used.wrote,
    }
    usage = None if lie == "null" else written_by(true, lie, ("prompt_tokens", "completion_tokens"))
    told = {} if lie == "none" else {"usage": usage, "cost_usd": f"{used.micro_usd / 1_000_000:.6f}"}
    body = {**said, "model": behaviour.words.get("model", "loopback-agent"), **told}
    return Reply(200, (json.dumps(body).encode(),), {"content-type": _JSON}, used=used, question=str(query))


@lru_cache(maxsize=4)
def _bomb(size: int) -> bytes:
    """Gzip of so many MiB of blanks: one packed MiB, repeated, so that it takes no time to make."""
    plain, packer = b" " * 2**20, zlib.compressobj(9, wbits=-15)
    block = packer.compress(plain) + packer.flush(zlib.Z_FULL_FLUSH)
    check = 0
    for _ in range(size):
        check = zlib.crc32(plain, check)
    head, tail = b"\x1f\x8b\x08\0\0\0\0\0\0\xff", struct.pack("<II", check, size * 2**20 % 2**32)
    return head + block * size + packer.flush() + tail
