"""The rubric language: text in, a compiled rubric or every problem out; grading of everything a computer can see.

`read` is the only way in that needs the grammar; `from_json` gives the same rubric without it.
"""

from dataclasses import dataclass

from engine.rubric.canonical import LANGUAGE, Json, criterion_sha256, from_json, to_json
from engine.rubric.diagnostic import Diagnostic, Edit, Severity, Span, render
from engine.rubric.grade import Grader, compile_rubric
from engine.rubric.library import Library, TextOf
from engine.rubric.syntax import Question, Rubric, criteria, questions

__all__ = [
    "LANGUAGE",
    "Diagnostic",
    "Edit",
    "Grader",
    "Json",
    "Library",
    "Question",
    "Reading",
    "Rubric",
    "Severity",
    "Span",
    "TextOf",
    "compile",
    "criteria",
    "criterion_sha256",
    "from_json",
    "questions",
    "read",
    "render",
    "to_json",
]

compile = compile_rubric  # noqa: A001 (`rubric.compile`, as in `re.compile`)


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of a text. `rubric` is None when a problem is an error."""

    rubric: Rubric | None
    problems: tuple[Diagnostic, ...]

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The problems that keep the rubric from being used."""
        return tuple(problem for problem in self.problems if problem.severity is Severity.ERROR)


def read(text: str, name: str, library: TextOf) -> Reading:
    """Read a rubric. `name` is the file in messages; `library` gives the text of a used file, or None.

    A `Library`, which can also list its files, makes better advice about a path that is wrong.

    Never raises for anything that stands in the text.
    """
    from engine.rubric.reading import read_text  # lark costs 150 ms, and a run that has the JSON form needs none of it

    return Reading(*read_text(text, name, library))
