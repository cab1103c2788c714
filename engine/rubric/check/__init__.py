"""Static checks: what can be wrong with a rubric whose lines all read. One rule a function, no rule knows another.

A new rule is a function in a file here, one line in a tuple, and a row in `engine/rubric/codes`.
"""

from engine.rubric.blocks import Outline
from engine.rubric.check.caps import idle_caps
from engine.rubric.check.circles import circles
from engine.rubric.check.combining import no_mean, too_few
from engine.rubric.check.conditions import always_applies, never_applies
from engine.rubric.check.conflicts import contradictions, every_answer_meets, no_answer_meets
from engine.rubric.check.draft import Draft
from engine.rubric.check.examples import examples
from engine.rubric.check.gates import skippable_gates
from engine.rubric.check.lines import idle_lines, ids, remarks
from engine.rubric.check.panels import quorums
from engine.rubric.check.passing import idle_marks, marks
from engine.rubric.check.rule import Rule
from engine.rubric.check.structure import misplaced, no_version, nothing_in_it
from engine.rubric.check.twice import (
    doubled_caps,
    doubled_checks,
    doubled_criteria,
    doubled_items,
    doubled_texts,
    doubled_values,
    doubled_verdicts,
)
from engine.rubric.check.unused import unused
from engine.rubric.check.vague import mere_adjectives, vague_words
from engine.rubric.check.verdicts import last_line, no_verdict, reachable
from engine.rubric.check.weights import ignored, percentages, zero
from engine.rubric.check.wording import bad_yes, counting, double_negative, two_questions
from engine.rubric.context import Context
from engine.rubric.diagnostic import Diagnostic, Severity
from engine.rubric.syntax import Rubric

__all__ = ["Draft", "Rule", "examine"]

_ALWAYS: tuple[Rule, ...] = (
    ids,
    nothing_in_it,
    percentages,
    zero,
    ignored,
    no_mean,
    misplaced,
    marks,
    circles,
    last_line,
    doubled_checks,
    doubled_caps,
    doubled_verdicts,
    doubled_texts,
    doubled_values,
    doubled_items,
    two_questions,
    double_negative,
    bad_yes,
    counting,
    remarks,
)
_WHEN_CLEAN: tuple[Rule, ...] = (
    too_few,
    quorums,
    never_applies,
    always_applies,
    no_answer_meets,
    every_answer_meets,
    contradictions,
    reachable,
    idle_caps,
    idle_marks,
    skippable_gates,
    doubled_criteria,
    idle_lines,
    examples,
    vague_words,
    mere_adjectives,
    no_version,
    no_verdict,
    unused,
)
"""Rules that would only repeat, in other words, what another message has said."""


def examine(rubric: Rubric, outline: Outline, context: Context) -> list[Diagnostic]:
    """Everything the rules have to say; those of _WHEN_CLEAN only while nothing is an error."""
    draft = Draft(rubric, outline, context)
    clean = not context.failed
    found = [problem for rule in _ALWAYS for problem in rule(draft)]
    if clean and not any(problem.severity is Severity.ERROR for problem in found):
        found += [problem for rule in _WHEN_CLEAN for problem in rule(draft)]
    return found
