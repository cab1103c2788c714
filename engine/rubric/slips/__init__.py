"""A line that does not read: which typical slip it is, and how to say it. One family of slips a file.

They are tried in order, and the first that fits wins.
"""

from collections.abc import Callable

from engine.rubric.diagnostic import Diagnostic, Line
from engine.rubric.parse import Failure, Node, parse_line
from engine.rubric.slips import amounts, lines, quotes, repair, signs, texts, verbs, wordings
from engine.rubric.slips.broken import Broken, Tries
from engine.rubric.source import Mended, mended

__all__ = ["Tries", "cured", "explain"]

_SLIPS: tuple[Callable[[Broken], Diagnostic | None], ...] = (
    quotes.never_closed,
    signs.remark,
    amounts.comma,
    amounts.glued_unit,
    amounts.percent_in_words,
    verbs.modal,
    verbs.denied,
    texts.and_or,
    texts.list_of_results,
    texts.bare_list,
    wordings.condition,
    lines.length,
    repair.misspelled,
    texts.mixed,
    lines.verdict,
    amounts.no_comparison,
    repair.too_many,
    wordings.otherwise_said,
    verbs.turned,
    repair.left_out,
    amounts.no_number,
    texts.no_quotes,
    amounts.no_unit,
    lines.cap,
    lines.use,
    lines.field,
    lines.setting,
    lines.judge,
    lines.measure,
)


def explain(line: Line, failure: Failure, tries: Tries) -> Diagnostic:
    """The one message for a line whose structure could not be read. `tries` are shared by a whole file."""
    broken = Broken(line, failure.column, failure.expected, tries)
    for slip in _SLIPS:
        found = slip(broken)
        if found is not None:
            return found
    return lines.not_understood(broken)


def cured(problem: Diagnostic) -> Mended | None:
    """The line as it is read on when the mend of its message makes it read, so that one slip gives one message."""
    if problem.edit is None or problem.edit.span.line != problem.span.line:
        return None
    mend = mended(problem.edit.span, problem.edit.text)
    node = parse_line(mend.read)
    return mend if isinstance(node, Node) and node.rule not in ("unknown_line", "stray_line") else None
