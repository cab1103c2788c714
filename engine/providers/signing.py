"""Puts the keys into a request, at the moment when it is sent."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

from engine import __version__
from engine.model.network import Header, NetworkFailure, Request, Secret
from engine.model.record import Failure
from engine.providers.scrub import Scrubber
from engine.text import nearest, one_line

__all__ = ["Signed", "signed"]

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OURS = frozenset(
    {
        *("host", "content-length", "transfer-encoding", "accept-encoding", "connection", "keep-alive"),
        *("te", "trailer", "upgrade", "expect", "proxy-authorization", "proxy-connection"),
    }
)
_USUAL = (("user-agent", f"assay/{__version__}"), ("accept", "*/*"))


class Signed:
    """Headers and parameters with the keys in them, and what takes the keys out of the reply. Never shown.

    Made once for many requests: as long as they have the same headers and the keys do not change.
    """

    __slots__ = ("_headers", "_keys", "_query", "headers", "query", "scrubber")

    def __init__(self, request: Request, keys: Mapping[str, str]) -> None:
        self._headers, self._query, self._keys = request.headers, request.query, keys
        self.scrubber = Scrubber(keys.values())
        own = [_header(name, value, keys) for name, value in request.headers]
        named = {name.lower() for name, _ in own}
        self.headers = [*(header for header in _USUAL if header[0] not in named), *own]
        self.query = "&".join(f"{quote(name, safe='')}={quote(_filled(v, keys), safe='')}" for name, v in request.query)

    def fits(self, request: Request, environment: Mapping[str, str]) -> bool:
        """Whether it can be used for another request."""
        if request.headers != self._headers or request.query != self._query:
            return False
        return all(environment.get(name, "").strip() == value for name, value in self._keys.items())


def signed(request: Request, environment: Mapping[str, str]) -> Signed:
    """The headers and parameters of a request.

    Raises:
        NetworkFailure: UNAUTHORIZED: a key is missing or cannot be one. VALIDATION: a header cannot be sent.
    """
    return Signed(request, {name: _key(name, environment) for name in _named((*request.headers, *request.query))})


def _named(headers: Iterable[Header]) -> Iterable[str]:
    return (value.name for _, value in headers if isinstance(value, Secret))


def _key(name: str, environment: Mapping[str, str]) -> str:
    value = environment.get(name, "").strip()
    if value and value.isascii() and value.isprintable():
        return value
    if value:
        why = "has a line break in it, or a character that no key has: set it again, with the key alone"
    else:
        near = None if name in environment else nearest(name, environment)
        hint = f" (did you mean {near}?)" if near else ""
        empty = "is empty" if name in environment else "is not set"
        why = f"{empty}{hint}: put the key into it, as in export {name}=…"
    raise NetworkFailure(Failure.UNAUTHORIZED, f"the environment variable {name} {why}", sent=False)


def _filled(value: str | Secret, keys: Mapping[str, str]) -> str:
    return value if isinstance(value, str) else value.before + keys[value.name]


def _header(name: str, value: str | Secret, keys: Mapping[str, str]) -> tuple[str, str]:
    filled = _filled(value, keys)
    if _NAME.fullmatch(name) is None:
        _refuse(name, "has a name that no header may have")
    if name.lower() in _OURS:
        _refuse(name, "is written by the engine: leave it out")
    if not filled.isascii() or not filled.replace("\t", " ").isprintable():
        _refuse(name, "has a line break in it, or a character that no header may have")
    return name, filled


def _refuse(name: str, why: str) -> None:
    raise NetworkFailure(Failure.VALIDATION, f'the header "{one_line(name, 60)}" {why}', sent=False)
