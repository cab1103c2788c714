"""Checks and conditions to closures: evidence in; True, False or None (not known) out. Kleene's three values."""

from engine.rubric import expression as say
from engine.rubric.closures.holds import Holds, Parts
from engine.rubric.closures.others import about_part, about_whole
from engine.rubric.closures.recorded import about_record
from engine.rubric.closures.texts import about_text, lacks
from engine.rubric.evidence import Evidence
from engine.rubric.expression import Expression
from engine.rubric.fold import fold

__all__ = ["Holds", "Parts", "test_of"]


def test_of(expression: Expression, parts: Parts) -> Holds:
    """The closure of a check or a condition."""
    match expression:
        case say.All():
            return _all(tuple(test_of(part, parts) for part in expression.parts))
        case say.Any():
            return _any(tuple(test_of(part, parts) for part in expression.parts))
        case say.Not(part=say.RefPasses(ref=ref)):
            return lambda evidence: parts.fails(ref, evidence)
        case say.Not(part=say.Contains(texts=(text,))):
            return lacks(fold(text))
        case say.Not():
            return _not(test_of(expression.part, parts))
        case say.RefScore() | say.RefPasses() | say.RefUngraded():
            return about_part(expression, parts)
        case say.Score() | say.ScoreUngraded() | say.AnyMustFails():
            return about_whole(expression, parts)
        case _:
            found = about_text(expression) or about_record(expression)
            assert found is not None, f"nothing compiles {type(expression).__name__}"
            return found


def _all(tests: tuple[Holds, ...]) -> Holds:
    def every(evidence: Evidence) -> bool | None:
        known: bool | None = True
        for test in tests:
            holds = test(evidence)
            if holds is False:
                return False
            if holds is None:
                known = None
        return known

    return every


def _any(tests: tuple[Holds, ...]) -> Holds:
    def some(evidence: Evidence) -> bool | None:
        known: bool | None = False
        for test in tests:
            holds = test(evidence)
            if holds:
                return True
            if holds is None:
                known = None
        return known

    return some


def _not(test: Holds) -> Holds:
    def other(evidence: Evidence) -> bool | None:
        holds = test(evidence)
        return None if holds is None else not holds

    return other
