"""Parts that wait for each other: none of them could ever be graded."""

from collections.abc import Iterator

from engine.rubric import expression as say
from engine.rubric.check.draft import Draft
from engine.rubric.check.walk import tests
from engine.rubric.diagnostic import Diagnostic, Span
from engine.rubric.expression import leaves
from engine.rubric.syntax import Check, Group, criteria, parts

__all__ = ["circles"]

_Edges = dict[str, list[tuple[str, Span]]]


def circles(draft: Draft) -> Iterator[Diagnostic]:
    """R314: a condition leads back to itself, or a cap on a part looks at the whole."""
    rubric = draft.rubric
    ids = [part.id for part in parts(rubric.root)]
    if len(set(ids)) < len(ids):  # R301 says so; who waits for whom is not known then
        return
    edges: _Edges = {}
    titles: dict[str, str] = {}
    for part in parts(rubric.root):
        titles[part.id] = part.title
        edges.setdefault(part.id, []).extend(ref for check in tests(part) for ref in _refs(check))
        if isinstance(part, Group):
            conditions = [] if part.only_when is None else _refs(part.only_when)
            for member in part.members:
                edges[part.id].append((member.id, member.at))
                edges.setdefault(member.id, []).extend(conditions)
    for cap in rubric.caps:
        if cap.ref is not None:
            edges.setdefault(cap.ref, []).extend([*_refs(cap.when), *_gates(cap.when, rubric.root)])
            if any(isinstance(leaf, say.Score) for leaf in leaves(cap.when.holds)):
                message = "A cap on a part cannot look at the score of the whole, which is made of that part"
                yield Diagnostic("R314", message, cap.when.at, help=("cap the whole score instead",))
    done: set[str] = set()
    for start in edges:
        found = _circle(start, edges, done)
        if found is not None:
            path, at = found
            label = " -> ".join(titles.get(name, name) for name in path)
            message = "These criteria wait for each other, so none of them can be graded"
            yield Diagnostic("R314", message, at, label, ("remove one of the conditions",))


def _refs(check: Check) -> list[tuple[str, Span]]:
    return [
        (leaf.ref, leaf.at)
        for leaf in leaves(check.holds)
        if isinstance(leaf, say.RefScore | say.RefPasses | say.RefUngraded)
    ]


def _gates(check: Check, root: Group) -> list[tuple[str, Span]]:
    """`any must fails` looks at every must of the rubric."""
    return [
        (criterion.id, leaf.at)
        for leaf in leaves(check.holds)
        if isinstance(leaf, say.AnyMustFails)
        for criterion in criteria(root)
        if criterion.role.gate
    ]


def _circle(start: str, edges: _Edges, done: set[str]) -> tuple[list[str], Span] | None:
    """The first way from `start` back into itself, without recursion: rubrics may be deep."""
    path: list[str] = []
    stack: list[tuple[str, Span | None, bool]] = [(start, None, False)]
    while stack:
        name, at, leaving = stack.pop()
        if leaving:
            path.pop()
            done.add(name)
            continue
        if name in path:
            assert at is not None
            done.update(path)
            return [*path[path.index(name) :], name], at
        if name in done:
            continue
        path.append(name)
        stack.append((name, None, True))
        stack += [(other, where, False) for other, where in reversed(edges.get(name, []))]
    return None
