"""Mends that a tool can make: the edits that messages offer, each kept only when it helps and harms nothing."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from engine.rubric.diagnostic import Diagnostic, Edit, Severity

__all__ = ["Applied", "Fixed", "fixed"]

Check = Callable[[str], Sequence[Diagnostic]]

_MOST = 100  # mends in a round; each costs a few readings of the file
_ROUNDS = 8  # a mend may show the next mistake; a person makes a handful in one line
_LINE_END = re.compile("(\r\n|[\n\r\u2028\u2029\x85])")
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Applied:
    """One mend that was made: in this line of the text as it was then, `before` became `after`.

    A remark that has moved to the line above is itself in both, with a line end in `after`.
    """

    number: int
    code: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Fixed:
    """The mended text, what was mended, and what is still wrong with it."""

    text: str
    applied: tuple[Applied, ...]
    left: tuple[Diagnostic, ...]


def fixed(text: str, check: Check) -> Fixed:
    """Makes every mend that helps. `check` reads a text and says what is wrong with it.

    A mend is kept when its message is gone and no error has appeared that was not there before, or was hidden by it.
    Line ends, a byte order mark and every line without a mend stay as they are, to the byte.
    """
    now = Fixed(text, (), tuple(check(text)))
    refused: set[tuple[str, int, str]] = set()
    for _ in range(_ROUNDS):
        wanted = [problem for problem in _apart(now) if _name(problem) not in refused][:_MOST]
        if not wanted:
            break
        before = len(now.applied)
        now = _helped(now, wanted, check)
        if len(now.applied) == before:
            refused.update(map(_name, wanted))
    return now


def _helped(now: Fixed, wanted: Sequence[Diagnostic], check: Check) -> Fixed:
    """All at once when that is well; else each half by itself, down to a single one."""
    together = _tried(now, wanted, check)
    if together is not None:
        return together
    if len(wanted) == 1:
        return _followed(now, wanted[0], check) or now
    half = len(wanted) // 2
    after = _helped(now, wanted[:half], check)
    rest = {_name(problem) for problem in wanted[half:]}
    still = [problem for problem in _apart(after) if _name(problem) in rest]
    return _helped(after, still, check) if still else after


def _tried(now: Fixed, wanted: Sequence[Diagnostic], check: Check) -> Fixed | None:
    after = _made(now, wanted, check)
    return after if _gone(now, after, wanted) and _harmless(now, after, wanted) else None


def _followed(now: Fixed, problem: Diagnostic, check: Check) -> Fixed | None:
    """A mend may show what its mistake had hidden on the same line: kept when that can be mended as well."""
    after = now
    mend = problem
    for _ in range(_ROUNDS):
        after = _made(after, (mend,), check)
        fresh = _fresh(now, after)
        if _harmless(now, after, (problem,)):
            return after if _gone(now, after, (problem,)) else None
        number = mend.span.line.number
        here = [other for other in _apart(after) if _said(other) in fresh and other.span.line.number == number]
        if len(fresh) != 1 or not here:
            return None
        mend = here[0]
    return None


def _gone(before: Fixed, after: Fixed, wanted: Iterable[Diagnostic]) -> bool:
    left = Counter(map(_said, before.left)) - Counter(map(_said, wanted))
    now = Counter(map(_said, after.left))
    return all(now[_said(problem)] <= left[_said(problem)] for problem in wanted)


def _harmless(before: Fixed, after: Fixed, wanted: Sequence[Diagnostic]) -> bool:
    """No error is new but those that the mistake had hidden: the whole is only looked at once its parts are right.

    A line that does not read, and a mistake in the very words that were put in, are new.
    """
    fresh = _fresh(before, after)
    new = [problem for problem in _errors(after) if _said(problem) in fresh]
    touched, put_in = _touched(wanted), [problem.edit.text for problem in wanted if problem.edit is not None]
    return not any(
        _unread(problem) or (problem.span.line.number in touched and any(problem.span.text in text for text in put_in))
        for problem in new
        if problem.span.line.file == wanted[0].span.line.file
    )


def _unread(problem: Diagnostic) -> bool:
    return problem.code.startswith("R1")


def _touched(wanted: Sequence[Diagnostic]) -> set[int]:
    """The numbers that mended lines have afterwards; a remark that moves makes one line more."""
    numbers: set[int] = set()
    more = 0
    for problem in sorted(wanted, key=_start):
        number, added = _start(problem)[0] + more, 0 if problem.edit is None else problem.edit.text.count("\n")
        numbers.update(range(number, number + added + 1))
        more += added
    return numbers


def _fresh(before: Fixed, after: Fixed) -> Counter[tuple[str, str]]:
    """Errors that were not there."""
    return Counter(map(_said, _errors(after))) - Counter(map(_said, _errors(before)))


def _errors(text: Fixed) -> list[Diagnostic]:
    return [problem for problem in text.left if problem.severity is Severity.ERROR]


def _said(problem: Diagnostic) -> tuple[str, str]:
    return problem.code, problem.message


def _name(problem: Diagnostic) -> tuple[str, int, str]:
    return problem.code, problem.span.line.number, problem.message


# ---- edits ------------------------------------------------------------------------------------


def _apart(now: Fixed) -> list[Diagnostic]:
    """The problems with a mend for this very text, none of which touches another."""
    rows = _LINE_END.split(now.text.removeprefix(_BOM))[::2]
    kept: list[Diagnostic] = []
    reached = (0, 0)
    for problem in sorted(now.left, key=_start):
        edit = problem.edit
        if edit is None:
            continue
        number = edit.span.line.number
        ours = edit.span.line.file == problem.span.line.file and 0 < number <= len(rows)
        if ours and rows[number - 1] == edit.span.line.text and _start(problem) >= reached:
            kept.append(problem)
            reached = (number, edit.span.end + 1)
    return kept


def _start(problem: Diagnostic) -> tuple[int, int]:
    span = problem.span if problem.edit is None else problem.edit.span
    return span.line.number, span.start


def _made(now: Fixed, wanted: Sequence[Diagnostic], check: Check) -> Fixed:
    mark = _BOM if now.text.startswith(_BOM) else ""
    pieces = _LINE_END.split(now.text.removeprefix(_BOM))
    made = []
    for problem in sorted(wanted, key=_start, reverse=True):
        edit = problem.edit
        assert edit is not None
        made.append(_applied(problem, edit))
        at = 2 * (edit.span.line.number - 1)
        end = pieces[at + 1 : at + 2] or pieces[1:2] or ["\n"]
        new = edit.text.replace("\n", end[0])
        pieces[at] = pieces[at][: edit.span.start] + new + pieces[at][edit.span.end :]
    text = mark + "".join(pieces)
    return Fixed(text, (*now.applied, *reversed(made)), tuple(check(text)))


def _applied(problem: Diagnostic, edit: Edit) -> Applied:
    number, (first, *more) = edit.span.line.number, edit.text.split("\n")
    if more and first.startswith("#"):
        return Applied(number, problem.code, first, f"{first}\n")
    return Applied(number, problem.code, edit.span.text, edit.text)
