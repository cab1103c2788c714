"""Frozen, strict settings: the pydantic base for everything a person writes in a file."""

from pydantic import BaseModel, ConfigDict

__all__ = ["Frozen"]


class Frozen(BaseModel):
    """Immutable; unknown keys, NaN and silent conversions (`"3"` → 3) are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False, defer_build=True)
