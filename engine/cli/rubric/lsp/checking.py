"""When a document is checked: a moment after it was last changed, only its newest text, and one check at a time."""

import asyncio
from collections.abc import Callable

from engine import rubric as language
from engine.cli.rubric.lsp.documents import Document

__all__ = ["Checking"]

_QUIET_S = 0.01  # long enough for the changes of one key press or paste, short enough for nobody to notice

Said = Callable[[Document, language.Reading], None]


class Checking:
    """Waits until a document is quiet, checks it in a thread of its own, and says what came of its newest text."""

    def __init__(self, find: Callable[[str], Document | None], said: Said, failed: Callable[[str], None]) -> None:
        self._find = find
        self._said = said
        self._failed = failed
        self._changes: dict[str, int] = {}
        self._running: dict[str, asyncio.Task[None]] = {}

    def wanted(self, uri: str) -> None:
        """This document has changed."""
        self._changes[uri] = self._changes.get(uri, 0) + 1
        if uri not in self._running:
            task = asyncio.get_running_loop().create_task(self._until_newest(uri))
            self._running[uri] = task
            task.add_done_callback(lambda done: self._ended(uri, done))

    async def _until_newest(self, uri: str) -> None:
        while True:
            count = self._changes[uri]
            await asyncio.sleep(_QUIET_S)
            document = self._find(uri)
            if document is None:
                return
            if self._changes[uri] != count:
                continue
            reading = await asyncio.to_thread(document.read)
            if self._changes[uri] == count:
                if self._find(uri) is document:
                    self._said(document, reading)
                return

    def _ended(self, uri: str, done: "asyncio.Task[None]") -> None:
        del self._running[uri]
        if not done.cancelled() and done.exception() is not None:
            self._failed(f"this rubric could not be checked, and that is a fault of the engine: {done.exception()!r}")
