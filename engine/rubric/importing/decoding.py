"""From the bytes of a foreign file to its text and its kind, told from what stands in it."""

import re
from enum import StrEnum

from engine.errors import Problem, UsageError

__all__ = ["Kind", "decoded", "kind_of"]


class Kind(StrEnum):
    """What can be imported."""

    CSV = "csv"
    HEALTHBENCH = "healthbench"
    PROMPTFOO = "promptfoo"


def decoded(data: bytes, place: str) -> str:
    """The text of a file, without a byte order mark.

    Raises:
        UsageError: it is a spreadsheet, or not UTF-8, with the line where that shows.
    """
    if data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        step = "open it and save it as CSV UTF-8 (comma separated)"
        raise UsageError(Problem("this is a spreadsheet file, not a table as text", place, step))
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:200]:
        step = "save it again as UTF-8; Excel calls that: CSV UTF-8"
        raise UsageError(Problem("this text is stored as UTF-16, and UTF-8 is needed", f"{place}:1", step))
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        start = data.rfind(b"\n", 0, fault.start) + 1
        before = data[start : fault.start].decode("utf-8", "replace")[-20:]
        letter = data[fault.start : fault.start + 1].decode("cp1252", "replace")
        message = f'this text is not UTF-8: after "{before}" stands what may be "{letter}" in Windows-1252'
        step = "save it again as UTF-8; Excel calls that: CSV UTF-8"
        raise UsageError(Problem(message, f"{place}:{line}", step)) from None


def kind_of(text: str, place: str) -> Kind:
    """What kind of file a text is. Anything that is no JSON and no YAML with assertions is taken for a table.

    Raises:
        UsageError: it is a rubric already, or JSON of another kind.
    """
    start = text.lstrip()[:1]
    if _RUBRIC.match(text):
        raise UsageError(Problem("this is a rubric already", place, f"look at it: assay rubric check {place}"))
    if start in ("{", "["):
        if '"rubrics"' in text:
            return Kind.HEALTHBENCH
        if '"assert"' in text:
            return Kind.PROMPTFOO
        if start == "{":
            step = 'HealthBench files hold "rubrics", promptfoo files hold "assert"'
            raise UsageError(Problem("this JSON holds no criteria that I know", place, step))
    return Kind.PROMPTFOO if _PROMPTFOO.search(text) else Kind.CSV


_RUBRIC = re.compile(r"(\s*#[^\n]*\n|\s)*(rubric|library)[ \t]*:", re.IGNORECASE)
_PROMPTFOO = re.compile(r"^[ \t]*(- )?(assert|defaultTest|tests|prompts|providers)[ \t]*:", re.MULTILINE)
