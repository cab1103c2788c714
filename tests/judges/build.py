"""A model judge whose other side is a function: what is asked goes in, the text of the answer comes out."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field

from engine.judges.dialects import OpenAIChatJudge
from engine.judges.model import ModelJudge
from engine.judges.questionnaire import Questionnaire
from engine.judges.task import Task
from engine.model.calls import Calls
from engine.model.exchange import Exchange
from engine.model.grade import Vote
from engine.model.network import Line, NetworkFailure, Reply, Request, Site
from engine.model.record import Failure
from engine.model.usage import NO_PRICES
from tests.doubles import JustCalls
from tests.rubric.build import exchange, rubric_of

__all__ = ["Model", "answers", "ask", "judge", "questionnaire"]


@dataclass
class Model:
    """Speaks as chat completions do.

    Attributes:
        says: the text of the answer to a request, or what it raises.
        asked: the requests so far.
    """

    says: Callable[[Mapping[str, object]], str]
    finish: str = "stop"
    model: str | None = "m-2026"
    asked: list[dict[str, object]] = field(default_factory=list)

    def line(self, site: Site) -> Line:
        return self

    def turn(self) -> AbstractAsyncContextManager[None]:
        return nullcontext()

    def clean(self, text: str) -> str:
        return text

    async def send(self, request: Request, on_bytes: Callable[[bytes], None] | None = None) -> Reply:
        await asyncio.sleep(0)
        asked = json.loads(request.body)
        self.asked.append(asked)
        text = self.says(asked)
        reply = {
            "model": self.model,
            "choices": [{"message": {"content": text}, "finish_reason": self.finish}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }
        return Reply(200, {}, json.dumps(reply).encode(), 0.1, 0.2)

    @property
    def users(self) -> list[str]:
        """What it was told, request by request."""
        return [str(asked["messages"][-1]["content"]) for asked in self.asked]  # type: ignore[index]


def unreachable(_: Mapping[str, object]) -> str:
    """An answer that never comes."""
    raise NetworkFailure(Failure.TIMEOUT, "nothing came", sent=True)


def answers(*said: object) -> Callable[[Mapping[str, object]], str]:
    """Answers every question with these, in turn over the questions of a request."""

    def says(asked: Mapping[str, object]) -> str:
        keys = asked["response_format"]["json_schema"]["schema"]["required"]  # type: ignore[index]
        return json.dumps({key: {"reason": "seen", "said": said[at % len(said)]} for at, key in enumerate(keys)})

    return says


def judge(model: Model, name: str = "llm", **settings: object) -> ModelJudge:
    """A judge that asks this model."""
    made = OpenAIChatJudge.model_validate(
        {"url": "https://m.example/v1", "key": None, "model": "m", "free": True, **settings}
    )
    (found,) = made.judges(model, NO_PRICES, name)
    return found


def questionnaire(text: str) -> Questionnaire:
    """The questions of a rubric without its first line."""
    return Questionnaire(rubric_of(text if "rubric:" in text else f"rubric: Test\n{text}"))


def ask(
    who: ModelJudge,
    asked: Questionnaire,
    what: Exchange | None = None,
    ids: Sequence[str] = (),
    calls: Calls | None = None,
) -> dict[str, Vote]:
    """One vote on every question."""
    task = Task(asked, tuple(ids) or tuple(asked.questions), what or exchange("An answer."))
    return asyncio.run(who.votes(task, calls or JustCalls()))
