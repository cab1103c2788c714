"""What checking one rubric found, in words and as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.cli.rubric.source import Source
from engine.cli.screen import typed
from engine.errors import Exit
from engine.rubric import Diagnostic, Edit, Json, Severity
from engine.rubric.fixes import Applied
from engine.store import strict_json
from engine.text import count

__all__ = ["Checked", "as_json", "in_words", "summary"]

_SCHEMA = "assay.rubric-check/1"
_LEFT_TO_YOU = "what could be mended would be another mistake then: choose by hand what it should be"


@dataclass(frozen=True, slots=True)
class Checked:
    """One rubric after a look.

    Attributes:
        criteria: how many; None when an error keeps it from being used.
        applied: what was mended; None when nobody asked for that.
    """

    source: Source
    problems: Sequence[Diagnostic]
    criteria: int | None
    applied: Sequence[Applied] | None = None
    strict: bool = False

    def many(self, severity: Severity) -> int:
        """How many problems are so bad."""
        return sum(1 for problem in self.problems if problem.severity is severity)

    @property
    def exit(self) -> Exit:
        """2 for errors, 1 for warnings where they count."""
        if self.criteria is None:
            return Exit.USAGE
        return Exit.BLOCKED if self.strict and self.many(Severity.WARNING) else Exit.PASSED


def in_words(checked: Checked) -> Iterator[str]:
    """What was mended, what is wrong, and what it comes to."""
    name = checked.source.name
    for mend in checked.applied or ():
        yield f"{name}, {_mended(mend)}"
    for problem in checked.problems:
        yield f"{problem}\n"
    warnings = checked.many(Severity.WARNING)
    warned = f", {count(warnings, 'warning')}" if warnings else ""
    if checked.exit is Exit.PASSED:
        yield f"{name}: fine ({count(checked.criteria or 0, 'criterion', 'criteria')}{warned})"
    elif checked.criteria is not None:
        yield f"{name}: {count(warnings, 'warning')}, which --strict does not allow"
    else:
        yield f"{name}: {count(checked.many(Severity.ERROR), 'error')}{warned}"
        easy = sum(1 for problem in checked.problems if problem.edit is not None)
        if easy and checked.applied is not None:
            yield f"  → {_LEFT_TO_YOU if not checked.applied else 'some can still be mended: run it again, or by hand'}"
        elif easy and checked.source.path is not None:
            yield f"  → {count(easy, 'problem')} can be mended for you: assay rubric check --fix {typed(name)}"


def _mended(mend: Applied) -> str:
    if not mend.before:
        return f"line {mend.number}: added {mend.after.strip()}"
    if mend.after == f"{mend.before}\n":
        return f"line {mend.number}: moved to a line of its own: {mend.before}"
    if not mend.after:
        return f"line {mend.number}: removed {mend.before.strip()}"
    return f"line {mend.number}: {mend.before.strip()} → {mend.after.strip()}"


def summary(files: Sequence[Checked], unread: int) -> str:
    """One line about several files."""
    fine = sum(1 for each in files if each.exit is Exit.PASSED)
    wrong = len(files) - fine
    parts = [f"{fine} fine"]
    parts += [f"{wrong} with problems"] if wrong else []
    parts += [f"{unread} not read"] if unread else []
    return f"{count(len(files) + unread, 'file')}: {', '.join(parts)}"


def as_json(files: Sequence[Checked]) -> str:
    """Everything that was found, for editors and other tools. Lines and columns count from 1."""
    content: Json = {
        "schema": _SCHEMA,
        "files": [
            {
                "file": each.source.name,
                "criteria": each.criteria,
                "fixed": [_fixed(mend) for mend in each.applied or ()],
            }
            for each in files
        ],
        "problems": [_problem(problem) for each in files for problem in each.problems],
    }
    return strict_json.printable(content)


def _fixed(mend: Applied) -> Json:
    return {"line": mend.number, "code": mend.code, "before": mend.before, "after": mend.after}


def _problem(problem: Diagnostic) -> Json:
    return {
        "file": problem.span.line.file,
        "line": problem.span.line.number,
        "column": problem.span.start + 1,
        "end_column": problem.span.end + 1,
        "code": problem.code,
        "severity": problem.severity.value,
        "message": problem.message,
        "help": list(problem.help),
        "fix": None if problem.edit is None else _fix(problem.edit),
    }


def _fix(edit: Edit) -> Json:
    span = edit.span
    return {"line": span.line.number, "column": span.start + 1, "end_column": span.end + 1, "text": edit.text}
