"""An ASGI app (FastAPI, Starlette, Django …) as the system under test, called in this process: no server, no port."""

import inspect
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, cast

from pydantic import Field, field_validator

from engine.errors import Problem, UsageError
from engine.model.network import Header
from engine.model.target import Surroundings
from engine.providers.dialect import secret_of
from engine.providers.template import address_template
from engine.targets.asgi_lifespan import App, Lifespan, LifespanError
from engine.targets.asgi_line import HOST, AsgiLine
from engine.targets.foreign_code import ForeignError, foreign
from engine.targets.http_json import JsonTarget
from engine.targets.json_call import TEXTS, JsonCall, Writing
from engine.targets.json_reply import Reading
from engine.targets.named_code import CodeName, code_sha256, named_code
from engine.targets.own_loop import OwnLoop, own_loop
from engine.targets.own_system import flat_identity

__all__ = ["Asgi"]

_START_S, _END_S = 60.0, 5.0


class Asgi(JsonCall):
    """An app of your own, asked as `http_json` asks an address. It starts before the first query."""

    kind: Literal["asgi"] = "asgi"
    app: CodeName = Field(description="the app, as module:name; its file is in the workspace")
    factory: bool = Field(default=False, description="app names a function that makes the app")
    path: str = Field(default="/", description="what is asked for, such as /search; it may hold {query}")
    headers: dict[str, str] = Field(default_factory=dict, description="headers; env:NAME for a secret")

    @field_validator("path")
    @classmethod
    def _begins_with_a_slash(cls, value: str) -> str:
        if not value.startswith("/"):
            raise ValueError(f"a path begins with /: /{value.rpartition('://')[2].partition('/')[2] or value}")
        address_template(value, TEXTS)
        return value

    @contextmanager
    def open(self, surroundings: Surroundings) -> Iterator[JsonTarget]:
        """Import the app and start it, in a loop of its own: one that hangs or blocks does not stop the run."""
        folder = surroundings.workspace.resolve()
        with named_code(self.app, "target.app", surroundings) as found, own_loop() as loop:
            app = self._app(found, folder)
            lifespan = _started(app, self.app, folder, loop)
            headers: tuple[Header, ...] = tuple((n, secret_of(value) or value) for n, value in self.headers.items())
            writing = Writing.of(self, f"http://{HOST}{self.path}", headers)
            line = AsgiLine(app, loop, lifespan.state, os.environ, folder)
            identity = flat_identity(self) | {"code_sha256": code_sha256(self.app)}
            try:
                yield JsonTarget(line, writing, Reading.of(self.read), self.charge(), 0, identity)
            finally:
                problem = _ended(lifespan, loop)
                if problem:
                    surroundings.notice(f"the app {self.app} did not close well: {problem}")

    def _app(self, found: object, folder: Path) -> App:
        if self.factory:
            if not callable(found):
                raise UsageError(Problem(f"{self.app} is no function: {type(found).__name__}", "target.app"))
            try:
                with foreign(folder):
                    found = found()
            except ForeignError as error:
                raise UsageError(Problem(f"{self.app} made no app: it raised {error}", "target.app")) from None
        if not callable(found):
            raise UsageError(Problem(f"{self.app} is no ASGI app, it is {type(found).__name__}", "target.app"))
        try:
            inspect.signature(found).bind({}, None, None)
        except TypeError:
            advice = "leave out factory" if self.factory else "if it is a function that makes the app: factory: true"
            message = f"{self.app} is no ASGI app: it cannot be called with (scope, receive, send)"
            raise UsageError(Problem(message, "target.app", advice)) from None
        except ValueError:  # it does not tell
            pass
        return cast("App", found)


def _started(app: App, name: str, folder: Path, loop: OwnLoop) -> Lifespan:
    """The life of the app, begun. Raises UsageError."""

    async def start() -> Lifespan:
        lifespan = Lifespan(app, folder)
        await lifespan.start()
        return lifespan

    try:
        return loop.now(start(), _START_S)
    except TimeoutError:
        why = f"it was not ready after {_START_S:g} seconds"
    except (LifespanError, ForeignError) as error:
        why = str(error)
    raise UsageError(Problem(f"the app {name} did not start: {why}", "target.app"))


def _ended(lifespan: Lifespan, loop: OwnLoop) -> str:
    """Why the app did not close well; empty when it did."""
    try:
        loop.now(lifespan.end(), _END_S)
    except TimeoutError:
        return f"it took longer than {_END_S:g} seconds"
    except (LifespanError, ForeignError) as error:
        return str(error)
    return ""
