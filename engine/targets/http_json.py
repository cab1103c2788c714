"""A search, a RAG system or an agent behind an address: its request is a template, its answer is found by paths."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, Self
from urllib.parse import parse_qsl, quote, urlsplit

from pydantic import Field, field_validator, model_validator

from engine.model.base import Frozen
from engine.model.calls import Attempt, Call, CallFailure, Calls
from engine.model.exchange import Answer, Exchange, Turn
from engine.model.network import Header, Line, Request
from engine.model.record import Failure
from engine.model.target import Scalar, Surroundings
from engine.model.usage import Cost, Usage
from engine.providers.dialect import NO_MATTER, Reached, secret_of
from engine.providers.reading import parsed
from engine.providers.sending import sent
from engine.providers.template import Filled, address_template, has_names, template
from engine.targets.charge import Charge, Charged
from engine.targets.json_reply import Paths, Reading, UnreadableError
from engine.targets.recorded import read_answer
from engine.text import one_line

__all__ = ["HttpJson", "JsonCall", "JsonTarget", "Writing", "answer_kept", "answer_of", "flat_identity", "said_before"]

_TEXTS = ("query", "query_id")
_VALUES = ("history", "messages")


class JsonCall(Charged):
    """What is sent, and where the answer stands in what comes back."""

    method: Literal["GET", "POST", "PUT", "PATCH"] = Field(default="POST", description="how it is asked")
    parameters: dict[str, str] = Field(
        default_factory=dict, description="parameters of the address, such as {q: '{query}'}; env:NAME for a secret"
    )
    body: object = Field(
        default=None, description="the JSON that is sent, with {query} within its texts; null for none"
    )
    read: Paths = Field(default=Paths(), description="where the parts of the answer stand in the reply")

    @field_validator("parameters", mode="before")
    @classmethod
    def _fillable_parameters(cls, value: object) -> object:
        template(value, _TEXTS)
        if not isinstance(value, dict):
            return value
        for text in value.values():
            secret = secret_of(text) if isinstance(text, str) else None
            if secret is not None and has_names(secret.before):
                raise ValueError("nothing is filled in beside a secret: give each a parameter of its own")
        return {name: json.dumps(each) if isinstance(each, int | float) else each for name, each in value.items()}

    @field_validator("headers", check_fields=False)
    @classmethod
    def _plain_headers(cls, value: dict[str, str]) -> dict[str, str]:
        if any(f"{{{name}}}" in text for text in value.values() for name in (*_TEXTS, *_VALUES)):
            raise ValueError("nothing is filled into headers: {query} belongs in url, parameters or body")
        return value

    @field_validator("body")
    @classmethod
    def _fillable_body(cls, value: object) -> object:
        template(value, _TEXTS, _VALUES)
        if _holds_a_secret(value):
            raise ValueError("env:NAME is not read in it: a secret belongs in key, headers or parameters")
        return value

    @model_validator(mode="after")
    def _can_be_asked(self) -> Self:
        if self.method == "GET" and self.body is not None:
            raise ValueError("a GET has no body: use parameters, or method: POST")
        if not self.read.answers:
            raise ValueError("read says nowhere where the answer is: set read.hits, or read.text, or both")
        if self.free and self.read.cost_usd is not None:
            raise ValueError("free and read.cost_usd contradict each other: set one of them")
        return self


class HttpJson(Reached, JsonCall):
    """Any system with an HTTP address that answers in JSON."""

    kind: Literal["http_json"] = "http_json"

    @field_validator("url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            hint = "" if "://" in value else f": write https://{one_line(value, 60)} instead"
            raise ValueError(f"an address begins with https:// (or http:// on this machine){hint}")
        address_template(value, _TEXTS)
        if any(secret_of(text) for _, text in parse_qsl(parts.query)):
            raise ValueError("env:NAME is not read in it: write the secret under parameters")
        return value

    @contextmanager
    def open(self, surroundings: Surroundings) -> Iterator["JsonTarget"]:
        """Check the address. Nothing is sent before the first query."""
        line = surroundings.network.line(self.site())
        bearer = None if self.key is None else secret_of(f"Bearer {self.key}")
        own: tuple[Header, ...] = () if bearer is None else (("authorization", bearer),)
        writing = Writing.of(self, self.url, (*own, *self.further_headers()))
        yield JsonTarget(line, writing, Reading.of(self.read), self.charge(), self.retries, flat_identity(self))


@dataclass(frozen=True, slots=True)
class Writing:
    """Templates that were read once, for all requests."""

    method: str
    address: Callable[[Mapping[str, object]], str]
    parameters: Mapping[str, Filled]
    secrets: tuple[Header, ...]
    headers: tuple[Header, ...]
    body: Filled | None

    @classmethod
    def of(cls, settings: JsonCall, address: str, headers: tuple[Header, ...]) -> "Writing":
        """From the settings. A header that they give stands for the usual one."""
        usual = [("accept", "application/json")]
        if settings.body is not None:
            usual.append(("content-type", "application/json"))
        given = {name.lower() for name, _ in headers}
        secrets = {name: secret for name, value in settings.parameters.items() if (secret := secret_of(value))}
        return cls(
            settings.method,
            address_template(address, _TEXTS),
            {name: template(value, _TEXTS) for name, value in settings.parameters.items() if name not in secrets},
            tuple(secrets.items()),
            (*((name, value) for name, value in usual if name not in given), *headers),
            None if settings.body is None else template(settings.body, _TEXTS, _VALUES),
        )

    def request(self, turn: Turn, history: tuple[Exchange, ...]) -> Request:
        """The request for a turn. Pure."""
        given: dict[str, object] = {"query": turn.say, "query_id": turn.query_id}
        url = self.address(given)
        if self.parameters:
            filled = (f"{_quoted(name)}={_quoted(str(part(given)))}" for name, part in self.parameters.items())
            url = f"{url}{'&' if '?' in url else '?'}{'&'.join(filled)}"
        if self.body is None:
            return Request(self.method, url, self.headers, b"", self.secrets)
        given["history"] = before = said_before(history)
        given["messages"] = [*before, {"role": "user", "content": turn.say}]
        body = json.dumps(self.body(given), ensure_ascii=False).encode("utf-8", "replace")
        return Request(self.method, url, self.headers, body, self.secrets)


@dataclass(frozen=True, slots=True)
class JsonTarget:
    """A system that is asked with one request a turn. It searches documents that only it knows."""

    line: Line
    writing: Writing
    reading: Reading
    charge: Charge
    retries: int
    identity: Mapping[str, Scalar]
    corpus_sha256: str | None = None
    sources: frozenset[str] | None = None

    def most(self, turn: Turn) -> int | None:
        """What the settings say that a request costs at most."""
        return self.charge.most

    async def answer(self, turn: Turn, history: tuple[Exchange, ...], calls: Calls) -> Answer:
        """Ask once.

        Raises:
            CallFailure: it could not be reached, it refused, or its reply lacks what the settings say.
            GuardStop: the cost guard allows no further call.
        """
        request = self.writing.request(turn, history)
        call = Call("target", self.charge.most, lambda: self._ask(request), dict, answer_kept, self.retries)
        return answer_of(await calls.pay(call))

    async def _ask(self, request: Request) -> Attempt[Mapping[str, object]]:
        reply = await sent(self.line, request, lambda _: self._cost(None))
        value: object = None
        try:
            value = _json(reply.body)
            found = self.reading.read(value)
        except UnreadableError as error:
            spent = self._usage(self.reading.usage(value)), self._cost(self.reading.cost_usd(value))
            raise CallFailure(Failure.SCHEMA_INVALID, str(error), spent=spent, latency_s=reply.total_s) from error
        usage, cost = self._usage(found.usage), self._cost(found.cost_usd)
        return Attempt(found.answer, usage, cost, found.model, {"total": reply.total_s})

    def _usage(self, told: Usage | None) -> Usage:
        return self.charge.no_tokens(tells="cost_usd" in self.reading.paths) if told is None else told

    def _cost(self, told: object) -> Cost:
        return self.charge.cost(told)


def answer_of(paid: Attempt[Mapping[str, object]]) -> Answer:
    """An answer from one in the recorded shape, with what it cost."""
    answer = read_answer(paid.value)
    notes = paid.value.get("notes")
    more = tuple(note for note in notes if isinstance(note, str)) if isinstance(notes, list) else ()
    latency_s = {("answer" if name == "total" else name): seconds for name, seconds in paid.latency_s.items()}
    return answer._replace(
        notes=(*answer.notes, *more), latency_s=latency_s, usage=paid.usage, cost=paid.cost, model=paid.model
    )


def answer_kept(value: Mapping[str, object]) -> Mapping[str, object]:
    """What was kept of an answer, if it is one. Raises ValueError."""
    read_answer(value)
    return value


def said_before(history: tuple[Exchange, ...]) -> list[dict[str, str]]:
    """The turns before this one as chat APIs write them."""
    messages: list[dict[str, str]] = []
    for exchange in history:
        messages.append({"role": "user", "content": exchange.turn.say})
        messages.append({"role": "assistant", "content": exchange.answer.text or ""})
    return messages


def flat_identity(settings: Frozen) -> dict[str, Scalar]:
    """Everything in the settings that can change an answer: no key, no limit, no price. Groups become JSON text."""
    said = settings.model_dump(mode="json", exclude=NO_MATTER | {"cost_per_request_usd"})
    kept = {name: value for name, value in said.items() if value is not None}
    return {name: _scalar(value) for name, value in kept.items()}


def _scalar(value: object) -> Scalar:
    if isinstance(value, str | int | float | bool):
        return value
    shown = {k: v for k, v in value.items() if v is not None} if isinstance(value, dict) else value
    return json.dumps(shown, ensure_ascii=False)


def _holds_a_secret(value: object) -> bool:
    if isinstance(value, dict | list | tuple):
        return any(map(_holds_a_secret, value.values() if isinstance(value, dict) else value))
    return isinstance(value, str) and value.startswith("env:") and secret_of(value) is not None


def _json(body: bytes) -> object:
    try:
        return parsed(body)
    except ValueError:
        pass
    begins = body[:200].lstrip()
    if begins.startswith(b"<"):
        raise UnreadableError("the reply is a web page and no JSON: is the address that of an API?")
    if not begins:
        raise UnreadableError("the reply is empty")
    why = "; NaN and Infinity are no JSON" if b"NaN" in body or b"Infinity" in body else ""
    shown = one_line(begins.decode("utf-8", "replace"), 60)
    raise UnreadableError(f'the reply cannot be read as JSON{why}; it begins with "{shown}"')


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="replace")
