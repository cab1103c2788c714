"""The ledger of a run: every call goes into its journal, and is added up."""

from engine.model.calls import NOTHING, Ended, Spent, Started
from engine.store.calls import ended_data, started_data
from engine.store.journal import Journal

__all__ = ["CallBook"]


class CallBook:
    """Writes calls into the journal (`engine.execute.paying.Ledger`).

    Attributes:
        spent: by caller, what all calls came to, those from before a resume too.
    """

    def __init__(self, journal: Journal, spent: dict[str, Spent]) -> None:
        self.spent = spent
        self._journal = journal

    @property
    def calls(self) -> int:
        """How many were made."""
        return sum(each.calls for each in self.spent.values())

    @property
    def micro_usd(self) -> int:
        """What is known to be spent."""
        return sum(each.micro_usd for each in self.spent.values())

    def started(self, call: Started) -> None:
        """Before a paid call is sent."""
        self._journal.append("call_start", started_data(call))

    def ended(self, call: Ended) -> None:
        """As soon as it is known what became of it."""
        self._journal.append("call_end", ended_data(call))
        self.spent.setdefault(call.call.who, Spent()).add(*(call.spent or NOTHING), call.model)
