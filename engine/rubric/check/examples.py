"""The author's own examples, run on the author's own checks."""

from collections.abc import Callable, Iterator

from engine.model.exchange import Answer, Exchange, Turn
from engine.model.query import Query
from engine.rubric.check.draft import Draft
from engine.rubric.closures import Parts, test_of
from engine.rubric.diagnostic import Diagnostic
from engine.rubric.evidence import Evidence
from engine.rubric.expression import Matches, RefPasses, RefScore, RefUngraded, leaves
from engine.rubric.syntax import Checks, Criterion, criteria
from engine.text import one_line

__all__ = ["examples"]


_MOST_SEARCHED = 20_000
"""Characters of examples that patterns are tried on: more than any author writes, little enough to wait for."""


def examples(draft: Draft) -> Iterator[Diagnostic]:
    """R518: a good example fails its check, or a bad one meets it. What an example cannot show is let be."""
    left = _MOST_SEARCHED
    for criterion in criteria(draft.rubric.root):
        if not (criterion.good or criterion.bad):
            continue
        holds, patterns = _test_of(criterion), _patterns(criterion)
        for kind, texts in (("good", criterion.good), ("bad", criterion.bad)):
            wanted = (kind == "good") is not criterion.role.bad
            for text in texts:
                left -= patterns * len(text)
                if (left >= 0 or not patterns) and holds(text) is (not wanted):
                    yield _wrong(criterion, kind, text)


def _patterns(criterion: Criterion) -> int:
    """How many patterns an example is searched for."""
    checks = criterion.grading.checks if isinstance(criterion.grading, Checks) else ()
    return sum(isinstance(leaf, Matches) for check in checks for leaf in leaves(check.holds))


def _test_of(criterion: Criterion) -> Callable[[str], bool | None]:
    """Whether an example meets every check, as far as a text alone can tell."""
    if not isinstance(criterion.grading, Checks):
        return lambda _: None
    checks = criterion.grading.checks
    if any(isinstance(leaf, _OTHERS) for check in checks for leaf in leaves(check.holds)):
        return lambda _: None
    tests = [test_of(check.holds, _NoParts()) for check in checks]

    def holds(text: str) -> bool | None:
        evidence = Evidence(Exchange(Query("", "", "", ""), Turn("", ""), Answer(text=text)), {})
        found = [test(evidence) for test in tests]
        if False in found:
            return False
        return None if None in found else True

    return holds


_OTHERS = RefPasses | RefScore | RefUngraded


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

    def may_skip(self, ref: str, evidence: Evidence) -> bool:
        return False

    def total(self, evidence: Evidence) -> tuple[float, float] | None:
        return None

    def must_fails(self, evidence: Evidence) -> bool | None:
        return None
