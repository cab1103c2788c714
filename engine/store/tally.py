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

    __slots__ = ("_columns", "_trials")

    def __init__(self) -> None:
        self._columns: dict[str, _Column] = {}
        self._trials = 0

    def add(self, query_id: str, repeat: int, scores: Mapping[str, float | None]) -> None:
        """Count one trial that was answered. Each may be added once.

        A dimension that does not apply to it is not in `scores`; one that is ungraded is None.
        """
        self._trials += 1
        mark = int.from_bytes(blake2b(f"{query_id}#{repeat}".encode("utf-8", "replace"), digest_size=8).digest())
        for dimension, score in scores.items():
            column = self._columns.get(dimension)
            if column is None:
                column = self._columns[dimension] = _Column()
            column.applied += 1
            if score is not None:
                column.total = _EXACT.add(column.total, Decimal(repr(score)))
                column.graded += 1
                column.covers = column.covers + mark & _ALL  # a sum: the order of trials does not matter

    def averages(self, planned: int) -> dict[str, Average]:
        """The mean of each dimension over the trials that have a score, of `planned` that should.

        Trials to which a dimension does not apply should have none; `overall` comes last.
        """
        ordered = sorted(self._columns.items(), key=lambda item: item[0] == "overall")
        return {
            name: Average(
                total=f"{column.total:f}",
                mean=float(column.total) / column.graded if column.graded else None,
                graded=column.graded,
                planned=planned - (self._trials - column.applied),
                covers=f"{column.covers:016x}",
            )
            for name, column in ordered
        }


class _Column:
    __slots__ = ("applied", "covers", "graded", "total")

    def __init__(self) -> None:
        self.total, self.graded, self.covers, self.applied = _ZERO, 0, 0, 0
