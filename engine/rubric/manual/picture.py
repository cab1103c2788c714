"""A scored answer as a picture (SVG): the answer, what was found in it, and what it comes to. Drawn from a grading."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from types import MappingProxyType

from engine.model.grade import Grade, GradeStatus, Grading
from engine.rubric import expression as say
from engine.rubric.grade import OVERALL
from engine.rubric.shares import permille
from engine.rubric.syntax import Asked, Checklist, Checks, Criterion, Group, Measured, Role, Rubric

__all__ = ["picture"]

_WIDTH = 840
_EDGE = 24
_FOUND, _BAR, _NUMBER = 274, 628, 740  # where the columns begin
_BAR_WIDTH = 100
_LINE = 17
_MOVES = MappingProxyType({Role.PENALTY: "up to −", Role.BONUS: "up to +"})

_STYLE = """\
  text { font: 13px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
  .b { font-weight: 600 } .s { font-size: 12px; fill: #57606a } .n { font-variant-numeric: tabular-nums }
  .card { fill: #ffffff; stroke: #d0d7de } .box { fill: #f6f8fa } .line { stroke: #d0d7de }
  .rail { fill: #d8dee4 } .good { fill: #1a7f64 } .bad { fill: #cf222e } .open { fill: #9a6700; opacity: .55 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .s { fill: #9da7b3 } .card { fill: #0d1117; stroke: #3d444d } .box { fill: #161b22 }
    .line { stroke: #3d444d } .rail { fill: #3d444d } .good { fill: #3fb68b } .bad { fill: #f85149 }
    .open { fill: #d29922 }
  }"""


def picture(rubric: Rubric, answer: str, grading: Grading) -> str:
    """The picture as the text of an SVG file.

    Args:
        answer: the text that was graded.
        grading: what the rubric said about it.
    """
    drawing = _Drawing()
    _answer(drawing, answer)
    grades = {grade.criterion: grade for grade in grading.grades}
    sheet = _Sheet(grades, grading, permille(rubric.root))
    for row in _rows(rubric.root, sheet, 0):
        _row(drawing, row)
    _total(drawing, rubric, grading)
    return drawing.svg(f"{rubric.title}: {_verdict(grading)}", _described(rubric, grading, sheet))


# ---- what is drawn ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Sheet:
    grades: dict[str, Grade]
    grading: Grading
    shares: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Row:
    """One line of the picture. `low` None: there is nothing to draw a bar of."""

    depth: int
    title: str
    under: str
    found: str
    low: float | None
    high: float
    said: str
    good: bool = True
    group: bool = False


def _rows(group: Group, sheet: _Sheet, depth: int) -> Iterator[_Row]:
    for member in group.members:
        if isinstance(member, Group):
            yield _of_group(member, sheet, depth)
            yield from _rows(member, sheet, depth + 1)
        else:
            yield _of_criterion(member, sheet, depth)


def _of_group(group: Group, sheet: _Sheet, depth: int) -> _Row:
    score = sheet.grading.scores.get(group.id)
    said = "" if group.id not in sheet.grading.scores else "a range" if score is None else _number(score)
    return _Row(depth, group.title, _share(group.id, sheet), "", score, score or 0.0, said, group=True)


def _of_criterion(criterion: Criterion, sheet: _Sheet, depth: int) -> _Row:
    grade = sheet.grades[criterion.id]
    under = f"{_heading(criterion)} · {_who(criterion)}"
    share = _share(criterion.id, sheet)
    if criterion.counts and share:
        under += f" · {_MOVES.get(criterion.role, '')}{share}"
    if grade.status is GradeStatus.NOT_APPLICABLE:
        return _Row(depth, criterion.title, under, grade.reason, None, 0.0, "does not apply")
    if criterion.role.gate:
        said = {True: "✓ passes", False: "✗ fails", None: "not known"}[grade.passed]
        return _Row(depth, criterion.title, under, grade.reason, None, 0.0, said, good=grade.passed is not False)
    said = _number(grade.low) if grade.low == grade.high else f"{_number(grade.low)}–{_number(grade.high)}"
    bad = criterion.role is Role.PENALTY
    if bad:
        said = "takes off" if grade.score else "nothing" if grade.score == 0 else said
    return _Row(depth, criterion.title, under, grade.reason, grade.low, grade.high, said, good=not bad)


def _heading(criterion: Criterion) -> str:
    return "checklist" if isinstance(criterion.grading, Checklist) else str(criterion.role)


def _who(criterion: Criterion) -> str:
    match criterion.grading:
        case Checks():
            return "the computer"
        case Measured():
            return "a number"
        case Asked() | Checklist():
            size = criterion.grading.panel.size
            return "a judge" if size == 1 else f"{size} judges"


def _share(name: str, sheet: _Sheet) -> str:
    found = sheet.shares.get(name)
    return "" if found is None else f"{found / 10:g}%"


def _number(score: float) -> str:
    return f"{score:.2f}"


def _verdict(grading: Grading) -> str:
    if grading.could_be:
        return f"{grading.verdict} (still possible: {', '.join(grading.could_be)})"
    return grading.verdict or "no verdict"


def _described(rubric: Rubric, grading: Grading, sheet: _Sheet) -> str:
    """The picture in words, for people who do not see it."""
    rows = [f"{row.title}: {row.said}. {row.found}".strip() for row in _rows(rubric.root, sheet, 0)]
    return " ".join([*rows, f"Score {_range(grading)}, verdict {_verdict(grading)}."])


def _range(grading: Grading) -> str:
    low, high = _number(grading.low), _number(grading.high)
    return low if low == high else f"between {low} and {high}"


# ---- drawing ----------------------------------------------------------------------------------


class _Drawing:
    """Shapes from top to bottom. `y` is where the next one begins."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.y = _EDGE

    def text(self, x: float, y: float, said: str, style: str = "", anchor: str = "start") -> None:
        kind = f' class="{style}"' if style else ""
        ends = f' text-anchor="{anchor}"' if anchor != "start" else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}"{kind}{ends}>{escape(said, quote=False)}</text>')

    def box(self, x: float, y: float, size: tuple[float, float], style: str, round_: int = 3) -> None:
        width, height = size
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round_}" class="{style}"/>'
        )

    def rule(self) -> None:
        self.parts.append(f'<line x1="{_EDGE}" x2="{_WIDTH - _EDGE}" y1="{self.y}" y2="{self.y}" class="line"/>')

    def svg(self, title: str, about: str) -> str:
        height = self.y + _EDGE
        size = f'width="{_WIDTH}" height="{height}"'
        return "\n".join(
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" {size} role="img">',
                f"<title>{escape(title, quote=False)}</title>",
                f"<desc>{escape(about, quote=False)}</desc>",
                f"<style>\n{_STYLE}\n</style>",
                f'<rect x=".5" y=".5" width="{_WIDTH - 1}" height="{height - 1}" rx="8" class="card"/>',
                *self.parts,
                "</svg>\n",
            )
        )


def _answer(drawing: _Drawing, answer: str) -> None:
    lines = [line for row in answer.strip().split("\n") for line in wrap(row, 112)]
    drawing.text(_EDGE, drawing.y + 8, "The answer", "s")
    drawing.box(_EDGE, drawing.y + 16, (_WIDTH - 2 * _EDGE, len(lines) * _LINE + 16), "box", 6)
    for number, line in enumerate(lines, start=1):
        drawing.text(_EDGE + 12, drawing.y + 19 + number * _LINE, line)
    drawing.y += len(lines) * _LINE + 54
    for x, said in ((_EDGE, "What is looked at"), (_FOUND, "What was found"), (_BAR, "Score, 0 to 1")):
        drawing.text(x, drawing.y, said, "s")
    drawing.y += 10


def _row(drawing: _Drawing, row: _Row) -> None:
    drawing.rule()
    left, top = _EDGE + 16 * row.depth, drawing.y + 20
    drawing.text(left, top, row.title, "b")
    found = wrap(row.found, 54, max_lines=3, placeholder=" …")
    if row.group:
        drawing.text(_FOUND, top, f"{row.under} of the score" if row.under else "decides no score", "s")
    else:
        drawing.text(left, top + _LINE, row.under, "s")
    for number, line in enumerate(found):
        drawing.text(_FOUND, top + number * _LINE, line)
    if row.low is None:
        drawing.text(_BAR, top, row.said, "b" if row.good else "b bad")
    else:
        _bar(drawing, top, row)
        drawing.text(_NUMBER, top, row.said, "b n" if row.group else "n")
    drawing.y += 12 + _LINE * (1 if row.group else max(2, len(found))) + 6


def _bar(drawing: _Drawing, top: float, row: _Row) -> None:
    low = row.low or 0.0
    drawing.box(_BAR, top - 9, (_BAR_WIDTH, 9), "rail")
    if low:
        drawing.box(_BAR, top - 9, (low * _BAR_WIDTH, 9), "good" if row.good else "bad")
    if row.high > low:
        drawing.box(_BAR + low * _BAR_WIDTH, top - 9, ((row.high - low) * _BAR_WIDTH, 9), "open")


def _total(drawing: _Drawing, rubric: Rubric, grading: Grading) -> None:
    """The score on a long rail, with the marks of the verdicts."""
    drawing.rule()
    top, width = drawing.y + 30, _WIDTH - 2 * _EDGE
    if OVERALL not in grading.scores:
        drawing.text(_EDGE, top, "Nothing in the rubric applies.", "b")
        drawing.y += 34
        return
    drawing.text(_EDGE, top, f"Score {_range(grading)}", "b")
    drawing.text(_WIDTH - _EDGE, top, f"Verdict: {_verdict(grading)}", "b", "end")
    drawing.box(_EDGE, top + 12, (width, 12), "rail")
    if grading.low:
        drawing.box(_EDGE, top + 12, (grading.low * width, 12), "good")
    if grading.high > grading.low:
        drawing.box(_EDGE + grading.low * width, top + 12, ((grading.high - grading.low) * width, 12), "open")
    marks = [*_marks(rubric), ("", 1.0)]
    before = 0.0
    for index, (_, mark) in enumerate(marks):
        name = marks[index - 1][0] if index else _last(rubric)
        drawing.text(_EDGE + (before + mark) / 2 * width, top + 44, name, "s", "middle")
        if mark < 1.0:
            x = _EDGE + mark * width
            drawing.parts.append(f'<line x1="{x:g}" x2="{x:g}" y1="{top + 8}" y2="{top + 50}" class="line"/>')
            drawing.text(x + 4, top + 60, f"{mark:g}", "s n")
        before = mark
    drawing.y += 92


def _marks(rubric: Rubric) -> list[tuple[str, float]]:
    """(verdict, from which score on it is given), lowest first; lines that ask for more than a score are left out."""
    found = [
        (verdict.name, float(verdict.when.holds.range.low))
        for verdict in rubric.verdicts
        if verdict.when is not None
        and isinstance(verdict.when.holds, say.Score)
        and verdict.when.holds.range.low is not None
        and verdict.when.holds.range.high is None
    ]
    return sorted(found, key=lambda pair: pair[1])


def _last(rubric: Rubric) -> str:
    return next((verdict.name for verdict in rubric.verdicts if verdict.when is None), "")
