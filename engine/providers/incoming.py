"""What is done to a reply on its way in: unpacked up to a length, and every secret taken out."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from engine.providers.inflate import Inflater
from engine.providers.scrub import ScrubbedStream, Scrubber
from engine.providers.wire import Incoming, RawHeaders, Trouble, WireError

__all__ = ["decoded", "hand_on", "headers_of"]


async def hand_on(pieces: AsyncGenerator[bytes], scrubber: Scrubber, on_bytes: Callable[[bytes], None]) -> None:
    """Hand the pieces of an answer on, without any secret."""
    stream = ScrubbedStream(scrubber)
    async for piece in pieces:
        clean = stream.feed(piece)
        if clean:
            on_bytes(clean)
    rest = stream.end()
    if rest:
        on_bytes(rest)


async def decoded(incoming: Incoming, encoding: str, longest: int) -> AsyncGenerator[bytes]:
    """The body, decompressed, up to so many bytes. Raises WireError."""
    came = size = 0
    try:
        inflater = None if encoding.lower() in ("", "identity") else Inflater(encoding.lower())
        async with aclosing(incoming.pieces()) as pieces:
            async for raw in pieces:
                came += len(raw)
                for piece in (raw,) if inflater is None else inflater.feed(raw):
                    size += len(piece)
                    _check_length(max(size, came), longest)
                    yield piece
        if inflater is not None:
            inflater.end()
    except ValueError as error:
        raise WireError(Trouble.UNUSABLE, str(error)) from None


def _check_length(size: int, longest: int) -> None:
    if size > longest:
        raise ValueError(f"it is longer than {longest:,} bytes")


def headers_of(raw: RawHeaders, scrubber: Scrubber) -> dict[str, str]:
    """By name in lower case; those of one name are joined."""
    lines = scrubber.error(b"\n".join([name + b":" + value for name, value in raw])).decode("latin-1")
    found: dict[str, str] = {}
    for line in lines.split("\n") if lines else ():
        name, _, value = line.partition(":")
        key, value = name.lower(), value.strip()
        found[key] = f"{found[key]}, {value}" if key in found else value
    return found
