"""Azure OpenAI: chat completions at an address of one's own, where the model is the name of a deployment."""

from typing import Literal
from urllib.parse import quote

from pydantic import Field

from engine.model.network import Header
from engine.providers.dialect import secret_of
from engine.providers.openai_chat import ChatCompletions

__all__ = ["Azure"]

_KNOWS_STREAM_OPTIONS = "2024-09-01"


class Azure(ChatCompletions):
    """The API of version 1, or with `api_version` the older one."""

    kind: Literal["azure"] = "azure"
    key: str | None = Field(default="env:AZURE_OPENAI_API_KEY", description="the key, as env:NAME; null for none")
    api_version: str | None = Field(
        default=None,
        pattern=r"^\d{4}-\d\d-\d\d(-preview)?$",
        description="of the older API, such as 2024-10-21; null for version 1",
    )

    def address(self) -> str:
        """Version 1 names the deployment in the request; the older API names it in the address."""
        if self.api_version is None:
            return super().address()
        resource = self.url.rstrip("/").removesuffix("/v1").removesuffix("/openai")
        deployment = quote(self.model, safe="")
        return f"{resource}/openai/deployments/{deployment}/chat/completions?api-version={self.api_version}"

    def fixed_headers(self) -> tuple[Header, ...]:
        """The key in a header of its own. A token of Entra goes into `headers`, as Authorization."""
        key = None if self.key is None else secret_of(self.key)
        return () if key is None else (("api-key", key),)

    def limit(self) -> str:
        """Old versions know the old name alone."""
        return "max_tokens" if self._old() else super().limit()

    def counts_in_streams(self) -> bool:
        """Old versions refuse a request that asks for it: what a streamed answer used stays unknown there."""
        return not self._old()

    def _old(self) -> bool:
        return self.api_version is not None and self.api_version < _KNOWS_STREAM_OPTIONS
