"""Names in a rubric: what each stands for, or a message with the name that was most likely meant."""

from engine.rubric import names
from engine.rubric.context import Context, Slip
from engine.rubric.diagnostic import Diagnostic, Edit, Span
from engine.rubric.syntax import FieldType
from engine.text import nearest

__all__ = ["known_value", "later", "resolve", "unknown_name"]


def resolve(at: Span, context: Context) -> str:
    """The id of the criterion or group in [brackets]. Raises Slip when there is none."""
    title = " ".join(at.text.strip("[]").split())
    found = context.ids.get(names.plain_name(title))
    if found is not None:
        return found
    near = nearest(title, context.titles)
    label = f"did you mean [{near}]?" if near else ""
    step = f"write [{near}]" if near else "write the name exactly as it stands after criterion: or group:"
    edit = Edit(at, f"[{near}]") if near else None
    raise Slip(Diagnostic("R304", f"There is no criterion or group called [{title}]", at, label, (step,), edit=edit))


def unknown_name(name: str, at: Span, context: Context, choices: str) -> Diagnostic:
    """Why nothing has this name. `choices` is the advice when no known name is close."""
    wanted = names.plain_name(name)
    if wanted in names.LATER:
        return later(f'the measure "{name}"', at)
    if wanted in context.ids:
        title = next(title for title in context.titles if names.plain_name(title) == wanted)
        message = f'"{name}" is a criterion; names of criteria stand in [brackets]'
        return Diagnostic("R305", message, at, help=(f"write [{title}]",), edit=Edit(at, f"[{title}]"))
    near = names.suggest(name, tuple(context.fields))
    if near in names.LATER:
        return later(f'the measure "{near}"', at)
    label = f'did you mean "{near}"?' if near else ""
    step = f"write: {near}" if near else choices
    edit = Edit(at, near) if near else None
    return Diagnostic("R305", f'I don\'t know what "{name}" is', at, label, (step,), edit=edit)


def known_value(name: str, value: str, at: Span, context: Context) -> None:
    declared: FieldType | None = context.fields.get(name)
    if declared is None or not declared.values:
        return
    if names.plain_name(value) in map(names.plain_name, declared.values):
        return
    near = nearest(value, declared.values)
    label = f'did you mean "{near}"?' if near else ""
    step = f"it can be: {', '.join(declared.values)}"
    edit = Edit(at, near) if near else None
    raise Slip(Diagnostic("R312", f'"{value}" is not one of the values of {name}', at, label, (step,), edit=edit))


def later(what: str, at: Span) -> Diagnostic:
    """R901: the language has it, this version cannot grade it. Never ignored."""
    message = f"This version cannot grade {what} yet"
    return Diagnostic("R901", message, at, help=("leave it out for now, or use a newer version of the engine",))
