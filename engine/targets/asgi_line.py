"""A line to an ASGI app in this process: requests become calls of the app, and no network is used."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path
from time import perf_counter
from urllib.parse import unquote, urlsplit

from engine.model.network import LONGEST_REPLY, NetworkFailure, Reply, Request
from engine.model.record import Failure
from engine.providers.signing import signed
from engine.targets.asgi_lifespan import App, Message
from engine.targets.foreign_code import ForeignError, foreign
from engine.targets.own_loop import OwnLoop

__all__ = ["HOST", "AsgiLine"]

HOST = "localhost"
_PORT = 80


class AsgiLine:
    """Sends requests to an app (`engine.model.network.Line`). The app runs in a loop of its own.

    Args:
        state: what the app wants to find in every request.
        environment: where keys are read.
        folder: where its code is, for the place of an error.
    """

    def __init__(
        self, app: App, loop: OwnLoop, state: Mapping[str, object], environment: Mapping[str, str], folder: Path
    ) -> None:
        self._app, self._loop, self._state = app, loop, state
        self._environment, self._folder = environment, folder
        self._working: set[asyncio.Task[None]] = set()

    def turn(self) -> AbstractAsyncContextManager[None]:
        """Nobody has to wait in this process."""
        return nullcontext()

    def clean(self, text: str) -> str:
        """Nothing secret leaves this process."""
        return text

    async def send(self, request: Request, on_bytes: Callable[[bytes], None] | None = None) -> Reply:
        """Call the app once. Raises NetworkFailure."""
        try:
            reply = await self._loop.run(self._sent(request))
        except ForeignError as error:
            raise NetworkFailure(error.failure, f"the app raised {error}", sent=True) from None
        if on_bytes is not None and 200 <= reply.status < 300:
            on_bytes(reply.body)
            reply = reply._replace(body=b"")
        return reply

    async def _sent(self, request: Request) -> Reply:
        keyed = signed(request, self._environment)
        answering = _Answering(request.body)
        query = "&".join(part for part in (urlsplit(request.url).query, keyed.query) if part)
        scope = _scope(request, query, keyed.headers, dict(self._state))
        started = perf_counter()
        task = asyncio.create_task(answering.run(self._app, scope, self._folder))
        self._working.add(task)  # what it does after its answer goes on beside the next request
        task.add_done_callback(self._working.discard)
        try:
            await answering.ended
        except asyncio.CancelledError:
            task.cancel()
            raise
        error = answering.error
        if error is not None and not answering.answered:
            raise ForeignError(keyed.scrubber.text(str(error)), error.failure)
        if not answering.whole:
            why = "the app ended before its reply was whole"
            if answering.too_long:
                why = f"the app's reply is longer than {LONGEST_REPLY // 2**20} MiB"
            raise NetworkFailure(Failure.TRANSPORT, why, sent=True)
        body = keyed.scrubber.answer(b"".join(answering.pieces))
        total_s = perf_counter() - started
        return Reply(answering.status, answering.headers, body, answering.first_byte_s - started, total_s)


class _Answering:
    """One call of the app, as it goes. `ended` comes true when the reply is whole, or can come no more."""

    def __init__(self, body: bytes) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.error: ForeignError | None = None
        self.status = 0
        self.headers: dict[str, str] = {}
        self.pieces: list[bytes] = []
        self.whole = self.too_long = False
        self.first_byte_s = 0.0
        self._body: bytes | None = body
        self._size = 0

    @property
    def answered(self) -> bool:
        """Whether the answer counts, whatever the app did after it. A 5xx with an exception is that exception."""
        return self.whole and self.status < 500

    async def run(self, app: App, scope: Message, folder: Path) -> None:
        """Call the app; nothing is raised."""
        try:
            with foreign(folder):
                await app(scope, self._receive, self._send)
        except ForeignError as error:
            self.error = error
        finally:
            self._end()

    async def _receive(self) -> Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await asyncio.shield(self.ended)
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        """What the app calls; it is told when it does not keep to the protocol."""
        if message["type"] == "http.response.start":
            self.status, self.first_byte_s = int(message["status"]), perf_counter()
            for name, value in message.get("headers", ()):
                self.headers[name.decode("latin-1").lower()] = value.decode("latin-1")
        elif message["type"] == "http.response.body" and not self.ended.done():
            if not self.status:
                raise RuntimeError("http.response.body came before http.response.start")
            piece = bytes(message.get("body", b""))
            self._size += len(piece)
            self.too_long = self._size > LONGEST_REPLY
            if not self.too_long:
                self.pieces.append(piece)
                self.whole = not message.get("more_body", False)
            if self.too_long or self.whole:
                self._end()

    def _end(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)


def _scope(request: Request, query: str, headers: list[tuple[str, str]], state: dict[str, object]) -> Message:
    path = urlsplit(request.url).path or "/"
    sent = [("host", HOST), *headers, ("content-length", str(len(request.body)))]
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode("ascii", "replace"),
        "query_string": query.encode("ascii", "replace"),
        "root_path": "",
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in sent],
        "client": ("127.0.0.1", 0),
        "server": (HOST, _PORT),
        "state": state,
    }
