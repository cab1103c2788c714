"""Adding up scores exactly, one trial at a time."""

from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from hashlib import blake2b

from engine.model.run import Average

__all__ = ["Tally"]

# Sums are whole numbers of this unit: exact for everything with up to 12 decimals (a score has 4), and
# the order of trials cannot change a digit.
_UNITS = 10**12
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
        mark = _mark(query_id, repeat)
        for dimension, score in scores.items():
            column = self._columns.get(dimension)
            if column is None:
                column = self._columns[dimension] = _Column()
            column.applied += 1
            if score is not None:
                column.total += round(score * _UNITS)
                column.graded += 1
                column.covers = column.covers + mark & _ALL  # a sum: the order of trials does not matter

    def averages(self, planned: int) -> dict[str, Average]:
        """The mean of each dimension over the trials that have a score, of `planned` that should.

        Trials to which a dimension does not apply should have none; `overall` comes last.
        """
        ordered = sorted(self._columns.items(), key=lambda item: item[0] == "overall")
        return {
            name: Average(
                total=f"{(Decimal(column.total) / _UNITS).normalize():f}",
                mean=column.total / _UNITS / column.graded if column.graded else None,
                graded=column.graded,
                planned=planned - (self._trials - column.applied),
                covers=f"{column.covers:016x}",
            )
            for name, column in ordered
        }


@lru_cache(maxsize=1)  # scores and measures of a trial are added one after the other
def _mark(query_id: str, repeat: int) -> int:
    return int.from_bytes(blake2b(f"{query_id}#{repeat}".encode("utf-8", "replace"), digest_size=8).digest())


class _Column:
    __slots__ = ("applied", "covers", "graded", "total")

    def __init__(self) -> None:
        self.total = self.graded = self.covers = self.applied = 0
