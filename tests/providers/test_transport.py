"""What one request does: bytes as they are, one connection, every kind of trouble by its name. On each wire."""

import asyncio
import gzip
import warnings
import zlib
from asyncio import StreamReader as Reader
from asyncio import StreamWriter as Writer
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from engine import __version__
from engine.model.network import NetworkFailure, Reply, Request, Site
from engine.model.record import Failure
from tests.providers.loopback import WIRES, Loopback, at, local, post, raw, served

pytestmark = pytest.mark.parametrize("wire", WIRES)


def failure_of(answer: "bytes | Callable[..., object]", wire: str, **limits: float) -> NetworkFailure:
    """What is raised when a server answers so."""

    async def main() -> NetworkFailure:
        async with served(answer) as server, at(wire) as transport:  # type: ignore[arg-type]
            with pytest.raises(NetworkFailure) as caught:
                await transport.line(local(server, **limits)).send(post(server))
            assert len(server.requests) <= 1  # nothing is sent twice
            return caught.value

    return asyncio.run(main())


def test_a_request_arrives_as_it_was_written(wire: str) -> None:
    async def main() -> None:
        async with served(raw(b'{"a": 1}', headers="X-Request-Id: r-1\r\n")) as server, at(wire) as transport:
            line = transport.line(local(server))
            assert server.accepted == 0
            reply = await line.send(post(server, "/v1/x?b=%26&c=1"))
            ((head, body),) = server.requests
        lines = head.lower().split("\r\n")
        assert lines[0] == "post /v1/x?b=%26&c=1 http/1.1"
        assert body == b'{"q": 1}'
        for wanted in (
            f"host: 127.0.0.1:{server.port}",
            f"user-agent: assay/{__version__}",
            "content-type: application/json",
            "content-length: 8",
        ):
            assert lines.count(wanted) == 1, (wanted, lines)
        assert not any(line.startswith(("cookie", "authorization", "transfer-encoding")) for line in lines)
        assert (reply.status, reply.body) == (200, b'{"a": 1}')
        assert reply.headers["x-request-id"] == "r-1"
        assert 0 < reply.first_byte_s <= reply.total_s < 5

    asyncio.run(main())


def test_a_header_of_the_request_stands_for_the_usual_one(wire: str) -> None:
    async def main() -> None:
        async with served(raw()) as server, at(wire) as transport:
            request = Request("GET", f"{server.url}?a=1", (("User-Agent", "mine"), ("Accept", "text/plain")))
            await transport.line(local(server)).send(request)
            lines = server.heads[0].lower().split("\r\n")
        assert lines[0] == "get /?a=1 http/1.1"
        assert [line for line in lines if line.startswith(("user-agent", "accept:"))] == [
            "user-agent: mine",
            "accept: text/plain",
        ]
        assert not any(line.startswith(("content-length", "content-type")) for line in lines)

    asyncio.run(main())


def test_a_hundred_at_the_same_time_get_each_its_own_answer(wire: str) -> None:
    async def echo(seen: Loopback, reader: Reader, writer: Writer) -> None:
        body = seen.requests[-1][1]
        await asyncio.sleep(0.01)
        writer.write(raw(body))

    async def main() -> None:
        async with served(echo) as server, at(wire, concurrency=20) as transport:
            line = transport.line(local(server))
            bodies = [b"body %d" % number for number in range(100)]

            async def in_turn(body: bytes) -> Reply:
                async with line.turn():
                    return await line.send(post(server, body=body))

            replies = await asyncio.gather(*map(in_turn, bodies))
            assert [reply.body for reply in replies] == bodies
            assert server.most_open <= 20

    asyncio.run(main())


def test_cookies_are_not_kept(wire: str) -> None:
    async def main() -> None:
        async with served(raw(headers="Set-Cookie: a=b; Path=/\r\n")) as server, at(wire) as transport:
            url = server.url.replace("127.0.0.1", "localhost")  # some keep cookies of names alone
            line = transport.line(Site(url, local=True))
            for _ in range(2):
                reply = await line.send(post(url))
            assert reply.headers["set-cookie"] == "a=b; Path=/"
            assert server.accepted == 1
            assert not any("cookie" in head.lower() for head in server.heads)

    asyncio.run(main())


