"""A model judge for every dialect."""

from pydantic import Field

from engine.judges.model import Judging
from engine.providers.anthropic import Anthropic
from engine.providers.azure import Azure
from engine.providers.ollama import Ollama
from engine.providers.openai_chat import OpenAIChat
from engine.providers.openai_responses import OpenAIResponses
from engine.providers.vllm import Vllm

__all__ = ["AnthropicJudge", "AzureJudge", "OllamaJudge", "OpenAIChatJudge", "OpenAIResponsesJudge", "VllmJudge"]


class OpenAIChatJudge(Judging, OpenAIChat):
    """A model behind the chat completions of OpenAI."""


class OpenAIResponsesJudge(Judging, OpenAIResponses):
    """A model behind the Responses API of OpenAI, which takes no seed."""

    seed: None = None
    max_tokens: int = Field(
        default=2048, ge=16, description="tokens that an answer has at most, reasoning included; bounds its cost"
    )


class AnthropicJudge(Judging, Anthropic):
    """A model behind the Messages API of Anthropic, which takes no seed."""

    seed: None = None
    temperature: float | None = Field(default=0.0, ge=0, le=1, description="how much chance; null leaves it out")


class OllamaJudge(Judging, Ollama):
    """A model that Ollama runs."""


class AzureJudge(Judging, Azure):
    """A model that is deployed at Azure."""


class VllmJudge(Judging, Vllm):
    """A model on a server of one's own."""
