"""What carries a request: any library for HTTP that sends it once and hands out the bytes of the reply."""

import ssl
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

__all__ = ["BROKEN", "Incoming", "Outgoing", "RawHeaders", "Trouble", "Wire", "WireError", "why_no_connection"]

RawHeaders = Sequence[tuple[bytes, bytes]]

BROKEN = "the connection broke, or what came is no HTTP"


@dataclass(frozen=True, slots=True, repr=False)
class Outgoing:
    """A request with everything in it, keys too: never shown. Address and headers are in ASCII."""

    method: str
    url: str
    headers: Sequence[tuple[str, str]]
    body: bytes
    connect_s: float
    read_s: float


class Trouble(StrEnum):
    """What happened to a request. The first two: it was not sent."""

    CONNECT = "connect"
    CONNECT_TIMEOUT = "connect_timeout"
    READ_TIMEOUT = "read_timeout"
    BROKEN = "broken"
    UNUSABLE = "unusable"


class WireError(Exception):
    """No reply, or not all of it. Nothing of the library's own error goes along: it may hold a key."""

    def __init__(self, trouble: Trouble, detail: str) -> None:
        self.trouble, self.detail = trouble, detail
        super().__init__(detail)


class Incoming(Protocol):
    """The beginning of a reply."""

    @property
    def status(self) -> int:
        """Of HTTP."""
        ...

    @property
    def headers(self) -> RawHeaders:
        """As they came."""
        ...

    def pieces(self) -> AsyncGenerator[bytes]:
        """The body as it comes, not decompressed. Raises WireError."""
        ...

    async def aclose(self) -> None:
        """Give the connection back; close it when the body was not read to its end."""
        ...


class Wire(Protocol):
    """Connects to pinned addresses only, follows nothing, keeps nothing, tries nothing twice."""

    async def handle(self, outgoing: Outgoing) -> Incoming:
        """Send. Raises WireError."""
        ...

    async def aclose(self) -> None:
        """Close every connection."""
        ...


def why_no_connection(error: BaseException) -> str:
    """Why there is no connection, from the error at the bottom of it."""
    seen: BaseException | None = error
    while seen is not None:
        inner = getattr(seen, "os_error", None) or getattr(seen, "certificate_error", None)
        found = inner if isinstance(inner, Exception) else seen
        if isinstance(found, ssl.SSLCertVerificationError):
            return f"its certificate is not valid for it ({found.verify_message})"
        if isinstance(found, ssl.SSLError):
            return "it does not speak TLS there: is the port right, and is it https?"
        if isinstance(found, ConnectionRefusedError):
            return "nothing listens there (refused)"
        seen = seen.__cause__ or seen.__context__
    return "it cannot be reached"
