"""Regular expressions that an author may use: those that cannot take forever, and on how much text.

Python's matcher backtracks, so a pattern is judged on its parse tree before it is ever run: a repeat
inside a repeat, alternatives that begin alike under a repeat, and pieces that can take the same text
in too many ways are refused. What is left is at most cubic, and is run on as much text as that allows.
"""

import re

from engine.rubric.context import Slip
from engine.rubric.diagnostic import Diagnostic, Span
from engine.rubric.patterns.cost import danger, reach_of
from engine.rubric.patterns.tree import parse, unsupported

__all__ = ["reach", "screen", "shape"]

_LONGEST = 500


def screen(pattern: str, at: Span) -> None:
    """Raises Slip for a pattern that is not valid (R601), can take forever (R602) or is not supported (R603)."""
    if len(pattern) > _LONGEST:
        message = f"This pattern has {len(pattern)} characters; at most {_LONGEST} can be checked for safety"
        raise Slip(Diagnostic("R602", message, at, help=("split it into several checks",)))
    try:
        tree = parse(pattern)
    except (re.error, OverflowError, RecursionError) as fault:
        place = getattr(fault, "pos", None) or 0
        reason = getattr(fault, "msg", "it is too large")
        where = Span(at.line, min(at.start + 1 + place, at.end - 1), min(at.start + 2 + place, at.end))
        steps = (
            "for simple shapes use looks like, where # is a digit, @ a letter and * anything:",
            'answer looks like "ORD-######"',
        )
        message = f"This pattern is not valid: {reason} (at character {place + 1})"
        raise Slip(Diagnostic("R601", message, where, help=steps)) from None
    word = next(unsupported(tree), None)
    if word is not None:
        message = f"Patterns are read without {word}, because it can take forever"
        raise Slip(Diagnostic("R603", message, at, help=("say it with two checks",)))
    found = danger(tree)
    if found is not None:
        reason, step = found
        raise Slip(Diagnostic("R602", f"This pattern can take forever on some answers: {reason}", at, help=(step,)))


def reach(pattern: str) -> int:
    """On how many characters of an answer a screened pattern is tried."""
    return reach_of(parse(pattern))


def shape(text: str) -> str:
    """The pattern of `ORD-######`: `#` a digit, `@` a letter, `*` any run without blanks.

    A run ends where the piece after it first fits, and is not tried again (`(?>`): pieces have a fixed length, so
    the first fit is as good as any, and several runs cannot multiply.
    """
    pieces = ["".join(map(_piece, piece)) for piece in re.split(r"\*+", text)]
    runs = [rf"(?>\S{{0,200}}?{piece})" for piece in pieces[1:-1]]
    last = [rf"\S{{0,200}}?{pieces[-1]}"] if len(pieces) > 1 else []
    return rf"(?<!\w){''.join([pieces[0], *runs, *last])}(?!\w)"


def _piece(char: str) -> str:
    return {"#": r"\d", "@": r"[^\W\d_]"}.get(char) or re.escape(char)
