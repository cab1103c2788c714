"""Remarks at the end of a line."""

from engine.rubric.diagnostic import Diagnostic
from engine.rubric.slips.broken import Broken
from engine.rubric.slips.quotes import outside

__all__ = ["remark"]


def remark(at: Broken) -> Diagnostic | None:
    """`answer has at most 200 words  # marketing wants this`."""
    opened = outside(at.text, "#")
    if opened is None or opened > at.column:
        return None
    step = "move it to the line above, starting with #"
    edit = at.mend(len(at.text[:opened].rstrip()), at.end, "")
    message = "A comment needs a line of its own here"
    return Diagnostic("R110", message, at.span(opened, at.end), "comment starts here", (step,), edit=edit)
