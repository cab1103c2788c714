"""A rubric applied to exchanges: grades, scores, caps and the verdict. Compiled once, then only closures run."""

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType

from engine.model.exchange import Exchange
from engine.model.grade import Grading, Vote
from engine.rubric import expression as say
from engine.rubric.closures import Holds, test_of
from engine.rubric.evidence import Evidence
from engine.rubric.expression import Expression
from engine.rubric.groups import group_value
from engine.rubric.outcomes import Outcome, Part, mark_of, passes, rounded
from engine.rubric.parts import criterion_part
from engine.rubric.syntax import Cap, Checks, Criterion, Group, Question, Role, Rubric, criteria, questions

__all__ = ["NOT_APPLICABLE", "OVERALL", "UNGRADED", "Grader", "compile_rubric"]

OVERALL = "overall"
UNGRADED = "ungraded"
NOT_APPLICABLE = "not applicable"
_NO_VOTES: Mapping[str, Sequence[Vote]] = MappingProxyType({})


def compile_rubric(rubric: Rubric) -> "Grader":
    """The grader of a rubric that `read` or `from_json` gave."""
    return Grader(rubric)


class Grader:
    """Grades exchanges with one rubric. Keeps nothing between two of them.

    Attributes:
        rubric: what it was compiled from.
        dimensions: ids of the top-level criteria and groups that make the score, in order, then `overall`.
        questions: everything that judges are asked, by the id that votes are given by.
        asks: how many criteria need a judge.
    """

    def __init__(self, rubric: Rubric) -> None:
        self.rubric = rubric
        self._parts: dict[str, Part] = {}
        self._marks: dict[str, float | None] = {}
        top = tuple(self._part(member, None) for member in rubric.root.members)
        self._root = group_value(rubric.root, top)
        self._caps = tuple((cap, self._test(cap.when.holds)) for cap in rubric.caps)
        self._lowered = frozenset(cap.ref for cap in rubric.caps)  # None: the whole
        every = tuple(criteria(rubric.root))
        self._order = tuple(criterion.id for criterion in every)
        free = [self._parts[name] for name in _alone(rubric.root)]
        self._single = tuple((part.id, *part.single) for part in free if part.single is not None)
        self._alone = tuple((part.id, part.evaluate) for part in free if part.single is None)
        self._musts = tuple(criterion.id for criterion in every if criterion.role.gate)
        shown = tuple(part.id for part in top if part.counts and part.role not in (Role.PENALTY, Role.BONUS))
        self._scored = tuple((name, name not in self._lowered) for name in shown)
        self._verdicts = tuple(
            (verdict.name, None if verdict.when is None else self._test(verdict.when.holds))
            for verdict in rubric.verdicts
            if verdict.when is None or not isinstance(verdict.when.holds, say.ScoreUngraded)
        )
        self._open_name = next(
            (v.name for v in rubric.verdicts if v.when is not None and isinstance(v.when.holds, say.ScoreUngraded)),
            UNGRADED,
        )
        self._otherwise = next((verdict.name for verdict in rubric.verdicts if verdict.when is None), None)
        self._says_musts = any(
            isinstance(leaf, say.AnyMustFails)
            for verdict in rubric.verdicts
            if verdict.when is not None
            for leaf in say.leaves(verdict.when.holds)
        )
        self.dimensions: tuple[str, ...] = (*shown, OVERALL)
        self.questions: Mapping[str, Question] = {question.id: question for question in questions(rubric.root)}
        self.asks = len({question.criterion for question in self.questions.values()})

    def grade(self, exchange: Exchange, votes: Mapping[str, Sequence[Vote]] = _NO_VOTES) -> Grading:
        """Every criterion, the scores, and the verdict.

        Args:
            exchange: what was asked and what came back.
            votes: what judges and people said, by the id of the question. For a must not and a
                penalty a yes means that the bad thing is there. A vote that is not on the scale
                counts as no answer.

        Raises:
            ValueError: votes for something that this rubric does not ask.
        """
        for name in votes:
            if name not in self.questions:
                raise ValueError(f"this rubric asks no question with the id {name!r}")
        return self.conclude(Evidence(exchange, votes))

    def reweigh(self, evidence: Evidence) -> Grading:
        """What this rubric says about an exchange whose criteria have been graded already.

        Args:
            evidence: as `conclude` left it, of this rubric or of one that differs from it only in weights,
                groups, caps and verdicts. No criterion is looked at again.
        """
        return self.conclude(evidence.keeping(self._order))

    def conclude(self, evidence: Evidence) -> Grading:
        """The same as `grade`, for evidence that is kept: its outcomes stay in its memo."""
        if not evidence.memo:  # what asks about nothing else first: nearly everything, in one go
            evidence.memo = {name: either[test(evidence)] for name, test, either in self._single}
            evidence.memo.update([(name, evaluate(evidence)) for name, evaluate in self._alone])
        memo = evidence.memo
        total = self._total(evidence)
        outcomes = [memo.get(name) or self._outcome(name, evidence) for name in self._order]
        grades = tuple(map(_grade, outcomes))
        scores: dict[str, float | None] = {
            name: part.grade.score if plain and part.grade is not None else self._score(name, evidence)
            for name, plain in self._scored
            if (part := memo.get(name) or self._outcome(name, evidence)).applies
        }
        low, high = total or (0.0, 1.0)
        if total is not None:
            scores[OVERALL] = low if low == high else None
        verdict, could_be = self._verdict(total, evidence)
        return Grading(grades, scores, low, high, verdict, could_be, evidence.measures)

    def still_needed(self, exchange: Exchange, votes: Mapping[str, Sequence[Vote]] = _NO_VOTES) -> tuple[str, ...]:
        """Ids of the questions whose answers can still change the verdict, in order; often none.

        Of a rubric without verdicts: those that can still change the score. A judge that is asked
        only these gives the same verdict, and costs less.
        """
        evidence = Evidence(exchange, votes)
        found = self.conclude(evidence)
        if self.rubric.verdicts and not found.could_be:
            return ()
        from engine.rubric.needed import still_open  # only where judges are asked

        still = still_open(self.rubric, evidence)
        return tuple(question.id for question in self.questions.values() if question.criterion in still)

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
        return self._outcome(ref, evidence).may_skip

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

    def _test(self, expression: Expression) -> Holds:
        return test_of(expression, self)

    def _part(self, member: Criterion | Group, above: Holds | None) -> Part:
        own = None if member.only_when is None else self._test(member.only_when.holds)
        when = _both(above, own)
        if isinstance(member, Criterion):
            part = criterion_part(member, self._test, when)
        else:
            inner = tuple(self._part(each, when) for each in member.members)
            weight = 1.0 if member.weight is None else float(member.weight.value)
            part = Part(member.id, Role.CRITERION, member.counts, weight, group_value(member, inner))
        self._parts[member.id] = part
        self._marks[member.id] = mark_of(member)
        return part

    def _score(self, name: str, evidence: Evidence) -> float | None:
        bounds = self.bounds(name, evidence)
        return None if bounds is None or bounds[0] != bounds[1] else bounds[0]

    def _outcome(self, name: str, evidence: Evidence) -> Outcome:
        found = evidence.memo.get(name)
        if found is None:
            found = evidence.memo[name] = self._parts[name].evaluate(evidence)
        return found

    def _reported(self, name: str, evidence: Evidence) -> Outcome:
        """As reports show it and conditions see it: under its caps."""
        outcome = self._outcome(name, evidence)
        return self._capped(outcome, name, evidence) if name in self._lowered and outcome.applies else outcome

    def _total(self, evidence: Evidence) -> tuple[float, float] | None:
        raw = self._root(evidence)
        if not raw.applies:
            return None
        evidence.total, evidence.may_skip = _rounded(raw), raw.may_skip
        if None in self._lowered:
            evidence.total = _rounded(self._capped(raw, None, evidence))
        return evidence.total

    def _capped(self, outcome: Outcome, ref: str | None, evidence: Evidence) -> Outcome:
        low, high = outcome.low, outcome.high
        for cap, when in self._caps:
            if cap.ref != ref:
                continue
            holds = when(evidence)
            limit = _limit(cap)
            if holds:
                low, high = min(low, limit), min(high, limit)
            elif holds is None:
                low = min(low, limit)
        mark = None if ref is None else self._marks[ref]
        return Outcome(low, high, True, None if mark is None else passes(low, high, mark), None, outcome.may_skip)

    def _verdict(self, total: tuple[float, float] | None, evidence: Evidence) -> tuple[str | None, tuple[str, ...]]:
        if not self._verdicts:
            return None, ()
        possible: dict[str, None] = {}
        skips = total is None or evidence.may_skip  # it may be that nothing applies that makes a score
        fails = self.must_fails(evidence) if self._musts and (skips or not self._says_musts) else False
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
        for name, when in self._verdicts:
            holds = True if when is None else when(evidence)
            if holds is not False:
                possible[name] = None
            if holds:
                return


