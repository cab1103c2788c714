"""An HTTP/1.1 server on this machine, written by hand so that it can break every rule of HTTP."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus

from tests.loopback.behaviour import Behaviour
from tests.loopback.replies import Reply, Request, reply_to
from tests.loopback.stats import Stats

__all__ = ["Server"]

_LONGEST_HEAD = 2**17


class _BreakError(Exception):
    """The connection is closed now."""


@dataclass(slots=True)
class Server:
    """Answers until it is closed. `stats` may be looked at at any time."""

    stats: Stats = field(default_factory=Stats)
    _listening: asyncio.Server | None = None
    _talks: set[asyncio.Task[None]] = field(default_factory=set)

    async def open(self, port: int = 0) -> int:
        """Listen on 127.0.0.1. Returns the port."""
        self._listening = await asyncio.start_server(self._talk, "127.0.0.1", port, limit=_LONGEST_HEAD, backlog=1024)
        found: int = self._listening.sockets[0].getsockname()[1]
        return found

    async def aclose(self) -> None:
        """Break every connection and stop listening."""
        assert self._listening is not None
        self._listening.close()
        for task in self._talks:
            task.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        task = asyncio.current_task()
        assert task is not None
        self._talks.add(task)
        self.stats.connections += 1
        try:
            while (request := await self._read(reader)) is not None:
                await self._one(request, reader, writer)
        except (_BreakError, ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            pass  # the other side has gone, sends no HTTP, or shall lose this connection
        except asyncio.CancelledError:
            pass  # the server is closed
        finally:
            self._talks.discard(task)
            writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> Request | None:
        """The next request; None at the end of the connection."""
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        method, target, _ = first.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}
        body = await _body(reader, headers)
        self.stats.bytes_in += len(head) + len(body)
        return Request(method, target, headers, body)

    async def _one(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request and its reply."""
        if request.path in ("/stats", "/reset"):
            told = json.dumps(self.stats.as_json()).encode()
            if request.path == "/reset":
                self.stats = Stats()
            await self._send(writer, Reply(200, (told,), {"content-type": "application/json"}), Behaviour())
            return
        stats = self.stats
        nth = stats.begin(request)
        try:
            behaviour, reply = _decide(request, nth)
            if behaviour.latency_s:
                await asyncio.sleep(behaviour.latency_s)
            stats.decided(reply)
            if behaviour.has("never"):
                await reader.read(1)  # until the other side gives up
                raise _BreakError
            if behaviour.has("close"):
                raise _BreakError
            await self._send(writer, reply, behaviour)
            stats.answered += 1
        finally:
            stats.in_flight -= 1

    async def _send(self, writer: asyncio.StreamWriter, reply: Reply, behaviour: Behaviour) -> None:
        if behaviour.has("garbage"):
            writer.write(b"220 mail.example ESMTP ready\r\n\r\n")
            await writer.drain()
            raise _BreakError
        pause = behaviour.number("slowhead")
        head = _head(reply, behaviour)
        for part in head.splitlines(keepends=True) if pause else (head,):
            await self._write(writer, part, pause)
        if behaviour.has("endless"):
            while True:
                await self._write(writer, _framed(b" " * 2**16), behaviour.number("slowbody"))
        await self._send_body(writer, reply, behaviour)
        if reply.broken or behaviour.has("cut"):
            await writer.drain()
            raise _BreakError
        if "length" in behaviour.words:
            raise _BreakError

    async def _send_body(self, writer: asyncio.StreamWriter, reply: Reply, behaviour: Behaviour) -> None:
        pause = behaviour.number("slowbody")
        for piece in _cut(_pieces(reply, pause), behaviour):
            await self._write(writer, _framed(piece) if reply.chunked else piece, pause)
        if reply.chunked and not reply.broken and not behaviour.has("cut"):
            await self._write(writer, b"0\r\n\r\n", None)

    async def _write(self, writer: asyncio.StreamWriter, data: bytes, pause: int | None) -> None:
        writer.write(data)
        self.stats.bytes_out += len(data)
        await writer.drain()
        if pause:
            await asyncio.sleep(pause / 1000)


def _decide(request: Request, nth: int) -> tuple[Behaviour, Reply]:
    try:
        asked = Behaviour.of(request.behaviour)
        behaviour = asked if asked.lies_to(nth) else asked.honest()
        return behaviour, reply_to(request, behaviour, nth)
    except ValueError as error:  # a slip in a test: it is told instead of being an honest answer
        return Behaviour(), Reply(
            404, (json.dumps({"detail": str(error)}).encode(),), {"content-type": "application/json"}
        )


def _head(reply: Reply, behaviour: Behaviour) -> bytes:
    headers = dict(reply.headers)
    if reply.chunked or behaviour.has("endless"):
        headers["transfer-encoding"] = "chunked"
    elif not behaviour.has("cutclean"):
        headers["content-length"] = str(max(len(reply.body) + (behaviour.number("length") or 0), 0))
    else:
        headers["content-length"] = str(min(len(reply.body), behaviour.number("cutclean") or 0))
    phrase = HTTPStatus(reply.status).phrase if reply.status in _STATUSES else "Unknown"
    lines = (f"HTTP/1.1 {reply.status} {phrase}", *(f"{name}: {value}" for name, value in headers.items()))
    return "\r\n".join((*lines, "", "")).encode("latin-1")


_STATUSES = {int(status) for status in HTTPStatus}


def _pieces(reply: Reply, pause: int | None) -> Iterator[bytes]:
    """The body in pieces; one that is not streamed goes out byte by byte when it is to be slow."""
    if pause and not reply.chunked:
        yield from (reply.body[at : at + 1] for at in range(len(reply.body)))
    else:
        yield from reply.pieces


def _cut(pieces: Iterator[bytes], behaviour: Behaviour) -> Iterator[bytes]:
    left = behaviour.number("cut") if behaviour.has("cut") else behaviour.number("cutclean")
    for piece in pieces:
        if left is None:
            yield piece
        elif left > 0:
            yield piece[:left]
            left -= len(piece)


def _framed(piece: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(piece), piece) if piece else b""


async def _body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding") != "chunked":
        return await reader.readexactly(int(headers.get("content-length", 0)))
    found = b""
    while size := int(await reader.readuntil(b"\r\n"), 16):
        found += (await reader.readexactly(size + 2))[:-2]
    await reader.readuntil(b"\r\n")
    return found
