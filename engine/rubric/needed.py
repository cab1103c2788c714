"""Which questions can still change the verdict. Often none: then no judge has to be called, or paid."""

from engine.rubric import expression as say
from engine.rubric.evidence import Evidence, Outcome
from engine.rubric.expression import leaves
from engine.rubric.syntax import Asked, Check, Checklist, Combine, Criterion, Group, Role, Rubric, criteria

__all__ = ["Open", "still_open"]


class Open:
    """Follows the verdict back to the questions that it still hangs on. Leaves out only what cannot matter.

    What is already certain is not followed: a part with one possible score, a condition that is known to hold or
    not, a weight of 0. `outcomes` holds every criterion by id as it stands now.
    """

    def __init__(self, rubric: Rubric, outcomes: dict[str, Outcome]) -> None:
        self._rubric = rubric
        self._outcomes = outcomes
        self._members: dict[str, Criterion | Group] = {}
        self._above: dict[str, Group] = {}
        self._index(rubric.root)
        self._seen: set[str] = set()
        self.criteria: set[str] = set()

    def _index(self, group: Group) -> None:
        for member in group.members:
            self._members[member.id] = member
            self._above[member.id] = group
            if isinstance(member, Group):
                self._index(member)

    def whole(self) -> None:
        """The score of the rubric: every member that counts, and what its caps look at."""
        self._group(self._rubric.root)
        for cap in self._rubric.caps:
            if cap.ref is None:
                self.test(cap.when)

    def musts(self) -> None:
        """Every gate."""
        for criterion in criteria(self._rubric.root):
            if criterion.role.gate:
                self.part(criterion.id)

    def test(self, check: Check) -> None:
        """Everything a condition asks about."""
        for leaf in leaves(check.holds):
            match leaf:
                case say.Score() | say.ScoreUngraded():
                    self.whole()
                case say.AnyMustFails():
                    self.musts()
                case say.RefScore() | say.RefPasses() | say.RefUngraded():
                    self.part(leaf.ref)
                case _:
                    pass

    def part(self, name: str) -> None:
        """One criterion or group, unless nothing about it is open."""
        if name in self._seen:
            return
        self._seen.add(name)
        member = self._members[name]
        self._conditions(name)
        if isinstance(member, Group):
            self._group(member)
        elif _is_open(self._outcomes[name]) and isinstance(member.grading, Asked | Checklist):
            self.criteria.add(name)
        for cap in self._rubric.caps:
            if cap.ref == name:
                self.test(cap.when)

    def _conditions(self, name: str) -> None:
        member: Criterion | Group | None = self._members[name]
        while member is not None:
            if member.only_when is not None:
                self.test(member.only_when)
            above = self._above.get(member.id)
            member = above if above is not None and above.id in self._members else None

    def _group(self, group: Group) -> None:
        for member in group.members:
            weighs = group.combine is Combine.WEIGHTED_MEAN  # a plain mean takes every member, whatever its weight
            weightless = weighs and member.weight is not None and not member.weight.value
            if (member.counts or not group.counts) and not weightless and not _is_info(member):
                self.part(member.id)


def still_open(rubric: Rubric, evidence: Evidence) -> frozenset[str]:
    """Criteria with a question whose answer can still change the verdict; of a rubric without verdicts, the score.

    `evidence` has been graded: its memo holds every outcome.
    """
    outcomes = {name: found for name, found in zip(evidence.order, evidence.memo, strict=False) if found is not None}
    follow = Open(rubric, outcomes)
    if not rubric.verdicts:
        follow.whole()
        return frozenset(follow.criteria)
    follow.musts()
    follow.whole()  # whether anything applies at all decides "not applicable"
    for verdict in rubric.verdicts:
        if verdict.when is not None:
            follow.test(verdict.when)
    return frozenset(follow.criteria)


def _is_open(outcome: Outcome) -> bool:
    return outcome.applies and outcome.low != outcome.high


def _is_info(member: Criterion | Group) -> bool:
    return isinstance(member, Criterion) and member.role is Role.INFO
