"""A server of the Model Context Protocol as a running command, within a loop of its own."""

import asyncio
import logging
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from engine.targets.foreign_code import ForeignError, foreign
from engine.targets.own_loop import OwnLoop
from engine.text import nearest, one_line

if TYPE_CHECKING:
    from mcp import Client

__all__ = ["Command", "McpSession", "ServerError"]

_END_S = 8.0  # its client gives a server 2 seconds to end by itself, and 4 more


class ServerError(ForeignError):
    """The server could not be started or asked."""


class Command(NamedTuple):
    """How a server is started. `environment`: further variables, with their values."""

    words: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    tool: str

    @property
    def shown(self) -> str:
        """Its first word."""
        return one_line(self.words[0], 60)


class McpSession:
    """One server, from its start to its end.

    What it writes to its standard error goes to a file that nobody sees, but for the last line when it does not
    start.

    Attributes:
        server: its name and version, as it says; None when it does not, or has not started.
    """

    def __init__(self, command: Command, loop: OwnLoop) -> None:
        self.server: str | None = None
        self._command, self._loop = command, loop
        self._client: Client | None = None
        self._ending = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self, within_s: float) -> None:
        """Start the server and look for the tool. Raises ServerError."""
        log = logging.getLogger("mcp")
        log.propagate = False  # it would print what the server sent, as it came
        log.addHandler(_SILENT)
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
            why = self._why_not(errors, within_s)
            if why:
                raise ServerError(f"the server {self._command.shown} did not start ({why}){_last_words(errors)}")

    def _why_not(self, errors: IO[str], within_s: float) -> str:
        """Start it; why it did not, empty when it did. Raises ServerError when it did, and cannot be used."""
        try:
            self._loop.now(self._started(errors), within_s)
        except TimeoutError:
            return f"it was not ready after {within_s:g} seconds"
        except ServerError:
            raise
        except ForeignError as error:
            return str(error)
        return ""

    async def call(self, arguments: Mapping[str, object]) -> Any:
        """What the one tool returns. Raises ServerError."""
        try:
            return await self._loop.run(self._called(arguments))
        except ServerError:
            raise
        except ForeignError as error:
            raise ServerError(f"the call failed: {error}") from None

    def end(self) -> None:
        """End the server."""
        with suppress(TimeoutError, ForeignError):  # its client has killed it by now, or cannot
            self._loop.now(self._ended(), _END_S)
        log = logging.getLogger("mcp")
        log.removeHandler(_SILENT)
        log.propagate = True

    async def _started(self, errors: IO[str]) -> None:
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._live(ready, errors))
        await asyncio.wait((ready, self._task), return_when=asyncio.FIRST_COMPLETED)
        if not ready.done():
            await self._task  # raises why

    async def _live(self, ready: "asyncio.Future[None]", errors: IO[str]) -> None:
        """The whole life of the client: it has to be opened and closed by the same task."""
        from mcp import Client, StdioServerParameters, stdio_client

        program, *words = self._command.words
        given = StdioServerParameters(
            command=program, args=words, env=dict(self._command.environment), cwd=self._command.folder
        )
        with foreign(self._command.folder):
            async with Client(stdio_client(given, errlog=errors)) as client:  # type: ignore[arg-type]
                await self._check_tool(client)
                known = client.session.server_info
                self.server = None if known is None else one_line(f"{known.name} {known.version}", 100)
                self._client = client
                ready.set_result(None)
                await self._ending.wait()

    async def _called(self, arguments: Mapping[str, object]) -> Any:
        from mcp import MCPError
        from mcp_types import CONNECTION_CLOSED

        assert self._client is not None
        with foreign(self._command.folder):
            try:
                return await self._client.call_tool(self._command.tool, dict(arguments))
            except MCPError as error:
                if error.code == CONNECTION_CLOSED:
                    raise ServerError(f"the server {self._command.shown} has ended") from None
                raise ServerError(f"the server refused the call: {one_line(str(error), 300)}") from None

    async def _ended(self) -> None:
        self._ending.set()
        if self._task is not None:
            if self._client is None:
                self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _check_tool(self, client: "Client") -> None:
        names: list[str] = []
        cursor: str | None = None
        for _ in range(100):
            listed = await client.list_tools(cursor=cursor)
            names += [tool.name for tool in listed.tools]
            cursor = listed.next_cursor
            if cursor is None or self._command.tool in names:
                break
        if self._command.tool not in names:
            near = nearest(self._command.tool, names)
            hint = f"did you mean {near}?" if near else f"it has: {', '.join(names[:20]) or 'none'}"
            raise ServerError(one_line(f"the server has no tool {self._command.tool}; {hint}", 400))


_SILENT = logging.NullHandler()


def _last_words(errors: IO[str]) -> str:
    errors.seek(0)
    last = next((line for line in reversed(errors.read().splitlines()) if line.strip()), "")
    return f"; its last words: {one_line(last, 200)}" if last else ""
