"""A rubric as a promptfoo configuration: what maps becomes assertions, what does not becomes a comment."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal

from engine.rubric import expression as say
from engine.rubric.exporting.checks import Bare, CannotError, assertions, denied
from engine.rubric.exporting.yaml_text import Yaml, yaml_text
from engine.rubric.numbers import plain
from engine.rubric.syntax import (
    YES_NO,
    Asked,
    Checklist,
    Checks,
    Combine,
    Criterion,
    Group,
    Item,
    Measured,
    Role,
    Rubric,
    Scale,
    Verdict,
)
from engine.text import one_line

__all__ = ["Exported", "promptfoo"]

_SIX = Context(prec=6)


@dataclass(frozen=True, slots=True)
class Exported:
    """The text of the file, and what is not in it, one line each; the file has those lines as comments."""

    text: str
    lost: tuple[str, ...]


def promptfoo(rubric: Rubric) -> Exported:
    """`defaultTest` with the assertions of a rubric; prompts, providers and tests are for the user to add.

    A group becomes an `assert-set`. Texts are compared without case in a rubric, so `contains` is written
    `icontains`. A question becomes an `llm-rubric` with everything that a judge would be told about it.
    """
    writer = _Writer()
    listed = tuple(writer.members(rubric.root))
    threshold = _threshold(rubric.verdicts, writer.lost)
    writer.lost += [f"cap at {plain(cap.at_most)}: there are none in promptfoo" for cap in rubric.caps]
    default: dict[str, Yaml] = {"threshold": threshold} if threshold is not None else {}
    lost = tuple(one_line(each, 400) for each in writer.lost)
    remarks = (
        "# Written by `assay rubric export`. Add prompts, providers and tests; see the promptfoo documentation.",
        *(f"# not exported: {each}" for each in lost),
    )
    content = yaml_text({"description": rubric.title, "defaultTest": {**default, "assert": listed}})
    return Exported("\n".join(remarks) + "\n" + content, lost)


@dataclass(slots=True)
class _Writer:
    """Collects what is lost on the way."""

    lost: list[str] = field(default_factory=list)

    def members(self, root: Group) -> Iterator[Yaml]:
        """The assertions of the rubric itself: criteria as they are, groups as sets."""
        self._combined(root, "the rubric")
        for member in root.members:
            if isinstance(member, Criterion):
                yield from self._alone(member)
            elif (found := self._set(member)) is not None:
                yield found

    def _alone(self, criterion: Criterion) -> Iterator[Yaml]:
        """One criterion; several assertions that have to hold together are a set."""
        found, weight = self._found(criterion), _weight(criterion)
        if len(found) == 1:
            yield _assertion(found[0], weight, criterion.title)
        elif found:
            inner = tuple(_assertion(each, each.weight) for each in found)
            whole: dict[str, Yaml] = {"type": "assert-set", "metric": criterion.title, **_weighed(weight)}
            mark = criterion.pass_mark if criterion.pass_mark is not None else Decimal(1)
            yield {**whole, "threshold": mark, "assert": inner}

    def _set(self, group: Group) -> Yaml | None:
        self._combined(group, f'the group "{group.title}"')
        inner = tuple(self._flat(group, Decimal(1)))
        if not inner:
            return None
        weight = Decimal(1) if group.weight is None else group.weight.value
        mark: dict[str, Yaml] = {} if group.pass_mark is None else {"threshold": group.pass_mark}
        return {"type": "assert-set", "metric": group.title, **_weighed(weight), **mark, "assert": inner}

    def _flat(self, group: Group, share: Decimal) -> Iterator[Yaml]:
        """Everything in a group in one list, because sets hold no sets; weights are shared out."""
        for member in group.members:
            if isinstance(member, Group):
                self.lost.append(f'the group "{member.title}" inside a group; its criteria stand among the others')
                self._combined(member, f'the group "{member.title}"')
                counted = sum((_weight(each) for each in member.members if each.counts), Decimal(0)) or Decimal(1)
                yield from self._flat(member, share * _weight(member) / counted)
                continue
            found = self._found(member)
            total = sum((each.weight for each in found), Decimal(0)) or Decimal(1)
            for each in found:
                yield _assertion(each, _SIX.plus(share * _weight(member) * each.weight / total), member.title)

    def _combined(self, group: Group, what: str) -> None:
        if group.combine is not Combine.WEIGHTED_MEAN:
            self.lost.append(f"{what}: how it combines its members ({group.combine}); promptfoo takes the mean")
        if group.only_when is not None:
            self.lost.append(f"{what}: its condition ({group.only_when.said}); promptfoo always asks")

    def _found(self, criterion: Criterion) -> tuple["_Weighed", ...]:
        """The assertions of a criterion; nothing, and a line in `lost`, when there are none like it."""
        try:
            found = tuple(_graded(criterion))
        except CannotError as reason:
            self.lost.append(f'"{criterion.title}": {reason}')
            return ()
        differs = [each.bare.less for each in found if each.bare.less]
        if len(found) > 1 and isinstance(criterion.grading, Checks) and not criterion.grading.partial:
            differs.append("there each of its parts gives marks by itself")
        if criterion.role.gate and criterion.weight is None:
            differs.append("it decides alone here; there it also counts in the score")
        self.lost += [f'"{criterion.title}": {less}' for less in dict.fromkeys(differs)]
        return found


@dataclass(frozen=True, slots=True)
class _Weighed:
    bare: Bare
    weight: Decimal = Decimal(1)


def _graded(criterion: Criterion) -> Iterator[_Weighed]:
    if criterion.role in (Role.PENALTY, Role.BONUS):
        raise CannotError(f"promptfoo has no {criterion.role}")
    if criterion.only_when is not None:
        raise CannotError(f"promptfoo has no conditions ({criterion.only_when.said})")
    match criterion.grading:
        case Measured(name=name):
            raise CannotError(f"promptfoo gives no marks for {name}")
        case Checks(checks=checks) if criterion.role is Role.MUST_NOT:
            if len(checks) > 1:
                raise CannotError("promptfoo has no opposite of several checks")
            yield from map(_Weighed, assertions(denied(checks[0].holds)))
        case Checks(checks=checks):
            yield from (_Weighed(bare) for check in checks for bare in assertions(check.holds))
        case Asked(question=question, scale=scale):
            yield _Weighed(_judged(criterion, question, scale))
        case Checklist(items=items, question=question, scale=scale):
            if any(item.weight < 0 or item.must for item in items):
                raise CannotError("promptfoo has no facts that take marks away or decide alone")
            yield from (_Weighed(_judged(criterion, _fact(question, item), scale), item.weight) for item in items)


def _fact(question: str, item: Item) -> str:
    return f"{question or 'Is this in the answer?'}\n{item.text}"


def _judged(criterion: Criterion, question: str, scale: Scale) -> Bare:
    """What a judge is told, with scores in the place of words: promptfoo's judge gives a score."""
    turned = criterion.role is Role.MUST_NOT
    rows = [
        question,
        *(["This is about something bad: it passes only when the answer to the question is no."] * turned),
    ]
    rows += _scored(scale, turned)
    rows += [f"Guidance: {criterion.guidance}"] if criterion.guidance else []
    rows += [f"Example of a good answer: {text}" for text in criterion.good]
    rows += [f"Example of a bad answer: {text}" for text in criterion.bad]
    marked = scale != YES_NO and criterion.pass_mark is not None
    return Bare("llm-rubric", "\n".join(rows), criterion.pass_mark if marked else None)


