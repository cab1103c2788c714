"""Which place an address means, and which addresses may be reached."""

import asyncio
import ipaddress
import socket
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.providers.addresses import Origin, Pins, is_public, origin_of, unfit


@pytest.mark.parametrize(
    ("url", "text", "after"),
    [
        ("https://api.example.com/v1", "https://api.example.com", "/v1"),
        ("HTTPS://API.Example.COM:443/V1?Q", "https://api.example.com", "/V1?Q"),
        ("http://localhost:8000", "http://localhost:8000", ""),
        ("http://10.1.2.3?x", "http://10.1.2.3", "?x"),
        ("https://[2001:DB8:0::1]:8443/", "https://[2001:db8::1]:8443", "/"),
        ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example", "/"),
        ("https://a_b.example#x", "https://a_b.example", "#x"),
    ],
)
def test_the_place_and_the_rest(url: str, text: str, after: str) -> None:
    origin, rest = origin_of(url)
    assert (str(origin), rest) == (text, after)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("api.example.com/v1", "https://"),
        ("ftp://example.com", "https://"),
        ("file:///etc/passwd", "https://"),
        (" https://example.com", "https://"),
        ("https:///v1", "no host"),
        ("https://", "no host"),
        ("https://me:hidden@example.com/", "password"),
        ("https://example.com@evil.example/", "password"),
        ("https://example.com./", "dot"),
        ("https://example..com/", "no name"),
        ("https://-a.com/", "no name"),
        ("https://exa mple.com/", "no name"),
        ("https://example.com\\.evil.example/", "no name"),
        ("https://example.com%2eevil.example/", "no name"),
        ("https://ex\u0430mple.com/", "xn--"),
        ("https://example\u3002com/", "xn--"),
        ("https://\uff11\uff12\uff17.0.0.1/", "xn--"),
        ("https://2130706433/", "four numbers"),
        ("https://0x7f000001/", "four numbers"),
        ("https://0177.0.0.1/", "four numbers"),
        ("https://127.1/", "four numbers"),
        ("https://1.2.3.4.5/", "four numbers"),
        ("https://a.b.0x7f/", "four numbers"),
        ("https://256.1.1.1/", "four numbers"),
        ("https://[::1%25lo]/", "IPv6"),
        ("https://[127.0.0.1]/", "IPv6"),
        ("https://example.com:/", "port"),
        ("https://example.com:0/", "port"),
        ("https://example.com:65536/", "port"),
        ("https://example.com:٤٤٣/", "port"),
        ("https://example.com:443:443/", "port"),
        ("https://[::1]443/", "no name"),
    ],
)
def test_what_could_be_read_in_two_ways_is_refused(url: str, why: str) -> None:
    with pytest.raises(ValueError, match=why) as caught:
        origin_of(url)
    assert "hidden" not in str(caught.value)


@given(st.text(max_size=60))
def test_no_text_gets_through_by_accident(text: str) -> None:
    """Whatever comes through is a plain host, and is read in the same way again."""
    try:
        origin, _ = origin_of(f"https://{text}")
    except ValueError:
        return
    assert origin_of(str(origin)) == (origin, "")
    assert origin.host.isascii()
    assert not set(origin.host) & set("@/\\?#% ")


METADATA = ("169.254.169.254", "fd00:ec2::254", "168.63.129.16", "100.100.100.200", "::ffff:169.254.169.254")
NOT_OPEN = (
    *("127.0.0.1", "127.9.9.9", "::1", "0.0.0.0", "::", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"),
    *("169.254.1.1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1", "100.64.0.1", "100.127.255.255"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:8.8.8.8", "::7f00:1", "2002:7f00:1::", "2002:808:808::"),
    *("2001:0:7f00:1::", "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1", "192.0.2.1", "198.18.0.1", "240.0.0.1"),
    *("255.255.255.255", "2001:db8::1", "4000::1"),
)
OPEN = ("8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::1", "64:ff9b::808:808")
MANY = ("224.0.0.1", "239.255.255.255", "ff02::1")


@pytest.mark.parametrize("address", NOT_OPEN)
def test_an_address_that_is_not_open_is_reached_only_when_it_is_meant(address: str) -> None:
    assert unfit(address, local=False)
    assert unfit(address, local=True) is None


@pytest.mark.parametrize("address", OPEN)
def test_an_address_of_the_open_internet_is_reached(address: str) -> None:
    assert is_public(address)
    assert unfit(address, local=False) is None


@pytest.mark.parametrize("address", [*METADATA, *MANY, "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::"])
def test_some_are_never_reached(address: str) -> None:
    assert unfit(address, local=True)
    assert unfit(address, local=False)


@given(st.ip_addresses())
def test_what_python_calls_private_is_never_reached_unasked(
    address: "ipaddress.IPv4Address | ipaddress.IPv6Address",
) -> None:
    if address.is_private or address.is_loopback or address.is_multicast or not address.is_global:
        assert unfit(str(address), local=False)


def test_a_name_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def look_up(host: str, port: int, *_: Any) -> list[Any]:
        asked.append(host)
        address = "1.1.1.1" if len(asked) == 1 else "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))] * 2

    async def main() -> None:
        pins = Pins()
        assert pins.known("a.example") == ()
        found = await asyncio.gather(*(pins.find("a.example", 443) for _ in range(10)))
        assert found == [("1.1.1.1",)] * 10
        assert await pins.find("a.example", 443) == pins.known("a.example") == ("1.1.1.1",)
        assert await pins.find("10.0.0.1", 80) == ("10.0.0.1",)
        assert asked == ["a.example"]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    asyncio.run(main())


def test_a_name_that_was_not_found_is_looked_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    results: list[Any] = [OSError("no"), [(socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("2606::1", 443, 0, 0))]]

    def look_up(*_: Any) -> Any:
        result = results.pop(0)
        if isinstance(result, OSError):
            raise result
        return result

    async def main() -> None:
        pins = Pins()
        assert await pins.find("a.example", 443) == ()
        assert await pins.find("a.example", 443) == ("2606::1",)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    asyncio.run(main())


def test_an_origin_writes_a_port_only_where_it_says_something() -> None:
    assert str(Origin("https", "::1", 443)) == "https://[::1]"
    assert Origin("http", "::1", 443).netloc == "[::1]:443"
