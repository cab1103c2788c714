"""The text of a rubric file: all of it, or a sentence that says why not."""

from pathlib import Path
from typing import BinaryIO

from engine.errors import Problem, UsageError
from engine.text import one_line

__all__ = ["read_text", "text_of", "unreadable"]

_MOST_READ = 4 * 1024 * 1024  # eight times what a rubric may have: what is a little too big is told by the language
_AS_UTF8 = "save it again as UTF-8: most editors have that in Save as, as the encoding"


def text_of(path: Path, name: str) -> str:
    """The text of a rubric file, exactly as it is stored (line ends too). Raises UsageError when it has none."""
    try:
        with path.open("rb") as stream:
            return read_text(stream, one_line(name))
    except OSError as error:
        raise UsageError(unreadable(error, name)) from error


def read_text(stream: BinaryIO, place: str) -> str:
    """No more is read than a rubric can have: a wrong name may lead to a film, or to a device that never ends."""
    data = stream.read(_MOST_READ + 1)
    if len(data) > _MOST_READ:
        problem = "this file is too big for a rubric: at most 512 KiB"
        raise UsageError(Problem(problem, place, "is it the right file?"))
    if b"\0" in data:  # would pass for UTF-8, and a line written into UTF-16 would ruin it
        halves = data[:200:2].count(0), data[1:200:2].count(0)
        what = "stored as UTF-16, and UTF-8 is needed" if max(halves) > 2 * min(halves) + 2 else "no text file"
        raise UsageError(Problem(f"this rubric is {what}", place, _AS_UTF8))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        raise UsageError(Problem("this rubric is not UTF-8 text", f"{place}:{number}", _AS_UTF8)) from None


def unreadable(error: OSError, name: str) -> Problem:
    """Why nothing could be read from the disk."""
    reason = (error.strerror or "no reason is known").lower()
    return Problem(f"this rubric cannot be read: {reason}", one_line(name), "check who may read it, and its name")
