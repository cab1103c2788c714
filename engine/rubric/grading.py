"""How one criterion is graded: its checks, its measure, its question or its list of facts, read from their lines."""

from decimal import Decimal

from engine.rubric import amounts, lookup, phrases, scalars
from engine.rubric import scales as scale_rows
from engine.rubric.blocks import Block, Entry
from engine.rubric.context import Context, Slip
from engine.rubric.diagnostic import Diagnostic, Span, not_known
from engine.rubric.names import Quantity
from engine.rubric.numbers import number, plain
from engine.rubric.parse import Node, Word, span_of
from engine.rubric.syntax import YES_NO, Asked, Checklist, Checks, Grading, Item, Measured, Panel, Scale
from engine.rubric.values import each, filled, text, value
from engine.rubric.words import MARKS
from engine.text import nearest, slug

__all__ = ["grading_of", "usual_mark"]

_WAYS = ("check", "measure", "ask")


def grading_of(block: Block, panel: Panel, context: Context) -> Grading | None:
    """The one way a criterion is graded; None when there is none, which is a problem by then."""
    if block.key == "checklist":
        return _checklist(block, panel, context)
    found = [entry for way in _WAYS if (entry := block.find(way)) is not None]
    if not found:
        if not block.broken:
            context.problems.append(_nothing(block))
        return None
    if len(found) > 1:
        first, second = sorted(found[:2], key=lambda entry: entry.line.number)
        message = f'"{block.title}" is graded in two ways, {first.key}: and {second.key}:'
        step, other = "make two criteria of it", (first.at, "the other way")
        context.problems.append(Diagnostic("R211", message, second.at, help=(step,), other=other))
    match found[0].key:
        case "check":
            return _checks(block, context)
        case "measure":
            return _measure(found[0], block, context)
        case _:
            return _ask(found[0], block, panel, context)


def usual_mark(grading: Grading) -> Decimal | None:
    """Checks and scales with two levels pass at 1; anything else has to say it."""
    two = isinstance(grading, Asked) and grading.scale.low is None and len(grading.scale.scores) == 2
    return Decimal(1) if two or isinstance(grading, Checks) else None


def _nothing(block: Block) -> Diagnostic:
    step = (
        "add one of these lines under it:\n"
        "check: answer cites at least 1 source           (the computer decides)\n"
        "ask: Is every claim supported by the sources?   (a judge decides)\n"
        "measure: ndcg@10                                (a number that was recorded)"
    )
    return Diagnostic("R210", f'Nothing says how to grade "{block.title}"', block.at, help=(step,))


# ---- check, measure, ask ----------------------------------------------------------------------


def _checks(block: Block, context: Context) -> Checks | None:
    lines = [entry for entry in block.entries if entry.key == "check"]
    found = each(lines, lambda entry: phrases.check(entry.node.nodes()[0], entry.line, context), context)
    _only_for_judges(block, context)
    partial = value(block, "partial credit", scalars.yes_no, False, context)
    return Checks(found, partial) if found else None


def _measure(entry: Entry, block: Block, context: Context) -> Measured | None:
    _only_for_judges(block, context)
    try:
        return _measured(entry, context)
    except Slip as slip:
        context.problems.append(slip.diagnostic)
        return None


def _measured(entry: Entry, context: Context) -> Measured:
    node = entry.node.nodes()[0]
    at = span_of(node, entry.line)
    name = amounts.phrase(node, entry.line)
    found = lookup.number_called(name, at, context)
    full, none = _mark(entry, "FULL_MARKS", found, context), _mark(entry, "NO_MARKS", found, context)
    if found.kind == "ratio":
        full, none = (Decimal(1) if full is None else full), (Decimal(0) if none is None else none)
    if full is None or none is None:
        step = f"write: measure: {name}, {found.example or 'full marks at 10, no marks at 0'}"
        message = f"{name} is not a score by itself: say where it earns full marks and where it earns none"
        raise Slip(Diagnostic("R426", message, at, help=(step,)))
    if full == none:
        message = "Full marks and no marks are at the same number"
        raise Slip(Diagnostic("R426", message, at, help=("change one of them",)))
    if full < none if found.kind == "ratio" else full > none and found.kind in _LESS_IS_BETTER:
        raise Slip(_wrong_way_round(found, full, none, at))
    return Measured(found.name, full, none, at)


