"""Servers of one's own that speak as OpenAI does: vLLM, llama.cpp, LM Studio, TGI."""

from typing import Literal

from pydantic import Field

from engine.providers.openai_chat import ChatCompletions

__all__ = ["Vllm"]


class Vllm(ChatCompletions):
    """Chat completions of a local server. `reasoning_content` is no part of its answer."""

    kind: Literal["vllm"] = "vllm"
    url: str = Field(
        default="http://localhost:8000/v1", min_length=1, description="where the server is, up to its version"
    )
    local: bool = Field(default=True, description="it may be on this machine or in a private network")

    def limit(self) -> str:
        """The older name, which all of them know."""
        return "max_tokens"
