"""Static checks: what can be wrong with a rubric whose lines all read. One rule a function, no rule knows another.

A new rule is a function in a file here and one line in a tuple.
"""

from engine.rubric.check.circles import circles
from engine.rubric.check.conflicts import contradictions, impossible
from engine.rubric.check.examples import examples
from engine.rubric.check.rule import Rule
from engine.rubric.check.structure import doubled, marks, misplaced, no_version, nothing_in_it
from engine.rubric.check.unused import unused
from engine.rubric.check.verdicts import last_line, no_verdict, reachable
from engine.rubric.check.weights import ignored, percentages, zero
from engine.rubric.check.wording import bad_yes, counting, double_negative, two_questions
from engine.rubric.context import Context
from engine.rubric.diagnostic import Diagnostic
from engine.rubric.syntax import Rubric

__all__ = ["ALWAYS", "WHEN_CLEAN", "Rule", "examine"]

ALWAYS: tuple[Rule, ...] = (
    nothing_in_it,
    percentages,
    zero,
    ignored,
    misplaced,
    marks,
    circles,
    last_line,
    doubled,
    two_questions,
    double_negative,
    bad_yes,
    counting,
)
WHEN_CLEAN: tuple[Rule, ...] = (impossible, contradictions, reachable, examples, no_version, no_verdict, unused)
"""Rules that would only repeat, in other words, what another message has said."""


def examine(rubric: Rubric, context: Context) -> list[Diagnostic]:
    """Everything the rules have to say; those of WHEN_CLEAN only while nothing is an error."""
    clean = not context.failed
    found = [problem for rule in ALWAYS for problem in rule(rubric, context)]
    if clean and not any(problem.severity == "error" for problem in found):
        found += [problem for rule in WHEN_CLEAN for problem in rule(rubric, context)]
    return found
