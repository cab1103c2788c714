"""What a system under test looks like from inside the engine."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from engine.model.calls import Calls
from engine.model.exchange import Answer, Exchange, Turn
from engine.model.network import Network
from engine.model.usage import NO_PRICES, PriceTable

__all__ = ["Scalar", "Surroundings", "Target", "TargetSettings"]


Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a target may touch when it is opened.

    Attributes:
        workspace: the person's own folder; relative paths in settings start here.
        cache: a folder for derived files (indexes) that can be rebuilt at any time.
        runs: the folder of recorded runs.
        network: the only door to the network.
        prices: what models cost.
        allow_code: whether the person allows Python code that a setting names.
        notice: says one line to the person, for example that an index is being built.
    """

    workspace: Path
    cache: Path
    runs: Path
    notice: Callable[[str], None]
    network: Network
    prices: PriceTable = NO_PRICES
    allow_code: bool = False


class Target(Protocol):
    """An opened system under test.

    Attributes:
        identity: what was really used, flat and JSON-safe: kind, settings, library versions.
        corpus_sha256: hash of the documents it searches, None when not known.
        sources: the names of all documents it searches, None when not known. Looked up when it is
            asked for, so ask once.
    """

    @property
    def identity(self) -> Mapping[str, Scalar]: ...

    @property
    def corpus_sha256(self) -> str | None: ...

    @property
    def sources(self) -> frozenset[str] | None: ...

    async def answer(self, turn: Turn, history: tuple[Exchange, ...], calls: Calls) -> Answer:
        """Answer one turn. What may cost money is paid for with `calls`, and in no other way.

        Raises:
            TargetFailure, CallFailure: the system under test could not answer.
            GuardStop: the cost guard allows no further call.
        """
        ...

    def most(self, turn: Turn) -> int | None:
        """Micro-dollars that answering this turn can cost at most: 0 when it is free, None when nobody can say."""
        ...


class TargetSettings(Protocol):
    """A `kind:` in conf/target: frozen settings that know how to open their target."""

    @property
    def kind(self) -> str: ...

    def open(self, surroundings: Surroundings) -> AbstractContextManager[Target]:
        """Check everything that can be checked before the first query, then hand out the target."""
        ...
