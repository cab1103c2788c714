"""Which criterion of one rubric is which of another: by id, else by what labels bind to, else by title."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from engine.rubric.canonical import criterion_sha256
from engine.rubric.names import plain_name
from engine.rubric.syntax import Asked, Checklist, Criterion, Group, Rubric

__all__ = ["Pairs", "Placed", "criterion_pairs", "group_pairs"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Placed(Generic[T]):
    """A part and the id of the group that it lies in; the root's is empty."""

    part: T
    group: str


@dataclass(frozen=True, slots=True)
class Pairs(Generic[T]):
    """Parts that are the same one in both rubrics, and those that only one has."""

    both: tuple[tuple[Placed[T], Placed[T]], ...]
    removed: tuple[Placed[T], ...]
    added: tuple[Placed[T], ...]


def criterion_pairs(old: Rubric, new: Rubric) -> Pairs[Criterion]:
    """Criteria: the surest likeness first, each criterion once."""
    keys: tuple[Callable[[Placed[Criterion]], Hashable], ...] = (
        lambda placed: (placed.part.id, criterion_sha256(placed.part)),
        lambda placed: placed.part.id,
        lambda placed: criterion_sha256(placed.part),
        lambda placed: plain_name(placed.part.title),
        lambda placed: _question(placed.part),
    )
    return _paired(tuple(_criteria(old.root)), tuple(_criteria(new.root)), keys)


def group_pairs(old: Rubric, new: Rubric, criteria: Pairs[Criterion]) -> Pairs[Group]:
    """Groups: by id, by title, else by where their criteria went."""
    went: Mapping[str, str] = {before.group: after.group for before, after in reversed(criteria.both)}
    found = tuple(_groups(new.root))
    names = {placed.part.id for placed in found}
    before: tuple[Callable[[Placed[Group]], Hashable], ...] = (
        lambda placed: placed.part.id,
        lambda placed: plain_name(placed.part.title),
        lambda placed: (
            placed.part.id if placed.part.id in names else went.get(placed.part.id, ("none", placed.part.id))
        ),
    )
    after: tuple[Callable[[Placed[Group]], Hashable], ...] = (before[0], before[1], before[0])
    return _paired(tuple(_groups(old.root)), found, before, after)


def _question(criterion: Criterion) -> Hashable:
    """What is asked; of what nobody is asked only itself."""
    question = criterion.grading.question if isinstance(criterion.grading, Asked | Checklist) else ""
    return plain_name(question) if question else id(criterion)


def _criteria(group: Group) -> Iterator[Placed[Criterion]]:
    for member in group.members:
        if isinstance(member, Group):
            yield from _criteria(member)
        else:
            yield Placed(member, group.id)


def _groups(group: Group) -> Iterator[Placed[Group]]:
    for member in group.members:
        if isinstance(member, Group):
            yield Placed(member, group.id)
            yield from _groups(member)


def _paired(
    old: tuple[Placed[T], ...],
    new: tuple[Placed[T], ...],
    keys: tuple[Callable[[Placed[T]], Hashable], ...],
    new_keys: tuple[Callable[[Placed[T]], Hashable], ...] = (),
) -> Pairs[T]:
    """Stage by stage, so that a weak likeness never takes what a strong one would have."""
    partner: dict[int, int] = {}
    for key, new_key in zip(keys, new_keys or keys, strict=True):
        free: dict[Hashable, list[int]] = {}
        for index, placed in enumerate(new):
            if index not in partner.values():
                free.setdefault(new_key(placed), []).append(index)
        for index, placed in enumerate(old):
            if index not in partner and (found := free.get(key(placed))):
                partner[index] = found.pop(0)
    taken = set(partner.values())
    return Pairs(
        tuple((old[index], new[other]) for index, other in sorted(partner.items())),
        tuple(placed for index, placed in enumerate(old) if index not in partner),
        tuple(placed for index, placed in enumerate(new) if index not in taken),
    )
