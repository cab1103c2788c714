"""Which versions of which rubrics were published, and what each meant: what `rubrics.lock` holds."""

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Published", "RubricLock"]


@dataclass(frozen=True, slots=True)
class Published:
    """One version of a rubric as it was published.

    Attributes:
        on: the day, `2026-11-30`.
        sha256: of the meaning of the rubric.
        criteria: id of each criterion → the hash that its labels bind to.
    """

    version: int
    on: str
    sha256: str
    criteria: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RubricLock:
    """Every published version, by the id of its rubric, lowest version first."""

    rubrics: Mapping[str, tuple[Published, ...]] = field(default_factory=dict)

    def newest(self, rubric: str) -> Published | None:
        """The highest version of a rubric, or None when none was published."""
        return next(reversed(self.rubrics.get(rubric, ())), None)

    def find(self, rubric: str, version: int) -> Published | None:
        """This version of a rubric, or None when it was not published."""
        return next((each for each in self.rubrics.get(rubric, ()) if each.version == version), None)

    def adding(self, rubric: str, entry: Published) -> "RubricLock":
        """The same with one more version."""
        kept = (each for each in self.rubrics.get(rubric, ()) if each.version != entry.version)
        versions = tuple(sorted((*kept, entry), key=lambda each: each.version))
        return RubricLock({**self.rubrics, rubric: versions})
