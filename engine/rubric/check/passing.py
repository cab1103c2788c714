"""Pass marks: missing where something must pass, out of reach, or reached by everything."""

from collections.abc import Iterator

from engine.rubric import expression as say
from engine.rubric.check.draft import Draft
from engine.rubric.check.walk import every_test, groups
from engine.rubric.diagnostic import Diagnostic, Severity
from engine.rubric.expression import leaves
from engine.rubric.numbers import plain
from engine.rubric.syntax import Combine, Criterion, Group, Role, parts

__all__ = ["idle_marks", "marks"]

_BINARY = (Combine.ALL, Combine.ANY, Combine.AT_LEAST)


def marks(draft: Draft) -> Iterator[Diagnostic]:
    """R216: "passes" needs a pass mark."""
    root = draft.rubric.root
    without = {part.id: part for part in parts(root) if not _has_mark(part)}
    for test in every_test(draft.rubric):
        for leaf in leaves(test.holds):
            if isinstance(leaf, say.RefPasses) and leaf.ref in without:
                title = without[leaf.ref].title
                message = f'Nothing says from which score "{title}" passes'
                step = f'write under "{title}", for example: pass mark: 0.7'
                yield Diagnostic("R216", message, leaf.at, help=(step,))
    for group in groups(root):
        if group.combine not in _BINARY:
            continue
        for member in group.members:
            extra = isinstance(member, Criterion) and member.role in (Role.PENALTY, Role.BONUS)  # R511
            if member.counts and member.id in without and not extra:
                message = f'"{member.title}" needs a pass mark, because its group asks how many pass'
                yield Diagnostic("R216", message, member.at, help=("write under it, for example: pass mark: 0.7",))


def _has_mark(part: Criterion | Group) -> bool:
    if isinstance(part, Group):
        return part.pass_mark is not None or part.combine in _BINARY
    return part.pass_mark is not None and part.role not in (Role.PENALTY, Role.BONUS)


def idle_marks(draft: Draft) -> Iterator[Diagnostic]:
    """R516: no score reaches the mark, or (a warning, like a check that every answer meets) every score does."""
    for part in parts(draft.rubric.root):
        written = draft.line(part, "pass mark") is not None
        gate = isinstance(part, Criterion) and part.role.gate
        if part.pass_mark is None or not (written or gate):
            continue
        worst, best = draft.ranges[part.id]
        at = draft.place(part, "pass mark")
        if part.pass_mark > best:
            message = f'"{part.title}" can never pass: its best possible score is {plain(round(best, 4))}'
            yield Diagnostic("R516", message, at, help=("lower the pass mark, or change the scale",))
        elif part.pass_mark <= worst:
            message = f'"{part.title}" always passes: its worst possible score is {plain(round(worst, 4))}'
            steps = ("raise the pass mark, or leave the line out",)
            yield Diagnostic("R516", message, at, help=steps, severity=Severity.WARNING)
