"""Which place an address means, and which addresses may be connected to."""

import asyncio
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

__all__ = ["Origin", "Pins", "is_address", "is_public", "origin_of", "unfit"]

_PORTS = {"https": 443, "http": 80}
_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_METADATA = frozenset(
    ip_address(text)
    for text in (
        *("169.254.169.254", "fd00:ec2::254", "fd20:ce::254"),  # most clouds
        *("169.254.170.2", "169.254.170.23", "fd00:ec2::23"),  # keys of containers
        *("100.100.100.200", "192.0.0.192", "168.63.129.16"),  # Alibaba, Oracle, Azure
    )
)
_SHARED = ip_network("100.64.0.0/10")
_ALLOCATED = IPv6Network("2000::/3")
_TRANSLATED = IPv6Network("64:ff9b::/96")
_COMPATIBLE = IPv6Network("::/96")


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port. The host is in lower case; an IPv6 address has no brackets."""

    scheme: str
    host: str
    port: int

    @property
    def netloc(self) -> str:
        """Host and port as they stand in an address."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.netloc}"


def origin_of(url: str) -> tuple[Origin, str]:
    """The place an address means, and what follows it.

    Whatever two programs could read in two ways is refused.

    Raises:
        ValueError: why it cannot be used; the text holds nothing of a user name or a password.
    """
    scheme, separator, rest = url.partition("://")
    scheme = scheme.lower()
    if not separator or scheme not in _PORTS:
        raise ValueError("it does not begin with https:// or http://")
    end = next((at for at, char in enumerate(rest) if char in "/?#"), len(rest))
    authority, after = rest[:end].lower(), rest[end:]
    if "@" in authority:
        raise ValueError("it has a user name or a password in it; a key is given as env:NAME")
    host, port = _split_port(authority)
    return Origin(scheme, _host(host), _PORTS[scheme] if port is None else _port(port)), after


def is_address(host: str) -> bool:
    """Whether a host is an address and no name."""
    return ":" in host or _NUMBER.fullmatch(host.rpartition(".")[2]) is not None


def unfit(address: str, *, local: bool) -> str | None:
    """Why an address may not be connected to; None when it may.

    Args:
        local: private addresses are meant. Those that give away the keys of a machine never are.
    """
    found = ip_address(address.partition("%")[0])
    inner = _inner(found)
    if found in _METADATA or inner in _METADATA:
        return "which hands out the keys of a machine in a cloud, and is never reached"
    if found.is_multicast:
        return "which is no single machine"
    if local:
        return None
    if inner is not None and not (found in _TRANSLATED and is_public(str(inner))):
        return "which hides another address"
    if found.is_loopback or found.is_unspecified:
        return "on this machine"
    if found.is_link_local or found.is_private or found in _SHARED or not is_public(address):
        return "in a private or reserved network"
    return None


def is_public(address: str) -> bool:
    """Whether an address is one of the open internet."""
    found = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address) and found not in _ALLOCATED:
        return found in _TRANSLATED
    return found.is_global and not found.is_multicast


def _inner(found: IPv4Address | IPv6Address) -> IPv4Address | None:
    """The older address that an IPv6 address stands for."""
    if isinstance(found, IPv4Address):
        return None
    if found.ipv4_mapped or found.sixtofour:
        return found.ipv4_mapped or found.sixtofour
    held = found in _TRANSLATED or (found in _COMPATIBLE and int(found) > 1)
    return IPv4Address(int(found) & 0xFFFFFFFF) if held else None


def _split_port(authority: str) -> tuple[str, str | None]:
    bracket = authority.rfind("]")
    colon = authority.find(":", bracket + 1)
    return (authority, None) if colon < 0 else (authority[:colon], authority[colon + 1 :])


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 0 < int(text[:6]) <= 65535:
        raise ValueError("its port is no number from 1 to 65535")
    return int(text)


def _host(host: str) -> str:
    if host.startswith("[") and host.endswith("]"):
        try:
            return str(IPv6Address(host[1:-1].replace("%", "no zone")))
        except ValueError:
            raise ValueError("what stands in brackets is no IPv6 address") from None
    if not host.isascii():
        raise ValueError("its host has letters that can look like others: write it in its xn-- form")
    if host.endswith("."):
        raise ValueError("its host ends with a dot: leave that out")
    if len(host) > 253 or _NAME.fullmatch(host) is None:
        raise ValueError("its host is no name and no address" if host else "it has no host")
    if is_address(host):
        try:
            return str(IPv4Address(host))
        except ValueError:
            raise ValueError("its host is a number: write an address as four numbers, such as 192.0.2.1") from None
    return host


class Pins:
    """Addresses of names. A name is looked up once: what it points to later changes nothing."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[str, ...]] = {}
        self._looking: dict[str, asyncio.Task[tuple[str, ...]]] = {}

    def known(self, host: str) -> tuple[str, ...]:
        """What was found for a name; empty before `find`. An address is its own."""
        return (host,) if is_address(host) else self._found.get(host, ())

    async def find(self, host: str, port: int) -> tuple[str, ...]:
        """All addresses of a name. Who asks at the same time waits for the same answer. Empty: none was found."""
        known = self.known(host)
        if known:
            return known
        if host not in self._looking:
            self._looking[host] = asyncio.create_task(_look_up(host, port))
            self._looking[host].add_done_callback(lambda _: self._looking.pop(host, None))
        found = await asyncio.shield(self._looking[host])
        return self._found.setdefault(host, found) if found else ()


async def _look_up(host: str, port: int) -> tuple[str, ...]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        return ()
    return _distinct(str(entry[4][0]) for entry in found)


def _distinct(addresses: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(addresses))
