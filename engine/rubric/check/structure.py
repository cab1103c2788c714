"""The shape of the whole: empty rubrics, missing pass marks, atoms out of place, lines written twice."""

from collections.abc import Iterator

from engine.rubric import expression as say
from engine.rubric.check.rule import groups, leaves, members, tests
from engine.rubric.context import Context
from engine.rubric.diagnostic import Diagnostic, Severity
from engine.rubric.syntax import Check, Checks, Combine, Criterion, Group, Role, Rubric, criteria

__all__ = ["doubled", "marks", "misplaced", "no_version", "nothing_in_it"]

_BINARY = (Combine.ALL, Combine.ANY, Combine.AT_LEAST)


def nothing_in_it(rubric: Rubric, context: Context) -> Iterator[Diagnostic]:
    """R213: a rubric without criteria grades nothing."""
    if not rubric.library and not rubric.root.members and not context.failed:
        steps = ("write for example:\ncriterion: Relevance\n  measure: ndcg@10",)
        yield Diagnostic("R213", "This rubric has no criteria", rubric.at, help=steps)


def no_version(rubric: Rubric, _: Context) -> Iterator[Diagnostic]:
    """R214: without a version nobody can tell old scores from those after a change."""
    if not rubric.version:
        steps = ("write under it: version: 1", "raise it when you change what a score means")
        yield Diagnostic("R214", "This rubric has no version", rubric.at, help=steps, severity=Severity.HINT)


def misplaced(rubric: Rubric, _: Context) -> Iterator[Diagnostic]:
    """R509: the score of the whole means nothing to the parts it is made of."""
    for part in members(rubric.root):
        for test in tests(part):
            for leaf in leaves(test.holds):
                if isinstance(leaf, say.Score | say.ScoreUngraded | say.AnyMustFails):
                    message = f'"{leaf.at.text}" has a meaning only in verdicts and caps'
                    step = "to look at another criterion, write its name in [brackets]"
                    yield Diagnostic("R509", message, leaf.at, help=(step,))


def marks(rubric: Rubric, _: Context) -> Iterator[Diagnostic]:
    """R216: "passes" needs a pass mark."""
    without = {part.id: part for part in members(rubric.root) if not _has_mark(part)}
    for test in _every_test(rubric):
        for leaf in leaves(test.holds):
            if isinstance(leaf, say.RefPasses) and leaf.ref in without:
                title = without[leaf.ref].title
                message = f'Nothing says from which score "{title}" passes'
                step = f'write under "{title}", for example: pass mark: 0.7'
                yield Diagnostic("R216", message, leaf.at, help=(step,))
    for group in groups(rubric.root):
        for member in group.members:
            if group.combine in _BINARY and member.counts and member.id in without:
                message = f'"{member.title}" needs a pass mark, because its group asks how many pass'
                yield Diagnostic("R216", message, member.at, help=("write under it, for example: pass mark: 0.7",))


def doubled(rubric: Rubric, _: Context) -> Iterator[Diagnostic]:
    """R517: the same check twice in one criterion."""
    for criterion in criteria(rubric.root):
        if not isinstance(criterion.grading, Checks):
            continue
        seen: list[Check] = []
        for check in criterion.grading.checks:
            twin = next((other for other in seen if other.holds == check.holds), None)
            if twin is not None:
                other = (twin.at, "first time")
                message = f'"{criterion.title}" has this check twice'
                yield Diagnostic("R517", message, check.at, "", ("remove one",), other, severity=Severity.WARNING)
            seen.append(check)


def _has_mark(part: Criterion | Group) -> bool:
    if isinstance(part, Group):
        return part.pass_mark is not None or part.combine in _BINARY
    return part.pass_mark is not None and part.role not in (Role.PENALTY, Role.BONUS)


def _every_test(rubric: Rubric) -> Iterator[Check]:
    for part in members(rubric.root):
        yield from tests(part)
    for cap in rubric.caps:
        yield cap.when
    for verdict in rubric.verdicts:
        if verdict.when is not None:
            yield verdict.when
