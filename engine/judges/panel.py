"""A panel: several judges under one setting. A rubric asks for one by its name, or for as many as it wants in turn."""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from engine.judges.dialects import (
    AnthropicJudge,
    AzureJudge,
    OllamaJudge,
    OpenAIChatJudge,
    OpenAIResponsesJudge,
    VllmJudge,
)
from engine.judges.offline import Offline
from engine.judges.task import Judge
from engine.model.base import Frozen
from engine.model.network import Network
from engine.model.usage import PriceTable

__all__ = ["Member", "PanelOfJudges"]

Member = Annotated[
    OpenAIChatJudge | OpenAIResponsesJudge | AnthropicJudge | OllamaJudge | AzureJudge | VllmJudge | Offline,
    Field(discriminator="kind"),
]


class PanelOfJudges(Frozen):
    """Several judges. How their votes become one grade is said in the rubric."""

    kind: Literal["panel"] = "panel"
    members: dict[str, Member] = Field(min_length=1, description="the judges, by the names that rubrics use")

    @field_validator("members")
    @classmethod
    def _have_names(cls, members: dict[str, Member]) -> dict[str, Member]:
        if not all(name.strip() for name in members):
            raise ValueError("every member has a name")
        return members

    def judges(self, network: Network, prices: PriceTable, name: str = "") -> tuple[Judge, ...]:
        """Every member, in the order of the setting."""
        return tuple(judge for own, member in self.members.items() for judge in member.judges(network, prices, own))
