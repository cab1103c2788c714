"""A model as the system under test: it is asked what the query says, and its answer is what gets graded."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from pydantic import Field

from engine.model.calls import Call, Calls
from engine.model.exchange import Answer, Exchange, Turn
from engine.model.network import Line
from engine.model.target import Scalar, Surroundings
from engine.model.usage import PriceTable
from engine.providers.anthropic import Anthropic
from engine.providers.asking import model_call
from engine.providers.azure import Azure
from engine.providers.dialect import Chat, Finish, ModelReply, ModelSettings
from engine.providers.ollama import Ollama
from engine.providers.openai_chat import OpenAIChat
from engine.providers.openai_responses import OpenAIResponses
from engine.providers.vllm import Vllm

__all__ = [
    "AnthropicTarget",
    "AzureTarget",
    "ModelTarget",
    "OllamaTarget",
    "OpenAIChatTarget",
    "OpenAIResponsesTarget",
    "VllmTarget",
]

_NOTES = {
    Finish.LENGTH: "cut off by the token limit",
    Finish.REFUSED: "the model refused to answer, or a filter stopped it",
}
_SAID_NOTHING = "(no text)"  # APIs refuse a turn without any


class _Asked(ModelSettings):
    """What a model needs beyond its dialect to be a target."""

    system: str = Field(default="", description="the system prompt; empty for none")

    @contextmanager
    def open(self, surroundings: Surroundings) -> Iterator["ModelTarget"]:
        """Check the address. Nothing is sent before the first query."""
        line = surroundings.network.line(self.site())
        yield ModelTarget(self, line, surroundings.prices, self.system, self.identity())


class OpenAIChatTarget(OpenAIChat, _Asked):
    """A model behind the chat completions of OpenAI."""


class OpenAIResponsesTarget(OpenAIResponses, _Asked):
    """A model behind the Responses API of OpenAI."""


class AnthropicTarget(Anthropic, _Asked):
    """A model behind the Messages API of Anthropic."""


class OllamaTarget(Ollama, _Asked):
    """A model that Ollama runs."""


class AzureTarget(Azure, _Asked):
    """A model that is deployed at Azure."""


class VllmTarget(Vllm, _Asked):
    """A model on a server of one's own."""


@dataclass(frozen=True, slots=True)
class ModelTarget:
    """A model that can be asked. It searches no documents that anybody knows of."""

    settings: ModelSettings
    line: Line
    prices: PriceTable
    system: str
    identity: Mapping[str, Scalar]
    corpus_sha256: str | None = None
    sources: frozenset[str] | None = None

    async def answer(self, turn: Turn, history: tuple[Exchange, ...], calls: Calls) -> Answer:
        """Ask the model, with the turns before this one.

        Raises:
            CallFailure: it could not answer.
            GuardStop: the cost guard allows no further call.
        """
        paid = await calls.pay(self._call(turn, history))
        reply, latency_s = paid.value, dict(paid.latency_s)
        if "total" in latency_s:
            latency_s = {"answer": latency_s.pop("total"), **latency_s}
        note = _NOTES.get(reply.finish)
        return Answer(
            text=reply.text,
            tool_calls=reply.tool_calls,
            latency_s=latency_s,
            notes=() if note is None else (note,),
            usage=paid.usage,
            cost=paid.cost,
            model=paid.model,
        )

    def most(self, turn: Turn) -> int | None:
        """What the request and the longest answer to it cost."""
        return self._call(turn, ()).most

    def _call(self, turn: Turn, history: tuple[Exchange, ...]) -> Call[ModelReply]:
        chat = Chat(_messages(turn, history), self.system)
        return model_call(self.line, self.settings, chat, "target", self.prices)


def _messages(turn: Turn, history: tuple[Exchange, ...]) -> tuple[tuple[str, str], ...]:
    before: list[tuple[str, str]] = []
    for exchange in history:
        before.append(("user", exchange.turn.say))
        before.append(("assistant", exchange.answer.text or _SAID_NOTHING))
    return (*before, ("user", turn.say))
