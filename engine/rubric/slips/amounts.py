"""Numbers and units: commas, units that stick to the number, percent in words, and numbers that are missing."""

import re

from engine.rubric.diagnostic import Diagnostic
from engine.rubric.numbers import UNITS
from engine.rubric.slips.broken import Broken

__all__ = ["comma", "glued_unit", "no_comparison", "no_number", "no_unit", "percent_in_words"]

_COUNTED = r"(words?|characters?|sentences?|lines?|tokens?|ms|milliseconds?|sources?|citations?|times|results?)\b"


def comma(at: Broken) -> Diagnostic | None:
    """`0,7`, which is 0.7; and `1,000`, which is a thousand to some and one to others."""
    for found in re.finditer(r"(?<![\w.,])\d+(?:,\d+)+(?![\w,])", at.bare()):
        if found.start() <= at.column <= found.end():
            thousands = re.fullmatch(r"[1-9]\d{0,2}(,\d{3})+", found[0])
            counted = re.match(rf"\s*-?\s*{_COUNTED}", at.text[found.end() :], re.I)
            if thousands and not counted and found[0].count(",") == 1:
                return _either(at, found)
            if thousands:
                return _plain(at, found, found[0].replace(",", ""), "Numbers are written without a comma")
            if found[0].count(",") == 1:
                return _plain(at, found, found[0].replace(",", "."), "Numbers use a full stop, not a comma")
    return None


def _plain(at: Broken, found: re.Match[str], cure: str, message: str) -> Diagnostic:
    start, end = found.span()
    step, edit = at.write(start, end, cure), at.mend(start, end, cure)
    return Diagnostic("R114", message, at.span(start, end), f"write {cure}", (step,), edit=edit)


def _either(at: Broken, found: re.Match[str]) -> Diagnostic:
    whole, decimal = found[0].replace(",", ""), found[0].replace(",", ".")
    steps = (f"for a thousand and more write {whole}", f"for a number with decimals write {decimal}")
    message = f"{found[0]} can be read in two ways"
    return Diagnostic("R114", message, at.span(*found.span()), "no commas in numbers", steps)


_GLUED = re.compile(r"(?<![\w.@])(\d+(?:\.\d+)?)-?([^\W\d_]+)(?:-[^\W\d_]+)?(?![\w])")


def glued_unit(at: Broken) -> Diagnostic | None:
    """`200words`, `2s`, `200-word`."""
    for found in _GLUED.finditer(at.bare(), at.start):
        unit = UNITS.get(found[2].casefold())
        if unit is None or found.end() < at.column or found.start() > at.column:
            continue
        plural = found[2] if unit.kind != "text" or found[2].endswith("s") else f"{found[2]}s"
        cure, (start, end) = f"{found[1]} {plural}", found.span()
        span = at.span(start, end)
        message = f'Write a blank between the number and "{found[2]}"'
        if at.reads(start, end, cure) is None:
            return Diagnostic("R118", message, span, f"write {cure}", (f"write: {cure}",))
        step, edit = at.write(start, end, cure), at.mend(start, end, cure)
        return Diagnostic("R118", message, span, f"write {cure}", (step,), edit=edit)
    return None


def percent_in_words(at: Broken) -> Diagnostic | None:
    """`80 percent`."""
    found = re.compile(r"(\d+(?:\.\d+)?)\s*(?:per\s?cent|pct|p\.c\.)(?!\w)\.?", re.I).search(at.bare(), at.start)
    if found is None or at.column < found.start(1):
        return None
    cure, (start, end) = f"{found[1]}%", found.span()
    step, edit = at.write(start, end, cure), at.mend(start, end, cure)
    return Diagnostic("R118", "Write percent as a sign", at.span(start, end), f"write {cure}", (step,), edit=edit)


def no_comparison(at: Broken) -> Diagnostic | None:
    """`answer cites 2 sources`, `answer has 200 words`: at least, at most or exactly?"""
    if "AT_LEAST" not in at.expected or _BEFORE_NUMBER.search(at.text[: at.column]):
        return None
    found = re.match(r"(\d+(?:\.\d+)?|one|two|three|four|five|six|seven|eight|nine|ten)\b", at.rest, re.I)
    if found is None or at.reads(at.column, at.column, "at least ") is None:
        return None
    number = found[1]
    steps = tuple(
        ("write: " if how == "at least" else "or:    ") + at.put(at.column, at.column, f"{how} ").strip()
        for how in ("at least", "at most", "exactly")
    )
    message = f"At least {number}, at most {number}, or exactly {number}?"
    return Diagnostic("R101", message, at.word, "say which", steps)


_BEFORE_NUMBER = re.compile(
    r"(least|most|than|to|minimum|maximum|over|above|under|below|exactly|between|top|marks (?:at|for)|and|[<>=≤≥]|cap:)"
    r"\s*$",
    re.I,
)


def no_number(at: Broken) -> Diagnostic | None:
    """`at least several sources`."""
    if "NUMBER" not in at.expected or not at.rest or "OTHERWISE" in at.expected:
        return None
    if not _BEFORE_NUMBER.search(at.text[: at.column]):
        return None
    step = "say how many, in digits: what one reader calls few another calls many"
    message = f'I expected a number here, and found "{at.word.text}"'
    return Diagnostic("R118", message, at.word, "a number goes here", (step,))


def no_unit(at: Broken) -> Diagnostic | None:
    """`answer has at most 200`."""
    if at.rest or at.expected != {"UNIT"}:
        return None
    found = re.search(r"(\d[\d.]*|\{[^}]*\}|\w+)\s*$", at.text[: at.column])
    shown = found[1] if found else "how many"
    if "tool" in at.text and "answer" not in at.text:
        return None
    message = f"{shown} what? Words, characters, sentences or lines?"
    edit, span = at.mend(at.end, at.end, " words"), at.span(at.end, at.end + 1)
    return Diagnostic("R119", message, span, "unit missing", (f"write: {shown} words",), edit=edit)
