"""Scales: from `scale:` and `define scale:` lines with their rows to the levels a judge can choose from."""

import re
from decimal import Decimal

from engine.rubric.blocks import Entry
from engine.rubric.context import Context, Slip
from engine.rubric.diagnostic import Diagnostic, Edit, Line, Severity, Span, not_known
from engine.rubric.fold import fold
from engine.rubric.names import plain_name
from engine.rubric.numbers import number, plain
from engine.rubric.parse import Node, Word
from engine.rubric.scalars import written
from engine.rubric.syntax import YES_NO, Level, Scale
from engine.text import nearest

__all__ = ["defined", "scale_of"]

_POINTS = re.compile(
    r"(?:(?P<name>.+?)\s+)?(?:from\s+)?(?P<low>-?\d+(?:\.\d+)?)\s+to\s+(?P<high>-?\d+(?:\.\d+)?)", re.I
)
_ANCHOR = re.compile(r"(-?\d+(?:\.\d+)?)\s*(?:(?:-|–|—|to)\s*(-?\d+(?:\.\d+)?))?", re.I)
_HEADER = {"level", "label", "name", "grade", "points", "score", "answer"}
_NOT_APPLICABLE = {"n/a", "na", "not applicable"}


def defined(entry: Entry, context: Context) -> Scale:
    """`define scale: NAME` or `define scale: NAME from 1 to 5`, with rows. Raises Slip."""
    text, at = written(entry)
    points = _POINTS.fullmatch(text)
    if points and points["name"]:
        return _points(points["name"], points, at, entry, context)
    if points:
        raise Slip(Diagnostic("R203", "This scale has no name", at, help=("write: define scale: NAME from 1 to 5",)))
    return _levels(" ".join(text.split()), at, entry, context)


def scale_of(entry: Entry, context: Context) -> Scale:
    """What a `scale:` line under a criterion stands for. Raises Slip."""
    if entry.value is None:
        return _levels("", entry.at, entry, context)
    text, at = written(entry)
    points = _POINTS.fullmatch(text)
    if points and not points["name"]:
        return _points(text, points, at, entry, context)
    if plain_name(text) in ("yes or no", "yes/no", "yes no"):
        return YES_NO
    found = context.scales.get(plain_name(text))
    if found is not None:
        if entry.rows:
            line, node = entry.rows[0]
            where = Span(line, node.words()[0].start, len(line.folded.rstrip()))
            message = f'The scale "{text}" has its rows already'
            context.problems.append(Diagnostic("R206", message, where, help=("leave out the name, or the rows",)))
        context.used.add("scale " + plain_name(text))
        return found
    near = nearest(text, [scale.name for scale in context.scales.values()])
    step = f"write: scale: {near}" if near else f"describe it near the top: define scale: {text}"
    context.used.update("scale " + plain_name(name) for name in ([near] if near else []))
    raise Slip(not_known("R306", f'There is no scale called "{text}"', at, near, step))


def _levels(name: str, at: Span, entry: Entry, context: Context) -> Scale:
    levels: list[Level] = []
    for line, cells in _rows(entry):
        level = _level(line, cells, context)
        if level is None:
            continue
        twin = next((other for other in levels if fold(other.label) == fold(level.label)), None)
        if twin is not None:
            context.problems.append(_same_label(level, twin))
            continue
        levels.append(level)
    if not entry.rows:
        what = f'The scale "{name}" has no rows' if name else "This scale has neither a name nor rows"
        steps = ("write a row for each level, for example: | good | 1.0 | What it means |",)
        raise Slip(Diagnostic("R413", what, at, help=steps))
    if len(levels) < 2 and not context.failed:
        context.problems.append(Diagnostic("R413", "A scale needs at least two levels", at, help=("add a row",)))
    _order(levels, context)
    return Scale(name, tuple(levels), at=at)


