"""A table of criteria (CSV with commas, semicolons or tabs) as rubric text."""

import csv
import io
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from engine.errors import Problem, UsageError
from engine.rubric.importing.cells import Amount, amount, role
from engine.rubric.importing.columns import Column, Columns, LevelColumn, columns, recognised
from engine.rubric.importing.pen import FITS, HOW_WELL, Pen, question, visible
from engine.rubric.importing.writing import Draft, Imported, Part, Section, write
from engine.rubric.names import plain_name
from engine.rubric.numbers import plain
from engine.rubric.syntax import Role
from engine.text import count, one_line

__all__ = ["imported"]

_SEPARATORS = (",", ";", "\t")
_MOST_PROBLEMS = 20


def imported(text: str, place: str, title: str) -> Imported:
    """The rubric of a table whose first row names the columns, one criterion a row.

    Raises:
        UsageError: the table cannot be read, or a row of it makes no sense; with every such line.
    """
    rows = _rows(text, place)
    header = rows[0]
    found = columns(header.cells, f"{place}:{header.line}")
    _even(rows, place)
    records = [_Record(row, found, f"{place}:{row.line}") for row in rows[1:]]
    _named(records)
    return write(_draft(records, found, title, pen := Pen()), pen, place)


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of the table and the line where it starts."""

    line: int
    cells: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Record:
    """A row, looked at through the names of its columns."""

    row: _Row
    columns: Columns
    place: str

    def text(self, column: Column) -> str:
        """The cell of a column; empty when there is none or nothing can be seen in it."""
        index = self.columns.known.get(column)
        cell = "" if index is None else self.row.cells[index].strip()
        return cell if visible(cell) else ""

    def number(self, column: Column) -> Amount | None:
        text = self.text(column)
        return amount(text, self.place) if text else None

    @property
    def meanings(self) -> tuple[str, ...]:
        """What each level means here; empty when no level is described."""
        found = tuple(" ".join(visible(self.row.cells[level.index])) for level in self.columns.levels)
        return found if any(found) else ()


# ---- reading ----------------------------------------------------------------------------------


def _rows(text: str, place: str) -> list[_Row]:
    separator = _separator(text)
    rows = [row for row in _records(text, separator, place) if any(cell.strip() for cell in row.cells)]
    if rows and re.fullmatch(r"sep=.?", "".join(rows[0].cells).strip(), re.IGNORECASE):
        rows = rows[1:]
    if not rows:
        raise UsageError(Problem("this table is empty", place, "its first row names the columns: criterion, question"))
    return rows


def _separator(text: str) -> str:
    """The one that makes known names of the first row; on a tie the one that makes more columns."""

    def fits(separator: str) -> tuple[int, int]:
        try:
            rows = itertools.islice(_records(text, separator, ""), 5)
            header = next(
                row.cells for row in rows if any(map(str.strip, row.cells)) and not row.cells[0].startswith("sep=")
            )
        except (UsageError, StopIteration):
            return -1, 0
        return recognised(header), len(header)

    return max(_SEPARATORS, key=fits)


def _records(text: str, separator: str, place: str) -> Iterator[_Row]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    line = 1
    try:
        for cells in reader:
            yield _Row(line, cells)
            line = reader.line_num + 1
    except csv.Error as fault:
        raise UsageError(_unreadable(str(fault), f"{place}:{line}")) from None


def _unreadable(fault: str, place: str) -> Problem:
    if "unexpected end" in fault:
        step = "add the second one, or remove the first"
        return Problem("a quotation mark opens a cell of this row and never closes it", place, step)
    if "expected after" in fault:
        step = 'a quotation mark inside a cell in quotation marks is written twice: ""'
        return Problem("a text goes on after the quotation mark that closes its cell", place, step)
    return Problem(f"this row cannot be read: {fault}", place, "save the table again as CSV UTF-8")


def _even(rows: Sequence[_Row], place: str) -> None:
    wide = len(rows[0].cells)
    problems = [
        Problem(
            f"this row has {count(len(row.cells), 'cell')}, and the first row names {count(wide, 'column')}",
            f"{place}:{row.line}",
            "a cell that holds the separator stands in quotation marks",
        )
        for row in rows[1:]
        if len(row.cells) != wide
    ]
    if problems:
        raise UsageError(*problems[:_MOST_PROBLEMS])


def _named(records: Sequence[_Record]) -> None:
    """Every row has a name, and no two the same."""
    problems: list[Problem] = []
    first: dict[str, _Record] = {}
    for record in records:
        name = plain_name(" ".join(visible(record.text(Column.TITLE))))
        earlier = first.setdefault(name, record)
        if not name:
            problems.append(Problem("this row has no name in the column of criteria", record.place, "write one"))
        elif earlier is not record:
            message = f'two criteria are called "{one_line(record.text(Column.TITLE), 80)}"'
            step = f"the first stands in line {earlier.row.line}; give one of them another name"
            problems.append(Problem(message, record.place, step))
    if problems:
        raise UsageError(*problems[:_MOST_PROBLEMS])


# ---- writing ----------------------------------------------------------------------------------


def _draft(records: Sequence[_Record], found: Columns, title: str, pen: Pen) -> Draft:
    for index, name in found.other.items():
        cells = sum(1 for record in records if record.row.cells[index].strip())
        if cells:
            pen.lose(f'the column "{name}" ({count(cells, "cell")})')
    scales = _Scales.of(records, found.levels)
    groups: dict[str, list[_Record]] = {}
    for record in records:
        groups.setdefault(pen.line(record.text(Column.GROUP)), []).append(record)
    percent = {name: _percent(members) for name, members in groups.items()}
    titles = {record.place: pen.title(record.text(Column.TITLE)) for record in records}
    parts = {
        name: tuple(_part(record, titles[record.place], percent[name], scales, pen) for record in members)
        for name, members in groups.items()
    }
    shared = tuple(line for name, meanings in scales.shared.items() for line in scales.defined(name, meanings, pen))
    name = pen.name(title) or "Imported table"
    sections = tuple(Section(pen.title(key.replace(">", "›")), each) for key, each in parts.items() if key)
    return Draft(name, ("version: 1", *shared), parts.get("", ()), sections)


def _part(record: _Record, title: str, sign: str, scales: "_Scales", pen: Pen) -> Part:
    kind, weight = _role_and_weight(record)
    mark = record.number(Column.PASS_MARK)
    scale = scales.lines(record.meanings, pen)
    if scale and kind in (Role.MUST, Role.MUST_NOT) and mark is None and len(scales.levels) > 2:
        step = 'add a column "pass mark" with a score from 0 to 1'
        raise UsageError(Problem(f'"{title}" must pass, and nothing says from which level it does', record.place, step))
    asked, described, named = (record.text(each) for each in (Column.QUESTION, Column.DESCRIPTION, Column.TITLE))
    asked, about = (asked, described) if asked else (question(described or named, HOW_WELL if scale else FITS), "")
    if title.endswith("…") and named not in asked:
        about = f"{named}\n{about}"
    return Part(
        title,
        (
            f"{kind}: {title}",
            *(() if weight is None else (pen.weight(weight, sign),)),
            *(() if mark is None else (f"  pass mark: {plain(mark.value)}",)),
            *pen.prose("about", about),
            *pen.prose("ask", asked),
            *scale,
            *pen.prose("guidance", record.text(Column.GUIDANCE)),
            *pen.tags(tuple(re.split(r"[,;\n]", record.text(Column.TAGS)))),
            *pen.prose("note", record.text(Column.NOTE)),
        ),
        title,
    )


def _role_and_weight(record: _Record) -> tuple[Role, Decimal | None]:
    """A weight below 0 is a penalty, and one of 0 is information only."""
    kind, written = role(record.text(Column.ROLE), record.place), record.number(Column.WEIGHT)
    weight = None if written is None else written.number
    if weight is not None and weight < 0:
        if kind not in (None, Role.PENALTY):
            step = "only a penalty takes marks away; write the weight without the minus, or change the type"
            raise UsageError(Problem(f"a weight below 0 has no meaning for {kind}", record.place, step))
        return Role.PENALTY, -weight
    if weight == 0 and kind in (None, Role.CRITERION):
        return Role.INFO, None
    return kind or Role.CRITERION, None if kind is Role.INFO else weight


def _percent(members: Iterable[_Record]) -> str:
    """The sign that the weights of a group keep: percentages stay so only when they are complete."""
    found = [(record, record.number(Column.WEIGHT)) for record in members]
    signed = [record for record, weight in found if weight is not None and weight.percent]
    if not signed:
        return ""
    bare = next((record for record, weight in found if weight is None or not weight.percent), None)
    if bare is not None:
        message = "some weights of this group are percentages and this one is not"
        raise UsageError(Problem(message, bare.place, "use percentages everywhere in a group, or nowhere"))
    parts = [_role_and_weight(record) for record in signed]
    counted = [weight for kind, weight in parts if kind is Role.CRITERION and weight is not None]
    plainly = all(kind in (Role.CRITERION, Role.INFO) for kind, _ in parts)
    return "%" if plainly and sum(counted) == 100 else ""


@dataclass(frozen=True, slots=True)
class _Scales:
    """The levels of the table; what they mean is written once when several criteria share it."""

    levels: tuple[LevelColumn, ...]
    shared: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, records: Sequence[_Record], levels: tuple[LevelColumn, ...]) -> "_Scales":
        times: dict[tuple[str, ...], int] = {}
        for record in records:
            if record.meanings:
                times[record.meanings] = times.get(record.meanings, 0) + 1
        often = [meanings for meanings, number in times.items() if number > 1]
        return cls(levels, {f"levels {number}": each for number, each in enumerate(often, start=1)})

    def lines(self, meanings: tuple[str, ...], pen: Pen) -> tuple[str, ...]:
        if not meanings:
            return ()
        name = next((name for name, each in self.shared.items() if each == meanings), None)
        return (f"  scale: {name}",) if name else (f"  scale:{self._points}", *self._rows(meanings, pen))

    def defined(self, name: str, meanings: tuple[str, ...], pen: Pen) -> tuple[str, ...]:
        points = f" from{self._points}" if self._points else ""
        return ("", f"define scale: {name}{points}", *self._rows(meanings, pen))

    @property
    def _points(self) -> str:
        """` 1 to 4` when the scores in the header are points; what is from 0 to 1 is a score already."""
        scores = [level.score for level in self.levels]
        if min(scores) >= 0 and max(scores) <= 1:
            return ""
        return f" {plain(min(scores))} to {plain(max(scores))}"

    def _rows(self, meanings: tuple[str, ...], pen: Pen) -> tuple[str, ...]:
        pairs = zip(self.levels, meanings, strict=True)
        if self._points:
            return tuple(pen.row(plain(level.score), f"{level.label}: {means}".rstrip(": ")) for level, means in pairs)
        return tuple(pen.row(level.label, plain(level.score), *([means] if means else [])) for level, means in pairs)
