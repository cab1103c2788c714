"""What every model API has in common: what is asked, what comes back, and the settings that all share."""

import re
from abc import abstractmethod
from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from engine.model.base import Frozen
from engine.model.exchange import ToolCall
from engine.model.network import Header, Request, Secret, Site
from engine.model.record import Failure
from engine.model.target import Scalar
from engine.model.usage import Price, Usage

__all__ = [
    "NO_MATTER",
    "BadReply",
    "Chat",
    "Finish",
    "ModelReply",
    "ModelSettings",
    "Pricing",
    "Reached",
    "Reader",
    "secret_of",
]


class Chat(NamedTuple):
    """What a model is asked.

    Attributes:
        messages: (role, text), role `user` or `assistant`, the last one from the user.
        schema: JSON Schema that the answer must follow, where the API can enforce one; None for free text.
    """

    messages: tuple[tuple[str, str], ...]
    system: str = ""
    schema: Mapping[str, object] | None = None


class Finish(StrEnum):
    """Why the model stopped. LENGTH: cut off by the token limit. REFUSED: by a filter, or it says so itself."""

    STOP = "stop"
    LENGTH = "length"
    REFUSED = "refused"
    TOOLS = "tools"
    OTHER = "other"


class ModelReply(NamedTuple):
    """What a model answered.

    Attributes:
        model: as the API named it; None when it named none.
        tool_calls: None when the API did not say; empty when it used none.
    """

    text: str
    finish: Finish
    usage: Usage
    model: str | None = None
    tool_calls: tuple[ToolCall, ...] | None = None


class BadReply(Exception):
    """A reply that is none: malformed, cut off, or an error that came with status 200.

    Attributes:
        usage: what it said that it used; its source is MISSING when it said nothing.
    """

    def __init__(self, failure: Failure, message: str, usage: Usage) -> None:
        self.failure, self.usage = failure, usage
        super().__init__(message)


class Reader(Protocol):
    """Reads a streamed reply, cut anywhere."""

    @property
    def started(self) -> bool:
        """Whether a piece of text has come: the time to the first token ends here."""
        ...

    def feed(self, data: bytes) -> None:
        """Take the next bytes. Raises BadReply when they cannot be of such a stream."""
        ...

    def end(self) -> ModelReply:
        """The whole reply. Raises BadReply when the stream ended too early."""
        ...


class Pricing(Frozen):
    """What a model costs, in dollars per million tokens: overrules the price table."""

    input: float = Field(ge=0, description="dollars per million tokens read")
    output: float = Field(ge=0, description="dollars per million tokens written")
    cached: float | None = Field(default=None, ge=0, description="the same for input that comes from a cache")
    cache_write: float | None = Field(default=None, ge=0, description="the same for input written to a cache")
    request: float = Field(default=0.0, ge=0, description="dollars for each request")

    def price(self) -> Price:
        """The same as exact decimals."""
        numbers = (self.input, self.output, self.cached, self.cache_write, self.request)
        first, second, third, fourth, fifth = (None if x is None else Decimal(repr(x)) for x in numbers)
        return Price(first or Decimal(0), second or Decimal(0), third, fourth, fifth or Decimal(0))


class Reached(Frozen):
    """Settings of everything that is reached over the network."""

    url: str = Field(min_length=1, description="where it is, such as https://api.example.com/v1")
    key: str | None = Field(default=None, description="the key, as env:NAME: it is read when a request is sent")
    headers: dict[str, str] = Field(default_factory=dict, description="further headers; env:NAME for a secret")
    local: bool = Field(default=False, description="it may be on this machine or in a private network")
    free: bool = Field(default=False, description="it costs nothing, and you say so")
    retries: int = Field(default=0, ge=0, le=10, description="how often a refused request is sent again")
    connect_s: float = Field(default=10.0, gt=0, description="seconds to connect")
    read_s: float = Field(default=120.0, gt=0, description="seconds between two pieces of an answer")
    total_s: float = Field(default=300.0, gt=0, description="seconds for the whole answer")
    at_once: int | None = Field(default=None, ge=1, description="requests under way at the same time")
    per_minute: int | None = Field(default=None, ge=1, description="requests begun in any minute")

    @field_validator("key")
    @classmethod
    def _is_a_reference(cls, value: str | None) -> str | None:
        if value is not None and secret_of(value) is None:
            raise ValueError("is written as env:NAME, the name of an environment variable that holds the key")
        return value

    def site(self) -> Site:
        """The place that may be reached, with its limits."""
        parts = urlsplit(self.url)
        origin = f"{parts.scheme}://{parts.netloc}"
        return Site(origin, self.local, self.connect_s, self.read_s, self.total_s, self.at_once, self.per_minute)

    def further_headers(self) -> tuple[Header, ...]:
        """The headers of the settings, those with a secret by its name."""
        return tuple((name, secret_of(value) or value) for name, value in self.headers.items())


class ModelSettings(Reached):
    """Settings of a model API. A dialect says how a request is written and how a reply is read."""

    model: str = Field(min_length=1, description="which model, as the API calls it")
    temperature: float | None = Field(default=None, ge=0, le=2, description="how much chance; null leaves it out")
    seed: int | None = Field(default=None, description="asks for the same answer again; null leaves it out")
    max_tokens: int = Field(default=1024, ge=1, description="tokens that an answer has at most; bounds its cost")
    stream: bool = Field(default=False, description="read the answer as it is written: tells the time to its start")
    extra: dict[str, object] = Field(default_factory=dict, description="further members of the request")
    price: Pricing | None = Field(default=None, description="what it costs; null looks it up in the price table")

    @abstractmethod
    def request(self, chat: Chat) -> Request:
        """The request. Pure."""

    @abstractmethod
    def read(self, body: bytes) -> ModelReply:
        """A whole reply with a 2xx status. Pure. Raises BadReply."""

    @abstractmethod
    def reader(self) -> Reader:
        """A reader for one streamed reply."""

    def identity(self) -> dict[str, Scalar]:
        """Everything that can change an answer: no key, no limit, no timeout."""
        said = self.model_dump(mode="json", exclude=NO_MATTER)
        extra = said.pop("extra")
        return {**said, **{f"extra.{name}": repr(value) for name, value in sorted(extra.items())}}


NO_MATTER = {
    *("key", "headers", "local", "free", "price", "cost_per_request_usd", "retries", "stream"),
    *("connect_s", "read_s", "total_s", "at_once", "per_minute"),
}
"""Settings that say how something is reached and paid for, and cannot change what it answers."""


def secret_of(text: str) -> Secret | None:
    """`env:NAME` as the secret it stands for; also within a longer text: `Bearer env:NAME`. None for any other."""
    match = re.fullmatch(r"(|.* )env:([A-Za-z_][A-Za-z0-9_]*)", text)
    return None if match is None else Secret(match[2], match[1])
