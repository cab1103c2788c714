"""What was declared and never used: usually a slip in a name somewhere else."""

from collections.abc import Iterator

from engine.rubric.check.draft import Draft
from engine.rubric.diagnostic import Diagnostic, Severity
from engine.rubric.names import plain_name

__all__ = ["unused"]


def unused(draft: Draft) -> Iterator[Diagnostic]:
    """R308: settings, scales and fields that nothing refers to. A library declares for others."""
    rubric, context = draft.rubric, draft.context
    if rubric.library:
        return
    declared = [("setting", setting.name, setting.at) for setting in context.settings.values()]
    declared += [("scale", scale.name, scale.at) for scale in rubric.scales]
    declared += [("field", field.name, field.at) for field in rubric.fields]
    for kind, name, at in declared:
        if f"{kind} {plain_name(name)}" not in context.used:
            message = f'The {kind} "{name}" is not used'
            yield Diagnostic("R308", message, at, help=("use it, or remove it",), severity=Severity.WARNING)
