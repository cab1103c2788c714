"""What the columns of a table stand for, told from the words in its first row."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from engine.errors import Problem, UsageError
from engine.rubric.importing.cells import amount

__all__ = ["Column", "Columns", "LevelColumn", "columns", "recognised"]


class Column(StrEnum):
    """What is known about a criterion in a table. The value is how it is called in messages."""

    TITLE = "criterion"
    QUESTION = "question"
    DESCRIPTION = "description"
    WEIGHT = "weight"
    ROLE = "type"
    GROUP = "group"
    GUIDANCE = "guidance"
    NOTE = "note"
    TAGS = "tags"
    PASS_MARK = "pass mark"  # noqa: S105 - a score, not a password


_NAMES: Mapping[str, Column] = {
    **dict.fromkeys(("criterion", "criteria", "criterion name", "name", "title", "item"), Column.TITLE),
    **dict.fromkeys(("question", "questions", "ask"), Column.QUESTION),
    **dict.fromkeys(("description", "descriptions", "definition", "about"), Column.DESCRIPTION),
    **dict.fromkeys(("weight", "weights", "weighting", "points", "point", "marks"), Column.WEIGHT),
    **dict.fromkeys(("type", "kind", "role"), Column.ROLE),
    **dict.fromkeys(("group", "section", "category", "area", "dimension"), Column.GROUP),
    **dict.fromkeys(("guidance", "hint", "hints", "instructions", "help"), Column.GUIDANCE),
    **dict.fromkeys(("note", "notes", "comment", "comments", "remark", "remarks"), Column.NOTE),
    **dict.fromkeys(("tag", "tags", "label", "labels"), Column.TAGS),
    **dict.fromkeys(("pass mark", "threshold", "passing score", "pass score", "minimum score"), Column.PASS_MARK),
}
_LEVEL = re.compile(r"(?P<label>.*\S)\s*[(\[]\s*(?P<score>[-+−]?\d+(?:[.,]\d+)?\s*%?)\s*(?:points?|pts?\.?|p)?\s*[)\]]")


@dataclass(frozen=True, slots=True)
class LevelColumn:
    """`good (1.0)`: a level of a scale; its cells say what the level means for each criterion."""

    label: str
    score: Decimal
    index: int


@dataclass(frozen=True, slots=True)
class Columns:
    """Where everything stands. `other` are columns that mean nothing to a rubric, by index."""

    known: Mapping[Column, int]
    levels: tuple[LevelColumn, ...]
    other: Mapping[int, str]


def recognised(header: Sequence[str]) -> int:
    """How many of these names are known: the separator that gives the most is the right one."""
    return sum(1 for name in header if _known(name) is not None)


def columns(header: Sequence[str], place: str) -> Columns:
    """What every column stands for.

    Raises:
        UsageError: there is no column with names, two columns stand for the same, or a level has no score.
    """
    known: dict[Column, int] = {}
    levels: list[LevelColumn] = []
    other: dict[int, str] = {}
    for index, name in enumerate(header):
        column, level = _known(name), _LEVEL.fullmatch(name.strip())
        if column is not None and column in known:
            message = f'the columns "{header[known[column]]}" and "{name}" both stand for the {column}'
            raise UsageError(Problem(message, place, "keep one of them"))
        if column is not None:
            known[column] = index
        elif level is not None:
            score = amount(level["score"], place)
            levels.append(LevelColumn(" ".join(level["label"].split()), score.value, index))
        else:
            other[index] = " ".join(name.split())
    if Column.TITLE not in known:
        step = 'call one of them "criterion", and others for example: question, weight, type, group, good (1.0)'
        raise UsageError(Problem("no column of this table is called criterion", place, step))
    _complete(levels, other, place)
    return Columns(known, tuple(levels), other)


def _known(name: str) -> Column | None:
    plain = " ".join(re.sub(r"[_\-]", " ", name.casefold()).split()).rstrip(":* ")
    return _NAMES.get(plain) or _NAMES.get(re.sub(r"\s*[(\[][^()\[\]]*[)\]]$", "", plain))


def _complete(levels: Sequence[LevelColumn], other: Mapping[int, str], place: str) -> None:
    """A column beside the levels may be one whose score was forgotten; without it the scale would be another one."""
    if len(levels) == 1:
        message = f'only one column is a level, "{levels[0].label}", and a scale has at least two'
        raise UsageError(Problem(message, place, "write the score of every level in brackets: good (1.0), poor (0.2)"))
    labels = [level.label.casefold() for level in levels]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise UsageError(Problem(f'two columns are the level "{twice}"', place, "give one of them another name"))
    if not levels:
        return
    beside = range(levels[0].index, levels[-1].index + 2)
    bare = next((name for index, name in other.items() if index in beside and name), None)
    if bare is not None:
        step = f'if it is a level, write its score: "{bare} (0)"; if not, move it to the left or call it "note"'
        raise UsageError(Problem(f'the column "{bare}" stands beside the levels and has no score', place, step))