def test_the_pieces_of_a_streamed_answer_come_as_they_come(wire: str) -> None:
    second = asyncio.Event()

    async def drip(seen: Loopback, reader: Reader, writer: Writer) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
        await second.wait()
        writer.write(b"3\r\ntwo\r\n0\r\n\r\n")

    async def main() -> None:
        got: list[bytes] = []

        def take(piece: bytes) -> None:
            got.append(piece)
            second.set()  # the rest is only sent once this has come

        async with served(drip) as server, at(wire) as transport:
            reply = await transport.line(local(server)).send(post(server), take)
        assert (got, reply.body) == ([b"one", b"two"], b"")
        assert "accept-encoding: identity" in server.heads[0].lower()

    asyncio.run(main())


def test_a_refusal_is_not_handed_out_in_pieces(wire: str) -> None:
    async def main() -> None:
        async with served(raw(b"too many", "429 Too Many Requests")) as server, at(wire) as transport:
            reply = await transport.line(local(server)).send(post(server), _never)
        assert (reply.status, reply.body) == (429, b"too many")

    asyncio.run(main())


def _never(piece: bytes) -> None:
    raise AssertionError(piece)


@pytest.mark.parametrize("error", [ValueError("bad"), TimeoutError("mine"), OSError("mine"), KeyError("k")], ids=repr)
def test_what_the_reader_raises_comes_out_and_ends_the_connection(wire: str, error: Exception) -> None:
    async def endless(seen: Loopback, reader: Reader, writer: Writer) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"3\r\none\r\n")
            await writer.drain()
            await asyncio.sleep(0.001)

    def refuse(piece: bytes) -> None:
        raise error

    async def main() -> None:
        async with served(endless) as server, at(wire) as transport:
            with pytest.raises(type(error)) as caught:
                await transport.line(local(server)).send(post(server), refuse)
            assert caught.value is error
            await _until(lambda: server.open == 0)

    asyncio.run(main())


async def _until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(3):
        while not done():
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("where", ["same", "decoy", "https", "//host"])
def test_no_redirect_is_followed(wire: str, status: int, where: str) -> None:
    async def main() -> None:
        async with served(raw()) as decoy, at(wire) as transport:
            place = {"same": "/other", "decoy": decoy.url, "https": f"https://localhost:{decoy.port}/"}.get(
                where, f"//localhost:{decoy.port}/"
            )
            async with served(raw(b"moved", f"{status} Moved", f"Location: {place}\r\n")) as server:
                reply = await transport.line(local(server)).send(post(server))
                assert (reply.status, reply.headers["location"]) == (status, place)
                assert len(server.requests) == 1
            assert decoy.accepted == 0

    asyncio.run(main())


