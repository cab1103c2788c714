"""A tool of an MCP server as the system under test: one command that is started, one tool that may be called.

Only servers that are started as a command are spoken to. The package brings a client for HTTP of its own, which
would reach the network beside the engine's one door.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from time import perf_counter
from typing import Any, Literal

from pydantic import Field, field_validator

from engine.errors import Problem, UsageError
from engine.model.calls import Attempt, CallFailure, Calls
from engine.model.exchange import Answer, Exchange, Turn
from engine.model.record import Failure
from engine.model.target import Scalar, Surroundings
from engine.providers.dialect import secret_of
from engine.providers.json_tree import tree
from engine.providers.reading import parsed
from engine.providers.scrub import Scrubber
from engine.providers.template import Filled, template
from engine.targets.charge import Charge, Charged
from engine.targets.json_reply import Found, Paths, Reading, UnreadableError
from engine.targets.mcp_session import Command, McpSession, ServerError
from engine.targets.named_code import allowed
from engine.targets.own_loop import own_loop
from engine.targets.own_system import answer_of, flat_identity, own_call, said_before
from engine.targets.recorded import MalformedError, read_answer
from engine.text import nearest, one_line

__all__ = ["Mcp", "McpTarget"]


class Mcp(Charged):
    """One tool of a server that speaks MCP over its standard input and output."""

    kind: Literal["mcp"] = "mcp"
    command: tuple[str, ...] = Field(min_length=1, description="the server, as a list: [uvx, my-server, --quiet]")
    environment: dict[str, str] = Field(
        default_factory=dict, description="further environment variables of the server; env:NAME for a secret"
    )
    tool: str = Field(min_length=1, description="the tool; no other one is called")
    arguments: dict[str, object] = Field(
        default={"query": "{query}"}, description="what the tool is given, with {query} in its texts"
    )
    start_s: float = Field(default=60.0, gt=0, description="seconds that the server has to start")
    read: Paths = Field(
        default=Paths(), description="where the parts of the answer stand in what it returns; none: its text is it"
    )

    @field_validator("arguments")
    @classmethod
    def _fillable(cls, value: dict[str, object]) -> dict[str, object]:
        template(value, ("query", "query_id"), ("history", "messages"))
        return value

    @contextmanager
    def open(self, surroundings: Surroundings) -> Iterator["McpTarget"]:
        """Start the server, in a loop of its own, and look for the tool."""
        allowed(surroundings, "target.command")
        if find_spec("mcp") is None:
            message = "kind: mcp needs the package mcp, which is not installed"
            raise UsageError(Problem(message, "target.kind", "pip install 'assay-engine[mcp]'"))
        environment, secrets = self._environment()
        command = Command(self.command, surroundings.workspace.resolve(), environment, self.tool)
        arguments = template(self.arguments, ("query", "query_id"), ("history", "messages"))
        reading, scrubber = Reading.of(self.read) if self.read.answers else None, Scrubber(secrets)
        with own_loop() as loop:
            session = McpSession(command, loop)
            try:
                try:
                    session.start(self.start_s)
                except ServerError as error:
                    raise UsageError(Problem(scrubber.text(str(error)), "target.command")) from None
                yield McpTarget(session, arguments, reading, self.charge(), scrubber, self._identity(session.server))
            finally:
                session.end()

    def _environment(self) -> tuple[dict[str, str], list[str]]:
        """The variables with their values, and those values that are secrets. Raises UsageError."""
        values: dict[str, str] = {}
        secrets: list[str] = []
        for name, written in self.environment.items():
            secret = secret_of(written)
            if secret is None:
                values[name] = written
                continue
            value = os.environ.get(secret.name, "")
            if not value:
                near = None if secret.name in os.environ else nearest(secret.name, os.environ)
                hint = f"did you mean {near}?" if near else f"set it: export {secret.name}=…"
                message = f"the environment variable {secret.name} is not set, or empty"
                raise UsageError(Problem(message, f"target.environment.{name}", hint))
            values[name] = secret.before + value
            secrets.append(value)
        return values, secrets

    def _identity(self, server: str | None) -> dict[str, Scalar]:
        """With what the server says it is: another version of it is another target."""
        return {**flat_identity(self), "command": " ".join(self.command), "server": server}


@dataclass(frozen=True, slots=True)
class McpTarget:
    """A tool that can be called."""

    session: McpSession
    arguments: Filled
    reading: Reading | None
    charge: Charge
    scrubber: Scrubber
    identity: Mapping[str, Scalar]
    corpus_sha256: str | None = None
    sources: frozenset[str] | None = None

    def most(self, turn: Turn) -> int | None:
        """What the settings say that a call costs at most."""
        return self.charge.most

    async def answer(self, turn: Turn, history: tuple[Exchange, ...], calls: Calls) -> Answer:
        """Call the tool.

        Raises:
            CallFailure: it failed, or what it returned lacks what the settings say.
            GuardStop: the cost guard allows no further call.
        """
        return answer_of(await calls.pay(own_call(self.charge.most, lambda: self._ask(turn, history))))

    async def _ask(self, turn: Turn, history: tuple[Exchange, ...]) -> Attempt[Mapping[str, object]]:
        before = said_before(history)
        messages = [*before, {"role": "user", "content": turn.say}]
        given = {"query": turn.say, "query_id": turn.query_id, "history": before, "messages": messages}
        arguments = self.arguments(given)
        assert isinstance(arguments, dict)
        started = perf_counter()
        try:
            result = await self.session.call(arguments)
        except ServerError as error:
            raise self._failed(Failure.TOOL_ERROR, str(error), perf_counter() - started) from error
        total_s = perf_counter() - started
        if result.is_error:
            said = one_line(_text(result), 300)
            raise self._failed(Failure.TOOL_ERROR, f"the tool failed: {said or 'it does not say why'}", total_s)
        try:
            found = self._read(result)
            read_answer(found.answer)
        except (UnreadableError, MalformedError) as error:
            raise self._failed(Failure.SCHEMA_INVALID, str(error), total_s) from error
        usage = self.charge.no_tokens(tells=found.cost_usd is not None) if found.usage is None else found.usage
        return Attempt(found.answer, usage, self.charge.cost(found.cost_usd), found.model, {"total": total_s})

    def _read(self, result: Any) -> Found:
        """The answer: its text, or what paths find in its structured content, or in a text that is JSON."""
        structured = result.structured_content
        if self.reading is None:
            if not any(_texts(result)):
                there = tree(structured) if structured is not None else _kinds(result)
                raise UnreadableError(f"the tool returned no text: set read.hits or read.text; it returned {there}")
            return Found({"text": self._scrubbed(_text(result).encode("utf-8", "replace")).decode()}, None, None, None)
        body = (_text(result) if structured is None else json.dumps(structured)).encode("utf-8", "replace")
        try:
            return self.reading.read(parsed(self._scrubbed(body)))
        except UnreadableError:
            raise
        except ValueError:
            begins = one_line(body[:200].decode("utf-8", "replace"), 60)
            message = f'the tool returned no structured content, and a text that is no JSON; it begins with "{begins}"'
            raise UnreadableError(message) from None

    def _scrubbed(self, data: bytes) -> bytes:
        return self.scrubber.answer(data)

    def _failed(self, failure: Failure, message: str, latency_s: float) -> CallFailure:
        spent = self.charge.no_tokens(), self.charge.cost()
        return CallFailure(failure, self.scrubber.text(message), spent=spent, latency_s=latency_s)


def _texts(result: Any) -> list[str]:
    """The texts of its content, those of documents within it too; pictures and sounds have none."""
    blocks = (getattr(block, "resource", block) for block in result.content)
    return [block.text for block in blocks if isinstance(getattr(block, "text", None), str)]


def _text(result: Any) -> str:
    """All of them, one below the other."""
    return "\n".join(_texts(result))


def _kinds(result: Any) -> str:
    return one_line(", ".join(str(block.type) for block in result.content), 100) or "nothing"
