"""What other parts of the rubric came to: their scores, whether they pass, and the whole."""

from engine.rubric import expression as say
from engine.rubric.closures.holds import Holds, Parts
from engine.rubric.closures.ranges import interval
from engine.rubric.evidence import Evidence

__all__ = ["about_part", "about_whole"]


def about_part(expression: say.RefScore | say.RefPasses | say.RefUngraded, parts: Parts) -> Holds:
    ref = expression.ref
    match expression:
        case say.RefScore():
            inside = interval(expression.range)

            def holds(evidence: Evidence) -> bool | None:
                found = inside(parts.bounds(ref, evidence))
                return None if found and parts.may_skip(ref, evidence) else found

            return holds
        case say.RefPasses():
            return lambda evidence: parts.passes(ref, evidence)
        case say.RefUngraded():
            return lambda evidence: _open(parts.bounds(ref, evidence))


def about_whole(expression: say.Score | say.ScoreUngraded | say.AnyMustFails, parts: Parts) -> Holds:
    match expression:
        case say.Score():
            inside = interval(expression.range)
            return lambda evidence: inside(parts.total(evidence))
        case say.ScoreUngraded():
            return lambda evidence: _open(parts.total(evidence))
        case say.AnyMustFails():
            return parts.must_fails


def _open(bounds: tuple[float, float] | None) -> bool | None:
    return bounds is not None and bounds[0] != bounds[1]