def test_proxies_and_netrc_of_the_environment_are_not_used(
    wire: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with served(raw(b"proxy")) as proxy, served(raw(b"direct")) as server:
            for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
                monkeypatch.setenv(name, proxy.url)
                monkeypatch.setenv(name.lower(), proxy.url)
            monkeypatch.delenv("NO_PROXY", raising=False)
            monkeypatch.delenv("no_proxy", raising=False)
            async with at(wire) as transport:
                reply = await transport.line(local(server)).send(post(server))
            assert reply.body == b"direct"
            assert proxy.accepted == 0
            assert "authorization" not in server.heads[0].lower()

    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password hidden\n")
    (tmp_path / ".netrc").chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    asyncio.run(main())


def test_a_kept_connection_that_was_closed_is_not_tried_again_behind_ones_back(wire: str) -> None:
    """aiohttp would send a GET a second time by itself."""
    answered = 0

    async def once(seen: Loopback, reader: Reader, writer: Writer) -> None:
        nonlocal answered
        answered += 1
        if answered == 2:
            writer.transport.abort()
        else:
            writer.write(raw())

    async def main() -> None:
        async with served(once) as server, at(wire) as transport:
            line = transport.line(local(server))
            await line.send(Request("GET", server.url))
            with pytest.raises(NetworkFailure) as caught:
                await line.send(Request("GET", server.url))
            assert (caught.value.failure, caught.value.sent) == (Failure.TRANSPORT, True)
            assert len(server.requests) == 2

    asyncio.run(main())


# Compression


@pytest.mark.parametrize(
    ("name", "packed"),
    [
        ("gzip", gzip.compress(b"text" * 50_000)),
        ("GZip", gzip.compress(b"text" * 20_000) + gzip.compress(b"text" * 30_000)),
        ("deflate", zlib.compress(b"text" * 50_000)),
        ("deflate", zlib.compress(b"text" * 50_000)[2:-4]),
    ],
    ids=["gzip", "two members", "deflate", "bare deflate"],
)
def test_a_compressed_reply_is_unpacked(wire: str, name: str, packed: bytes) -> None:
    async def main() -> None:
        answer = raw(packed, headers=f"Content-Encoding: {name}\r\n")
        async with served(answer) as server, at(wire) as transport:
            line = transport.line(local(server))
            pieces: list[bytes] = []
            assert (await line.send(post(server))).body == b"text" * 50_000
            await line.send(post(server), pieces.append)
            assert b"".join(pieces) == b"text" * 50_000

    asyncio.run(main())


@cache
def _bomb() -> bytes:
    return gzip.compress(bytes(48 * 2**20), 1)


def test_a_small_reply_that_unpacks_to_much_is_stopped(wire: str) -> None:
    bomb = _bomb()
    assert len(bomb) < 2**20

    async def main() -> None:
        taken = 0

        def take(piece: bytes) -> None:
            nonlocal taken
            taken += len(piece)

        async with served(raw(bomb, headers="Content-Encoding: gzip\r\n")) as server, at(wire) as transport:
            line = transport.line(local(server))
            for on_bytes in (None, take):
                with pytest.raises(NetworkFailure, match="it is longer than 33,554,432 bytes") as caught:
                    await line.send(post(server), on_bytes)
                assert (caught.value.failure, caught.value.sent) == (Failure.TRANSPORT, True)
        assert 32 * 2**20 - 2**16 <= taken <= 32 * 2**20

    asyncio.run(main())


def test_a_long_reply_is_stopped(wire: str) -> None:
    assert "longer than 1,000 bytes" in str(failure_of(raw(b"x" * 1001), wire, longest=1000))


@pytest.mark.parametrize(
    ("headers", "body", "message"),
    [
        ("Content-Encoding: br\r\n", b"....", "compressed in a way that was not asked for"),
        ("Content-Encoding: gzip, gzip\r\n", b"....", "compressed in a way that was not asked for"),
        ("Content-Encoding: gzip\r\n", b"plain text", "damaged"),
        ("Content-Encoding: gzip\r\n", gzip.compress(b"text" * 1000)[:-9], "cut off"),
    ],
    ids=["brotli", "twice", "not at all", "cut"],
)
def test_a_reply_that_cannot_be_unpacked(wire: str, headers: str, body: bytes, message: str) -> None:
    error = failure_of(raw(body, headers=headers), wire)
    assert (error.failure, error.sent) == (Failure.TRANSPORT, True)
    assert message in str(error)


# Trouble


async def _hangs(seen: Loopback, reader: Reader, writer: Writer) -> None:
    await reader.read()


async def _hangs_in_the_headers(seen: Loopback, reader: Reader, writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Le")
    await reader.read()


async def _hangs_in_the_body(seen: Loopback, reader: Reader, writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
    await reader.read()


async def _drips(seen: Loopback, reader: Reader, writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("answer", [_hangs, _hangs_in_the_headers, _hangs_in_the_body])
def test_nothing_comes(wire: str, answer: Callable[..., object]) -> None:
    error = failure_of(answer, wire, read_s=0.1, total_s=5)
    assert (error.failure, error.sent) == (Failure.TIMEOUT, True)
    assert str(error).endswith("nothing came for 0.1 seconds")


@pytest.mark.parametrize("answer", [_hangs, _drips])
def test_all_of_it_takes_too_long(wire: str, answer: Callable[..., object]) -> None:
    error = failure_of(answer, wire, read_s=5, total_s=0.15)
    assert (error.failure, error.sent) == (Failure.TIMEOUT, True)
    assert str(error).endswith("no whole reply within 0.15 seconds")


async def _hangs_up(seen: Loopback, reader: Reader, writer: Writer) -> None:
    writer.transport.abort()


async def _cuts(seen: Loopback, reader: Reader, writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
    await writer.drain()
    writer.close()


async def _cuts_a_chunk(seen: Loopback, reader: Reader, writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nabc")
    await writer.drain()
    writer.close()


@pytest.mark.parametrize(
    "answer",
    [
        _hangs_up,
        _cuts,
        _cuts_a_chunk,
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde",
    ],
    ids=["hangs up", "cut", "cut chunk", "ssh", "no status", "no length", "no chunk", "two lengths"],
)
def test_what_comes_is_broken(wire: str, answer: "bytes | Callable[..., object]") -> None:
    error = failure_of(answer, wire, read_s=2, total_s=3)
    assert (error.failure, error.sent) == (Failure.TRANSPORT, True), error
    assert "no whole reply: the connection broke, or what came is no HTTP" in str(error)


def test_nobody_listens(wire: str) -> None:
    async def main() -> None:
        async with served(raw()) as server:
            pass
        async with at(wire) as transport:
            with pytest.raises(NetworkFailure, match=rf"127.0.0.1:{server.port}: no connection") as caught:
                await transport.line(local(server)).send(post(server))
            assert (caught.value.failure, caught.value.sent) == (Failure.TRANSPORT, False)

    asyncio.run(main())


def test_the_other_side_does_not_accept(wire: str) -> None:
    """A listener with a full queue: the connection is never made."""

    async def main() -> None:
        import socket

        with socket.socket() as full:
            full.bind(("127.0.0.1", 0))
            full.listen(0)
            port = full.getsockname()[1]
            waiting = [socket.socket() for _ in range(4)]
            for one in waiting:
                one.setblocking(False)
                one.connect_ex(("127.0.0.1", port))
            try:
                async with at(wire) as transport:
                    url = f"http://127.0.0.1:{port}"
                    with pytest.raises(NetworkFailure, match=r"no connection within 0\.1 seconds") as caught:
                        await transport.line(Site(url, local=True, connect_s=0.1)).send(post(url))
                    assert (caught.value.failure, caught.value.sent) == (Failure.TIMEOUT, False)
            finally:
                for one in waiting:
                    one.close()

    asyncio.run(main())


def test_no_tls_where_tls_is_expected(wire: str) -> None:
    async def main() -> None:
        async with served(_hangs_up) as server, at(wire) as transport:
            url = f"https://127.0.0.1:{server.port}"
            with pytest.raises(NetworkFailure, match="no connection") as caught:
                await transport.line(Site(url, local=True, connect_s=2, read_s=2)).send(post(url))
            assert (caught.value.failure, caught.value.sent) == (Failure.TRANSPORT, False)

    async def main_mail() -> None:
        async with served(_hangs, greeting=b"220 mail.example.com ESMTP ready\r\n") as server, at(wire) as transport:
            url = f"https://127.0.0.1:{server.port}"
            with pytest.raises(NetworkFailure, match="it does not speak TLS there") as caught:
                await transport.line(Site(url, local=True, connect_s=2, read_s=2)).send(post(url))
            assert (caught.value.failure, caught.value.sent) == (Failure.TRANSPORT, False)

    asyncio.run(main_mail())


# Giving up


def test_who_gives_up_leaves_no_connection_in_use(wire: str) -> None:
    async def main() -> None:
        async with served(_hangs_in_the_body) as server, at(wire, concurrency=5) as transport:
            line = transport.line(local(server))
            for _ in range(3):  # three times the places there are: each must have been given back
                tries = [asyncio.wait_for(line.send(post(server)), 0.1) for _ in range(5)]
                outcomes = await asyncio.gather(*tries, return_exceptions=True)
                assert [type(outcome) for outcome in outcomes] == [TimeoutError] * 5
            await _until(lambda: server.open == 0)

    asyncio.run(main())


def test_a_reply_before_the_request_is_read_does_not_hang(wire: str) -> None:
    """A server may refuse a long request without reading it."""
    if wire == "httpx_aiohttp":  # it hands aiohttp all bytes at once
        warnings.simplefilter("ignore", ResourceWarning)

    async def refuse(seen: Loopback, reader: Reader, writer: Writer) -> None:
        writer.write(raw(b"too long", "413 Content Too Large", "Connection: close\r\n"))
        while not writer.is_closing():
            await asyncio.sleep(0.01)

    async def main() -> None:
        async with asyncio.timeout(5), served(refuse, reads=False) as server, at(wire) as transport:
            line = transport.line(local(server, read_s=0.3, total_s=0.6))
            outcome = await asyncio.gather(line.send(post(server, body=bytes(30 * 2**20))), return_exceptions=True)
            assert getattr(outcome[0], "status", None) == 413 or getattr(outcome[0], "failure", None) is Failure.TIMEOUT

    asyncio.run(main())


def test_a_transport_can_be_used_again_after_it_was_closed(wire: str) -> None:
    async def main() -> None:
        async with served(raw()) as server, at(wire) as transport:
            line = transport.line(local(server))
            await line.send(post(server))
            await transport.aclose()
            await line.send(post(server))
            assert server.accepted == 2

    asyncio.run(main())