def _mark(entry: Entry, kind: str, found: Quantity, context: Context) -> Decimal | None:
    parts = [part for part in entry.node.parts if part is not None]
    for index, part in enumerate(parts):
        if isinstance(part, Word) and part.kind == kind:
            marked = parts[index + 1]
            words = marked.words() if isinstance(marked, Node) else [marked]
            unit = words[1] if len(words) > 1 else None
            amount = amounts.read_amount(words[0], unit, entry.line, context)
            return amount.value * amounts.unit_factor(found, amount)
    return None


_LESS_IS_BETTER = {"time": " seconds", "money": " dollars"}


def _wrong_way_round(found: Quantity, full: Decimal, none: Decimal, at: Span) -> Diagnostic:
    """R426: of time and money less is better, of a ratio more. Of a count only the author knows."""
    unit = _LESS_IS_BETTER.get(found.kind, "")
    more, wrong = ("less", "higher") if unit else ("more", "lower")
    message = f"The {more} {found.name} the better, and here the {wrong} number earns full marks"
    step = f"write: full marks at {plain(none)}{unit}, no marks at {plain(full)}{unit}"
    return Diagnostic("R426", message, at, help=(step,))


def _ask(entry: Entry, block: Block, panel: Panel, context: Context) -> Asked | None:
    question = text(block, "ask", context)
    if not question:
        message = f'The question of "{block.title}" is missing'
        context.problems.append(Diagnostic("R218", message, entry.at, help=("write it after ask:",)))
        return None
    return Asked(question, _scale(block, context), panel, _skippable(block, context), entry.value or entry.at)


def _scale(block: Block, context: Context) -> Scale:
    return value(block, "scale", lambda entry: scale_rows.scale_of(entry, context), YES_NO, context)


def _skippable(block: Block, context: Context) -> bool:
    return value(block, "allow n/a", scalars.yes_no, False, context)


_JUDGED = ("scale", "judge", "combine judges", "quorum", "disagreement limit", "allow n/a")


def _only_for_judges(block: Block, context: Context) -> None:
    for key in _JUDGED:
        entry = block.find(key)
        if entry is not None:
            message = f'{key}: has no meaning in "{block.title}", which no judge grades'
            step = f"{key}: belongs to a question: ask:"
            context.problems.append(Diagnostic("R205", message, entry.at, help=(step,)))


# ---- checklist --------------------------------------------------------------------------------


def _checklist(block: Block, panel: Panel, context: Context) -> Checklist | None:
    items: list[Item] = []
    bullets = [entry for entry in block.entries if entry.key == "item"]
    for entry in bullets:
        found = _item(entry, {item.id for item in items}, context)
        if found is not None:
            items.append(found)
    if not bullets and not block.broken:
        message = f'The checklist "{block.title}" has no items'
        step = "write one line for each fact, for example:\n- [vital] Refunds take 30 days"
        context.problems.append(Diagnostic("R210", message, block.at, help=(step,)))
    if not items:
        return None
    question, skippable = text(block, "ask", context), _skippable(block, context)
    return Checklist(tuple(items), _scale(block, context), question, panel, skippable, block.at)


def _item(entry: Entry, taken: set[str], context: Context) -> Item | None:
    said = " ".join(filled(entry, context).split())
    if not said:
        step = "write the fact after it, or remove the line"
        context.problems.append(Diagnostic("R209", "This item is empty", entry.at, help=(step,)))
        return None
    weight, must, mark = Decimal(1), False, ""
    found = next((word for word in entry.node.words() if word.kind == "REF"), None)
    if found is not None:
        at = span_of(found, entry.line)
        mark = " ".join(found.text.strip("[]").casefold().split())
        written = number(mark)
        must = mark == "must"
        if written is not None:
            weight = written
        elif mark in MARKS:
            weight = Decimal(MARKS[mark])
        else:
            context.problems.append(_unknown_mark(mark, at))
    own = slug(said)[:48].strip("-") or "item"
    name, again = own, 2
    while name in taken:
        name, again = f"{own}-{again}", again + 1
    return Item(name, said, weight, must, mark, (entry.texts or (entry.at,))[0])


def _unknown_mark(mark: str, at: Span) -> Diagnostic:
    near = nearest(mark, MARKS)
    step = f"it can be: {', '.join(f'[{each}]' for each in MARKS)}, or a number such as [2]"
    return not_known("R302", f"An item cannot be marked [{mark}]", at, f"[{near}]" if near else None, step)