def _level(line: Line, cells: list[Span], context: Context) -> Level | None:
    texts = [_cell(cell) for cell in cells]
    if len(cells) < 2 or not texts[0] or any(texts[3:]):
        at = Span(line, len(line.folded) - len(line.folded.lstrip()), len(line.folded.rstrip()))
        step = "write: | good | 1.0 | What it means |"
        context.problems.append(Diagnostic("R407", "A row has a name, a score and a description", at, help=(step,)))
        return None
    label, score = texts[0], texts[1]
    meaning = texts[2] if len(texts) > 2 else ""
    if score.casefold() in _NOT_APPLICABLE:
        return Level(label, None, meaning, at=cells[0])
    value = number(score)
    if value is None:
        cure = score.replace(",", ".", 1)
        if number(cure) is not None:
            message = "Numbers use a full stop, not a comma"
            edit = Edit(cells[1], cure)
            found = Diagnostic("R114", message, cells[1], f"write {cure}", (f"write: {cure}",), edit=edit)
        else:
            step = "the second column is a number from 0 to 1, or n/a"
            found = Diagnostic("R407", f'"{score}" is not a score', cells[1], help=(step,))
        context.problems.append(found)
        return None
    if not 0 <= value <= 1:
        shown = plain(value)
        steps = ("write 0.7 or 70%", "or use points: define scale: stars from 1 to 5")
        message = f"The scores of a scale run from 0 to 1, so {shown} is out of range"
        if not any(problem.code == "R408" for problem in context.problems):
            context.problems.append(Diagnostic("R408", message, cells[1], help=steps))
        value = Decimal(1)
    return Level(label, value, meaning, at=cells[0])


def _same_label(level: Level, twin: Level) -> Diagnostic:
    message = f'Two levels are called "{level.label}"'
    steps = ("give one of them another name, or remove it",)
    return Diagnostic("R414", message, level.at, "second one", steps, (twin.at, "first one"))


def _order(levels: list[Level], context: Context) -> None:
    scores = [(level, level.score) for level in levels if level.score is not None]
    falling = sorted(scores, key=lambda pair: -pair[1])
    rising = falling[::-1]
    values = [value for _, value in scores]
    if values not in ([value for _, value in falling], [value for _, value in rising]):
        odd = next(level for (level, value), (_, right) in zip(scores, falling, strict=True) if value != right)
        message = "The scores of this scale go up and down"
        step = "put the best level first and the worst last"
        context.problems.append(Diagnostic("R417", message, odd.at, help=(step,), severity=Severity.WARNING))
    _equal(scores, context)
    if len(scores) > 1 and falling[0][1] < 1 and not context.failed:
        context.problems.append(_never_full(*falling[0]))
    for level in levels:
        if not level.meaning and len(levels) > 2:
            message = f'Nothing says what "{level.label}" means'
            step = "add a description as the third column, so that everybody grades alike"
            context.problems.append(Diagnostic("R419", message, level.at, help=(step,), severity=Severity.WARNING))


def _equal(scores: list[tuple[Level, Decimal]], context: Context) -> None:
    """Once for each scale: whoever made two levels equal on purpose need not be told for every pair."""
    seen: dict[Decimal, Level] = {}
    for level, value in scores:
        twin = seen.setdefault(value, level)
        if twin is not level:
            message = f'"{twin.label}" and "{level.label}" have the same score, {plain(value)}'
            steps = ("make one level of them, or give them different scores",)
            other = (twin.at, "the same score")
            context.problems.append(Diagnostic("R417", message, level.at, "", steps, other, severity=Severity.HINT))
            return


def _never_full(level: Level, best: Decimal) -> Diagnostic:
    message = f'The best level, "{level.label}", is worth {plain(best)}, so full marks can never be reached'
    steps = ("give the best level 1.0, if an answer on it lacks nothing",)
    return Diagnostic("R420", message, level.at, help=steps, severity=Severity.HINT)


def _points(name: str, points: re.Match[str], at: Span, entry: Entry, context: Context) -> Scale:
    low, high = Decimal(points["low"]), Decimal(points["high"])
    if low >= high:
        raise Slip(_backwards(points, at))
    levels: list[Level] = []
    for line, cells in _rows(entry):
        level = _anchor(line, cells, (low, high), context)
        if level is None:
            continue
        clash = next((other for other in levels if _overlap(other, level)), None)
        if clash is not None:
            context.problems.append(_overlapping(clash, level))
            continue
        levels.append(level)
    for end in (low, high):
        if levels and not any(_holds(level, end) for level in levels):
            message = f"Nothing says what {plain(end)} means"
            step = "describe both ends of a scale, so that everybody grades alike"
            context.problems.append(Diagnostic("R416", message, at, help=(step,), severity=Severity.WARNING))
    return Scale(" ".join(name.split()), tuple(levels), low, high, at)


