"""The verdicts of a rubric, compiled: given only when everything that is still possible agrees."""

from engine.rubric import expression as say
from engine.rubric.evidence import Evidence
from engine.rubric.syntax import Rubric, Verdict, criteria
from engine.rubric.tree import Tree

__all__ = ["NOT_APPLICABLE", "UNGRADED", "Verdicts"]

UNGRADED = "ungraded"
NOT_APPLICABLE = "not applicable"


class Verdicts:
    """Walks the verdicts of a rubric from top to bottom."""

    def __init__(self, rubric: Rubric, tree: Tree) -> None:
        self._tree = tree
        opened = [verdict for verdict in rubric.verdicts if _of_ungraded(verdict)]
        self._rows = tuple(
            (verdict.name, None if verdict.when is None else tree.test(verdict.when.holds))
            for verdict in rubric.verdicts
            if not _of_ungraded(verdict)
        )
        self._open_name = opened[0].name if opened else UNGRADED
        self._otherwise = next((verdict.name for verdict in rubric.verdicts if verdict.when is None), None)
        self._musts = any(part.role.gate for part in criteria(rubric.root))
        self._says_musts = any(
            isinstance(leaf, say.AnyMustFails)
            for verdict in rubric.verdicts
            if verdict.when is not None
            for leaf in say.leaves(verdict.when.holds)
        )

    def of(self, total: tuple[float, float] | None, evidence: Evidence) -> tuple[str | None, tuple[str, ...]]:
        """The verdict, and what it could still be; None and nothing when the rubric declares none.

        Args:
            total: the rounded score at both ends; None when nothing applies that makes one.
        """
        if not self._rows:
            return None, ()
        possible: dict[str, None] = {}
        skips = total is None or evidence.may_skip  # it may be that nothing applies that makes a score
        fails = self._tree.must_fails(evidence) if self._musts and (skips or not self._says_musts) else False
        if fails is not False and not self._says_musts and self._otherwise is not None:
            possible[self._otherwise] = None
        if skips and fails is not True:
            possible[NOT_APPLICABLE] = None
        if skips and fails is not False and self._says_musts:  # a must that fails is told, score or no score
            self._walk(None, evidence, possible)
        if total is not None and (self._says_musts or fails is not True):
            self._walk(total, evidence, possible)
        if len(possible) == 1:
            return next(iter(possible)), ()
        return self._open_name, tuple(possible)

    def _walk(self, total: tuple[float, float] | None, evidence: Evidence, possible: dict[str, None]) -> None:
        """From top to bottom: a line that holds ends it, one that may hold adds a possibility."""
        evidence.total = total
        for name, when in self._rows:
            holds = True if when is None else when(evidence)
            if holds is not False:
                possible[name] = None
            if holds:
                return


def _of_ungraded(verdict: Verdict) -> bool:
    return verdict.when is not None and isinstance(verdict.when.holds, say.ScoreUngraded)
