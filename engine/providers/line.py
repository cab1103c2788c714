"""The way to one site: what may be sent, when, and what of the reply is handed on."""

import asyncio
import re
from collections.abc import Callable, Mapping
from contextlib import aclosing
from time import perf_counter
from typing import NamedTuple
from urllib.parse import quote

from engine.errors import Problem, UsageError
from engine.model.network import NetworkFailure, Reply, Request, Site
from engine.model.record import Failure
from engine.providers.addresses import Origin, Pins, is_address, is_public, origin_of, unfit
from engine.providers.incoming import decoded, hand_on, headers_of
from engine.providers.pace import Pace
from engine.providers.scrub import Scrubber
from engine.providers.signing import Signed, signed
from engine.providers.wire import Outgoing, Trouble, Wire, WireError
from engine.text import one_line

__all__ = ["Means", "SiteLine", "allowed_origin"]

OnBytes = Callable[[bytes], None]
_SAFE = "/?:@!$&'()*+,;=[]%-._~"
_PLAIN = re.compile(rf"[A-Za-z0-9{re.escape(_SAFE)}]*")
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
_LOCAL = "say local: true if it is meant to be on this machine or in a private network"


class Means(NamedTuple):
    """What all lines share. The wire is asked for when it is needed: it belongs to the running loop."""

    environment: Mapping[str, str]
    pins: Pins
    wire: Callable[[], Wire]


def allowed_origin(site: Site) -> Origin:
    """The one place that a site allows. Raises UsageError."""
    try:
        origin, _ = origin_of(site.url)
    except ValueError as error:
        raise UsageError(Problem(f"this address cannot be used: {error}")) from None
    here = origin.host == "localhost" or origin.host.endswith(".localhost")
    reason = unfit(origin.host, local=site.local) if is_address(origin.host) else None
    if here and not site.local:
        reason = "on this machine"
    if reason is not None:
        raise UsageError(Problem(f"{origin} is an address {reason}", help="" if site.local else _LOCAL))
    if origin.scheme == "http" and (not site.local or (is_address(origin.host) and is_public(origin.host))):
        raise UsageError(Problem(f"{origin} is not encrypted: use https", help="" if site.local else _LOCAL))
    return origin