def _backwards(points: re.Match[str], at: Span) -> Diagnostic:
    low, high = points["low"], points["high"]
    if Decimal(low) == Decimal(high):
        message = f"{low} to {high} is one point, and a scale has at least two"
        return Diagnostic("R405", message, at, help=(f"write, for example: {low} to {plain(Decimal(low) + 4)}",))
    start = at.start + points.start("low")
    edit = Edit(Span(at.line, start, at.start + points.end("high")), f"{high} to {low}")
    return Diagnostic("R405", f"{low} to {high} is backwards", at, help=(f"write: {high} to {low}",), edit=edit)


def _anchor(line: Line, cells: list[Span], ends: tuple[Decimal, Decimal], context: Context) -> Level | None:
    texts = [_cell(cell) for cell in cells]
    found = _ANCHOR.fullmatch(texts[0]) if texts else None
    step = f"write: | {plain(ends[0])} | What it means |, or a range: | 2-4 | What they mean |"
    if len(texts) != 2:
        at = cells[0] if cells else Span(line, 0, 1)
        message = "A row of this scale has a point and a description"
        context.problems.append(Diagnostic("R407", message, at, help=(step,)))
        return None
    if found is None:
        message = f'"{texts[0]}" is not a point of this scale, which runs from {plain(ends[0])} to {plain(ends[1])}'
        context.problems.append(Diagnostic("R406", message, cells[0], help=(step,)))
        return None
    low = Decimal(found[1])
    high = Decimal(found[2]) if found[2] else low
    if low > high:
        message, cure = f"{plain(low)}-{plain(high)} is backwards", f"{plain(high)}-{plain(low)}"
        edit = Edit(cells[0], cure)
        context.problems.append(Diagnostic("R405", message, cells[0], help=(f"write: {cure}",), edit=edit))
        return None
    if low < ends[0] or high > ends[1]:
        message = f"This scale runs from {plain(ends[0])} to {plain(ends[1])}, so {texts[0]} lies outside"
        context.problems.append(Diagnostic("R418", message, cells[0], help=("change the row, or the scale",)))
        return None
    return Level(texts[0], None, texts[1], low, high, cells[0])


def _overlap(one: Level, other: Level) -> bool:
    return _holds(one, other.low) or _holds(other, one.low)


def _holds(level: Level, point: Decimal | None) -> bool:
    return point is not None and level.low is not None and level.high is not None and level.low <= point <= level.high


def _overlapping(first: Level, second: Level) -> Diagnostic:
    assert first.high is not None
    assert second.low is not None
    shared = max(first.low or second.low, second.low)
    after, before = plain(first.high + 1), plain(second.low - 1)
    return Diagnostic(
        "R415",
        f"The descriptions for {first.label} and {second.label} overlap",
        second.at,
        f"which one applies to {plain(shared)}?",
        (f"start this one at {after}, or end the other at {before}",),
        (first.at, "first description"),
    )


def _rows(entry: Entry) -> list[tuple[Line, list[Span]]]:
    """The cells of every row; the line under a heading (`|---|`) and the heading itself are left out."""
    rows = [(line, _cells(line, node)) for line, node in entry.rows]
    ruled = any(_rule(cells) for _, cells in rows)
    kept = [(line, cells) for line, cells in rows if not _rule(cells)]
    if kept and kept[0][1] and (ruled or _cell(kept[0][1][0]).casefold() in _HEADER):
        heads = [_cell(cell).casefold() for cell in kept[0][1]]
        if heads[0] in _HEADER and not any(number(head) is not None for head in heads[1:2]):
            kept = kept[1:]
    return kept


def _rule(cells: list[Span]) -> bool:
    return bool(cells) and all(re.fullmatch(r":?-{2,}:?", _cell(cell)) for cell in cells)


def _cells(line: Line, node: Node) -> list[Span]:
    cells: list[Span] = []
    bars = [part for part in node.parts if isinstance(part, Word) and part.kind == "VBAR"]
    words = {part.start: part for part in node.parts if isinstance(part, Word) and part.kind == "CELL"}
    for index, bar in enumerate(bars):
        end = bars[index + 1].start if index + 1 < len(bars) else len(line.folded.rstrip())
        word = next((word for start, word in words.items() if bar.end <= start < end or start == bar.end), None)
        if word is not None:
            cells.append(Span(line, word.start, word.start + len(word.text.rstrip())))
        elif index + 1 < len(bars):
            cells.append(Span(line, bar.end, bar.end + 1))
    return cells


def _cell(span: Span) -> str:
    return " ".join(span.text.strip().removesuffix("|").replace("\\|", "|").split())
