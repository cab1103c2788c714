"""The author's own examples, run on the author's own checks."""

from collections.abc import Iterator

from engine.model.exchange import Answer, Exchange, Turn
from engine.model.query import Query
from engine.rubric.check.rule import leaves
from engine.rubric.closures import Parts, test_of
from engine.rubric.context import Context
from engine.rubric.diagnostic import Diagnostic
from engine.rubric.evidence import Evidence
from engine.rubric.expression import RefPasses, RefScore, RefUngraded
from engine.rubric.syntax import Checks, Criterion, Rubric, criteria
from engine.text import one_line

__all__ = ["examples"]


def examples(rubric: Rubric, _: Context) -> Iterator[Diagnostic]:
    """R518: a good example fails its check, or a bad one meets it. What an example cannot show is let be."""
    for criterion in criteria(rubric.root):
        for example in criterion.good:
            if _holds(criterion, example) is criterion.role.bad:
                yield _wrong(criterion, "good", example)
        for example in criterion.bad:
            if _holds(criterion, example) is not criterion.role.bad and _holds(criterion, example) is not None:
                yield _wrong(criterion, "bad", example)


def _holds(criterion: Criterion, example: str) -> bool | None:
    if not isinstance(criterion.grading, Checks):
        return None
    evidence = Evidence(Exchange(Query("", "", "", ""), Turn("", ""), Answer(text=example)), {})
    found: list[bool | None] = []
    for check in criterion.grading.checks:
        if any(isinstance(leaf, RefPasses | RefScore | RefUngraded) for leaf in leaves(check.holds)):
            return None
        found.append(test_of(check.holds, _NoParts())(evidence))
    if False in found:
        return False
    return None if None in found else True


def _wrong(criterion: Criterion, kind: str, example: str) -> Diagnostic:
    does = "does not meet" if (kind == "good") is not criterion.role.bad else "meets"
    message = f'The {kind} example of "{criterion.title}" {does} its own check: {one_line(example, 60)}'
    return Diagnostic("R518", message, criterion.at, help=("change the example, or the check",))


class _NoParts(Parts):
    """An example stands alone: there is no other criterion and no score."""

    def bounds(self, ref: str, evidence: Evidence) -> tuple[float, float] | None:
        return None

    def passes(self, ref: str, evidence: Evidence) -> bool | None:
        return None

    def fails(self, ref: str, evidence: Evidence) -> bool | None:
        return None

    def total(self, evidence: Evidence) -> tuple[float, float] | None:
        return None

    def must_fails(self, evidence: Evidence) -> bool | None:
        return None
