"""People as judges: nothing is asked during a run; their votes come from reviews and labels."""

from typing import Literal

from engine.judges.task import Judge
from engine.model.base import Frozen
from engine.model.network import Network
from engine.model.usage import PriceTable

__all__ = ["Human"]


class Human(Frozen):
    """People: every `ask` stays open until somebody reviews the run."""

    kind: Literal["human"] = "human"

    def judges(self, network: Network, prices: PriceTable, name: str = "") -> tuple[Judge, ...]:
        """Nobody who could be asked now."""
        return ()
