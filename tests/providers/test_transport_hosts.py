"""Nothing but the one place is ever connected to: counted where sockets connect."""

import asyncio
import socket
from time import monotonic
from typing import Any

import pytest

from engine.errors import UsageError
from engine.model.network import NetworkFailure, Request, Site
from engine.model.record import Failure
from engine.providers.transport import Transport
from tests.providers.loopback import WIRES, at, local, post, raw, served, server_tls

Looked = dict[str, list[list[str]]]


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Where anybody connects to."""
    made: list[Any] = []
    connect = asyncio.selector_events.BaseSelectorEventLoop.sock_connect

    async def counted(self: Any, sock: socket.socket, address: Any) -> None:
        made.append(address[:2])
        return await connect(self, sock, address)

    monkeypatch.setattr(asyncio.selector_events.BaseSelectorEventLoop, "sock_connect", counted)
    return made


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Looked:
    """What names point to: one list for each time somebody looks; the last one stays."""
    known: Looked = {}
    real = socket.getaddrinfo

    def look_up(host: Any, port: Any, *rest: Any, **named: Any) -> Any:
        answers = known.get(host.decode() if isinstance(host, bytes) else host)
        if answers is None:
            return real(host, port, *rest, **named)
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "not known")
        return [entry for address in found for entry in real(address, port, type=socket.SOCK_STREAM)]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return known


# A site that is no site


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://api.example.com", "not encrypted"),
        ("http://8.8.8.8", "not encrypted"),
        ("ws://api.example.com", "https://"),
        ("api.example.com", "https://"),
        ("https://user:hidden@api.example.com", "password"),
        ("https://localhost", "on this machine"),
        ("https://api.localhost", "on this machine"),
        ("https://127.0.0.1", "on this machine"),
        ("http://127.0.0.1:11434", "on this machine"),
        ("https://127.1", "four numbers"),
        ("https://2130706433", "four numbers"),
        ("https://0x7f.0.0.1", "four numbers"),
        ("https://017700000001", "four numbers"),
        ("https://0.0.0.0", "on this machine"),
        ("https://[::1]", "on this machine"),
        ("https://[::]", "on this machine"),
        ("https://[::ffff:127.0.0.1]", "hides another address"),
        ("https://[::ffff:7f00:1]", "hides another address"),
        ("https://[64:ff9b::7f00:1]", "hides another address"),
        ("https://[2002:7f00:1::]", "hides another address"),
        ("https://10.0.0.1", "private"),
        ("https://172.16.5.5", "private"),
        ("https://192.168.0.1", "private"),
        ("https://100.64.0.1", "private"),
        ("https://169.254.1.1", "private"),
        ("https://169.254.169.254", "keys of a machine"),
        ("https://[fd00:ec2::254]", "keys of a machine"),
        ("https://[fe80::1]", "private"),
        ("https://[fc00::1]", "private"),
        ("https://224.0.0.1", "no single machine"),
        ("https://api.example.com.", "dot"),
        ("https://\u0430pi.example.com", "xn--"),
        ("https://api.example.com:99999", "port"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_before_anything_is_sent(url: str, message: str) -> None:
    async def main() -> None:
        async with at() as transport:
            with pytest.raises(UsageError, match=message) as caught:
                transport.line(Site(url))
            assert "hidden" not in str(caught.value)

    asyncio.run(main())


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254",
        "https://[fd00:ec2::254]",
        "http://[::ffff:a9fe:a9fe]",
        "http://8.8.8.8",
        "http://224.0.0.1",
    ],
)
def test_some_are_refused_even_when_they_are_said_to_be_local(url: str) -> None:
    async def main() -> None:
        async with at() as transport:
            with pytest.raises(UsageError):
                transport.line(Site(url, local=True))

    asyncio.run(main())


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1", "http://localhost", "http://10.0.0.1", "http://[::1]", "http://box"]
)
def test_local_ones_are_allowed_when_they_are_meant(url: str) -> None:
    async def main() -> None:
        async with at() as transport:
            transport.line(Site(url, local=True))

    asyncio.run(main())


# A request that leaves its site

OUTSIDE = (
    *("http://127.0.0.1:{decoy}/", "https://127.0.0.1:{port}/", "http://localhost:{port}/", "http://127.0.0.2:{port}/"),
    *("http://127.0.0.1/", "http://127.0.0.1:{port}0/", "http://127.0.0.1:{port}@localhost:{decoy}/"),
    *(
        "http://127.0.0.1:{port}:{decoy}/",
        "http://127.0.0.1:{port}.evil.example/",
        "http://127.0.0.1:{port}\\@localhost/",
    ),
    *("http://me@127.0.0.1:{port}/", "http://localhost:{decoy}/?http://127.0.0.1:{port}/", "//127.0.0.1:{port}/"),
    *("http://localhost:{decoy}#@127.0.0.1:{port}/", "http://127.1:{port}/", "http://2130706433:{port}/"),
    *(
        "http://0x7f000001:{port}/",
        "http://0177.0.0.1:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "http://[::1]:{port}/",
    ),
    *("http://0.0.0.0:{port}/", "http://0:{port}/", "http://127.0.0.1.:{port}/", "http://１２７.0.0.1:{port}/"),
    *("http://127。0。0。1:{port}/", "http://127.0.0.1%2f@localhost:{decoy}/", "http://127.0.0.1:{port}%2f/"),
    *("http:/127.0.0.1:{port}/", "http:127.0.0.1:{port}/", "/v1/answer", "", "file:///etc/passwd", "ftp://127.0.0.1/"),
    *(
        "gopher://127.0.0.1:{port}/",
        "http://\t127.0.0.1:{port}/",
        " http://127.0.0.1:{port}/",
        "http://127.0.0.1 :{port}/",
    ),
    *("http://169.254.169.254/", "http://[fd00:ec2::254]/", "http://metadata.google.internal/", "http://127.0.0.1:-1/"),
)
BROKEN = ("/a b", "/a\nb", "/a\r\nHost: evil", "/a\x00", "/a#b", "/a\\b", "/a\x7f", "/a\u2028b", "/a\ud800")


def test_there_are_enough_of_them() -> None:
    assert len(OUTSIDE) + len(BROKEN) + 33 + len(BAD_NAMES) >= 90


@pytest.mark.parametrize("url", OUTSIDE)
def test_another_place_is_refused_with_both_names(url: str, connections: list[Any]) -> None:
    async def main() -> None:
        async with served(raw()) as decoy, served(raw()) as server, at() as transport:
            asked = url.format(port=server.port, decoy=decoy.port)
            with pytest.raises(
                NetworkFailure, match=rf"only http://127\.0\.0\.1:{server.port} may be reached"
            ) as caught:
                await transport.line(local(server)).send(Request("POST", asked))
            assert (caught.value.failure, caught.value.sent) == (Failure.VALIDATION, False)
            if url.startswith("http://localhost:{port}"):
                assert f"http://localhost:{server.port} was asked for" in str(caught.value)
            assert server.accepted == decoy.accepted == 0

    asyncio.run(main())
    assert connections == []


@pytest.mark.parametrize("path", BROKEN, ids=ascii)
def test_an_address_with_something_odd_in_it_is_refused(path: str, connections: list[Any]) -> None:
    async def main() -> None:
        async with served(raw()) as server, at() as transport:
            with pytest.raises(NetworkFailure, match="write it as %"):
                await transport.line(local(server)).send(post(server, path))

    asyncio.run(main())
    assert connections == []


@pytest.mark.parametrize("method", ["", "GE T", "GET\r\nX: y", "GÉT"])
def test_a_method_is_a_word(method: str, connections: list[Any]) -> None:
    async def main() -> None:
        async with served(raw()) as server, at() as transport:
            with pytest.raises(NetworkFailure, match="method"):
                await transport.line(local(server)).send(Request(method, server.url))

    asyncio.run(main())
    assert connections == []


@pytest.mark.parametrize(
    ("asked", "came"),
    [
        ("/a%2Fb/../c?d=%7B%22x%22%3A1%7D&e=%2B+%20", "/a%2Fb/../c?d=%7B%22x%22%3A1%7D&e=%2B+%20"),
        ("/é?q=日本", "/%C3%A9?q=%E6%97%A5%E6%9C%AC"),
        ('/a"b<c>{d}', "/a%22b%3Cc%3E%7Bd%7D"),
        ("?a=1", "/?a=1"),
        ("", "/"),
    ],
)
def test_an_address_arrives_letter_by_letter(asked: str, came: str) -> None:
    async def main() -> None:
        async with served(raw()) as server, at() as transport:
            line = transport.line(Site(server.url.replace("http", "HTTP"), local=True))
            await line.send(Request("GET", f"{server.url}{asked}"))
            await line.send(Request("GET", f"{server.url.replace('http', 'HTTP')}{asked}"))
            assert [head.split(" ", 2)[1] for head in server.heads] == [came, came]

    asyncio.run(main())


# A name that points elsewhere

BAD_NAMES = (
    *("127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.20.0.1", "192.168.1.1", "169.254.169.254", "169.254.1.1"),
    *(
        "100.64.0.1",
        "224.0.0.1",
        "::1",
        "::",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "fd00:ec2::254",
        "fe80::1",
        "fc00::1",
    ),
    *("64:ff9b::7f00:1", "2002:7f00:1::", "ff02::1"),
)


@pytest.mark.parametrize("address", BAD_NAMES)
@pytest.mark.parametrize("wire", WIRES)
def test_a_name_that_points_into_a_private_network(
    address: str, wire: str, names: Looked, connections: list[Any]
) -> None:
    names["api.example.com"] = [["8.8.8.8", address]]  # one bad address among good ones is enough

    async def main() -> None:
        async with at(wire) as transport:
            line = transport.line(Site("https://api.example.com"))
            for _ in range(2):
                with pytest.raises(NetworkFailure, match=r"api\.example\.com is at .*, ") as caught:
                    await line.send(post("https://api.example.com"))
                assert caught.value.sent is False

    asyncio.run(main())
    assert connections == []


def test_a_local_name_may_not_point_to_the_keys_of_a_machine_nor_unencrypted_into_the_internet(
    names: Looked, connections: list[Any]
) -> None:
    names["box"] = [["169.254.169.254"]]
    names["far"] = [["8.8.8.8"]]

    async def main() -> None:
        async with at() as transport:
            for url, message in (("http://box", "keys of a machine"), ("http://far", "not encrypted")):
                with pytest.raises(NetworkFailure, match=message):
                    await transport.line(Site(url, local=True)).send(post(url))

    asyncio.run(main())
    assert connections == []


def test_a_local_line_opens_no_way_for_another(names: Looked, connections: list[Any]) -> None:
    """Both have the same name; only one of them may be at a private address."""
    names["api.example.com"] = [["127.0.0.1"]]

    async def main() -> None:
        async with served(raw(), server_tls()) as server, at() as transport:
            url = f"https://api.example.com:{server.port}"
            with pytest.raises(NetworkFailure, match="certificate is not valid"):
                await transport.line(Site(url, local=True)).send(post(url))
            connections.clear()
            with pytest.raises(NetworkFailure, match="on this machine"):
                await transport.line(Site(url)).send(post(url))

    asyncio.run(main())
    assert connections == []


@pytest.mark.parametrize("wire", WIRES)
def test_a_name_cannot_move_between_the_check_and_the_connection(
    wire: str, names: Looked, connections: list[Any]
) -> None:
    """The second look-up, if there were one, would lead elsewhere. The name stays in the certificate and in Host."""
    named: list[Any] = []

    async def main() -> None:
        tls = server_tls()
        tls.sni_callback = lambda _, name, __: named.append(name)
        async with served(raw(b"right", headers="Connection: close\r\n"), tls) as server, at(wire) as transport:
            names["assay.test"] = [["127.0.0.1"], ["127.0.0.9"]]
            url = f"https://assay.test:{server.port}"
            line = transport.line(Site(url, local=True))
            for _ in range(3):
                assert (await line.send(post(url))).body == b"right"
            assert all(f"host: assay.test:{server.port}" in head.lower() for head in server.heads)
            assert server.accepted == 3
            assert {address for address, _ in connections} == {"127.0.0.1"}

    asyncio.run(main())
    assert named == ["assay.test"] * 3


@pytest.mark.parametrize("wire", WIRES)
def test_every_address_of_a_name_is_tried(wire: str, names: Looked, connections: list[Any]) -> None:
    async def main() -> None:
        async with served(raw()) as server, at(wire) as transport:
            names["box"] = [["127.0.0.7", "127.0.0.8", "127.0.0.1"]]
            url = f"http://box:{server.port}"
            reply = await transport.line(Site(url, local=True)).send(post(url))
            assert reply.status == 200
            assert [address for address, _ in connections] == ["127.0.0.7", "127.0.0.8", "127.0.0.1"]

    asyncio.run(main())


@pytest.mark.parametrize("wire", WIRES)
def test_a_certificate_for_another_name(wire: str, names: Looked) -> None:
    async def main() -> None:
        async with served(raw(), server_tls()) as server, at(wire) as transport:
            names["other.test"] = [["127.0.0.1"]]
            url = f"https://other.test:{server.port}"
            with pytest.raises(NetworkFailure, match="its certificate is not valid for it") as caught:
                await transport.line(Site(url, local=True)).send(post(url))
            assert caught.value.sent is False
            assert server.requests == []

    asyncio.run(main())


def test_a_name_that_is_not_known(names: Looked, connections: list[Any]) -> None:
    names["nowhere.example"] = [[]]

    async def main() -> None:
        async with at() as transport:
            with pytest.raises(NetworkFailure, match=r"no address was found for nowhere\.example:") as caught:
                await transport.line(Site("https://nowhere.example")).send(post("https://nowhere.example"))
            assert (caught.value.failure, caught.value.sent) == (Failure.TRANSPORT, False)

    asyncio.run(main())
    assert connections == []


def test_a_look_up_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*_: Any, **named: Any) -> None:
        await asyncio.sleep(30)

    async def main() -> None:
        async with at() as transport:
            line = transport.line(Site("https://slow.example", connect_s=0.05))
            begun = monotonic()
            outcomes = await asyncio.gather(
                *(line.send(post("https://slow.example")) for _ in range(5)), return_exceptions=True
            )
            assert monotonic() - begun < 1
            for outcome in outcomes:
                assert isinstance(outcome, NetworkFailure)
                assert (outcome.failure, outcome.sent) == (Failure.TIMEOUT, False)

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", never)
    asyncio.run(main())


def test_the_usual_trust_is_not_the_one_of_the_tests(names: Looked) -> None:
    """Without being told, nobody believes a certificate that signs itself."""

    async def main() -> None:
        async with served(raw(), server_tls()) as server:
            transport = Transport({}, 1)
            names["assay.test"] = [["127.0.0.1"]]
            url = f"https://assay.test:{server.port}"
            with pytest.raises(NetworkFailure, match="certificate is not valid"):
                await transport.line(Site(url, local=True)).send(post(url))
            await transport.aclose()

    asyncio.run(main())
