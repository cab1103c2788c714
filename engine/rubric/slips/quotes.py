"""Quotes that open and never close."""

from engine.rubric.diagnostic import Diagnostic
from engine.rubric.slips.broken import Broken

__all__ = ["never_closed", "outside"]

_QUOTES = {'"': '"', "“": '”"', "”": "”", "„": '“”"', "«": "»", "‘": "’"}


def never_closed(at: Broken) -> Diagnostic | None:
    """`answer contains "refund`."""
    opened = _unclosed(at.text)
    if opened is None or opened > at.column + len(at.rest):
        return None
    span = at.span(opened, at.end)
    closing = _QUOTES.get(at.text[opened], '"')[0]
    closing = '"' if at.text[opened] == '"' else closing
    step = f"add {closing} at the end of the text"
    edit = at.mend(at.end, at.end, closing)
    return Diagnostic("R111", "This text in quotes is never closed", span, "opened here", (step,), edit=edit)


def outside(text: str, wanted: str) -> int | None:
    """The first column of a sign that is not in quotes."""
    closes = ""
    for column, char in enumerate(text):
        if closes:
            closes = "" if char in closes else closes
        elif char in _QUOTES:
            closes = _QUOTES[char]
        elif _opens(text, column):
            closes = "'"
        elif char == wanted:
            return column
    return None


def _unclosed(text: str) -> int | None:
    """Where a quote opens that nothing closes."""
    opened, closes = None, ""
    for column, char in enumerate(text):
        if opened is not None:
            if char in closes:
                opened, closes = None, ""
        elif char in _QUOTES or _opens(text, column):
            opened, closes = column, _QUOTES.get(char, "'")
    return opened


def _opens(text: str, column: int) -> bool:
    """An apostrophe after a blank opens a quote; inside a word it belongs to the word."""
    return text[column] == "'" and text[column - 1 : column] in (" ", "(", ",")
