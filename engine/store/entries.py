"""The lines of a journal: what one holds, and reading a file of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from engine.errors import Problem, UsageError
from engine.store import strict_json
from engine.store.plain_file import open_plain

__all__ = ["VERSION", "Entry", "EntryType", "parse", "read"]

EntryType = Literal["run_start", "call_start", "call_end", "trial", "human", "label", "run_summary", "review_summary"]
_TYPES: tuple[EntryType, ...] = get_args(EntryType)
VERSION = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One line. Order is by `seq`: `at` comes from a clock that may be set back."""

    type: EntryType
    at: str
    seq: int
    data: Mapping[str, object]


def read(path: Path, *only: EntryType) -> Iterator[tuple[int, Entry | Problem]]:
    """Every line with its number, in order; a damaged line is handed out as the problem that it is.

    A last line that was torn off is passed over: it was never acknowledged. Memory depends on the
    longest line. With types in `only`, lines of all others are passed over without being read.

    Raises:
        UsageError: there is no such file, or it is a symbolic link.
    """
    with open_plain(path) as file:
        number = 0
        wanted = tuple(f'{{"type":"{each}"'.encode() for each in only) or b""
        while line := file.readline(strict_json.LONGEST_LINE + 1):
            number += 1
            if line.startswith(b'{"type":"') and not line.startswith(wanted):
                continue
            place = f"{path}:{number}"
            if len(line) > strict_json.LONGEST_LINE:
                while line and not line.endswith(b"\n"):
                    line = file.readline(2**20)
                yield number, Problem("the line is longer than 64 MiB", place)
                continue
            try:
                yield number, parse(line, place)
            except UsageError as error:
                if line.endswith(b"\n"):
                    yield number, error.problems[0]


def parse(line: bytes, place: str) -> Entry:
    """One line of a journal.

    Raises:
        UsageError: it is damaged, or written by a newer engine.
    """
    if not line.strip():
        raise UsageError(Problem("the line is blank", place))
    value = strict_json.loads(line.rstrip(b"\r\n"), place)
    match value:
        case {"type": str(type_), "v": int(v), "at": str(at), "seq": int(seq), "data": dict(data), **rest} if not rest:
            if v != VERSION:
                message = f"the line is in version {v} of the format, this engine reads version {VERSION}"
                raise UsageError(Problem(message, place))
            if type_ not in _TYPES:
                raise UsageError(Problem(f'no kind of line is called "{type_[:40]}"', place))
            return Entry(type_, at, seq, data)
    raise UsageError(Problem("the line is JSON, but not a line of a run", place))
