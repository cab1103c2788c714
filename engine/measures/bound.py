"""What a measure is: a name, a sentence, and a number taken from one exchange, or the reason why there is none."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from engine.measures.exchange import Exchange
from engine.measures.sight import Sight

__all__ = ["BoundMeasure", "Compute", "Cutoff", "Measure", "Measured"]


class Measured(NamedTuple):
    """A number, or None and one clause that says why it is not known."""

    value: float | None
    reason: str = ""


Compute = Callable[[Sight, int | None], Measured]
"""Looks at one exchange; the cutoff is None when none was written."""


class Cutoff(StrEnum):
    """Whether a measure is written with `@k`."""

    REQUIRED = "required"
    OPTIONAL = "optional"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Measure:
    """One line of the table of measures.

    Attributes:
        name: what people write, without the cutoff: `ndcg`.
        about: one plain sentence for somebody who does not program.
        cutoff: whether `@k` must, may or must not follow the name.
        ratio: the number lies in [0, 1] and 1 is best, so it can be a score as it is.
        unit: `seconds`, `dollars`; empty for a plain number.
        compute: how it is taken from an exchange.
    """

    name: str
    about: str
    cutoff: Cutoff
    ratio: bool
    unit: str
    compute: Compute


@dataclass(frozen=True, slots=True)
class BoundMeasure:
    """A measure with its cutoff: call it with an exchange.

    Attributes:
        name: in lower case, with the cutoff, under the name it was asked for: `ndcg@10`, `mrr@10`.
        cutoff: None when the whole result is looked at.
    """

    name: str
    measure: Measure
    cutoff: int | None

    def __call__(self, exchange: Exchange) -> Measured:
        return self.seen(Sight(exchange))

    def seen(self, sight: Sight) -> Measured:
        """The same for an exchange that other measures look at too."""
        return self.measure.compute(sight, self.cutoff)
