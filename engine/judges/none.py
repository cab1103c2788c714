"""No judge: every question stays ungraded, which is never 0."""

from typing import Literal

from engine.judges.task import Judge
from engine.model.base import Frozen
from engine.model.network import Network
from engine.model.usage import PriceTable

__all__ = ["NoJudge"]


class NoJudge(Frozen):
    """Nobody answers."""

    kind: Literal["none"] = "none"

    def judges(self, network: Network, prices: PriceTable, name: str = "") -> tuple[Judge, ...]:
        """Nobody."""
        return ()
