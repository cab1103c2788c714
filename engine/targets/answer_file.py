"""A file of recorded answers: looked through once, then each answer is read where it stands.

Memory grows with the number of answers (an entry of some hundred bytes each), not with their length.
"""

import hashlib
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO
from zlib import crc32

from pydantic_core import from_json

from engine.errors import Problem, UsageError
from engine.model.record import Failure, TargetFailure
from engine.store import strict_json
from engine.text import count, nearest

__all__ = ["AnswerFile", "Claim", "answer_claim", "trial_claim"]

_MOST_PROBLEMS = 20
_FIELDS = ("id", "hits", "results", "text", "citations", "tool_calls", "numbers")


@dataclass(frozen=True, slots=True)
class Claim:
    """Whose answer a line holds. Among several repeats of one query the lowest is replayed.

    `key` is the identity of a recorded trial: one that was written twice counts once, as it was first.
    """

    query_id: str
    key: str = ""
    repeat: int = 1


Claims = Callable[[object, str], Claim | None]
"""What a checked line says: (value, place) → its claim, or None when it holds no answer. Raises UsageError."""


@dataclass(slots=True)
class AnswerFile:
    """Where each query's answer stands in an open file. `sha256` is the hash of all its bytes."""

    file: BinaryIO
    shown: str
    sha256: str = ""
    torn: bool = False
    repeats_left_out: int = 0
    _entry: dict[str, int] = field(default_factory=dict)
    _claims: dict[str, Claim] = field(default_factory=dict)  # only those of recorded trials; files need none
    _offset: "array[int]" = field(default_factory=lambda: array("Q"))
    _length: "array[int]" = field(default_factory=lambda: array("Q"))
    _line: "array[int]" = field(default_factory=lambda: array("Q"))
    _crc: "array[int]" = field(default_factory=lambda: array("Q"))

    @classmethod
    def scan(cls, file: BinaryIO, shown: str, claims: Claims) -> "AnswerFile":
        """Check every line and note where it stands.

        Raises:
            UsageError: lines that are not strict JSON, have no id, or an id that was there before.
        """
        found = cls(file, shown)
        problems: list[Problem] = []
        digest = hashlib.sha256()
        for number, offset, line in _lines(file, shown):
            digest.update(line)
            if not line.strip():
                continue
            place = f"{shown}:{number}"
            try:
                claim = claims(strict_json.loads(line, place), place)
                if claim is not None:
                    found._note(claim, (offset, len(line), number, crc32(line)))
            except UsageError as error:
                if claims is trial_claim and not line.endswith(b"\n"):
                    found.torn = True  # a run that was killed; its last line was never acknowledged
                else:
                    problems.extend(error.problems)
        found.sha256 = digest.hexdigest()
        if problems:
            more = len(problems) - _MOST_PROBLEMS
            rest = (Problem(f"… and {count(more, 'more problem')} like these"),) if more > 0 else ()
            raise UsageError(*problems[:_MOST_PROBLEMS], *rest)
        return found

    def __len__(self) -> int:
        return len(self._entry)

    def read(self, query_id: str) -> tuple[object, str]:
        """The line that answers a query, parsed, and its place.

        Raises:
            TargetFailure: there is none, or the file was changed since it was looked through.
        """
        entry = self._entry.get(query_id)
        if entry is None:
            raise TargetFailure(Failure.OTHER, f"{self.shown} holds no answer for {query_id}")
        place = f"{self.shown}:{self._line[entry]}"
        self.file.seek(self._offset[entry])
        line = self.file.read(self._length[entry])
        if crc32(line) != self._crc[entry]:
            raise TargetFailure(Failure.OTHER, f"{place} was changed while it was replayed")
        # The same bytes passed the strict reader already, so the fast one cannot misread them.
        return from_json(line.removeprefix(strict_json.BOM)), place

    def _note(self, claim: Claim, stand: tuple[int, int, int, int]) -> None:
        entry = self._entry.get(claim.query_id)
        if entry is None:
            entry = self._entry[claim.query_id] = len(self._entry)
            for column in self._columns():
                column.append(0)
        else:
            before = self._claims.get(claim.query_id)
            if before is None or (before.repeat == claim.repeat and before.key != claim.key):
                first = f"{self.shown}:{self._line[entry]}"
                message = f'"{claim.query_id}" is answered twice; the first answer is {first}'
                raise UsageError(Problem(message, f"{self.shown}:{stand[2]}", "keep one of the two"))
            self.repeats_left_out += before.repeat != claim.repeat
            if claim.repeat >= before.repeat:
                return
        if claim.key:
            self._claims[claim.query_id] = claim
        for column, value in zip(self._columns(), stand, strict=True):
            column[entry] = value

    def _columns(self) -> "tuple[array[int], ...]":
        return self._offset, self._length, self._line, self._crc


def answer_claim(value: object, place: str) -> Claim:
    """The claim of `{"id": …, "hits": […]}`: a file that somebody's own system wrote."""
    if not isinstance(value, dict):
        raise UsageError(Problem('a line must be an object: {"id": …, "hits": […]}', place))
    problems = [_unknown(key, place) for key in value if key not in _FIELDS]
    query_id = value.get("id")
    if not isinstance(query_id, str) or not query_id:
        state = "must be text that is not empty" if "id" in value else "is missing"
        problems.append(Problem(f'"id" {state}', place, "it is the id of the query that is answered"))
    if all(value.get(part) is None for part in ("hits", "results", "text")):
        help_ = 'write "hits": [] when nothing was found'
        problems.append(Problem("the line has neither hits, results nor text", place, help_))
    if value.get("hits") is not None and value.get("results") is not None:
        problems.append(Problem('"hits" and "results" are both given', place, "keep one of them"))
    if problems:
        raise UsageError(*problems)
    return Claim(str(query_id))


def trial_claim(value: object, place: str) -> Claim | None:
    """The claim of a line of a run's journal; None for lines that are not trials."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        raise UsageError(Problem("this is not a line of a run", place))
    if value["type"] != "trial":
        return None
    data = value.get("data")
    query_id = data.get("query_id") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(query_id, str):
        raise UsageError(Problem("the trial does not say which query it answers", place))
    if data.get("status") == "cut":  # not finished; when the run was resumed, a later line has the whole of it
        return None
    repeat = data.get("repeat")
    return Claim(query_id, str(data.get("key") or place), repeat if isinstance(repeat, int) else 1)


def _lines(file: BinaryIO, shown: str) -> Iterator[tuple[int, int, bytes]]:
    number = offset = 0
    while line := file.readline(strict_json.LONGEST_LINE + 1):
        number += 1
        if len(line) > strict_json.LONGEST_LINE:
            raise UsageError(Problem("the line is longer than 64 MiB", f"{shown}:{number}"))
        yield number, offset, line
        offset += len(line)


def _unknown(key: object, place: str) -> Problem:
    close = nearest(str(key), _FIELDS)
    help_ = f'did you mean "{close}"?' if close else f"an answer has {', '.join(_FIELDS)}"
    return Problem(f'"{key}" is not a field of an answer', place, help_)
