"""The life of an ASGI app: started before the first request, ended after the last."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

from engine.targets.foreign_code import ForeignError, foreign
from engine.text import one_line

__all__ = ["App", "Lifespan", "LifespanError", "Message"]

Message = MutableMapping[str, Any]
App = Callable[[Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]


class LifespanError(Exception):
    """The app could not start, or not close well; the text says why, in one line."""


class Lifespan:
    """One life of an app, within one loop.

    Attributes:
        state: what the app wants to find in every request.
    """

    def __init__(self, app: App, folder: Path) -> None:
        self.state: dict[str, Any] = {}
        self._app, self._folder = app, folder
        self._to_app: asyncio.Queue[str] = asyncio.Queue()
        self._from_app: asyncio.Queue[Message] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Let the app open what it needs. One that raises at once knows no lifespan, and needs none.

        Raises:
            LifespanError: it says that it cannot start.
        """
        self._task = asyncio.create_task(self._live())
        await self._step("startup")

    async def end(self) -> None:
        """Let it close what it opened. Raises LifespanError."""
        if self._task is not None and not self._task.done():
            await self._step("shutdown")
            await asyncio.wait((self._task,), timeout=1)

    async def _step(self, name: str) -> None:
        assert self._task is not None
        self._to_app.put_nowait(f"lifespan.{name}")
        heard = asyncio.create_task(self._from_app.get())
        await asyncio.wait((heard, self._task), return_when=asyncio.FIRST_COMPLETED)
        if heard.done():
            message = heard.result()
            if message["type"] == f"lifespan.{name}.failed":
                last_line = str(message.get("message", "")).strip().rsplit("\n", 1)[-1]
                raise LifespanError(one_line(last_line, 300) or "it does not say why")
            return
        heard.cancel()
        error = None if self._task.cancelled() else self._task.exception()
        if isinstance(error, ForeignError) and name == "shutdown":
            raise LifespanError(str(error))

    async def _live(self) -> None:
        scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": self.state}
        with foreign(self._folder):
            await self._app(scope, self._receive, self._from_app.put)

    async def _receive(self) -> Message:
        return {"type": await self._to_app.get()}
