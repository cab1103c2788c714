"""A search, a RAG system or an agent behind an address: its request is a template, its answer is found by paths."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qsl, urlsplit

from pydantic import field_validator

from engine.model.calls import Attempt, CallFailure, Calls
from engine.model.exchange import Answer, Exchange, Turn
from engine.model.network import Header, Line, Request
from engine.model.record import Failure
from engine.model.target import Scalar, Surroundings
from engine.model.usage import Cost, Usage
from engine.providers.dialect import Reached, secret_of
from engine.providers.reading import parsed
from engine.providers.sending import sent
from engine.providers.template import address_template
from engine.targets.charge import Charge
from engine.targets.json_call import TEXTS, JsonCall, Writing
from engine.targets.json_reply import Reading, UnreadableError
from engine.targets.own_system import answer_of, flat_identity, own_call
from engine.text import one_line

__all__ = ["HttpJson", "JsonTarget"]


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
        address_template(value, TEXTS)
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
        call = own_call(self.charge.most, lambda: self._ask(request), self.retries, self.line.turn)
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
        answer, text = found.answer, found.answer.get("text")
        if isinstance(text, str):  # a secret that came in pieces stands in it whole only now
            answer = {**answer, "text": self.line.clean(text)}
        usage, cost = self._usage(found.usage), self._cost(found.cost_usd)
        return Attempt(answer, usage, cost, found.model, {"total": reply.total_s})

    def _usage(self, told: Usage | None) -> Usage:
        return self.charge.no_tokens(tells="cost_usd" in self.reading.paths) if told is None else told

    def _cost(self, told: object) -> Cost:
        return self.charge.cost(told)


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
