"""Every part of a rubric, compiled, each with its place; what conditions ask about parts and about the whole."""

from collections.abc import Iterator

from engine.rubric import expression as say
from engine.rubric.closures import Holds, test_of
from engine.rubric.evidence import Evidence, Outcome
from engine.rubric.expression import Expression
from engine.rubric.groups import group_value
from engine.rubric.outcomes import Part, mark_of, passes, rounded
from engine.rubric.parts import criterion_part
from engine.rubric.syntax import Checks, Criterion, Group, Role, Rubric, criteria, parts

__all__ = ["Tree"]


class Tree:
    """Evaluates the parts of a rubric, and answers what conditions ask (`closures.Parts`).

    Outcomes lie in the memo of the evidence in this order: criteria that ask about nothing but the exchange, for
    they can be evaluated in one go; the other criteria; groups, each after its members.

    Attributes:
        order: ids of the criteria by their place.
        place: the place of each criterion and group by its id.
        top: the members of the whole, in the order of the rubric.
        lowered: ids of the parts that have a cap; None among them: the whole has one.
    """

    def __init__(self, rubric: Rubric) -> None:
        found = [criterion_part(each, self.test, when) for each, when in self._conditions(rubric.root, None)]
        alone = frozenset(_alone(rubric.root))
        first = [part for part in found if part.id in alone and part.single is not None]
        second = [part for part in found if part.id in alone and part.single is None]
        third = [part for part in found if part.id not in alone]
        self._singles = tuple(part.single for part in first if part.single is not None)
        self._others = tuple(part.evaluate for part in second)
        self._parts = [*first, *second, *third]
        self.order = tuple(part.id for part in self._parts)
        self.place = {name: place for place, name in enumerate(self.order)}
        self._inner: dict[int, tuple[int, ...]] = {}
        self.top = tuple(self._member(member) for member in rubric.root.members)
        self._root = group_value(rubric.root, self.top, self.place)
        early = len(first) + len(second)
        self._unknown: list[Outcome | None] = [None] * (len(self._parts) - early)
        self._late = range(early, len(self._parts))
        self._groups: list[Outcome | None] = [None] * (len(self._parts) - len(self.order))
        self._caps = tuple((cap.ref, float(cap.at_most), self.test(cap.when.holds)) for cap in rubric.caps)
        self._marks = {member.id: mark_of(member) for member in parts(rubric.root)}
        self._musts = tuple(criterion.id for criterion in criteria(rubric.root) if criterion.role.gate)
        self.lowered = frozenset(cap.ref for cap in rubric.caps)

    def test(self, expression: Expression) -> Holds:
        """A check or a condition, compiled."""
        return test_of(expression, self)

    def fill(self, evidence: Evidence) -> list[Outcome | None]:
        """Evaluate every part that is not evaluated yet; none is missing in the list that comes back."""
        if not evidence.memo:
            memo: list[Outcome | None] = [either[test(evidence)] for test, either in self._singles]
            if self._others:
                memo += [evaluate(evidence) for evaluate in self._others]
            evidence.memo, evidence.order = memo + self._unknown, self.order
        for place in self._late:
            self._at(place, evidence)
        return evidence.memo

    def keep(self, evidence: Evidence) -> Evidence:
        """The same exchange and votes with the outcomes of its criteria, to be weighed anew."""
        kept = evidence.again(evidence.votes)
        if evidence.order == self.order:
            outcomes = evidence.memo[: len(self.order)]
        else:
            found = dict(zip(evidence.order, evidence.memo, strict=False))
            outcomes = [found[name] for name in self.order]
        kept.memo, kept.order = outcomes + self._groups, self.order
        return kept

    def whole(self, evidence: Evidence) -> tuple[float, float] | None:
        """The rounded score of the rubric at both ends, under its caps; None when nothing applies."""
        raw = self._root(evidence)
        if not raw.applies:
            return None
        evidence.total, evidence.may_skip = _rounded(raw), raw.may_skip
        if None in self.lowered:
            evidence.total = _rounded(self._capped(raw, None, evidence))
        return evidence.total

    # ---- what conditions ask (closures.Parts) -------------------------------------------------

    def bounds(self, ref: str, evidence: Evidence) -> tuple[float, float] | None:
        """The rounded score of a part at both ends, under its caps; None when it does not apply."""
        outcome = self._reported(ref, evidence)
        return _rounded(outcome) if outcome.applies else None

    def passes(self, ref: str, evidence: Evidence) -> bool | None:
        """Whether a part passes, under its caps; None when it cannot be told."""
        outcome = self._reported(ref, evidence)
        if not outcome.applies:
            return False
        return None if outcome.passed and outcome.may_skip else outcome.passed

    def fails(self, ref: str, evidence: Evidence) -> bool | None:
        """Whether a part fails, under its caps. What does not apply neither passes nor fails."""
        outcome = self._reported(ref, evidence)
        if not outcome.applies:
            return False
        if outcome.passed is None or (outcome.passed is False and outcome.may_skip):
            return None
        return not outcome.passed

    def may_skip(self, ref: str, evidence: Evidence) -> bool:
        """Whether a part that applies by now may turn out not to: everything in it is open, and may be left out."""
        return self._at(self.place[ref], evidence).may_skip

    def total(self, evidence: Evidence) -> tuple[float, float] | None:
        """The rounded score of the rubric at both ends; while caps are looked at, the one before them."""
        return evidence.total

    def must_fails(self, evidence: Evidence) -> bool | None:
        """Whether any must or must not fails."""
        known: bool | None = False
        for name in self._musts:
            fails = self.fails(name, evidence)
            if fails:
                return True
            if fails is None:
                known = None
        return known

    # ---- inside --------------------------------------------------------------------------------

    def _conditions(self, group: Group, above: Holds | None) -> Iterator[tuple[Criterion, Holds | None]]:
        """Every criterion with its condition, joined with those of its groups."""
        for member in group.members:
            own = None if member.only_when is None else self.test(member.only_when.holds)
            when = _both(above, own)
            if isinstance(member, Group):
                yield from self._conditions(member, when)
            else:
                yield member, when

    def _member(self, member: Criterion | Group) -> Part:
        """The compiled part; a group takes the next place, after its members."""
        if isinstance(member, Criterion):
            return self._parts[self.place[member.id]]
        inner = tuple(self._member(each) for each in member.members)
        weight = 1.0 if member.weight is None else float(member.weight.value)
        value = group_value(member, inner, self.place)
        part = Part(member.id, Role.CRITERION, member.counts, weight, value)
        place = self.place[member.id] = len(self._parts)
        self._parts.append(part)
        self._inner[place] = tuple(self.place[each.id] for each in inner)
        return part

    def _at(self, place: int, evidence: Evidence) -> Outcome:
        """The outcome at a place; of a group once every member has one."""
        found = evidence.memo[place]
        if found is None:
            for each in self._inner.get(place, ()):
                self._at(each, evidence)
            found = evidence.memo[place] = self._parts[place].evaluate(evidence)
        return found

    def _reported(self, name: str, evidence: Evidence) -> Outcome:
        """As reports show it and conditions see it: under its caps."""
        outcome = self._at(self.place[name], evidence)
        return self._capped(outcome, name, evidence) if name in self.lowered and outcome.applies else outcome

    def _capped(self, outcome: Outcome, ref: str | None, evidence: Evidence) -> Outcome:
        low, high = outcome.low, outcome.high
        for of, limit, when in self._caps:
            if of != ref:
                continue
            holds = when(evidence)
            if holds:
                low, high = min(low, limit), min(high, limit)
            elif holds is None:
                low = min(low, limit)
        mark = None if ref is None else self._marks[ref]
        return Outcome(low, high, True, None if mark is None else passes(low, high, mark), None, outcome.may_skip)


def _rounded(outcome: Outcome) -> tuple[float, float]:
    low = rounded(outcome.low)
    return low, low if outcome.high == outcome.low else rounded(outcome.high)


def _both(one: Holds | None, other: Holds | None) -> Holds | None:
    if one is None or other is None:
        return one or other

    def both(evidence: Evidence) -> bool | None:
        first, second = one(evidence), other(evidence)
        if first is False or second is False:
            return False
        return None if first is None or second is None else True

    return both


_ASK_OTHERS = (say.RefScore, say.RefPasses, say.RefUngraded, say.Score, say.ScoreUngraded, say.AnyMustFails)


def _alone(group: Group, above: bool = True) -> Iterator[str]:
    """Criteria that ask about nothing but the exchange, and stand in no group that asks about anything else."""
    for member in group.members:
        tests = () if member.only_when is None else (member.only_when,)
        if isinstance(member, Criterion) and isinstance(member.grading, Checks):
            tests = (*tests, *member.grading.checks)
        free = above and not any(isinstance(leaf, _ASK_OTHERS) for test in tests for leaf in say.leaves(test.holds))
        if isinstance(member, Group):
            yield from _alone(member, free)
        elif free:
            yield member.id
