"""What a reader of a rubric is shown, in the order to read it. How it looks is not decided here."""

from collections.abc import Iterator
from dataclasses import dataclass

from engine.rubric import expression as say
from engine.rubric.canonical import criterion_sha256
from engine.rubric.numbers import plain
from engine.rubric.shares import Counts, Share, permille, shares
from engine.rubric.syntax import (
    Asked,
    Checklist,
    Checks,
    Criterion,
    Group,
    Item,
    Measured,
    Rubric,
    Scale,
    criteria,
    parts,
    titles,
)
from engine.rubric.view import sentences as words
from engine.rubric.written import Written

__all__ = ["Bar", "Bars", "Block", "Fact", "Heading", "Points", "Table", "content"]


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of what follows; level 1 is the rubric."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Fact:
    """`Question: Is it kind?`"""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Points:
    """A list under a name. `numbered` where the order decides."""

    name: str
    texts: tuple[str, ...]
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a head, each as long as the head."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """One part of the picture: how deep it lies, its thousandths of the total (None: it has none), and its words."""

    depth: int
    title: str
    permille: int | None
    said: str


@dataclass(frozen=True, slots=True)
class Bars:
    """The picture of what the score is made of."""

    rows: tuple[Bar, ...]


Block = Heading | Fact | Points | Table | Bars


def content(rubric: Rubric, written: Written) -> Iterator[Block]:
    """The blocks of a rubric. `written` is what only its file says."""
    page = _Page(rubric)
    yield from page.front(written)
    yield from page.score()
    yield from page.verdicts()
    yield Heading(2, "Criteria")
    yield from page.members(rubric.root, 3)
    if rubric.fields:
        yield Heading(2, "Words about each query")
        for declared in rubric.fields:
            yield Fact(declared.name, words.field_words(declared))
    if written.settings:
        yield Heading(2, "Settings")
        for name, value in written.settings:
            yield Fact(name, value)


class _Page:
    """One rubric with what many of its blocks need."""

    def __init__(self, rubric: Rubric) -> None:
        self.rubric = rubric
        self.titles = titles(rubric.root)
        self.shares = shares(rubric.root)
        self.permille = permille(rubric.root)

    def front(self, written: Written) -> Iterator[Block]:
        rubric = self.rubric
        yield Heading(1, rubric.title)
        if rubric.about:
            yield Fact("About", rubric.about)
        yield Fact("Version", str(rubric.version) if rubric.version else "none was written")
        yield Fact("Meaning", f"{rubric.sha256[:16]} (changes when a score or a verdict can change)")
        for name, text in (
            ("Id", rubric.id),
            ("Owner", rubric.owner),
            ("Language", rubric.language),
            ("Tags", ", ".join(rubric.tags)),
            ("Note", rubric.note),
        ):
            if text:
                yield Fact(name, text)
        if written.uses:
            yield Points("Uses", written.uses)

    def score(self) -> Iterator[Block]:
        root = self.rubric.root
        yield Heading(2, "What the score is made of")
        yield Fact("Score", words.combine_words(root) if root.counts else "the share of its musts that pass")
        if any(member.only_when for member in parts(root)):
            yield Fact("Shares", "as they are when everything applies")
        if root.minimum_graded != 1:
            yield Fact("Minimum graded", self._minimum(root))
        yield Bars(tuple(self._bars(root, 0)))

    def verdicts(self) -> Iterator[Block]:
        rubric = self.rubric
        if rubric.caps:
            yield Heading(2, "Caps")
            yield Points("", tuple(words.cap_words(cap, self.titles) for cap in rubric.caps))
        if rubric.verdicts:
            yield Heading(2, "Verdicts")
            lines = tuple(f"{each.name}: {words.verdict_words(each, self.titles)}" for each in rubric.verdicts)
            otherwise = next((each.name for each in rubric.verdicts if each.when is None), None)
            if otherwise is not None and self._musts_are_silent():
                yield Fact("When a must fails", f"always {otherwise}, whatever the score")
            yield Points("Read from top to bottom; the first that fits wins", lines, numbered=True)

    def members(self, group: Group, level: int) -> Iterator[Block]:
        for member in group.members:
            yield Heading(min(level, 6), member.title)
            if isinstance(member, Group):
                yield from self._group(member)
                yield from self.members(member, level + 1)
            else:
                yield from self._criterion(member)

    # ---- one part ----------------------------------------------------------------------------

    def _bars(self, group: Group, depth: int) -> Iterator[Bar]:
        for member in group.members:
            share = self.shares[member.id]
            whole = self.permille.get(member.id)
            yield Bar(depth, member.title, whole, _share_words(share, whole))
            if isinstance(member, Group):
                yield from self._bars(member, depth + 1)

    def _group(self, group: Group) -> Iterator[Block]:
        yield Fact(
            "Group", words.combine_words(group) if group.counts else "its musts decide the verdict, not the score"
        )
        yield from self._place(group)
        if group.minimum_graded != 1:
            yield Fact("Minimum graded", self._minimum(group))

    def _criterion(self, criterion: Criterion) -> Iterator[Block]:
        yield Fact("Kind", words.role_words(criterion))
        yield from self._place(criterion)
        match criterion.grading:
            case Checks() as checks:
                lines = tuple(words.check_words(check, self.titles) for check in checks.checks)
                name = "The share of these that holds" if checks.partial else "All of these hold"
                yield Points("This holds" if len(lines) == 1 else name, lines)
            case Measured() as measured:
                yield Fact("Measure", words.measure_words(measured))
            case Asked() as asked:
                yield Fact("Question", asked.question)
                yield from _judged(criterion, asked)
            case Checklist() as checklist:
                if checklist.question:
                    yield Fact("Question", checklist.question)
                yield Table(("Fact", "Weight"), tuple((item.text, _weight_of(item)) for item in checklist.items))
                yield from _judged(criterion, checklist)
        if criterion.good:
            yield Points("Good examples", criterion.good)
        if criterion.bad:
            yield Points("Bad examples", criterion.bad)
        if criterion.note:
            yield Fact("Note", criterion.note)
        yield Fact("Id", f"{criterion.id}; labels bind to {criterion_sha256(criterion)[:16]}")

    def _place(self, member: Criterion | Group) -> Iterator[Block]:
        """What a criterion and a group have in common."""
        yield Fact("Share", _share_words(self.shares[member.id], self.permille.get(member.id)))
        if member.about:
            yield Fact("About", member.about)
        if member.weight is not None:
            value = member.weight.value
            yield Fact("Weight", words.percent(value) if member.weight.percent else plain(value))
        if member.only_when is not None:
            yield Fact("Only when", words.check_words(member.only_when, self.titles))
        if member.pass_mark is not None and self.shares[member.id].counts not in (Counts.TAKES_OFF, Counts.ADDS):
            yield Fact("Passes", f"from {plain(member.pass_mark)}")
        if member.tags:
            yield Fact("Tags", ", ".join(member.tags))
        if isinstance(member, Group) and member.note:
            yield Fact("Note", member.note)

    def _musts_are_silent(self) -> bool:
        """There are musts, and no verdict line mentions them."""
        said = (each.when.holds for each in self.rubric.verdicts if each.when is not None)
        return any(each.role.gate for each in criteria(self.rubric.root)) and not any(map(_mentions_musts, said))

    def _minimum(self, group: Group) -> str:
        share = words.percent(group.minimum_graded)
        return f"with {share} of the weight graded, what is ungraded is left out"


def _mentions_musts(expression: say.Expression) -> bool:
    match expression:
        case say.AnyMustFails():
            return True
        case say.All(parts=parts) | say.Any(parts=parts):
            return any(map(_mentions_musts, parts))
        case say.Not(part=part):
            return _mentions_musts(part)
        case _:
            return False


def _judged(criterion: Criterion, grading: Asked | Checklist) -> Iterator[Block]:
    yield from _scale(grading.scale)
    if grading.skippable:
        yield Fact("Not applicable", "a judge may say so")
    yield Fact("Judges", words.panel_words(grading.panel))
    yield Fact("A judge sees", ", ".join(criterion.shown))
    if criterion.guidance:
        yield Fact("Guidance", criterion.guidance)


def _scale(scale: Scale) -> Iterator[Block]:
    rows = tuple(words.level_words(level) for level in scale.levels)
    if scale.low is not None and scale.high is not None:
        yield Fact("Scale", f"points from {plain(scale.low)} (worst) to {plain(scale.high)} (best)")
        if rows:
            yield Table(("Points", "Meaning"), tuple((label, meaning) for label, _, meaning in rows))
        return
    if any(meaning for *_, meaning in rows):
        yield Table(("Answer", "Score", "Meaning"), rows)
    else:
        yield Table(("Answer", "Score"), tuple((label, score) for label, score, _ in rows))


def _weight_of(item: Item) -> str:
    parts = [item.mark or plain(item.weight)]
    if item.mark and item.mark != plain(item.weight):
        parts.append(f"weighs {plain(item.weight)}")
    if item.must:
        parts.append("without it the list scores 0")
    if item.weight < 0:
        parts.append("ought not to be there")
    return ", ".join(parts)


def _share_words(share: Share, whole: int | None) -> str:
    said = "" if whole is None else f"{whole // 10}.{whole % 10}%".replace(".0%", "%")
    match share.counts:
        case Counts.PART:
            return f"{said} of the total" if said else "counts for nothing"
        case Counts.TAKES_OFF:
            return f"takes off up to {said}"
        case Counts.ADDS:
            return f"adds up to {said}"
        case Counts.GATE:
            return f"gate, {said} of the total" if said else "gate: decides the verdict"
        case Counts.INFO:
            return "reported only"
        case Counts.TOGETHER:
            return "decided together with its group"
