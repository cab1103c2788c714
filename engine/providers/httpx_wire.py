"""Any transport with the interface of httpx as a wire: httpx, httpx over aiohttp, httpx2. Imports none of them."""

from collections.abc import AsyncGenerator
from types import ModuleType
from typing import Any

from engine.providers.wire import BROKEN, Incoming, Outgoing, RawHeaders, Trouble, WireError, why_no_connection

__all__ = ["HttpxWire"]


class HttpxWire:
    """A transport of httpx, used below its client. Whoever makes it sees to it that it uses pinned addresses only.

    Args:
        transport: an `AsyncBaseTransport`.
        library: the module that its requests and errors come from.
    """

    def __init__(self, transport: Any, library: ModuleType) -> None:
        self._transport, self._library = transport, library
        self.errors: tuple[type[Exception], ...] = (library.TransportError, library.InvalidURL, OSError)

    async def handle(self, outgoing: Outgoing) -> Incoming:
        """Send. Raises WireError."""
        library, read_s = self._library, outgoing.read_s
        try:
            request = library.Request(
                outgoing.method,
                outgoing.url,
                headers=outgoing.headers,
                stream=library.ByteStream(outgoing.body),
                extensions={"timeout": {"connect": outgoing.connect_s, "read": read_s, "write": read_s}},
            )
            request.read()
            response = await self._transport.handle_async_request(request)
        except self.errors as error:
            failed = self.told(error)
        else:
            return _Incoming(response, self)
        raise failed

    async def aclose(self) -> None:
        """Close every connection."""
        await self._transport.aclose()

    def told(self, error: Exception) -> WireError:
        """What happened, in our words."""
        library = self._library
        if isinstance(error, library.ConnectTimeout):
            return WireError(Trouble.CONNECT_TIMEOUT, "")
        if isinstance(error, library.TimeoutException):
            return WireError(Trouble.READ_TIMEOUT, "")
        if isinstance(error, library.ConnectError):
            return WireError(Trouble.CONNECT, why_no_connection(error))
        return WireError(Trouble.BROKEN, BROKEN)


class _Incoming:
    """The beginning of a reply."""

    def __init__(self, response: Any, wire: HttpxWire) -> None:
        self._response, self._wire = response, wire
        self.status: int = response.status_code
        self.headers: RawHeaders = response.headers.raw

    async def pieces(self) -> AsyncGenerator[bytes]:
        """The body as it comes. Raises WireError."""
        try:
            async for piece in self._response.stream:
                yield piece
        except self._wire.errors as error:
            failed = self._wire.told(error)
        else:
            return
        raise failed

    async def aclose(self) -> None:
        """Give the connection back, or close it when something is left in it."""
        await self._response.aclose()
