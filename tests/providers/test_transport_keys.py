"""Keys come from the environment when a request is sent, and nobody sees them afterwards."""

import asyncio
import base64
import json
import logging
import traceback
from collections.abc import Callable, Mapping
from urllib.parse import quote

import pytest

from engine.model.network import Header, NetworkFailure, Reply, Request, Secret
from engine.model.record import Failure
from engine.providers.scrub import REMOVED
from tests.providers.loopback import WIRES, Loopback, at, local, raw, served

KEY = "sk-live+4711/abcdef=="
BEARER: tuple[Header, ...] = (("authorization", Secret("API_KEY", "Bearer ")),)
ECHOES = {
    "as it is": KEY.encode(),
    "base64": base64.b64encode(KEY.encode()),
    "base64 with more": base64.b64encode(f"user:{KEY}:x".encode()),
    "base64 without padding": base64.b64encode(KEY.encode()).rstrip(b"="),
    "in an address": quote(KEY, safe="").encode(),
    "in JSON": json.dumps({"error": {"message": f"wrong key {KEY}"}}).replace("/", "\\/").encode(),
}


def ask(server: Loopback, headers: tuple[Header, ...] = BEARER, query: tuple[Header, ...] = ()) -> Request:
    return Request("POST", f"{server.url}/v1", headers, b"{}", query)


def fails(environment: Mapping[str, str], headers: tuple[Header, ...] = BEARER) -> NetworkFailure:
    async def main() -> NetworkFailure:
        async with served(raw()) as server, at(environment=environment) as transport:
            with pytest.raises(NetworkFailure) as caught:
                await transport.line(local(server)).send(ask(server, headers))
            assert server.accepted == 0
            return caught.value

    return asyncio.run(main())


def leaks(text: str) -> bool:
    return any(KEY[3:-2] in form for form in (text, text.replace("\\/", "/"), text.replace("%2F", "/")))


@pytest.mark.parametrize("wire", WIRES)
def test_a_key_is_sent_and_read_anew_each_time(wire: str) -> None:
    async def main() -> None:
        environment = {"API_KEY": KEY, "TOKEN": "t&k en-1234"}
        async with served(raw()) as server, at(wire, environment) as transport:
            line = transport.line(local(server))
            await line.send(ask(server, query=(("key", Secret("TOKEN")), ("v", "1"))))
            environment["API_KEY"] = "  another-key-5678\n"
            await line.send(ask(server))
            await line.send(ask(server, (("x-api-key", Secret("API_KEY")),)))
        first, second, third = server.heads
        assert first.startswith("POST /v1?key=t%26k%20en-1234&v=1 HTTP/1.1\r\n")
        assert f"\r\nauthorization: Bearer {KEY}\r\n" in first
        assert "Bearer another-key-5678\r\n" in second
        assert "api-key: another-key-5678\r\n" in third.lower()
        assert "authorization" not in third.lower()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({}, ["API_KEY is not set: ", "export API_KEY=…"]),
        ({"API_KEYS": KEY}, ["is not set (did you mean API_KEYS?)"]),
        ({"API_KEY": " \n"}, ["API_KEY is empty: "]),
        ({"API_KEY": f"{KEY}\nX-Evil: 1"}, ["API_KEY has a line break in it"]),
        ({"API_KEY": f"“{KEY}”"}, ["API_KEY has a line break in it, or a character that no key has"]),
    ],
)
def test_a_key_that_is_none_is_said_before_anything_is_sent(environment: Mapping[str, str], words: list[str]) -> None:
    error = fails(environment)
    assert (error.failure, error.sent) == (Failure.UNAUTHORIZED, False)
    assert all(word in str(error) for word in words), error
    assert not leaks(str(error))


