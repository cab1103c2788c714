"""`only when:` lines that never hold, and those that always do."""

from collections.abc import Iterator

from engine.rubric.check.clashes import impossible
from engine.rubric.check.draft import Draft
from engine.rubric.check.facts import all_of, terms
from engine.rubric.diagnostic import Diagnostic, Severity
from engine.rubric.syntax import parts

__all__ = ["always_applies", "never_applies"]


def never_applies(draft: Draft) -> Iterator[Diagnostic]:
    """R313: a condition that cannot hold, by itself or inside the groups around it."""
    said: set[int] = set()
    for part in parts(draft.rubric.root):
        if part.only_when is None:
            continue
        conditions = draft.conditions[part.id]
        if said & {id(check) for check in conditions}:
            continue  # the group around it has the message
        clash = impossible(all_of(terms(check, draft) for check in conditions))
        if clash is not None:
            said.add(id(part.only_when))
            elsewhere = next((fact.at for fact in clash[:2] if fact.at != part.only_when.at), None)
            other = None if elsewhere is None else (elsewhere, "the condition around it")
            message = f'"{part.title}" can never apply: {clash.why}'
            yield Diagnostic("R313", message, part.only_when.at, "", ("change the condition, or remove it",), other)


def always_applies(draft: Draft) -> Iterator[Diagnostic]:
    """R702: a condition that always holds."""
    for part in parts(draft.rubric.root):
        if part.only_when is not None and impossible(terms(part.only_when, draft, holds=False)) is not None:
            message = f'This condition always holds, so it changes nothing for "{part.title}"'
            at = part.only_when.at
            yield Diagnostic("R702", message, at, help=("remove the line",), severity=Severity.WARNING)
