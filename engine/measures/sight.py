"""An exchange as measures look at it: what several of them need is worked out once."""

from engine.measures.exchange import Exchange

__all__ = ["Sight"]


class Sight:
    """One exchange under measurement."""

    __slots__ = ("_highest", "_ranking", "exchange")

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self._ranking: list[str] | None = None
        self._highest: float | None = None

    @property
    def ranking(self) -> list[str] | None:
        """Sources of the results, best first, each where it first appears; None when the target returns no list."""
        if self._ranking is None and (hits := self.exchange.answer.hits) is not None:
            self._ranking = list(dict.fromkeys([hit.source for hit in hits]))
        return self._ranking

    @property
    def highest(self) -> float | None:
        """The highest grade of a source; None when no source has one."""
        if self._highest is None and (grades := self.exchange.query.relevant):
            self._highest = max(grades.values())
        return self._highest
