"""A reply with a status that is no success: which kind of failure it is, and what to do about it."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from engine.model.calls import CallFailure
from engine.model.network import Reply
from engine.model.record import Failure
from engine.text import one_line

__all__ = ["refused"]

_LONGEST_WAIT_S = 60.0
_KNOWN = {
    401: (Failure.UNAUTHORIZED, "the key was refused"),
    403: (Failure.UNAUTHORIZED, "the key may not do this"),
    404: (Failure.PROVIDER_ERROR, "there is nothing at this address, or no such model"),
    408: (Failure.TIMEOUT, "the other side waited too long"),
    413: (Failure.VALIDATION, "the request was too long"),
    429: (Failure.RATE_LIMITED, "too many requests, or the quota is used up"),
}
_AGAIN = frozenset({408, 429, 500, 502, 503, 504, 529})


def refused(reply: Reply) -> CallFailure:
    """What a reply outside 2xx means. A request that was refused is not charged."""
    redirect = 300 <= reply.status < 400
    kind, why = _KNOWN.get(
        reply.status,
        (Failure.TRANSPORT, f"it points to {_place(reply.headers)}, and redirects are not followed")
        if redirect
        else (Failure.PROVIDER_ERROR, "the other side failed" if reply.status >= 500 else "the request was refused"),
    )
    said = _said(reply)
    return CallFailure(
        kind,
        f"status {reply.status}: {why}{f' ({said})' if said else ''}",
        again=reply.status in _AGAIN,
        retry_after_s=_wait(reply.headers.get("retry-after")),
        latency_s=reply.total_s,
        status=reply.status,
    )


def _place(headers: Mapping[str, str]) -> str:
    """Where a redirect points, without what follows the host: that may hold anything."""
    try:
        parts = urlsplit(headers.get("location", ""))
        place = f"{parts.hostname or 'another path'}{f':{parts.port}' if parts.port else ''}"
    except ValueError:
        place = "no address"
    return one_line(place, 100)


def _said(reply: Reply) -> str:
    """What an error in JSON says of itself, as APIs write it."""
    try:
        value = json.loads(reply.body[:100_000])
    except (ValueError, RecursionError):
        return ""
    found = value.get("error", value) if isinstance(value, dict) else value
    if isinstance(found, dict):
        found = found.get("message") or found.get("detail") or found.get("type")
    return one_line(found, 200) if isinstance(found, str) else ""


def _wait(header: str | None) -> float | None:
    """Seconds, from a number or a date; never longer than a minute."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            when = parsedate_to_datetime(header)
        except (ValueError, OverflowError):
            return None
        seconds = (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp() - datetime.now(UTC).timestamp()
    return min(max(seconds, 0.0), _LONGEST_WAIT_S) if seconds == seconds else None  # noqa: PLR0124 (not a number)
