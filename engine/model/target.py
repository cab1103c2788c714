"""What a system under test looks like from inside the engine."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from engine.model.exchange import Answer, Exchange, Turn

__all__ = ["Scalar", "Surroundings", "Target", "TargetSettings"]


Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a target may touch when it is opened.

    Attributes:
        workspace: the person's own folder; relative paths in settings start here.
        cache: a folder for derived files (indexes) that can be rebuilt at any time.
        runs: the folder of recorded runs.
        notice: says one line to the person, for example that an index is being built.
    """

    workspace: Path
    cache: Path
    runs: Path
    notice: Callable[[str], None]


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

    async def answer(self, turn: Turn, history: tuple[Exchange, ...]) -> Answer:
        """Answer one turn. Raises TargetFailure when the system under test could not."""
        ...


class TargetSettings(Protocol):
    """A `kind:` in conf/target: frozen settings that know how to open their target."""

    @property
    def kind(self) -> str: ...

    def open(self, surroundings: Surroundings) -> AbstractContextManager[Target]:
        """Check everything that can be checked before the first query, then hand out the target."""
        ...
