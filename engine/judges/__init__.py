"""Who answers a rubric's questions. Nobody yet: an `ask` without a judge is ungraded, never 0."""

from typing import Literal

from engine.model.base import Frozen

__all__ = ["KINDS", "AnyJudge", "NoJudge"]


class NoJudge(Frozen):
    """No judge: every `ask` stays ungraded."""

    kind: Literal["none"] = "none"


AnyJudge = NoJudge

KINDS: tuple[str, ...] = ("none",)
