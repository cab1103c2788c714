"""What measures read of an exchange. `engine.model.exchange.Exchange` has it; so may anything else.

Measures are numbers from plain values, on the same floor as the nouns, so they name what they need
instead of importing it.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

__all__ = ["Answer", "Exchange", "Hit", "Query"]


class Hit(Protocol):
    """One retrieved document."""

    @property
    def source(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def snippet(self) -> str: ...


class Answer(Protocol):
    """What a target returned; `hits` in the order returned, None when it returns no list."""

    @property
    def hits(self) -> Sequence[Hit] | None: ...


class Query(Protocol):
    """What was asked; `relevant` maps source to grade, None when nobody judged."""

    @property
    def text(self) -> str: ...

    @property
    def relevant(self) -> Mapping[str, float] | None: ...


class Exchange(Protocol):
    """A query with its answer; time and cost are None when not known."""

    @property
    def query(self) -> Query: ...

    @property
    def answer(self) -> Answer: ...

    @property
    def latency_s(self) -> float | None: ...

    @property
    def cost_usd(self) -> float | None: ...
