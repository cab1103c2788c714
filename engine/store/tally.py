"""Adding up scores exactly, one trial at a time."""

from collections.abc import Mapping
from decimal import Context, Decimal, Inexact
from hashlib import blake2b

from engine.model.run import Average

__all__ = ["Tally"]

# Enough digits for any sum of floats, and an error rather than a rounded sum should that be wrong.
_EXACT = Context(prec=500, traps=[Inexact])
_ZERO = Decimal(0)
_ALL = 2**64 - 1


class Tally:
    """Sums and counts per dimension. Memory depends on the number of dimensions, not of trials."""

    __slots__ = ("_columns",)

    def __init__(self) -> None:
        self._columns: dict[str, _Column] = {}

    def add(self, query_id: str, repeat: int, scores: Mapping[str, float | None]) -> None:
        """Count one graded trial. Each trial may be added once; one without an answer has no scores."""
        mark = int.from_bytes(blake2b(f"{query_id}#{repeat}".encode("utf-8", "replace"), digest_size=8).digest())
        for dimension, score in scores.items():
            column = self._columns.get(dimension)
            if column is None:
                column = self._columns[dimension] = _Column()
            if score is not None:
                column.total = _EXACT.add(column.total, Decimal(repr(score)))
                column.graded += 1
                column.covers = column.covers + mark & _ALL  # a sum: the order of trials does not matter

    def averages(self, planned: int) -> dict[str, Average]:
        """The mean of each dimension over the trials that have a score, of `planned` that should."""
        return {
            name: Average(
                total=f"{column.total:f}",
                mean=float(column.total) / column.graded if column.graded else None,
                graded=column.graded,
                planned=planned,
                covers=f"{column.covers:016x}",
            )
            for name, column in self._columns.items()
        }


class _Column:
    __slots__ = ("covers", "graded", "total")

    def __init__(self) -> None:
        self.total, self.graded, self.covers = _ZERO, 0, 0
