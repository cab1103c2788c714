"""A Python function as the system under test. It runs in this process, away from the loop that asks it."""

import inspect
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

from pydantic import Field

from engine.errors import Problem, UsageError
from engine.model.calls import Attempt, CallFailure, Calls
from engine.model.exchange import Answer, Exchange, Turn
from engine.model.record import Failure
from engine.model.target import Scalar, Surroundings
from engine.targets.charge import Charge, Charged, tokens_told
from engine.targets.foreign_code import ForeignError, foreign, without_secrets
from engine.targets.named_code import CodeName, code_sha256, named_code
from engine.targets.own_loop import OwnLoop, own_loop
from engine.targets.own_system import answer_of, flat_identity, own_call, said_before
from engine.targets.recorded import MalformedError
from engine.targets.told import checked, members
from engine.text import one_line

__all__ = ["PythonFunction", "PythonTarget"]


class PythonFunction(Charged):
    """A function `(question)` or `(question, history)`, sync or async, that returns a text, hits, or a whole answer.

    A sync function runs in a thread of its own. When it never returns, the trial fails by `timeout_s`; the thread
    cannot be stopped, goes on in the background, and does not keep the process from ending. An async function runs
    in a loop of its own and is cancelled by `timeout_s`; one that blocks holds up its other calls, never the run.
    """

    kind: Literal["python"] = "python"
    call: CodeName = Field(description="the function, as module:name; its file is in the workspace")

    @contextmanager
    def open(self, surroundings: Surroundings) -> Iterator["PythonTarget"]:
        """Import the function and see that it can be called with a question. It is not called yet."""
        with named_code(self.call, "target.call", surroundings) as found, own_loop() as loop:
            function = _function(found, self.call)
            # the code is part of what it is: another version of it is another target
            identity = flat_identity(self) | {"code_sha256": code_sha256(self.call)}
            remembers, folder = _takes_history(function, self.call), surroundings.workspace.resolve()
            yield PythonTarget(function, remembers, loop, self.charge(), folder, identity)


@dataclass(frozen=True, slots=True)
class PythonTarget:
    """A function that can be asked. What it searches is not known.

    Attributes:
        remembers: it wants to know the turns before.
        folder: where its code is, for the place of an error.
    """

    function: Callable[..., object]
    remembers: bool
    loop: OwnLoop
    charge: Charge
    folder: Path
    identity: Mapping[str, Scalar]
    corpus_sha256: str | None = None
    sources: frozenset[str] | None = None

    def most(self, turn: Turn) -> int | None:
        """What the settings say that a call costs at most."""
        return self.charge.most

    async def answer(self, turn: Turn, history: tuple[Exchange, ...], calls: Calls) -> Answer:
        """Call the function.

        Raises:
            CallFailure: it raised something, or returned what is no answer.
            GuardStop: the cost guard allows no further call.
        """
        return answer_of(await calls.pay(own_call(self.charge.most, lambda: self._ask(turn, history))))

    async def _ask(self, turn: Turn, history: tuple[Exchange, ...]) -> Attempt[Mapping[str, object]]:
        started = perf_counter()
        told: dict[str, object] = {}
        try:
            returned = await self._called(turn.say, {"history": said_before(history)} if self.remembers else {})
            total_s = perf_counter() - started
            with foreign(self.folder):  # a type of theirs may raise when it is looked at
                told = members(returned)
            answer = without_secrets(checked(told), os.environ)
        except (ForeignError, MalformedError) as error:
            failure = error.failure if isinstance(error, ForeignError) else Failure.SCHEMA_INVALID
            spent = self.charge.no_tokens(), self.charge.cost(told.get("cost_usd"))
            late = perf_counter() - started
            what = "raised" if isinstance(error, ForeignError) else "returned no answer:"
            message = f"{self.identity['call']} {what} {error}"
            raise CallFailure(failure, message, spent=spent, latency_s=late) from None
        usage, dollars, model = told.get("usage"), told.get("cost_usd"), told.get("model")
        counted = tokens_told(usage) if isinstance(usage, dict) else self.charge.no_tokens(tells=dollars is not None)
        named = model if isinstance(model, str) else None
        return Attempt(answer, counted, self.charge.cost(dollars), named, {"total": total_s})

    async def _called(self, question: str, more: Mapping[str, object]) -> object:
        def begin() -> Any:
            with foreign(self.folder):
                return self.function(question, **more)

        async def finish(begin: Callable[[], Any]) -> object:
            with foreign(self.folder):
                return await begin()

        if _is_async(self.function):
            return await self.loop.run(finish(begin))
        found = await self.loop.in_thread(begin)
        return await self.loop.run(finish(lambda: found)) if inspect.isawaitable(found) else found


def _function(found: object, name: str) -> Callable[..., object]:
    if isinstance(found, type) or not callable(found):
        what = "a class" if isinstance(found, type) else one_line(type(found).__name__, 100)
        raise UsageError(Problem(f"{name} is no function, it is {what}", "target.call"))
    return found


def _is_async(function: Callable[..., object]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004 (an object may be called like an async function)


def _takes_history(function: Callable[..., object], name: str) -> bool:
    """Whether it has a parameter `history`. Raises UsageError when it cannot be called with a question."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # it does not tell
        return False
    remembers = "history" in signature.parameters
    try:
        signature.bind("", **({"history": []} if remembers else {}))
    except TypeError as error:
        message = (
            f"{name}{one_line(str(signature), 100)} cannot be called with one question: {one_line(str(error), 100)}"
        )
        advice = "write it as def answer(question) or def answer(question, history)"
        raise UsageError(Problem(message, "target.call", advice)) from None
    return remembers
