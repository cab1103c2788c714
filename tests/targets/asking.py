"""Asks a target as a run does, without a run."""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

from engine.model.calls import Attempt, Call, CallFailure
from engine.model.exchange import Answer, Exchange, Turn
from engine.model.network import Line, NetworkFailure, Reply, Request, Site
from engine.model.record import Failure
from engine.model.target import Surroundings, TargetSettings
from engine.store.strict_yaml import load

__all__ = ["CONF", "OneReply", "Pays", "ask", "failing", "from_conf", "surroundings"]

T = TypeVar("T")
CONF = Path(__file__).resolve().parents[2] / "conf" / "target"


@dataclass
class OneReply:
    """A network that knows one reply, and keeps what it was asked. A status of 0: nothing comes."""

    body: object = field(default_factory=dict)
    status: int = 200
    sites: list[Site] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)

    def line(self, site: Site) -> Line:
        self.sites.append(site)
        return self

    def turn(self) -> AbstractAsyncContextManager[None]:
        return nullcontext()

    def clean(self, text: str) -> str:
        return text

    async def send(self, request: Request, on_bytes: Callable[[bytes], None] | None = None) -> Reply:
        self.requests.append(request)
        if not self.status:
            raise NetworkFailure(Failure.TIMEOUT, "nothing came", sent=True)
        body = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        return Reply(self.status, {}, body, 0.1, 0.5)


class Pays:
    """Makes every call once, and sees to it that what is kept gives the same back."""

    def __init__(self) -> None:
        self.calls: list[Call[Any]] = []

    async def pay(self, call: Call[T]) -> Attempt[T]:
        self.calls.append(call)
        made = await call.make()
        kept: Mapping[str, object] = json.loads(json.dumps(call.keeps(made.value)))
        assert call.restores(kept) == made.value
        return made


def surroundings(
    folder: Path, network: OneReply | None = None, notices: list[str] | None = None, *, allow_code: bool = True
) -> Surroundings:
    """Of a workspace in a folder."""
    said = [] if notices is None else notices
    return Surroundings(folder, folder, folder, said.append, network or OneReply(), allow_code=allow_code)


def ask(
    settings: TargetSettings, around: Surroundings, history: tuple[Exchange, ...] = (), calls: Pays | None = None
) -> Answer:
    """Open, ask one question, close."""
    with settings.open(around) as target:
        return asyncio.run(target.answer(Turn("How is tea brewed?", "q-1"), history, calls or Pays()))


def failing(settings: TargetSettings, around: Surroundings) -> CallFailure:
    """The failure of one question."""
    with pytest.raises(CallFailure) as caught:
        ask(settings, around)
    return caught.value


def from_conf(kind: str) -> dict[str, Any]:
    """The settings that are shipped, as they are read from the file."""
    value = load((CONF / f"{kind}.yaml").read_text("utf-8"), kind).value
    assert isinstance(value, dict)
    return value
