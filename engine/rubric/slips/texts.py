"""Texts to look for: without quotes, in lists, joined by "and", "or" or "and/or"."""

import re

from engine.rubric.diagnostic import Diagnostic
from engine.rubric.slips.broken import Broken

__all__ = ["and_or", "bare_list", "list_of_results", "mixed", "no_quotes"]

_QUOTED = r"[\"“”„«'‘][^\"“”„»'’]*[\"“”»'’]"


def no_quotes(at: Broken) -> Diagnostic | None:
    """`answer contains refund policy`."""
    if "STRING" not in at.expected or not re.match(r"[^\W_]", at.rest):
        return None
    if re.match(r"(several|many|few|some|a few|enough|multiple)\b", at.rest, re.I) and "NUMBER" in at.expected:
        return None
    text, quoted = _quoted(at)
    start, end = at.column, at.column + len(text)
    steps, edit = (f"write: {quoted}",), at.mend(start, end, quoted)
    message = "Put the text to look for in quotes"
    return Diagnostic("R115", message, at.span(start, end), "needs quotes", steps, edit=edit)


def _quoted(at: Broken) -> tuple[str, str]:
    """As much of the rest as makes the line read once it is quoted, and how it is quoted."""
    rest = re.sub(r"\.\s*$", "", at.rest).rstrip()
    if re.search(r"\b(?:any|all|none|one)\s+of\s*$", at.text[: at.column], re.I):
        parts = [part.strip() for part in re.split(r",\s*(?:(?:and|or)\s+)?|\s+(?:and|or)\s+", rest)]
        listed = ", ".join(part if part[:1] == '"' else f'"{part}"' for part in parts if part)
        if at.reads(at.column, at.column + len(rest), listed) is not None:
            return rest, listed
    for found in (*_TAIL.finditer(rest), None):
        text = rest[: found.start()].rstrip() if found else rest
        if text and at.reads(at.column, at.column + len(text), f'"{text}"') is not None:
            return text, f'"{text}"'
    text = re.split(r"\s+(?:and|or)\s+(?=answer|results|tool|the\b)", rest)[0].rstrip()
    return text, f'"{text}"'


_TAIL = re.compile(
    r"\s+(?:(?:and|or)\s+(?=answer|results|tool|the\b)|in\s+(?:the\s+)?top\b|(?:was|is)\s|with\s|containing\s"
    r"|(?=[\"“„«]))",
    re.I,
)


def bare_list(at: Broken) -> Diagnostic | None:
    """`answer contains "refund", "money back"`: any of them, or all?"""
    found = _LIST.search(at.text, at.start)
    if found is None or not found.start() <= at.column < found.end():
        return None
    verb, first = found[1], found[2]
    steps = (f"write: {verb} any of {first}, ...", f"or:    {verb} all of {first}, ...")
    message = "Should the answer have any of these texts, or all of them?"
    span = at.span(found.end() - 1, found.end())
    return Diagnostic("R113", message, span, "a list needs any of / all of", steps)


_LIST = re.compile(rf"(\bcontains?|\bmentions?|\bincludes?)\s+(?:the\s+following[\w\s]*:?\s*)?({_QUOTED})\s*,", re.I)


def mixed(at: Broken) -> Diagnostic | None:
    """`A or B and C`."""
    found = re.match(r"(and|or)\b", at.rest, re.I)
    if found is None or not at.expected & {"AND", "OR"}:
        return None
    steps = (
        "put brackets round the part that belongs together, for example: (A or B) and C",
        "or write two check: lines; every check: line of a criterion must hold",
    )
    message = '"and" and "or" are mixed, so this can be read in two ways'
    return Diagnostic("R112", message, at.span(at.column, at.column + found.end()), "which goes first?", steps)


def and_or(at: Broken) -> Diagnostic | None:
    """`"a" and/or "b"`, where "or" says the same."""
    found = re.compile(r"\b(and\s*/\s*or|or\s*/\s*and)\b", re.I).search(at.bare(), at.start)
    if found is None or found.start() > at.column:
        return None
    start, end = found.span()
    message = f'"{found[0]}" is "or": one of them is enough, and both are fine'
    edit = at.mend(start, end, "or") if at.reads(start, end, "or") is not None else None
    return Diagnostic("R112", message, at.span(start, end), 'write "or"', (at.write(start, end, "or"),), edit=edit)


_RESULTS = re.compile(
    rf"(?P<head>\bresults\s+)(?P<verb>contain|mention|include)s?\s+(?P<how>any|one|all|none)\s+of\s+"
    rf"(?P<list>{_QUOTED}(?:\s*,\s*{_QUOTED})*(?:\s*,?\s*(?:or|and)\s+{_QUOTED})?)(?P<top>\s+in\s+(?:the\s+)?top\s+\w+)?",
    re.I,
)


def list_of_results(at: Broken) -> Diagnostic | None:
    """`results contain any of "a", "b"`: results take a plain list, which asks for all of them."""
    found = _RESULTS.search(at.text, at.start)
    if found is None:
        return None
    texts, how, top = re.findall(_QUOTED, found["list"]), found["how"].casefold(), found["top"] or ""
    start, end = found.span()
    if how == "all":
        message, cure = "Results take a plain list, and all of it has to be there", f"contain {', '.join(texts)}{top}"
    elif how == "none":
        message = 'Say "do not contain" of results; none of the list may be there then'
        cure = f"do not contain {', '.join(texts)}{top}"
    else:
        message = 'For results, join the texts with "or": a plain list asks for all of them'
        cure = f"contain {texts[0]}{top}" + "".join(f" or {text}" for text in texts[1:])
    cure = found["head"] + cure
    if at.reads(start, end, cure) is None:
        return None
    step, edit = at.write(start, end, cure), at.mend(start, end, cure)
    return Diagnostic("R113", message, at.span(start, end), "", (step,), edit=edit)
