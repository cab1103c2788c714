"""A server on this machine that speaks as model APIs, a search and an agent do, and lies when it is told to.

    with serving() as server:
        ask(server.url("l50", "e429.05", retry=0) + "/v1/chat/completions")
        assert server.stats()["charged"] == 1

What the words of an address do is said in behaviour.py. `python -m tests.loopback --port 0` starts it by itself.
"""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.loopback.behaviour import segment
from tests.loopback.replies import Request
from tests.loopback.server import Server

__all__ = ["Loopback", "serving"]


@dataclass(frozen=True, slots=True)
class Loopback:
    """A server that runs in a thread."""

    port: int
    server: Server

    @property
    def origin(self) -> str:
        """`http://127.0.0.1:PORT`."""
        return f"http://127.0.0.1:{self.port}"

    def url(self, *words: str, **values: object) -> str:
        """The address that behaves so, to be followed by `/v1` and the like. Without words it is honest."""
        return f"{self.origin}/{segment(*words, **values)}" if words or values else self.origin

    def stats(self) -> dict[str, object]:
        """All counters."""
        return self.server.stats.as_json()

    def seen(self) -> list[Request]:
        """The last requests, oldest first."""
        return list(self.server.stats.seen)


@contextmanager
def serving(port: int = 0) -> Iterator[Loopback]:
    """A server in a thread of its own, until the end of the block."""
    loop = asyncio.new_event_loop()
    server = Server()
    thread = threading.Thread(target=loop.run_forever, name="loopback", daemon=True)
    thread.start()
    try:
        found = asyncio.run_coroutine_threadsafe(server.open(port), loop).result(10)
        yield Loopback(found, server)
    finally:
        asyncio.run_coroutine_threadsafe(server.aclose(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
