"""Whether a worked case fits its rubric: votes, fields and expectations that the rubric has no place for."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from engine.model.exchange import Answer, Exchange, Turn
from engine.model.grade import NOT_APPLICABLE as SKIPPED
from engine.model.query import Query
from engine.model.rubric_case import Case, Standing
from engine.rubric.evidence import Evidence
from engine.rubric.fold import fold
from engine.rubric.grade import NOT_APPLICABLE, UNGRADED, Grader
from engine.rubric.names import plain_name, quantity
from engine.rubric.syntax import Criterion, FieldType, Question, Rubric, Scale, criteria
from engine.rubric.votes import score_of
from engine.text import nearest, one_line

__all__ = ["Misfit", "misfits"]

_USUAL_FIELDS = ("intent", "category", "task context")


class Misfit(NamedTuple):
    """A part of a case that its rubric has no place for. `steps` lead to it: `("votes", "tone")`."""

    steps: tuple[str, ...]
    message: str
    help: str


def misfits(case: Case, grader: Grader) -> tuple[Misfit, ...]:
    """Votes, fields and expectations that the rubric does not know: a slip, which would otherwise test nothing."""
    rubric = grader.rubric
    return (
        *_strange_votes(case, grader),
        *_strange_fields(case, rubric),
        *_strange_numbers(case, rubric),
        *_strange_verdict(case, rubric),
        *_strange_criteria(case, rubric),
    )


def _strange_votes(case: Case, grader: Grader) -> Iterator[Misfit]:
    for name, votes in case.votes.items():
        steps = ("votes", name)
        question = grader.questions.get(name)
        if question is None:
            yield Misfit(steps, _no_question(name, grader.rubric), _nearest_id(name, grader.questions))
            continue
        read = score_of(question.scale, question.skippable)
        for vote in votes:
            if read(vote.said) is None:
                said = f"{vote.said:g}" if isinstance(vote.said, float) else one_line(str(vote.said), 60)
                message = f'"{said}" is not on the scale of "{name}"'
                yield Misfit(steps, message, _on_the_scale(said, question))


def _no_question(name: str, rubric: Rubric) -> str:
    known = {criterion.id for criterion in criteria(rubric.root)}
    why = ": nobody is asked about it" if name in known else ""
    return f'the rubric has no question with the id "{one_line(name, 80)}"{why}'


def _on_the_scale(said: str, question: Question) -> str:
    choices = [*_labels(question.scale), *([SKIPPED] if question.skippable else [])]
    near = nearest(said, choices)
    return f'did you mean "{near}"?' if near else f"it can be: {', '.join(choices)}"


def _labels(scale: Scale) -> tuple[str, ...]:
    if scale.low is not None:
        return (f"a number from {scale.low} to {scale.high}",)
    return tuple(level.label for level in scale.levels)


def _strange_fields(case: Case, rubric: Rubric) -> Iterator[Misfit]:
    declared = {plain_name(each.name): each for each in rubric.fields}
    query = case.exchange.query
    for name, value in query.fields.items():
        found = declared.get(name)
        if found is None:
            message = f'the rubric declares no field "{one_line(name, 60)}"'
            yield Misfit(("fields", name), message, _near(name, declared))
        elif problem := _off_the_list(found, value):
            yield Misfit(("fields", name), *problem)
    for name, word in zip(_USUAL_FIELDS, (query.intent, query.category, query.task_context), strict=True):
        if word and name in declared and (problem := _off_the_list(declared[name], word)):
            yield Misfit((name.replace(" ", "_"),), *problem)


def _off_the_list(declared: FieldType, value: str | float) -> tuple[str, str] | None:
    said = one_line(f"{value:g}" if isinstance(value, float) else value, 60)
    if declared.number and isinstance(value, str):
        return f'"{said}" is no number, and {declared.name} is one', "write it without quotes"
    if not declared.values or fold(said) in map(fold, declared.values):
        return None
    return f'"{said}" is not one of the values of {declared.name}', _near(said, declared.values)


def _strange_numbers(case: Case, rubric: Rubric) -> Iterator[Misfit]:
    declared = [plain_name(each.name) for each in rubric.fields if each.number]
    for name in case.exchange.answer.numbers:
        if name not in declared and not _recorded(name):
            message = f'nothing reads a number called "{one_line(name, 60)}" here'
            yield Misfit(("numbers", name), message, _USED_FOR.get(name) or _near(name, (*_RECORDED, *declared)))


_USED_FOR = {"latency": "write latency_s: 1.5", "cost": "write cost_usd: 0.01", "tool calls": "write tools: [...]"}
_RECORDED = ("tokens", "steps", "similarity", "faithfulness", "citation precision")


def _recorded(name: str) -> bool:
    """Whether a check of this name reads what a target recorded, rather than measuring the answer."""
    found = quantity(name)
    alone = Exchange(Query("", "", "", ""), Turn("", ""), Answer(numbers={name: 0.5}))
    return found is not None and found.read(Evidence(alone, {})).value is not None


def _strange_verdict(case: Case, rubric: Rubric) -> Iterator[Misfit]:
    wanted = case.expected.verdict
    if wanted is None:
        return
    if not rubric.verdicts:
        step = "expect a score, or add verdict: lines to it"
        yield Misfit(("expect", "verdict"), "this rubric gives no verdict", step)
        return
    known = dict.fromkeys((*(each.name for each in rubric.verdicts), UNGRADED, NOT_APPLICABLE))
    if wanted not in known:
        message = f'the rubric has no verdict "{one_line(wanted, 60)}"'
        yield Misfit(("expect", "verdict"), message, _near(wanted, known))


def _strange_criteria(case: Case, rubric: Rubric) -> Iterator[Misfit]:
    known = {criterion.id: criterion for criterion in criteria(rubric.root)}
    for name, wanted in case.expected.criteria.items():
        steps = ("expect", "criteria", name)
        if name not in known:
            message = f'the rubric has no criterion with the id "{one_line(name, 80)}"'
            yield Misfit(steps, message, _nearest_id(name, known))
        elif wanted in (Standing.PASSES, Standing.FAILS) and not _passes_or_fails(known[name]):
            message = f'"{name}" has no pass mark, so it neither passes nor fails'
            yield Misfit(steps, message, "expect its score, or give it a pass mark:")


def _passes_or_fails(criterion: Criterion) -> bool:
    return criterion.pass_mark is not None and not (criterion.role.bad and not criterion.role.gate)


def _nearest_id(name: str, known: Iterable[str]) -> str:
    """Ids are paths, and people write the last part of one, or the title."""
    wanted = "-".join(name.casefold().split())
    known = tuple(known)
    ends = [each for each in known if each.rpartition("/")[2] == wanted.rpartition("/")[2]]
    near = ends[0] if len(ends) == 1 else nearest(wanted, known)
    return f'did you mean "{near}"?' if near else _near(name, known)


def _near(name: str, known: Iterable[str]) -> str:
    known = tuple(known)
    near = nearest(name, known)
    if near:
        return f'did you mean "{near}"?'
    return f"there is: {', '.join(known)}" if known else "there is none"
