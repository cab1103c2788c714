"""What is wrong with a rubric: where, in the author's words, and what to do about it."""

from dataclasses import dataclass
from enum import StrEnum

from engine.errors import Problem

__all__ = ["NOWHERE", "Diagnostic", "Edit", "Line", "Severity", "Span", "not_known", "render"]


class Severity(StrEnum):
    """Only an error keeps a rubric from being used."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file. `folded` has the same length, with look-alikes replaced one to one."""

    file: str
    number: int
    text: str
    folded: str


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line: columns `start` up to `end`, from 0."""

    line: Line
    start: int
    end: int

    @property
    def place(self) -> str:
        """`file:line:column`, as editors understand it."""
        return f"{self.line.file}:{self.line.number}:{self.start + 1}"

    @property
    def text(self) -> str:
        """The piece as the author wrote it."""
        return self.line.text[self.start : self.end]


NOWHERE = Span(Line("", 0, "", ""), 0, 0)


@dataclass(frozen=True, slots=True)
class Edit:
    """A mend that a tool can make: this piece becomes `text`."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem.

    Attributes:
        code: stable name, `R102`; tests and docs refer to it.
        message: what is wrong, in one sentence, without advice.
        label: a few words beside the caret, or empty.
        help: what to do about it, one step each.
        other: a second place that belongs to it, with a few words, or None.
        edit: the mend, or None when a person has to decide.
    """

    code: str
    message: str
    span: Span
    label: str = ""
    help: tuple[str, ...] = ()
    other: tuple[Span, str] | None = None
    edit: Edit | None = None
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        return render(self)

    def problem(self) -> Problem:
        """The same for a list of problems of a whole command."""
        return Problem(f"{self.message}  [{self.code}]", self.span.place, "; ".join(self.help))


def not_known(code: str, message: str, at: Span, near: str | None, step: str) -> Diagnostic:
    """A name that nothing has. `near` is the one that was most likely meant, as it would stand there, or None."""
    if near is None:
        return Diagnostic(code, message, at, help=(step,))
    shown = near if near[0] in '[{"' else f'"{near}"'
    return Diagnostic(code, message, at, f"did you mean {shown}?", (step,), edit=Edit(at, near))


def render(problem: Diagnostic) -> str:
    """The message as people read it: place and sentence, the line, a caret, what to do."""
    span = problem.span
    head = f"{span.place}: {problem.severity}: {problem.message}  [{problem.code}]"
    quoted = {span.line.number: _quote(span)}
    if problem.other is not None and problem.other[0].line.file == span.line.file:
        other, words = problem.other
        quoted.setdefault(other.line.number, f"{_quote(other)}   <- {words}")
    wide = max(len(str(number)) for number in quoted)
    rows = [head, f"{'':{wide}} |"]
    for number in sorted(quoted):
        rows.append(f"{number:>{wide}} | {quoted[number]}".rstrip())
        if number == span.line.number:
            rows.append(f"{'':{wide}} | {_caret(span, problem.label)}")
    for step in problem.help:
        first, *rest = step.split("\n")
        rows.append(f"{'':{wide}} = {first}")
        rows += [f"{'':{wide}}   {line}" for line in rest]
    return "\n".join(rows)


_LONGEST = 160  # a longer line is cut, so that the caret stays on the screen


def _quote(span: Span) -> str:
    cut = _cut(span)
    return span.line.folded[cut : cut + _LONGEST].rstrip()


def _caret(span: Span, label: str) -> str:
    cut = _cut(span)
    width = max(1, min(span.end, cut + _LONGEST) - span.start)
    return f"{'':{span.start - cut}}{'^' * width} {label}".rstrip()


def _cut(span: Span) -> int:
    return max(0, span.start - _LONGEST // 2) if len(span.line.folded) > _LONGEST else 0
