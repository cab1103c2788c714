"""What a judge looks like from inside the engine, and what it is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from engine.model.calls import Calls
from engine.model.exchange import Exchange
from engine.model.grade import Vote
from engine.model.network import Network
from engine.model.target import Scalar
from engine.model.usage import PriceTable

if TYPE_CHECKING:  # settings need none of the rubric language
    from engine.judges.questionnaire import Questionnaire

__all__ = ["Judge", "JudgeSettings", "Task", "identity_together"]


@dataclass(frozen=True, slots=True)
class Task:
    """What a judge is to vote on.

    Attributes:
        ids: of the questions.
        number: which of several votes of the same judge, from 1.
        repeat: which repeat of the run, from 1.
    """

    questionnaire: "Questionnaire"
    ids: tuple[str, ...]
    exchange: Exchange
    number: int = 1
    repeat: int = 1


class Judge(Protocol):
    """Somebody who answers questions.

    Attributes:
        name: what records call it; a rubric can ask for it by this name.
        label: how output names who graded: `AI (gpt-x)`, `offline (word overlap, not AI)`.
        identity: everything that can change what it says, flat. Which model really answered stands in each vote.
        believes: it can be talked into something, so it is tried with canaries.
    """

    @property
    def name(self) -> str: ...

    @property
    def label(self) -> str: ...

    @property
    def identity(self) -> Mapping[str, Scalar]: ...

    @property
    def believes(self) -> bool: ...

    def calls(self, questionnaire: "Questionnaire", ids: Sequence[str]) -> int:
        """How many calls one vote on each of these questions takes at most; 0 when nobody is called."""
        ...

    async def votes(self, task: Task, calls: Calls) -> dict[str, Vote]:
        """A vote for every question of the task, by its id: usable, or with what was wrong.

        Raises:
            GuardStop: the cost guard allows no further call.
        """
        ...


class JudgeSettings(Protocol):
    """A `kind:` in conf/judge: frozen settings that know their judges."""

    @property
    def kind(self) -> str: ...

    def judges(self, network: Network, prices: PriceTable, name: str = "") -> tuple[Judge, ...]:
        """The judges, checked as far as they can be before the first question. May be none.

        Args:
            name: what a single one is called; empty for the name in its settings.

        Raises:
            UsageError: its address cannot be used.
        """
        ...


def identity_together(judges: Sequence[Judge]) -> dict[str, Scalar]:
    """Everything that can change what judges say, flat: of one as it is, of several under their names."""
    if len(judges) == 1:
        return {**judges[0].identity}
    return {f"{judge.name}.{key}": value for judge in judges for key, value in judge.identity.items()}
