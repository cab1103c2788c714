"""Every setting of a run, its type and its bounds. The files in conf/ give the values."""

import json
from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, TypeAdapter, model_validator

from engine.judges import AnyJudge
from engine.model.base import Frozen
from engine.model.run import Limit, Thresholds
from engine.model.target import Scalar
from engine.store.journal import Durability
from engine.targets import AnyTarget

__all__ = ["Compare", "Experiment", "Output", "Settings", "Threshold", "flat", "read_settings"]

Share = Annotated[float, Field(ge=0, le=1)]


class Output(StrEnum):
    """How much a run prints."""

    VERBOSE = "verbose"
    QUIET = "quiet"
    SILENT = "silent"


class Threshold(Frozen):
    """When a change of one dimension is worth saying. None takes the general threshold."""

    regression: Share | None = None
    improvement: Share | None = None


class Compare(Frozen):
    """How the run is compared with the baseline. A change must be larger than the threshold."""

    regression: Share = 0.05
    improvement: Share = 0.03
    dimensions: dict[str, Threshold] = Field(default_factory=dict)

    def thresholds(self) -> Thresholds:
        """The same as exact decimals: 0.05 is five hundredths, not the nearest binary fraction."""
        own = {name: self._limit(own) for name, own in self.dimensions.items()}
        return Thresholds(self._limit(Threshold()), own)

    def _limit(self, own: Threshold) -> Limit:
        drop = self.regression if own.regression is None else own.regression
        gain = self.improvement if own.improvement is None else own.improvement
        return Limit(f"{Decimal(repr(drop)):f}", f"{Decimal(repr(gain)):f}")


class Experiment(Frozen):
    """What this configuration wants to find out. None outside an experiment file."""

    name: str | None = None
    question: str | None = None


class Settings(Frozen):
    """One composed, checked job."""

    queries: str | tuple[str, ...]
    where: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    cases: tuple[str, ...] = ()
    limit: int | None = Field(default=None, ge=1)
    rubric: str
    repeats: int = Field(default=1, ge=1, le=10_000)
    concurrency: int = Field(default=8, ge=1, le=1_000)
    timeout_s: float = Field(default=60.0, gt=0)
    durability: Durability = Field(default=Durability.BATCH, strict=False)
    output: Output = Field(default=Output.VERBOSE, strict=False)
    compare: Compare = Compare()
    experiment: Experiment = Experiment()
    target: AnyTarget
    judge: AnyJudge

    @model_validator(mode="after")
    def _something_is_asked(self) -> Self:
        if not self.queries:
            raise ValueError("queries is empty: name at least one query set")
        return self

    @property
    def wanted(self) -> tuple[str, ...]:
        """The query sets as a list of what was typed."""
        return (self.queries,) if isinstance(self.queries, str) else self.queries

    @property
    def filtered(self) -> bool:
        """Whether only a part of the query set is asked."""
        return bool(self.where or self.cases or self.limit)

    def scoring(self) -> dict[str, Scalar]:
        """The flattened settings that can change a score: what two comparable runs must share."""
        silent = {"output", "concurrency", "durability", "compare", "experiment", "queries", "timeout_s", "rubric"}
        found = flat(self.model_dump(mode="json", exclude=silent))
        return {name: value for name, value in found.items() if not name.startswith("target.corpus_")}


def flat(value: Mapping[str, object], prefix: str = "") -> dict[str, Scalar]:
    """`{"target": {"limit": 3}}` → `{"target.limit": 3}`; lists become JSON text."""
    found: dict[str, Scalar] = {}
    for key, item in value.items():
        if isinstance(item, Mapping):
            found |= flat(item, f"{prefix}{key}.")
        elif item is None or isinstance(item, str | int | float | bool):
            found[f"{prefix}{key}"] = item
        else:
            found[f"{prefix}{key}"] = json.dumps(item, ensure_ascii=False)
    return found


_SETTINGS: TypeAdapter[Settings] = TypeAdapter(Settings)


def read_settings(container: object) -> Settings:
    """Plain values to settings. Raises pydantic's ValidationError with every mistake."""
    return _SETTINGS.validate_python(_tuples(container))


def _tuples(value: object) -> object:
    """YAML has lists, settings hold tuples."""
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    if isinstance(value, list):
        return tuple(_tuples(item) for item in value)
    return value
