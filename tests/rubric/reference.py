"""What a rubric means, a second time: slow, in fractions, from the specification. Only for complete evidence."""

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import floor
from statistics import median

from engine.model.exchange import Exchange
from engine.model.grade import Vote
from engine.rubric import expression as say
from engine.rubric.expression import Between, Expression
from engine.rubric.syntax import (
    Asked,
    Checklist,
    Checks,
    Combine,
    Criterion,
    Group,
    Panel,
    Role,
    Rubric,
    Scale,
    Settle,
    criteria,
)

__all__ = ["NA", "Reference", "four"]

Score = Fraction | None
NA: Score = None
_BINARY = (Combine.ALL, Combine.ANY, Combine.AT_LEAST)


def four(score: Fraction) -> Fraction:
    """Half up to 4 decimals."""
    return Fraction(floor(score * 10_000 + Fraction(1, 2)), 10_000)


class Reference:
    """One rubric applied to one exchange with every vote that it asks for."""

    def __init__(self, rubric: Rubric, exchange: Exchange, votes: Mapping[str, Sequence[Vote]]) -> None:
        self.rubric, self.exchange, self.votes = rubric, exchange, votes
        self.members: dict[str, Criterion | Group] = {}
        self.conditions: dict[str, tuple[Expression, ...]] = {}
        self._index(rubric.root, ())
        self.total: Score = NA
        raw = self._group(rubric.root)
        if raw is not None:
            self.total = four(raw)  # what caps look at
            limits = [Fraction(cap.at_most) for cap in rubric.caps if cap.ref is None and self._holds(cap.when.holds)]
            self.total = four(min([raw, *limits]))

    def _index(self, group: Group, above: tuple[Expression, ...]) -> None:
        for member in group.members:
            own = above if member.only_when is None else (*above, member.only_when.holds)
            self.members[member.id], self.conditions[member.id] = member, own
            if isinstance(member, Group):
                self._index(member, own)

    @property
    def verdict(self) -> str | None:
        """The one name, or `not applicable`; None where the rubric has none."""
        lines = self.rubric.verdicts
        if not lines:
            return None
        asked = [leaf for line in lines if line.when is not None for leaf in say.leaves(line.when.holds)]
        if self._must_fails() and not any(isinstance(leaf, say.AnyMustFails) for leaf in asked):
            return next(line.name for line in lines if line.when is None)
        if self.total is None and not self._must_fails():
            return "not applicable"
        return next(line.name for line in lines if line.when is None or self._holds(line.when.holds))

    def score(self, name: str) -> Score:
        """Of a part, before any cap."""
        if not all(self._holds(condition) for condition in self.conditions[name]):
            return NA
        member = self.members[name]
        if isinstance(member, Group):
            return self._group(member)
        found = self._graded(member)
        return found if found is None or member.role is not Role.MUST_NOT else 1 - found

    # ---- criteria --------------------------------------------------------------------------------

    def _graded(self, criterion: Criterion) -> Score:
        match criterion.grading:
            case Checks(checks=checks, partial=partial):
                hold = [self._holds(check.holds) for check in checks]
                return Fraction(sum(hold), len(hold)) if partial else Fraction(all(hold))
            case Asked(scale=scale, panel=panel):
                return self._settled(criterion.id, scale, panel, criterion.role.bad)
            case Checklist():
                return self._listed(criterion.id, criterion.grading)
            case _:
                raise TypeError("random rubrics measure nothing")

    def _settled(self, question: str, scale: Scale, panel: Panel, bad: bool) -> Score:
        read = [_vote(scale, vote.said) for vote in self.votes[question]]
        scores = sorted(score for score in read if score is not None)
        if 2 * len(scores) < len(read):
            return NA
        match panel.settle:
            case Settle.MEDIAN:
                return Fraction(median(scores))
            case Settle.MEAN:
                return sum(scores, Fraction(0)) / len(scores)
            case Settle.LOWEST:
                return scores[0]
            case Settle.HIGHEST:
                return scores[-1]
            case Settle.MAJORITY:
                most = max(Counter(scores).values())
                tied = [score for score, times in Counter(scores).items() if times == most]
                return max(tied) if bad else min(tied)

    def _listed(self, name: str, listed: Checklist) -> Score:
        every = [
            (item, self._settled(f"{name}/{item.id}", listed.scale, listed.panel, item.weight < 0))
            for item in listed.items
        ]
        found = [(item, score) for item, score in every if score is not None]
        if not found:
            return NA
        if any(item.must and score < 1 for item, score in found):
            return Fraction(0)
        good = sum((Fraction(item.weight) for item, _ in found if item.weight > 0), Fraction(0))
        earned = sum((Fraction(item.weight) * score for item, score in found), Fraction(0))
        bad = sum((Fraction(-item.weight) for item, _ in found if item.weight < 0), Fraction(0))
        return _clip(earned / good) if good else 1 + earned / bad

    # ---- groups ----------------------------------------------------------------------------------

    def _group(self, group: Group) -> Score:
        if not group.counts:
            gates = [each.id for each in group.members if isinstance(each, Group) or each.role.gate]
            passed = [self._reaches(name, self.score(name)) for name in gates if self.score(name) is not None]
            return Fraction(sum(passed), len(passed)) if passed else NA
        every = [(each, self.score(each.id)) for each in group.members if each.counts]
        found = [(each, score) for each, score in every if score is not None]
        good = [(each, score) for each, score in found if _role(each) not in (Role.PENALTY, Role.BONUS)]
        if group.combine in (Combine.LOWEST, Combine.HIGHEST, *_BINARY) and not good:
            return NA
        scores = [score for _, score in good]
        if group.combine in (Combine.LOWEST, Combine.HIGHEST):
            return min(scores) if group.combine is Combine.LOWEST else max(scores)
        if group.combine in _BINARY:
            need = {Combine.ALL: len(good), Combine.ANY: 1}.get(group.combine, group.need)
            return Fraction(sum(self._reaches(each.id, score) for each, score in good) >= need)
        weighted = [(_role(each), _weight(each, group), score) for each, score in found]
        earned = sum((-weight if role is Role.PENALTY else weight) * score for role, weight, score in weighted)
        whole = sum(weight for role, weight, _ in weighted if role not in (Role.PENALTY, Role.BONUS))
        against = sum(weight for role, weight, _ in weighted if role is Role.PENALTY)
        if whole:
            return _clip(Fraction(earned) / whole)
        return _clip(1 + Fraction(earned) / against) if against else NA

    # ---- conditions ------------------------------------------------------------------------------

    def _holds(self, expression: Expression) -> bool:  # noqa: C901 (one line for each shape)
        answer, query = self.exchange.answer, self.exchange.query
        match expression:
            case say.All():
                return all(self._holds(part) for part in expression.parts)
            case say.Not(part=say.RefPasses(ref=ref)):
                return self._shown(ref) is not None and not self._reaches(ref, self._shown(ref))
            case say.Not():
                return not self._holds(expression.part)
            case say.Contains():
                return sum(text in (answer.text or "") for text in expression.texts) >= expression.at_least
            case say.CitesSources():
                return _inside(Fraction(len(answer.citations or ())), expression.range)
            case say.NameIs():
                return {"intent": query.intent, "task context": query.task_context}[
                    expression.name
                ] in expression.values
            case say.RefScore():
                return _inside(self._shown(expression.ref), expression.range)
            case say.RefPasses():
                return self._reaches(expression.ref, self._shown(expression.ref))
            case say.Score():
                return _inside(self.total, expression.range)
            case say.AnyMustFails():
                return self._must_fails()
            case _:
                raise TypeError(f"random rubrics do not say {expression}")

    def _shown(self, name: str) -> Score:
        """A part as conditions see it: under its caps, rounded."""
        score = self.score(name)
        if score is None:
            return NA
        limits = [cap.at_most for cap in self.rubric.caps if cap.ref == name and self._holds(cap.when.holds)]
        return four(min([score, *map(Fraction, limits)]))

    def _reaches(self, name: str, score: Score) -> bool:
        member = self.members[name]
        mark = member.pass_mark
        if mark is None and isinstance(member, Group) and member.combine in _BINARY:
            mark = Decimal(1)
        return score is not None and mark is not None and four(score) >= four(Fraction(mark))

    def _must_fails(self) -> bool:
        gates = [each.id for each in criteria(self.rubric.root) if each.role.gate]
        return any((shown := self._shown(name)) is not None and not self._reaches(name, shown) for name in gates)


def _vote(scale: Scale, said: str | float | None) -> Score:
    if said == "n/a" or said is None:
        return NA
    if scale.low is not None and scale.high is not None:
        return (Fraction(said) - Fraction(scale.low)) / (Fraction(scale.high) - Fraction(scale.low))
    score = next(level.score for level in scale.levels if level.label == said)
    return NA if score is None else Fraction(score)


def _clip(score: Fraction) -> Fraction:
    return min(max(score, Fraction(0)), Fraction(1))


def _role(member: Criterion | Group) -> Role:
    return Role.CRITERION if isinstance(member, Group) else member.role


def _weight(member: Criterion | Group, group: Group) -> Fraction:
    plain = group.combine is Combine.MEAN or member.weight is None
    return Fraction(1) if plain or member.weight is None else Fraction(member.weight.value)


def _inside(score: Score, wanted: Between) -> bool:
    if score is None:
        return False
    low = None if wanted.low is None else four(Fraction(wanted.low))
    high = None if wanted.high is None else four(Fraction(wanted.high))
    above = low is None or (score > low if wanted.low_open else score >= low)
    return above and (high is None or (score < high if wanted.high_open else score <= high))