@pytest.mark.parametrize(
    ("header", "words"),
    [
        (("Host", "evil.example"), '"Host" is written by the engine'),
        (("content-length", "3"), "is written by the engine"),
        (("Transfer-Encoding", "chunked"), "is written by the engine"),
        (("x", "a\r\nHost: evil"), '"x" has a line break in it'),
        (("x", "é"), "character that no header may have"),
        (("x: y\r\nz", "a"), "name that no header may have"),
        (("", "a"), "name that no header may have"),
    ],
)
def test_a_header_that_would_change_the_request(header: Header, words: str) -> None:
    error = fails({}, (header,))
    assert (error.failure, error.sent) == (Failure.VALIDATION, False)
    assert words in str(error)


@pytest.mark.parametrize("status", ["200 OK", "401 Unauthorized"])
@pytest.mark.parametrize("echo", ECHOES)
@pytest.mark.parametrize("wire", WIRES)
def test_an_echoed_key_is_taken_out_of_body_and_headers(wire: str, echo: str, status: str) -> None:
    async def main() -> Reply:
        answer = raw(b"you sent " + ECHOES[echo], status, f"X-Echo: {ECHOES[echo].decode()}\r\n")
        async with served(answer) as server, at(wire, {"API_KEY": KEY}) as transport:
            return await transport.line(local(server)).send(ask(server))

    reply = asyncio.run(main())
    assert REMOVED in reply.body.decode()
    assert REMOVED in reply.headers["x-echo"]
    assert not leaks(repr(reply))
    assert ECHOES[echo].decode().strip("=") not in repr(reply)


@pytest.mark.parametrize("wire", WIRES)
def test_an_echoed_key_in_pieces(wire: str) -> None:
    async def drip(seen: Loopback, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for letter in f"data: you sent {KEY}, and {KEY[:-1]}":
            writer.write(b"1\r\n" + letter.encode() + b"\r\n")
            await writer.drain()
            await asyncio.sleep(0)
        writer.write(b"0\r\n\r\n")

    async def main() -> None:
        got: list[bytes] = []
        async with served(drip) as server, at(wire, {"API_KEY": KEY}) as transport:
            await transport.line(local(server)).send(ask(server), got.append)
        assert b"".join(got).decode() == f"data: you sent {REMOVED}, and {REMOVED}"

    asyncio.run(main())


def test_a_key_that_is_a_word_stays_in_an_answer() -> None:
    async def main() -> None:
        environment = {"API_KEY": "EMPTY"}
        for status, left in (("200 OK", "EMPTY"), ("401 Unauthorized", REMOVED)):
            async with served(raw(b"it is EMPTY", status)) as server, at(environment=environment) as transport:
                reply = await transport.line(local(server)).send(ask(server))
                assert reply.body.decode() == f"it is {left}"

    asyncio.run(main())


async def _hangs_up(seen: Loopback, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def _waits(seen: Loopback, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()


@pytest.mark.parametrize(
    "answer",
    [_hangs_up, _waits, f"HTTP/1.1 {KEY}\r\n\r\n".encode(), f"{KEY}\r\n\r\n".encode(), raw(KEY.encode() * 100)],
    ids=["hangs up", "waits", "bad status", "no HTTP", "too long"],
)
@pytest.mark.parametrize("wire", WIRES)
def test_no_error_holds_a_key_nor_what_it_comes_from(
    wire: str, answer: "bytes | Callable[..., object]", caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    async def main() -> NetworkFailure:
        async with served(answer) as server, at(wire, {"API_KEY": KEY}) as transport:  # type: ignore[arg-type]
            line = transport.line(local(server, read_s=0.1, total_s=2, longest=500))
            with pytest.raises(NetworkFailure) as caught:
                await line.send(ask(server, query=(("key", Secret("API_KEY")),)))
            assert not leaks(f"{line!r} {transport!r} {line._signed!r}")  # type: ignore[attr-defined]
            return caught.value

    error = asyncio.run(main())
    assert error.__cause__ is None
    assert error.__context__ is None
    assert not leaks("".join(traceback.format_exception(error)) + repr(error))
    if wire == "aiohttp":  # what httpx says to its log at this level is its own affair, and nobody listens
        assert not leaks(caplog.text)
