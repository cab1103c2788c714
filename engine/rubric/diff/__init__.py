"""Two rubrics put side by side: every difference in words, and how many criteria keep their labels."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.rubric.canonical import criterion_sha256
from engine.rubric.diff.changes import Change, Labels, criterion_changes, placed_changes
from engine.rubric.diff.pairs import Pairs, Placed, criterion_pairs, group_pairs
from engine.rubric.names import plain_name
from engine.rubric.syntax import Criterion, Group, Rubric, criteria, titles
from engine.rubric.view.sentences import Titles, cap_words, combine_words, field_words, percent, verdict_words
from engine.rubric.written import Written

__all__ = ["Change", "Differences", "Labels", "differences"]


@dataclass(frozen=True, slots=True)
class Differences:
    """What is different.

    Attributes:
        same: every score and every verdict comes out the same.
        kept, lost: how many criteria of the old rubric have labels that stay valid, and how many have not.
    """

    changes: tuple[Change, ...]
    same: bool
    kept: int
    lost: int


def differences(old: tuple[Rubric, Written], new: tuple[Rubric, Written]) -> Differences:
    """From the old to the new. What was written in the files is given for settings and used files."""
    hashes = Counter(criterion_sha256(criterion) for criterion in criteria(new[0].root))
    before = [criterion_sha256(criterion) for criterion in criteria(old[0].root)]
    kept = sum(digest in hashes for digest in before)
    changes = (*_Comparison(old[0], new[0]).changes(), *_written(old[1], new[1]))
    return Differences(changes, old[0].sha256 == new[0].sha256, kept, len(before) - kept)


class _Comparison:
    """Two rubrics with their parts paired."""

    def __init__(self, old: Rubric, new: Rubric) -> None:
        self.old = old
        self.new = new
        self.criteria = criterion_pairs(old, new)
        self.groups = group_pairs(old, new, self.criteria)
        self.titles: tuple[Titles, Titles] = (titles(old.root), titles(new.root))
        self.now: Mapping[str, str] = {one.part.id: other.part.id for one, other in self.groups.both} | {"": ""}

    def changes(self) -> Iterator[Change]:
        yield from self._rubric()
        for before, after in self.groups.both:
            yield from self._moved(before, after, Labels.NONE)
            yield from placed_changes(before.part, after.part, self.titles, Labels.NONE)
            yield from _group(before.part, after.part, f'"{after.part.title}"')
        yield from _only_one(self.groups, "group", Labels.NONE)
        for one, other in self.criteria.both:
            same = criterion_sha256(one.part) == criterion_sha256(other.part)
            yield from self._moved(one, other, Labels.VALID if same else Labels.NONE)
            yield from criterion_changes(one.part, other.part, self.titles)
        yield from _only_one(self.criteria, "criterion", Labels.LOST)
        yield from self._caps()
        yield from self._verdicts()

    def _rubric(self) -> Iterator[Change]:
        old, new = self.old, self.new
        if old.id != new.id:
            yield Change("id", "", f"the rubric has the id {new.id} instead of {old.id}")
        if old.title != new.title:
            yield Change("title", "", f'the rubric is called "{new.title}" instead of "{old.title}"')
        if old.version != new.version:
            yield Change("version", "", f"version {new.version or 'none'} instead of {old.version or 'none'}")
        yield from _group(old.root, new.root, "the rubric")
        texts = [
            name for name in ("about", "owner", "note", "tags", "language") if getattr(old, name) != getattr(new, name)
        ]
        if texts:
            yield Change("about", "", f"{', '.join(texts)}: other words, without effect on scores")
        before = {each.name: field_words(each) for each in old.fields}
        now = {each.name: field_words(each) for each in new.fields}
        yield from _named("field", before, now)

    def _moved(
        self, before: Placed[Criterion] | Placed[Group], after: Placed[Criterion] | Placed[Group], labels: Labels
    ) -> Iterator[Change]:
        if self.now.get(before.group) != after.group:
            source = f'in the group "{self.titles[0][before.group]}"' if before.group else "outside all groups"
            target = f'into the group "{self.titles[1][after.group]}"' if after.group else "out of all groups"
            said = f'"{after.part.title}" moved {target}; it was {source}'
            yield Change("moved", after.part.id, said, labels)

    def _caps(self) -> Iterator[Change]:
        old = {(each.ref, cap_words(each, self.titles[0]).partition(" when ")[2]): each for each in self.old.caps}
        new = {(each.ref, cap_words(each, self.titles[1]).partition(" when ")[2]): each for each in self.new.caps}
        for key, cap in old.items():
            if key not in new:
                yield Change("cap", "", f"no longer: {cap_words(cap, self.titles[0])}")
            elif new[key].at_most != cap.at_most:
                said = f"{cap_words(new[key], self.titles[1])}; before, at most {percent(cap.at_most)}"
                yield Change("cap", "", said)
        for key, cap in new.items():
            if key not in old:
                yield Change("cap", "", f"new: {cap_words(cap, self.titles[1])}")

    def _verdicts(self) -> Iterator[Change]:
        old, new = _lines(self.old, self.titles[0]), _lines(self.new, self.titles[1])
        for key, said in old.items():
            if key not in new:
                yield Change("verdict", "", f'the verdict "{key[0]}" is gone: {said}')
            elif new[key] != said:
                yield Change("verdict", "", f'the verdict "{key[0]}" is given {new[key]}; before, {said}')
        for key, said in new.items():
            if key not in old:
                yield Change("verdict", "", f'there is a new verdict "{key[0]}", {said}')
        if [key for key in old if key in new] != [key for key in new if key in old]:
            order = ", ".join(f'"{name}"' for name, _ in new)
            yield Change("verdict order", "", f"verdicts are read in another order: {order}")


def _group(old: Group, new: Group, name: str) -> Iterator[Change]:
    if (old.combine, old.need) != (new.combine, new.need):
        yield Change("combine", new.id, f"{name} is {combine_words(new)}; before, {combine_words(old)}")
    if old.minimum_graded != new.minimum_graded:
        now, before = percent(new.minimum_graded), percent(old.minimum_graded)
        yield Change("minimum graded", new.id, f"{name} needs {now} of its weight graded instead of {before}")
    if not new.id and old.pass_mark != new.pass_mark:
        yield Change("pass mark", "", f"{name} passes from another score")


def _only_one(pairs: Pairs[Criterion] | Pairs[Group], noun: str, labels: Labels) -> Iterator[Change]:
    for placed in pairs.removed:
        lost = ": its labels no longer count" if labels is Labels.LOST else ""
        said = f'the {noun} "{placed.part.title}" is gone{lost}'
        yield Change("removed", placed.part.id, said, labels)
    for placed in pairs.added:
        yield Change("added", placed.part.id, f'there is a new {noun} "{placed.part.title}"')


def _lines(rubric: Rubric, names: Titles) -> Mapping[tuple[str, int], str]:
    """Verdict lines by name; several lines may give the same verdict, and are counted."""
    found: dict[tuple[str, int], str] = {}
    for verdict in rubric.verdicts:
        number = sum(name == verdict.name for name, _ in found)
        found[verdict.name, number] = verdict_words(verdict, names)
    return found


def _written(old: Written, new: Written) -> Iterator[Change]:
    before = {plain_name(name): value for name, value in old.settings}
    yield from _named("setting", before, {plain_name(name): value for name, value in new.settings})
    for line in (line for line in old.uses if line not in new.uses):
        yield Change("use", "", f"no longer used: {line}")
    for line in (line for line in new.uses if line not in old.uses):
        yield Change("use", "", f"used now: {line}")


def _named(what: str, before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Change]:
    for name, value in before.items():
        if name not in now:
            yield Change(what, "", f'the {what} "{name}" is gone')
        elif now[name] != value:
            yield Change(what, "", f'the {what} "{name}" is {now[name]} instead of {value}')
    for name in now:
        if name not in before:
            yield Change(what, "", f'there is a new {what} "{name}": {now[name]}')
