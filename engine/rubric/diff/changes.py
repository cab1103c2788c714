"""What is different in one criterion, in words: which labels still count, and which no longer do."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from itertools import zip_longest

from engine.rubric.canonical import criterion_sha256, meaning_of
from engine.rubric.numbers import plain
from engine.rubric.syntax import Asked, Checklist, Checks, Criterion, Group, Item, Level, Measured, Scale, Weight
from engine.rubric.view.sentences import Titles, check_words, measure_words, panel_words, percent

__all__ = ["Change", "Labels", "criterion_changes", "placed_changes"]


class Labels(StrEnum):
    """What a change does to labels that were given before it."""

    VALID = "valid"
    LOST = "lost"
    NONE = "none"
    """There were none, or the change has nothing to do with them."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference.

    Attributes:
        what: stable name, `weight`; programs refer to it.
        id: of the criterion or group; empty for the rubric itself.
        words: one sentence.
        before, now: longer texts, for reading below each other; both empty when the sentence says it all.
    """

    what: str
    id: str
    words: str
    labels: Labels = Labels.NONE
    before: str = ""
    now: str = ""


def criterion_changes(old: Criterion, new: Criterion, titles: tuple[Titles, Titles]) -> Iterator[Change]:
    """Everything that is different but its place in the tree. `titles` of the old and of the new rubric."""
    same = criterion_sha256(old) == criterion_sha256(new)
    labels = Labels.VALID if same else Labels.NONE
    if old.role is not new.role:
        said = f'"{new.title}" is "{new.role}:" now, and was "{old.role}:"'
        lost = Labels.LOST if old.role.bad is not new.role.bad else labels
        yield Change("kind", new.id, said, lost)
    yield from placed_changes(old, new, titles, labels)
    yield from _who(old, new, labels)
    if not same:
        found = tuple(_graded(old, new, titles))
        yield from found or (_lost("grading", new, "is graded in another way"),)


def placed_changes(
    old: Criterion | Group, new: Criterion | Group, titles: tuple[Titles, Titles], labels: Labels
) -> Iterator[Change]:
    """Title, weight, pass mark and condition: what criteria and groups have in common."""
    if meaning_of(old.title) != meaning_of(new.title):
        yield Change("title", new.id, f'"{old.title}" is called "{new.title}" now', labels)
    elif old.id.rpartition("/")[2] != new.id.rpartition("/")[2]:
        yield Change("id", new.id, f'"{new.title}" has the id {new.id} instead of {old.id}', labels)
    if _weight(old) != _weight(new):
        yield Change("weight", new.id, _weight_words(old, new), labels)
    if old.pass_mark != new.pass_mark:
        yield Change("pass mark", new.id, _mark_words(old, new), labels)
    before = None if old.only_when is None else check_words(old.only_when, titles[0])
    now = None if new.only_when is None else check_words(new.only_when, titles[1])
    if before != now:
        yield Change("condition", new.id, _condition_words(new.title, before, now), labels)


# ---- place ------------------------------------------------------------------------------------


def _weight(part: Criterion | Group) -> Decimal | None:
    """None where it does not count, whatever is written."""
    if not part.counts:
        return None
    return Decimal(1) if part.weight is None else part.weight.value


def _weight_words(old: Criterion | Group, new: Criterion | Group) -> str:
    if not new.counts:
        return f'"{new.title}" no longer counts for the score'
    now = _shown(new.weight)
    if not old.counts:
        return f'"{new.title}" counts for the score now, with weight {now}'
    return f'"{new.title}" weighs {now} instead of {_shown(old.weight)}'


def _shown(weight: Weight | None) -> str:
    if weight is None:
        return "1"
    return percent(weight.value) if weight.percent else plain(weight.value)


def _mark_words(old: Criterion | Group, new: Criterion | Group) -> str:
    if new.pass_mark is None:
        return f'"{new.title}" has no pass mark any more'
    before = "; it had no pass mark" if old.pass_mark is None else f" instead of {plain(old.pass_mark)}"
    return f'"{new.title}" passes from {plain(new.pass_mark)}{before}'


def _condition_words(title: str, before: str | None, now: str | None) -> str:
    if now is None:
        return f'"{title}" always applies now; before, only when {before}'
    return f'"{title}" applies only when {now}; before, {"always" if before is None else f"only when {before}"}'


# ---- who judges, and how items weigh ----------------------------------------------------------


def _who(old: Criterion, new: Criterion, labels: Labels) -> Iterator[Change]:
    one, other = old.grading, new.grading
    if isinstance(one, Asked | Checklist) and isinstance(other, Asked | Checklist) and one.panel != other.panel:
        before, now = panel_words(one.panel), panel_words(other.panel)
        if before != now:
            yield Change("judges", new.id, f'"{new.title}" has other judges: {now}; before: {before}', labels)
    if isinstance(one, Checklist) and isinstance(other, Checklist):
        yield from _item_weights(one, other, new, labels)


def _item_weights(one: Checklist, other: Checklist, new: Criterion, labels: Labels) -> Iterator[Change]:
    earlier = _by_text(one)
    for key, item in _by_text(other).items():
        before = earlier.get(key)
        if before is None:
            continue
        if before.weight != item.weight:
            said = f'in "{new.title}", "{item.text}" weighs {plain(item.weight)} instead of {plain(before.weight)}'
            yield Change("item weight", new.id, said, labels)
        if before.must is not item.must:
            needed = "is a must now" if item.must else "is no must any more"
            yield Change("item must", new.id, f'in "{new.title}", "{item.text}" {needed}', labels)


def _by_text(checklist: Checklist) -> Mapping[str, Item]:
    return {str(meaning_of(item.text)): item for item in checklist.items}


# ---- what is graded: every change here costs labels -------------------------------------------


def _lost(what: str, new: Criterion, said: str, before: str = "", now: str = "") -> Change:
    words = f'"{new.title}" {said}: earlier labels no longer count'
    return Change(what, new.id, words, Labels.LOST, before, now)


def _graded(old: Criterion, new: Criterion, titles: tuple[Titles, Titles]) -> Iterator[Change]:
    match old.grading, new.grading:
        case (Checks() as one, Checks() as other):
            yield from _checks(one, other, new, titles)
        case (Measured() as one, Measured() as other):
            before, now = measure_words(one), measure_words(other)
            if before != now:
                yield _lost("measure", new, f"is measured by {now}; before, by {before}")
        case (Asked() as one, Asked() as other):
            yield from _question(one, other, new)
            yield from _judged(old, new, one, other)
        case (Checklist() as one, Checklist() as other):
            yield from _question(one, other, new)
            yield from _items(one, other, new)
            yield from _judged(old, new, one, other)
        case _:
            yield _lost("grading", new, f"is {_way(new)} now, and was {_way(old)}")


def _way(criterion: Criterion) -> str:
    match criterion.grading:
        case Checks():
            return "checked by the computer"
        case Measured():
            return "measured"
        case Asked():
            return "asked of a judge"
        case Checklist():
            return "a list of facts for a judge"


def _checks(one: Checks, other: Checks, new: Criterion, titles: tuple[Titles, Titles]) -> Iterator[Change]:
    before = {str(meaning_of(check)): check_words(check, titles[0]) for check in one.checks}
    now = {str(meaning_of(check)): check_words(check, titles[1]) for check in other.checks}
    gone = [said for key, said in before.items() if key not in now]
    come = [said for key, said in now.items() if key not in before]
    for was, becomes in zip_longest(gone, come):
        if was and becomes:
            yield _lost("check", new, "has another check", was, becomes)
        elif was:
            yield _lost("check", new, f"no longer checks that {was}")
        else:
            yield _lost("check", new, f"also checks that {becomes}")
    if one.partial is not other.partial:
        yield _lost("partial credit", new, "gives partial credit now" if other.partial else "is all or nothing now")


def _question(one: Asked | Checklist, other: Asked | Checklist, new: Criterion) -> Iterator[Change]:
    if meaning_of(one.question) != meaning_of(other.question):
        said = f'"{new.title}" asks another question: labels of the old question no longer count'
        yield Change("question", new.id, said, Labels.LOST, one.question or "none", other.question or "none")


def _items(one: Checklist, other: Checklist, new: Criterion) -> Iterator[Change]:
    before, now = _by_text(one), _by_text(other)
    for key, item in before.items():
        if key not in now:
            yield _lost("item", new, f'no longer lists "{item.text}"')
        elif (item.weight < 0) is not (now[key].weight < 0):
            turned = "ought not to be there now" if now[key].weight < 0 else "ought to be there now"
            yield _lost("item", new, f'says that "{item.text}" {turned}')
    for key, item in now.items():
        if key not in before:
            yield _lost("item", new, f'lists one more fact, "{item.text}"')


def _judged(old: Criterion, new: Criterion, one: Asked | Checklist, other: Asked | Checklist) -> Iterator[Change]:
    yield from _scale(one.scale, other.scale, new)
    if one.skippable is not other.skippable:
        yield _lost("n/a", new, f"may {'' if other.skippable else 'no longer '}be answered with n/a")
    if meaning_of(old.guidance) != meaning_of(new.guidance):
        yield _lost("guidance", new, "guides its judges in another way", old.guidance or "none", new.guidance or "none")
    if sorted(old.show) != sorted(new.show):
        before, now = ", ".join(old.shown), ", ".join(new.shown)
        yield _lost("show", new, "shows its judges something else", before, now)
    for what, was, becomes in (("good example", old.good, new.good), ("bad example", old.bad, new.bad)):
        earlier, later = {meaning_of(t): t for t in was}, {meaning_of(t): t for t in becomes}
        for text in (text for key, text in earlier.items() if key not in later):
            yield _lost(what, new, f"has lost a {what}", text, "")
        for text in (text for key, text in later.items() if key not in earlier):
            yield _lost(what, new, f"has another {what}", "", text)


def _scale(one: Scale, other: Scale, new: Criterion) -> Iterator[Change]:
    if (one.low is None) is not (other.low is None):
        yield _lost("scale", new, "is answered on another kind of scale", _answers(one), _answers(other))
        return
    if (one.low, one.high) != (other.low, other.high):
        yield _lost("scale", new, "is answered on another scale", _answers(one), _answers(other))
    before, now = _levels(one), _levels(other)
    for key, level in before.items():
        if key not in now:
            yield _lost("scale", new, f'has no row "{level.label}" on its scale any more')
            continue
        after = now[key]
        if level.score != after.score:
            yield _lost("scale", new, f'gives {_score(after)} for "{after.label}" instead of {_score(level)}')
        if meaning_of(level.meaning) != meaning_of(after.meaning):
            said = f'describes "{after.label}" in another way'
            yield _lost("scale", new, said, level.meaning or "no words", after.meaning or "no words")
    for key, level in now.items():
        if key not in before:
            yield _lost("scale", new, f'has a new row "{level.label}" on its scale')
    if [key for key in before if key in now] != [key for key in now if key in before]:
        yield _lost("scale", new, "has the rows of its scale in another order", _answers(one), _answers(other))


def _levels(scale: Scale) -> Mapping[str, Level]:
    return {
        str(meaning_of(level.label)) if level.low is None else f"{level.low} to {level.high}": level
        for level in scale.levels
    }


def _answers(scale: Scale) -> str:
    if scale.low is not None and scale.high is not None:
        return f"{plain(scale.low)} to {plain(scale.high)}"
    return ", ".join(level.label for level in scale.levels)


def _score(level: Level) -> str:
    return "n/a" if level.score is None else plain(level.score)
