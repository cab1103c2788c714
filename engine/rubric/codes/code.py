"""What is known about one code: what it means, why it matters, and a small rubric that gets it."""

from typing import NamedTuple

from engine.rubric.diagnostic import Severity

__all__ = ["ERROR", "HINT", "WARNING", "Code", "demo"]

ERROR, WARNING, HINT = Severity.ERROR, Severity.WARNING, Severity.HINT


class Code(NamedTuple):
    """One row of the table.

    Attributes:
        severity: the usual one; where there are two, `why` says when it is the other.
        title: what is wrong, in one sentence.
        why: why it matters and what to do, for somebody who does not program.
        wrong, right: a whole file that gets the code, and one that does not.
        fix: `assay rubric check --fix` can mend this example.
        files: other files in the rubrics folder, each with its text.
        published: the text of an earlier version that was published; empty for nearly every code.
    """

    code: str
    severity: Severity
    title: str
    why: str
    wrong: str
    right: str
    fix: bool = False
    files: tuple[tuple[str, str], ...] = ()
    published: str = ""


def demo(body: str) -> str:
    """A whole file: a first line, a version, and what is shown."""
    return f"rubric: Demo\nversion: 1\n{body}\n"