_grade = attrgetter("grade")  # of a criterion: every one gives a grade


def _rounded(outcome: Outcome) -> tuple[float, float]:
    low = rounded(outcome.low)
    return low, low if outcome.high == outcome.low else rounded(outcome.high)


def _limit(cap: Cap) -> float:
    return float(cap.at_most)


def _both(one: Holds | None, other: Holds | None) -> Holds | None:
    if one is None or other is None:
        return one or other

    def both(evidence: Evidence) -> bool | None:
        first, second = one(evidence), other(evidence)
        if first is False or second is False:
            return False
        return None if first is None or second is None else True

    return both


_OTHERS = (say.RefScore, say.RefPasses, say.RefUngraded, say.Score, say.ScoreUngraded, say.AnyMustFails)


def _alone(group: Group, above: bool = True) -> Iterator[str]:
    """Criteria that ask about nothing but the exchange, and stand in no group that asks about anything else."""
    for member in group.members:
        tests = () if member.only_when is None else (member.only_when,)
        if isinstance(member, Criterion) and isinstance(member.grading, Checks):
            tests = (*tests, *member.grading.checks)
        free = above and not any(isinstance(leaf, _OTHERS) for test in tests for leaf in say.leaves(test.holds))
        if isinstance(member, Group):
            yield from _alone(member, free)
        elif free:
            yield member.id
