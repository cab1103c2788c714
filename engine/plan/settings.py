"""Every setting of a run, its type and its bounds. The files in conf/ give the values."""

import json
from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SkipValidation, create_model, model_validator

from engine import judges, targets
from engine.judges.task import JudgeSettings
from engine.model.base import Frozen
from engine.model.kinds import Kinds
from engine.model.run import Limit, Thresholds
from engine.model.target import Scalar, TargetSettings
from engine.providers.dialect import NO_MATTER
from engine.store.journal import Durability

__all__ = ["Compare", "Experiment", "Output", "Settings", "Threshold", "flat", "read_settings", "settings_type"]

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
    judge_canaries: bool = True
    cost_limit_usd: float | None = Field(default=0.10, ge=0)
    cost_allow_unknown: bool = False
    sweep_cost_limit_usd: float | None = Field(default=None, ge=0)
    durability: Durability = Field(default=Durability.BATCH, strict=False)
    output: Output = Field(default=Output.VERBOSE, strict=False)
    compare: Compare = Compare()
    experiment: Experiment = Experiment()
    target: SkipValidation[TargetSettings]
    judge: SkipValidation[JudgeSettings]

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
        found = flat(self.model_dump(mode="json", exclude=_NO_SCORE))
        return {name: value for name, value in found.items() if not _silent(name)}


_NO_SCORE = {
    *("output", "concurrency", "durability", "compare", "experiment", "queries", "timeout_s", "rubric"),
    *("cost_limit_usd", "cost_allow_unknown", "sweep_cost_limit_usd"),
}


def _silent(name: str) -> bool:
    """A setting of the target or a judge that changes how it is reached, and not what it says."""
    role, _, rest = name.partition(".")
    if role == "judge" and rest.startswith("members."):
        rest = rest.split(".", 2)[-1]
    return role in ("target", "judge") and (rest.startswith("corpus_") or rest.partition(".")[0] in NO_MATTER)


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


def read_settings(container: object) -> Settings:
    """Plain values to settings. Raises pydantic's ValidationError with every mistake."""
    return settings_type(container).model_validate(_tuples(container))


def settings_type(container: object) -> type[Settings]:
    """The settings with the classes that their target and their judge say they are of."""
    values = container if isinstance(container, dict) else {}
    return _typed(*(_kind(values.get(role), kinds) for role, kinds in _ROLES.items()))


_ROLES: Mapping[str, Kinds] = {"target": targets.KINDS, "judge": judges.KINDS}


def _kind(value: object, kinds: Kinds) -> str | None:
    kind = value.get("kind") if isinstance(value, dict) else None
    return kind if kind in kinds else None


@lru_cache
def _typed(*chosen: str | None) -> type[Settings]:
    fields = {
        role: (_unchosen(kinds) if kind is None else kinds.settings(kind), ...)
        for (role, kinds), kind in zip(_ROLES.items(), chosen, strict=True)
    }
    made: type[Settings] = create_model("Settings", __base__=Settings, **fields)  # type: ignore[call-overload]
    return made


def _unchosen(kinds: Kinds) -> type[BaseModel]:
    """Where no kind, or none that there is, is given: says which there are, and nothing about the rest."""
    kind: Any = Literal[tuple(kinds)]
    return create_model("Unchosen", __config__=ConfigDict(extra="ignore"), kind=(kind, ...))


def _tuples(value: object) -> object:
    """YAML has lists, settings hold tuples."""
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    if isinstance(value, list):
        return tuple(_tuples(item) for item in value)
    return value