def _scored(scale: Scale, turned: bool) -> Iterator[str]:
    if scale == YES_NO:
        return
    if scale.low is not None and scale.high is not None:
        low, high = (scale.high, scale.low) if turned else (scale.low, scale.high)
        ends = f"{plain(low)} is score 0, {plain(high)} is score 1"
        yield f"Points from {plain(scale.low)} to {plain(scale.high)}: {ends}."
        yield from (f"- {level.label}: {level.meaning}" for level in scale.levels)
        return
    yield "Give one of these scores:"
    for level in scale.levels:
        if level.score is not None:
            yield f"- {plain(1 - level.score if turned else level.score)} {level.label}: {level.meaning}".rstrip(": ")


def _assertion(found: _Weighed, weight: Decimal, metric: str = "") -> Yaml:
    bare = found.bare
    return {
        "type": bare.type,
        **({} if bare.value is None else {"value": bare.value}),
        **({} if bare.threshold is None else {"threshold": bare.threshold}),
        **_weighed(weight),
        **({"metric": metric} if metric else {}),
    }


def _weighed(weight: Decimal) -> dict[str, Yaml]:
    return {} if weight == 1 else {"weight": weight}


def _weight(member: Criterion | Group) -> Decimal:
    if isinstance(member, Criterion) and member.role is Role.INFO:
        return Decimal(0)
    return Decimal(1) if member.weight is None else member.weight.value


def _threshold(verdicts: Sequence[Verdict], lost: list[str]) -> Decimal | None:
    """The score that the best verdict asks for; promptfoo passes or fails, so the ones between are lost."""
    named = [verdict for verdict in verdicts if verdict.when is not None]
    lost += [f'the verdict "{verdict.name}": promptfoo only passes or fails' for verdict in named[1:]]
    if not named or named[0].when is None:
        return None
    match named[0].when.holds:
        case say.Score(range=say.Between(low=Decimal() as low, high=None, low_open=False)):
            return None if low == 1 else low
        case _:
            lost.append(f'when the verdict "{named[0].name}" is given: {named[0].when.said}')
            return None
