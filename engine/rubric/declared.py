"""What a rubric declares near its top: settings and fields."""

from collections.abc import Mapping
from dataclasses import replace

from engine.rubric import amounts
from engine.rubric.blocks import Entry, Outline
from engine.rubric.context import Context, Setting, Slip
from engine.rubric.diagnostic import Diagnostic, Severity, Span
from engine.rubric.names import plain_name, quantity
from engine.rubric.numbers import number, unit_of
from engine.rubric.parse import Node, Word, span_of
from engine.rubric.syntax import FieldType
from engine.rubric.values import each, words

__all__ = ["assigned", "fields_of", "settings_of", "twice"]


def settings_of(outline: Outline, given: Mapping[str, Setting], problems: list[Diagnostic]) -> dict[str, Setting]:
    """Every setting by its name; `given` values (from `use: ... with`) win over the file's own."""
    found: dict[str, Setting] = {}
    for entry in outline.globals:
        if entry.key != "setting":
            continue
        try:
            setting = assigned(entry.node, entry)
        except Slip as slip:
            problems.append(slip.diagnostic)
            continue
        name = plain_name(setting.name)
        if name in found:
            problems.append(twice("settings", setting.name, setting.at, found[name].at))
        found[name] = replace(given[name], at=setting.at) if name in given else setting
    return found


def assigned(node: Node, entry: Entry) -> Setting:
    """`max words = 200`, `limit = 2 seconds`, `contact = "a@b.c"`. Raises Slip."""
    named, value = node.nodes()[:2]
    name = amounts.phrase(named, entry.line)
    parts = value.words()
    at = span_of(named, entry.line)
    if parts[0].kind == "STRING":
        return Setting(name, entry.line.text[parts[0].start + 1 : parts[0].end - 1], None, None, at)
    if parts[0].kind in ("NUMBER", "MONEY"):
        unit = parts[1] if len(parts) > 1 else None
        amount = amounts.read_amount(parts[0], unit, entry.line, Context())
        text = entry.line.text[parts[0].start : parts[-1].end]
        return Setting(name, text, amount.value, amount.unit, at)
    text = amounts.phrase(value, entry.line)
    return Setting(name, text, number(text), unit_of(text), at)


def fields_of(entries: list[Entry], context: Context) -> dict[str, FieldType]:
    """Every declared field by its name."""
    found: dict[str, FieldType] = {}
    for declared in each(entries, lambda entry: _field(entry, context), context):
        if declared.name in found:
            context.problems.append(twice("fields", declared.name, declared.at, found[declared.name].at))
        elif quantity(declared.name) is not None:
            context.problems.append(_a_measure(declared))
        found[declared.name] = declared
    return found


def _a_measure(declared: FieldType) -> Diagnostic:
    """R301: a check would look at the measure, and never at the field."""
    message = f'There is a measure called "{declared.name}" already, and checks would look at that'
    steps = (f"give the field another name, for example: {declared.name} wanted", "or remove the line")
    return Diagnostic("R301", message, declared.at, "a measure", steps)


def _field(entry: Entry, context: Context) -> FieldType:
    parts = [part for part in entry.node.parts if part is not None]
    named = entry.node.nodes()[0]
    at = span_of(named, entry.line)
    name = plain_name(amounts.phrase(named, entry.line))
    kind = next(iter(words(entry.node, "TYPE")), None)
    if kind is not None:
        said = kind.text.casefold().split()
        choices: tuple[str, ...] = ("yes", "no") if said[-1] == "yes/no" else ()
        return FieldType(name, choices, said[-1] == "number", at)
    options = [option for part in parts[parts.index(named) + 1 :] for option in _options(part)]
    values: dict[str, str] = {}
    for option in options:
        value = amounts.phrase(option, entry.line)
        if values.setdefault(plain_name(value), value) is not value:
            place = span_of(option, entry.line)
            message = f'"{value}" stands in this list twice'
            found = Diagnostic("R303", message, place, help=("remove one",), severity=Severity.WARNING)
            context.problems.append(found)
    return FieldType(name, tuple(values.values()), at=at)


def _options(part: Node | Word) -> list[Node | Word]:
    """The values in `one of a, b`: phrases, texts and numbers."""
    if isinstance(part, Word):
        return [part] if part.kind in ("STRING", "NUMBER") else []
    if part.rule == "values":
        return [each for each in part.parts if each is not None]
    return [part]


def twice(what: str, name: str, at: Span, first: Span) -> Diagnostic:
    """R301: two things with one name."""
    message = f'There are two {what} called "{name}"'
    return Diagnostic("R301", message, at, "second one", ("give one of them another name",), (first, "first one"))
