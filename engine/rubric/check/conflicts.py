"""Checks that no answer can meet, or that every answer meets."""

from collections.abc import Iterator
from itertools import combinations

from engine.rubric.check.clashes import between, impossible
from engine.rubric.check.draft import Draft
from engine.rubric.check.facts import Term, all_of, terms
from engine.rubric.diagnostic import Diagnostic, Severity
from engine.rubric.syntax import Checks, Criterion, Role, criteria

__all__ = ["contradictions", "every_answer_meets", "no_answer_meets"]

_MOST_GATES = 100  # pairs are compared; nobody has so many, and a file that does is not worth seconds


def no_answer_meets(draft: Draft) -> Iterator[Diagnostic]:
    """R506: the checks of one criterion exclude each other."""
    for criterion in criteria(draft.rubric.root):
        if not isinstance(criterion.grading, Checks) or criterion.grading.partial:
            continue
        clash = impossible(all_of(terms(check, draft) for check in criterion.grading.checks))
        if clash is not None:
            message = f'No answer can meet "{criterion.title}": {clash.why}'
            step = "every check: line of a criterion must hold at the same time"
            other = None if clash.first.at == clash.second.at else (clash.first.at, "the other check")
            steps = (step,) if other else ("change the line so that some answer can meet it",)
            yield Diagnostic("R506", message, clash.second.at, "", steps, other)


def every_answer_meets(draft: Draft) -> Iterator[Diagnostic]:
    """R507: the opposite of a check is impossible."""
    for criterion in criteria(draft.rubric.root):
        if not isinstance(criterion.grading, Checks):
            continue
        for check in criterion.grading.checks:
            if impossible(terms(check, draft, holds=False)) is not None:
                message = f'Every answer meets this check of "{criterion.title}", so it says nothing'
                steps = ("ask for more, or remove the line",)
                yield Diagnostic("R507", message, check.at, help=steps, severity=Severity.WARNING)


def contradictions(draft: Draft) -> Iterator[Diagnostic]:
    """R505: two gates that apply to the same answers exclude each other."""
    gates = [criterion for criterion in criteria(draft.rubric.root) if criterion.role.gate][:_MOST_GATES]
    demands = {gate.id: _demands(gate, draft) for gate in gates}
    for first, second in combinations(gates, 2):
        if draft.conditions[first.id] != draft.conditions[second.id]:
            continue
        clash = between(demands[first.id], demands[second.id])
        if clash is not None:
            message = f'"{first.title}" and "{second.title}" contradict each other: {clash.why}'
            step = "change one of them, or say when each applies with only when:"
            label, other = "no answer can meet both", (clash.first.at, f"[{first.title}]")
            yield Diagnostic("R505", message, clash.second.at, label, (step,), other)


def _demands(gate: Criterion, draft: Draft) -> tuple[Term, ...] | None:
    """What an answer must be to pass the gate."""
    grading = gate.grading
    if not isinstance(grading, Checks) or grading.partial:
        return None
    if gate.role is Role.MUST:
        return all_of(terms(check, draft) for check in grading.checks)
    if len(grading.checks) > 1:
        return None  # must not: only all of them together are forbidden
    return terms(grading.checks[0], draft, holds=False)
