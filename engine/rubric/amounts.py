"""Pieces of a line: texts in quotes, names, and amounts with their units; settings are filled in here."""

import re
from dataclasses import dataclass
from decimal import Decimal

from engine.rubric import names
from engine.rubric.context import Context, Setting, Slip
from engine.rubric.diagnostic import Diagnostic, Edit, Line, Severity, Span, not_known
from engine.rubric.numbers import Unit, number, plain, unit_of
from engine.rubric.parse import Node, Word, span_of
from engine.text import nearest

__all__ = ["Amount", "fill", "phrase", "read_amount", "score_out_of_range", "text_of", "unit_factor"]

_PARAM = re.compile(r"\{[ \t]*([^\W\d][\w \t-]*?)[ \t]*\}")


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its unit, and how it was written."""

    value: Decimal
    unit: Unit | None
    at: Span


def phrase(node: Node | Word, line: Line) -> str:
    """A name of several words, or a text in quotes, as it was written."""
    words = node.words() if isinstance(node, Node) else [node]
    if len(words) == 1 and words[0].kind == "STRING":
        return line.text[words[0].start + 1 : words[0].end - 1].strip()
    return " ".join(line.text[words[0].start : words[-1].end].split())


def text_of(word: Word, line: Line, context: Context) -> str:
    """What stands between the quotes, with settings filled in. Raises Slip when nothing does."""
    span, between = span_of(word, line), Span(line, word.start + 1, word.end - 1)
    inner = " ".join(fill(between, context).split())
    if not inner:
        message = "These quotes are empty, and every answer contains nothing"
        raise Slip(Diagnostic("R605", message, span, help=("write the text to look for between the quotes",)))
    if between.text != between.text.strip():
        context.problems.append(_blank_ends(between))
    return inner


def _blank_ends(between: Span) -> Diagnostic:
    """R702: `contains " the "` was meant for the word, and finds it in "theatre" too."""
    bare = between.text.strip()
    message = f'The blanks at the ends of "{between.text}" change nothing: it is found inside other words too'
    steps = (f'write: "{bare}"', f'for a whole word write: answer has the word "{bare}"')
    return Diagnostic("R702", message, between, "", steps, edit=Edit(between, bare), severity=Severity.WARNING)


def fill(span: Span, context: Context) -> str:
    """The author's text with every `{setting}` replaced by its value. Raises Slip for an unknown one."""

    folded = span.line.folded[span.start : span.end]
    pieces, done = [], 0
    for found in _PARAM.finditer(folded):
        at = Span(span.line, span.start + found.start(), span.start + found.end())
        pieces += [span.text[done : found.start()], _setting(found[1], at, context).text]
        done = found.end()
    _whole_braces(span, folded, context)
    return "".join([*pieces, span.text[done:]])


def _whole_braces(span: Span, folded: str, context: Context) -> None:
    """Refuses `{max words` when there is such a setting: one brace was lost, and the text would be taken as it is."""
    if "{" not in folded and "}" not in folded:
        return
    for setting in context.settings.values():
        name = r"\s+".join(map(re.escape, setting.name.split()))
        found = re.search(rf"\{{\s*{name}(?![\w-]|\s*\}})|(?<![\w{{-])(?<!\{{ ){name}\s*\}}", folded, re.I)
        if found is not None:
            at = Span(span.line, span.start + found.start(), span.start + found.end())
            cure = f"{{{setting.name}}}"
            message = f"One of the braces of {cure} is missing"
            raise Slip(Diagnostic("R307", message, at, f"write {cure}", (f"write {cure}",), edit=Edit(at, cure)))


def read_amount(word: Word, unit: Word | None, line: Line, context: Context) -> Amount:
    """`200`, `$0.02` or `{max words}`, with the unit that follows it. Raises Slip."""
    span = span_of(word, line)
    written = None if unit is None else unit_of(unit.text)
    if word.kind == "PARAM":
        setting = _setting(word.text.strip("{} \t"), span, context)
        if setting.value is None:
            message = f'"{setting.name}" is a text, and a number is needed here'
            raise Slip(Diagnostic("R310", message, span, help=(f"write a number after setting: {setting.name} =",)))
        return Amount(setting.value, written or setting.unit, span)
    text = word.text
    if word.kind == "MONEY":
        if text[0] != "$":
            message = f"Costs are recorded in US dollars, not in {text[0]}"
            raise Slip(Diagnostic("R421", message, span, help=("write: $" + text[1:].strip(),)))
        text, written = text[1:], unit_of("$")
    value = number(text)
    if value is None:
        raise Slip(Diagnostic("R118", f"{word.text} is not a number I can read", span, help=("write it in digits",)))
    return Amount(value, written, span)


def unit_factor(found: names.Quantity, amount: Amount) -> Decimal:
    """How much one of the written unit is. Raises Slip when the unit is missing, wrong or too much."""
    unit = amount.unit
    shown = plain(amount.value)
    if found.kind in ("time", "money"):
        if unit is None:
            two, what = (("seconds", "ms"), "time") if found.kind == "time" else (("dollars", "cents"), "money")
            message = f"{shown} what? {found.name} is measured in {what}"
            steps = (f"write: {shown} {two[0]}", f"or: {shown} {two[1]}")
            raise Slip(Diagnostic("R422", message, amount.at, "unit missing", steps))
        if unit.kind == found.kind:
            return unit.factor
    elif unit is None or (found.kind == "count" and unit.kind == "count"):
        if found.kind == "ratio" and not 0 <= amount.value <= 1:
            message = f"{found.name} runs from 0 to 1, so {shown} is out of range"
            edit, step = None, "write a number from 0 to 1, or a percentage"
            if 1 < amount.value <= 100:
                cure = plain(amount.value / 100)
                edit, step = Edit(amount.at, cure), f"did you mean {cure} (or {shown}%)?"
            raise Slip(Diagnostic("R423", message, amount.at, help=(step,), edit=edit))
        return Decimal(1)
    message = f"{found.name} is not measured in {unit.name}" if unit else f"{found.name} needs a unit"
    own = {"time": "seconds", "money": "dollars"}.get(found.kind)
    raise Slip(Diagnostic("R421", message, amount.at, help=(f"write: {shown} {own}" if own else f"write: {shown}",)))


def score_out_of_range(value: Decimal, at: Span) -> Diagnostic:
    """R401: scores run from 0 to 1."""
    shown = plain(value)
    if 1 < value <= 100:
        cure = plain(value / 100)
        edit, step = Edit(at, cure), f"did you mean {cure} (or {shown}%)?"
    else:
        edit, step = None, "write a number from 0 to 1, or a percentage"
    never = "can never be reached" if value > 1 else "is out of range"
    return Diagnostic("R401", f"Scores run from 0 to 1 (0% to 100%), so {shown} {never}", at, help=(step,), edit=edit)


def _setting(name: str, at: Span, context: Context) -> Setting:
    wanted = names.plain_name(name)
    if wanted in context.settings:
        context.used.add("setting " + wanted)
        return context.settings[wanted]
    near = nearest(wanted, context.settings)
    meant = f"{{{near}}}" if near else None
    step = f"write {meant}" if meant else f"declare it near the top: setting: {wanted} = ..."
    raise Slip(not_known("R307", f"There is no setting called {{{name}}}", at, meant, step))
