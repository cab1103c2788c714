"""A request on its way out, what came back, and the only door to the network."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from engine.model.record import Failure

__all__ = ["LONGEST_REPLY", "Header", "Line", "Network", "NetworkFailure", "Reply", "Request", "Secret", "Site"]

LONGEST_REPLY = 32 * 2**20
"""Bytes of one reply after decompression. What is longer is refused."""


@dataclass(frozen=True, slots=True)
class Secret:
    """The name of an environment variable; its value is read when the request is sent, and kept nowhere.

    `before` is put before the value: `Bearer `.
    """

    name: str
    before: str = ""


Header = tuple[str, str | Secret]


class Request(NamedTuple):
    """One HTTP request. `query` holds further parameters whose values are secrets; all others are in the address."""

    method: str
    url: str
    headers: tuple[Header, ...] = ()
    body: bytes = b""
    query: tuple[Header, ...] = ()


class Reply(NamedTuple):
    """What came back, whatever its status. Values of secrets are taken out of headers and body already.

    Attributes:
        headers: by name in lower case.
        body: decompressed; empty when it was handed out as it came.
        first_byte_s, total_s: seconds from the moment of sending.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    first_byte_s: float
    total_s: float


class NetworkFailure(Exception):
    """No reply, or none that may be used. The text is for people, and holds no secret.

    Attributes:
        sent: whether the request may have reached the other side, and may be charged there.
    """

    def __init__(self, failure: Failure, message: str, *, sent: bool) -> None:
        self.failure, self.sent = failure, sent
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Site:
    """One place that may be reached: scheme, host and port of `url`, and no other.

    Attributes:
        local: it may be on this machine or in a private network.
        connect_s, read_s, total_s: seconds to connect, between two pieces of a reply, and for all of it.
        at_once: requests under way at the same time; None: as many as the run allows.
        per_minute: requests begun in any minute; None: no limit.
    """

    url: str
    local: bool = False
    connect_s: float = 10.0
    read_s: float = 120.0
    total_s: float = 300.0
    at_once: int | None = None
    per_minute: int | None = None
    longest: int = field(default=LONGEST_REPLY)


class Line(Protocol):
    """The way to one site."""

    async def send(self, request: Request, on_bytes: Callable[[bytes], None] | None = None) -> Reply:
        """Send once, now; never again by itself, and never to another place.

        Args:
            on_bytes: is handed each piece of the body of a 2xx reply as it comes; `Reply.body` is empty then.
                What it raises ends the reading, and is raised here.

        Raises:
            NetworkFailure: no usable reply, with its category.
        """
        ...

    def turn(self) -> AbstractAsyncContextManager[None]:
        """Waits until a request may be begun within the limits of the site; held while it is under way."""
        ...

    def clean(self, text: str) -> str:
        """A text that was put together from pieces, without the secrets that were sent here."""
        ...


class Network(Protocol):
    """Opens lines. Nothing is looked up or connected before the first `send`."""

    def line(self, site: Site) -> Line:
        """The line to a site.

        Raises:
            UsageError: the address cannot be used: no https, a password in it, a private address …
        """
        ...
