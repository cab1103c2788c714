"""Names in a rubric: what each stands for, or a message with the name that was most likely meant."""

import re
from collections.abc import Iterable

from engine.rubric import names
from engine.rubric.context import Context, Slip
from engine.rubric.diagnostic import Diagnostic, Edit, Span, not_known
from engine.rubric.parse import Node
from engine.rubric.slips.lines import of_length
from engine.rubric.slips.repair import respelled, respelling, subjects
from engine.rubric.slips.verbs import modal_in_name
from engine.rubric.slips.wordings import conditional
from engine.rubric.syntax import FieldType
from engine.text import nearest, one_slip

__all__ = ["known_value", "number_called", "resolve", "unknown_name"]

_PATIENCE = 200  # problems; nobody reads more, and looking for what was meant takes time


def resolve(at: Span, context: Context) -> str:
    """The id of the criterion or group in [brackets]. Raises Slip when there is none."""
    title = " ".join(at.text.strip("[]").split())
    found = context.ids.get(names.plain_name(title))
    if found is not None:
        return found
    near = nearest(title, context.titles) if len(context.problems) < _PATIENCE else None
    meant = f"[{near}]" if near else None
    step = f"write {meant}" if meant else "write the name exactly as it stands after criterion: or group:"
    raise Slip(not_known("R304", f"There is no criterion or group called [{title}]", at, meant, step))


def number_called(name: str, at: Span, context: Context) -> names.Quantity:
    """The measure, the recorded number or the declared field of this name. Raises Slip when there is none."""
    found = names.quantity(name)
    if found is not None:
        return found
    wanted = names.plain_name(name)
    declared = context.fields.get(wanted)
    if declared is None:
        raise Slip(of_length(name, at) or unknown_name(name, at, context, names.SOME_NUMBERS))
    context.used.add("field " + wanted)
    if not declared.number:
        message = f'"{name}" is declared as a word, and a number is needed here'
        step = f"write near the top: field: {name} is a number"
        raise Slip(Diagnostic("R310", message, at, help=(step,), other=(declared.at, "declared here")))
    return names.field_number(wanted)


def unknown_name(name: str, at: Span, context: Context, choices: str) -> Diagnostic:
    """Why nothing has this name. `choices` is the advice, if any, when no known name is close."""
    wanted = names.plain_name(name)
    if wanted in context.ids:
        title = next(title for title in context.titles if names.plain_name(title) == wanted)
        message = f'"{name}" is a criterion; names of criteria stand in [brackets]'
        return Diagnostic("R305", message, at, help=(f"write [{title}]",), edit=Edit(at, f"[{title}]"))
    no_name = conditional(at.line) or modal_in_name(at)
    if no_name is not None:
        return no_name
    near = names.suggest(name, tuple(context.fields)) if len(context.problems) < _PATIENCE else None
    if len(context.problems) < _PATIENCE and (
        near is None or not one_slip(wanted.partition("@")[0], near.partition("@")[0])
    ):
        known = (*context.fields, *names.FIELDS)
        misspelled = respelled(at, lambda node: all(_number_or_word(part, known) for part in subjects(node)))
        if misspelled is not None:
            return misspelled
    label = f'did you mean "{near}"?' if near else ""
    steps = (f"write: {near}",) if near else (choices,) if choices else ()
    edit = Edit(at, near) if near else None
    help_ = (*steps, _declaration(name, at))
    return Diagnostic("R305", f'I don\'t know what "{name}" is', at, label, help_, edit=edit)


_VALUE = re.compile(r"\s+(?:is|are)(?:\s+not|n['’]t)?\s+(?:(?:one|any)\s+of\s+)?(?P<value>[^\W\d_][\w-]*)", re.I)
_AMOUNT = re.compile(r"(at|no|up|more|less|fewer|greater|over|above|under|below|exactly|between|minimum|maximum)\b")


def _declaration(name: str, at: Span) -> str:
    """How to declare a field of one's own, with the value that the line speaks of."""
    found = _VALUE.match(at.line.folded, at.end)
    value = found["value"].casefold() if found else "at"
    kind = "a number" if _AMOUNT.fullmatch(value) else "text" if value in _GIVEN else f"one of {value}, ..."
    return f"if your team records it about each question, declare it near the top:\nfield: {name} is {kind}"


_GIVEN = {"given", "present", "known", "missing", "absent"}


def _number_or_word(subject: Node, known: Iterable[str]) -> bool:
    name = " ".join(word.text for word in subject.words())
    return names.quantity(name) is not None or names.plain_name(name) in known


def known_value(name: str, value: str, at: Span, context: Context) -> None:
    """Raises Slip for a value that the field cannot have, and for what only looks like one: `is noot returns`."""
    declared: FieldType | None = context.fields.get(name)
    if declared is None or not declared.values:
        first, _, rest = value.partition(" ")
        if rest and one_slip(first.casefold(), "not"):
            raise Slip(respelling(Span(at.line, at.start, at.start + len(first)), "not"))
        return
    if names.plain_name(value) in map(names.plain_name, declared.values):
        return
    near = nearest(value, declared.values)
    step = f"it can be: {', '.join(declared.values)}"
    raise Slip(not_known("R312", f'"{value}" is not one of the values of {name}', at, near, step))
