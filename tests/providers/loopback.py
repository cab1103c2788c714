"""Servers on this machine that do what a test tells them, and the wires that are tested against them."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.model.network import Request, Site
from engine.providers.addresses import Pins
from engine.providers.httpx_wire import HttpxWire
from engine.providers.transport import AiohttpWire, PinnedResolver, Transport, trouble_of
from engine.providers.wire import Wire, WireError

__all__ = ["CERTIFICATE", "WIRES", "Loopback", "at", "local", "made", "post", "raw", "served", "server_tls", "trusting"]

CERTIFICATE = Path(__file__).parent / "loopback.pem"
"""For the names assay.test and localhost; its key is known to everybody, and nobody trusts it but tests."""

WIRES = ("aiohttp", "httpx_aiohttp", "httpx", "httpx2")

Answer = bytes | Callable[["Loopback", asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Loopback:
    """What a server saw. `requests` holds each as it came: head and body."""

    def __init__(self) -> None:
        self.accepted = 0
        self.open = 0
        self.most_open = 0
        self.requests: list[tuple[str, bytes]] = []
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def heads(self) -> list[str]:
        return [head for head, _ in self.requests]


def raw(body: bytes = b"{}", status: str = "200 OK", headers: str = "") -> bytes:
    """A reply of HTTP/1.1 that keeps the connection."""
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{headers}\r\n".encode() + body


@asynccontextmanager
async def served(
    answer: Answer, tls: ssl.SSLContext | None = None, *, reads: bool = True, greeting: bytes = b""
) -> AsyncIterator[Loopback]:
    """A server that gives one answer to each request: bytes, or whatever a function does.

    Args:
        reads: it reads the body of a request before it answers.
        greeting: what it says to whoever connects.
    """
    seen = Loopback()
    writers: set[asyncio.StreamWriter] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.accepted += 1
        seen.open += 1
        seen.most_open = max(seen.most_open, seen.open)
        writers.add(writer)
        writer.write(greeting)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                sizes = [line[15:] for line in head.lower().split("\r\n") if line.startswith("content-length:")]
                body = await reader.readexactly(int(sizes[0])) if sizes and reads else b""
                seen.requests.append((head, body))
                if isinstance(answer, bytes):
                    writer.write(answer)
                    await writer.drain()
                else:
                    await answer(seen, reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.LimitOverrunError, ssl.SSLError):
            pass
        finally:
            seen.open -= 1
            writers.discard(writer)
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls, backlog=512)
    seen.port = server.sockets[0].getsockname()[1]
    try:
        yield seen
    finally:
        server.close()
        async with asyncio.timeout(5):
            while seen.open:
                for writer in list(writers):
                    writer.transport.abort()
                await asyncio.sleep(0.001)
        await asyncio.sleep(0.001)


def trusting() -> ssl.SSLContext:
    """Trusts the certificate of the tests alone."""
    return ssl.create_default_context(cafile=str(CERTIFICATE))


def server_tls() -> ssl.SSLContext:
    """What a server needs to show that certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context


def made(name: str) -> Callable[[Pins], Wire]:
    """A wire by the library that carries it; skips the test where that is not installed."""
    if name == "aiohttp":
        return lambda pins: AiohttpWire(pins, trusting())
    return {"httpx_aiohttp": _httpx_over_aiohttp, "httpx": _httpx, "httpx2": _httpx2}[name]()


def _httpx_over_aiohttp() -> Callable[[Pins], Wire]:
    aiohttp = pytest.importorskip("aiohttp")
    httpx = pytest.importorskip("httpx")
    library = pytest.importorskip("httpx_aiohttp")

    class OverAiohttp(HttpxWire):
        """It calls a connection that broke after the request was sent one that was never made."""

        def told(self, error: Exception) -> WireError:
            cause = error.__cause__
            return trouble_of(cause if isinstance(cause, Exception) else error)

    def wire(pins: Pins) -> Wire:
        connector = aiohttp.TCPConnector(limit=0, ssl=trusting(), resolver=PinnedResolver(pins), use_dns_cache=False)
        session = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())
        session._retry_connection = False
        over = OverAiohttp(library.AiohttpTransport(client=session, verify=trusting(), trust_env=False), httpx)
        over.errors = (*over.errors, aiohttp.ClientError)
        return over

    return wire


def _httpx() -> Callable[[Pins], Wire]:
    return _of_httpcore("httpx", "httpcore")


def _httpx2() -> Callable[[Pins], Wire]:
    return _of_httpcore("httpx2", "httpcore2")


def _of_httpcore(name: str, core: str) -> Callable[[Pins], Wire]:
    library, httpcore = pytest.importorskip(name), pytest.importorskip(core)

    class Pinned(httpcore.AnyIOBackend):  # type: ignore[misc, name-defined]
        def __init__(self, pins: Pins) -> None:
            self._pins = pins

        async def connect_tcp(self, host: str, *args: Any, **named: Any) -> Any:
            addresses = self._pins.known(host.strip("[]"))
            for last, address in enumerate(addresses, 1 - len(addresses)):
                try:
                    return await super().connect_tcp(address, *args, **named)
                except httpcore.ConnectError:
                    if not last:
                        raise
            raise httpcore.ConnectError("no address")

    def wire(pins: Pins) -> Wire:
        limits = library.Limits(max_connections=None, max_keepalive_connections=None)
        transport = library.AsyncHTTPTransport(verify=trusting(), trust_env=False, limits=limits)
        transport._pool._network_backend = Pinned(pins)
        return HttpxWire(transport, library)

    return wire


@asynccontextmanager
async def at(
    wire: str = "aiohttp", environment: Mapping[str, str] | None = None, concurrency: int = 64
) -> AsyncIterator[Transport]:
    """A transport over a wire, closed in the end."""
    transport = Transport(environment or {}, concurrency, made(wire))
    try:
        yield transport
    finally:
        await transport.aclose()


def post(server: Loopback | str, path: str = "/v1/answer", body: bytes = b'{"q": 1}', **named: Any) -> Request:
    """A request to a server."""
    url = server if isinstance(server, str) else server.url
    return Request("POST", f"{url}{path}", (("content-type", "application/json"),), body, **named)


def local(server: Loopback, **named: Any) -> Site:
    """A server of a test as a site."""
    return Site(server.url, local=True, **named)