class SiteLine:
    """Sends requests to one site (`engine.model.network.Line`)."""

    def __init__(self, site: Site, origin: Origin, pace: Pace, means: Means) -> None:
        self._site, self._origin, self._pace, self._means = site, origin, pace, means
        self._prefix = str(origin)
        self._host = ("host", origin.netloc)
        self._signed: Signed | None = None
        self._may_connect = False

    async def send(self, request: Request, on_bytes: OnBytes | None = None) -> Reply:
        """Send once. Raises NetworkFailure."""
        url = self._within(request)
        keyed = self._keyed(request)
        if not self._may_connect:
            await self._look_up()
        if keyed.query:
            url = f"{url}{'&' if '?' in url else '?'}{keyed.query}"
        # a stream that is compressed comes in lumps, and the time to its first word would be wrong
        headers = [self._host, ("accept-encoding", "gzip, deflate" if on_bytes is None else "identity")]
        headers += keyed.headers
        if request.body or request.method in _WITH_BODY:
            headers.append(("content-length", str(len(request.body))))
        outgoing = Outgoing(request.method, url, headers, request.body, self._site.connect_s, self._site.read_s)
        outcome = await self._attempt(outgoing, keyed.scrubber, on_bytes)
        if isinstance(outcome, NetworkFailure):
            raise outcome  # from here: no other error, which could hold a key, hangs on it
        return outcome

    def turn(self) -> Pace:
        """The limits of the site, shared by all its lines."""
        return self._pace

    def clean(self, text: str) -> str:
        """A text without the secrets that were sent here."""
        if self._signed is None:
            return text
        data = text.encode("utf-8", "surrogatepass")
        return self._signed.scrubber.answer(data).decode("utf-8", "surrogatepass")

    def _within(self, request: Request) -> str:
        """The address, if it is within the site. Nothing in it is left to be understood in two ways."""
        url, prefix = request.url, self._prefix
        if not request.method.isalpha() or not request.method.isascii():
            raise self._refused("the method is no word")
        after = url[len(prefix) :]
        if not url.startswith(prefix) or not after.startswith(("/", "?")):
            try:
                asked, after = origin_of(url)
            except ValueError as error:
                raise self._refused(f"this address cannot be used: {error}") from None
            if asked != self._origin:
                raise self._refused(f"{one_line(str(asked), 200)} was asked for")
        if _PLAIN.fullmatch(after) is None:
            if "#" in after or "\\" in after or " " in after or not after.isprintable():
                raise self._refused("the address has a #, a \\, a blank or a control character in it: write it as %…")
            after = quote(after, safe=_SAFE)
        return f"{prefix}{after}" if after.startswith("/") else f"{prefix}/{after}"

    def _refused(self, why: str) -> NetworkFailure:
        return NetworkFailure(Failure.VALIDATION, f"{why}; only {self._origin} may be reached here", sent=False)

    def _keyed(self, request: Request) -> Signed:
        keyed = self._signed
        if keyed is None or not keyed.fits(request, self._means.environment):
            keyed = self._signed = signed(request, self._means.environment)
        return keyed

    async def _look_up(self) -> None:
        """Find and check the addresses of the host, once."""
        origin, found = self._origin, None
        try:
            async with asyncio.timeout(self._site.connect_s):
                found = await self._means.pins.find(origin.host, origin.port)
        except TimeoutError:
            pass
        if found is None:
            why = f"no address was found for {origin.host} within {self._site.connect_s:g} seconds"
            raise NetworkFailure(Failure.TIMEOUT, why, sent=False)
        if not found:
            why = f"no address was found for {origin.host}: is the name right, and the network up?"
            raise NetworkFailure(Failure.TRANSPORT, why, sent=False)
        for address in found:
            self._check(address)
        self._may_connect = True

    def _check(self, address: str) -> None:
        origin, local = self._origin, self._site.local
        reason = unfit(address, local=local)
        if reason is not None:
            hint = "" if local else f"; {_LOCAL}"
            raise NetworkFailure(Failure.TRANSPORT, f"{origin.host} is at {address}, {reason}{hint}", sent=False)
        if origin.scheme == "http" and is_public(address):
            why = f"{origin} is at {address}, in the open internet, and not encrypted: use https"
            raise NetworkFailure(Failure.TRANSPORT, why, sent=False)

    async def _attempt(
        self, outgoing: Outgoing, scrubber: Scrubber, on_bytes: OnBytes | None
    ) -> Reply | NetworkFailure:
        deadline = asyncio.timeout(self._site.total_s)
        try:
            async with deadline:
                return await self._exchange(outgoing, scrubber, on_bytes)
        except WireError as error:
            return self._failure(error, scrubber)
        except TimeoutError:
            if not deadline.expired():
                raise
            why = f"{self._origin.netloc}: no whole reply within {self._site.total_s:g} seconds"
            return NetworkFailure(Failure.TIMEOUT, why, sent=True)

    async def _exchange(self, outgoing: Outgoing, scrubber: Scrubber, on_bytes: OnBytes | None) -> Reply:
        started = perf_counter()
        incoming = await self._means.wire().handle(outgoing)
        first_byte_s = perf_counter() - started
        try:
            status, headers = incoming.status, headers_of(incoming.headers, scrubber)
            answered = 200 <= status < 300
            encoding = headers.get("content-encoding", "")
            async with aclosing(decoded(incoming, encoding, self._site.longest)) as pieces:
                if answered and on_bytes is not None:
                    await hand_on(pieces, scrubber, on_bytes)
                    body = b""
                else:
                    whole = b"".join([piece async for piece in pieces])
                    body = scrubber.answer(whole) if answered else scrubber.error(whole)
        finally:
            await incoming.aclose()
        return Reply(status, headers, body, first_byte_s, perf_counter() - started)

    def _failure(self, error: WireError, scrubber: Scrubber) -> NetworkFailure:
        kind, what = Failure.TRANSPORT, error.detail
        match error.trouble:
            case Trouble.CONNECT:
                what = f"no connection: {error.detail}"
            case Trouble.CONNECT_TIMEOUT:
                kind, what = Failure.TIMEOUT, f"no connection within {self._site.connect_s:g} seconds"
            case Trouble.READ_TIMEOUT:
                kind, what = Failure.TIMEOUT, f"nothing came for {self._site.read_s:g} seconds"
            case Trouble.BROKEN:
                what = f"no whole reply: {error.detail}"
            case Trouble.UNUSABLE:
                what = f"the reply cannot be used: {error.detail}"
        sent = error.trouble not in (Trouble.CONNECT, Trouble.CONNECT_TIMEOUT)
        return NetworkFailure(kind, scrubber.text(f"{self._origin.netloc}: {what}"), sent=sent)
