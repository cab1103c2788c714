"""The only door to the network, and the home of the library for HTTP."""

import socket
import ssl
from collections.abc import AsyncGenerator, Callable, Mapping
from io import BytesIO

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from engine.model.network import Line, Site
from engine.providers.addresses import Pins
from engine.providers.line import Means, SiteLine, allowed_origin
from engine.providers.pace import Pace
from engine.providers.wire import BROKEN, Incoming, Outgoing, Trouble, Wire, WireError, why_no_connection

__all__ = ["AiohttpWire", "PinnedResolver", "Transport", "trouble_of"]

_AT_ONCE = 2**20
"""Bytes that are written at once; what is longer is written piece by piece."""


class Transport:
    """Opens lines (`engine.model.network.Network`). Made outside of any loop, used within one, closed in it.

    Limits are shared by lines to one origin that have the same limits.

    Args:
        environment: where keys are read.
        concurrency: how many requests the run allows at the same time.
        wire: makes what carries the requests, at the first one.
    """

    def __init__(
        self, environment: Mapping[str, str], concurrency: int, wire: Callable[[Pins], Wire] | None = None
    ) -> None:
        self._means = Means(environment, Pins(), self._opened)
        self._concurrency = concurrency
        self._make_wire = wire or AiohttpWire
        self._wire: Wire | None = None
        self._paces: dict[tuple[str, int, int | None], Pace] = {}

    def line(self, site: Site) -> Line:
        """The line to a site. Raises UsageError when its address cannot be used."""
        origin = allowed_origin(site)
        at_once = min(site.at_once or self._concurrency, self._concurrency)
        limits = str(origin), at_once, site.per_minute
        pace = self._paces.setdefault(limits, Pace(at_once, site.per_minute))
        return SiteLine(site, origin, pace, self._means)

    async def aclose(self) -> None:
        """Close every connection."""
        wire, self._wire = self._wire, None
        if wire is not None:
            await wire.aclose()

    def _opened(self) -> Wire:
        if self._wire is None:
            self._wire = self._make_wire(self._means.pins)
        return self._wire


class AiohttpWire:
    """The usual wire: aiohttp, whose pool does not get slower with its size.

    It trusts the authorities that the system trusts, and those of `certifi` where that is installed.

    Args:
        trust: whom to believe instead.
    """

    def __init__(self, pins: Pins, trust: ssl.SSLContext | None = None) -> None:
        self._trust = trust
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, resolver=PinnedResolver(pins), use_dns_cache=False),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=("Content-Type",),
            auto_decompress=False,
            trust_env=False,
        )
        self._session._retry_connection = False  # else a GET goes out twice when a kept connection had been closed

    async def handle(self, outgoing: Outgoing) -> Incoming:
        """Send. Raises WireError."""
        body = outgoing.body
        try:
            response = await self._session.request(
                outgoing.method,
                URL(outgoing.url, encoded=True),
                headers=outgoing.headers,
                data=body or None if len(body) <= _AT_ONCE else BytesIO(body),
                allow_redirects=False,
                ssl=self._trusted() if outgoing.url.startswith("https:") else True,
                timeout=aiohttp.ClientTimeout(sock_connect=outgoing.connect_s, sock_read=outgoing.read_s),
            )
        except (aiohttp.ClientError, OSError) as error:
            failed = trouble_of(error)
        else:
            return _Incoming(response)
        raise failed

    async def aclose(self) -> None:
        """Close every connection."""
        await self._session.close()

    def _trusted(self) -> ssl.SSLContext:
        """Made when it is first needed: reading all authorities takes 50 ms."""
        if self._trust is None:
            self._trust = _usual_trust()
        return self._trust


class _Incoming:
    """The beginning of a reply."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response
        self.status, self.headers = response.status, response.raw_headers

    async def pieces(self) -> AsyncGenerator[bytes]:
        """The body as it comes. Raises WireError."""
        try:
            async for piece in self._response.content.iter_any():
                yield piece
        except (aiohttp.ClientError, OSError) as error:
            failed = trouble_of(error)
        else:
            return
        raise failed

    async def aclose(self) -> None:
        """Give the connection back, or close it when something is left in it."""
        self._response.release()


class PinnedResolver(AbstractResolver):
    """Knows the addresses that were checked, and asks nobody."""

    def __init__(self, pins: Pins) -> None:
        self._pins = pins

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """All addresses of a host. The connector tries one after the other."""
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in self._pins.known(host)
        ]

    async def close(self) -> None:
        """Nothing is open."""


def _usual_trust() -> ssl.SSLContext:
    context = ssl.create_default_context()
    try:
        import certifi
    except ImportError:
        return context
    context.load_verify_locations(certifi.where())
    return context


def trouble_of(error: Exception) -> WireError:
    """What happened, in our words."""
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return WireError(Trouble.CONNECT_TIMEOUT, "")
    if isinstance(error, aiohttp.ClientConnectorError):
        return WireError(Trouble.CONNECT, why_no_connection(error))
    if isinstance(error, TimeoutError):
        return WireError(Trouble.READ_TIMEOUT, "")
    return WireError(Trouble.BROKEN, BROKEN)
