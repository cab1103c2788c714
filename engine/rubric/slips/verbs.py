"""Verbs: "should", "must" and their like, and denials that need a helping word."""

import re

from engine.rubric.diagnostic import Diagnostic, Span
from engine.rubric.slips.broken import Broken, Tries

__all__ = ["denied", "modal", "modal_in_name", "turned", "without_modal"]

_VERBS = {"cite": "cites", "contain": "contains", "mention": "mentions", "include": "includes", "have": "has",
          "start": "starts", "begin": "begins", "end": "ends", "equal": "equals", "match": "matches",
          "look": "looks", "be": "is", "pass": "passes", "fail": "fails"}  # fmt: skip
_MODAL = re.compile(
    r"\b(?<!any )(?<!a )(should|must|shall|ought to|has to|have to|needs to|need to|may|can|will)\s+"
    r"((?:not|never)\s+)?(\w+)",
    re.I,
)
_COMPULSORY = 'whether it is compulsory is said by the heading: "must:" or "criterion:"'
_CONDITIONS = ("check", "only when", "cap", "verdict")


def modal(at: Broken) -> Diagnostic | None:
    """`answer should cite at least 2 sources`."""
    if at.key not in _CONDITIONS:
        return None
    found = _MODAL.search(at.bare(), at.start)
    if found is None or found.start() > at.column:
        return None
    subject, who, do = _subject(at, found.start())
    verb = found[3].casefold()
    says = _denied(verb, who, do) if found[2] else _says(verb, who, do)
    missing = "" if subject else "answer "
    start, end = found.span()
    if found.start() != at.column and at.reads(start, end, missing + says) is None:
        return None
    steps = (f"write: {subject or 'answer'} {says} ...", _COMPULSORY)
    message = _said(subject, who, do, found[1].casefold())
    edit = at.mend(start, end, missing + says)
    return Diagnostic("R117", message, at.span(start, end), f'write "{missing}{says}"', steps, edit=edit)


def modal_in_name(at: Span) -> Diagnostic | None:
    """The same for a line that reads, because "latency should be" could be the name of something."""
    return modal(Broken(at.line, at.end, frozenset(), Tries(1)))


def _said(subject: str, who: str, do: str, word: str) -> str:
    known = not subject or who in _NOUNS
    return f'Say what the {who} {do}, without "{word}"' if known else f'Say it without "{word}"'


def without_modal(text: str) -> str:
    """`The answer must cite a source` → `The answer cites a source`."""
    found = _MODAL.search(text)
    if found is None:
        return text
    verb = found[3].casefold()
    return (
        text[: found.start()]
        + (_denied(verb, "answer", "does") if found[2] else _says(verb, "answer", "does"))
        + (text[found.end() :])
    )


_NOUNS = ("answer", "response", "reply", "result", "results", "top result", "first result", "tool")
_SUBJECT = re.compile(
    r"((?:the|every|each)\s+)?(?P<who>answer|response|reply|results?|(?:top|first)\s+result|tool)\b[^()]*$", re.I
)


def _subject(at: Broken, column: int) -> tuple[str, str, str]:
    """What the line speaks of as it was written, in one word, and whether that `does` or `do`."""
    before = re.split(
        r"\b(?:and|or)\s+(?=(?:the\s+)?(?:answer|response|reply|results|tool)\b)", at.text[at.start : column]
    )
    found = _SUBJECT.search(before[-1])
    if found is None:
        name = re.split(r"\b(?:and|or|when)\s|\(", before[-1])[-1].strip()
        return name, name or "answer", "does"
    who = " ".join(found["who"].casefold().split())
    return found[0].strip(), who, "do" if who == "results" else "does"


def _says(verb: str, who: str, do: str) -> str:
    """`cite` → `cites`; many results `contain`, and a tool `was` called."""
    return _be(who) if verb == "be" else verb if do == "do" else _VERBS.get(verb, verb)


def _denied(verb: str, who: str, do: str) -> str:
    return f"{_be(who)} not" if verb == "be" else f"{do} not {verb}"


def _be(who: str) -> str:
    return {"results": "are", "tool": "was"}.get(who, "is")


_DENIED = (
    re.compile(r"(?:not|no)\s+(contain|mention|include|cite|match)(?:s|es)?\b", re.I),
    re.compile(r"(contain|mention|include|cite|match)(?:s|es)?\s+(?:not|no)\b(?!\s+(?:more|less|fewer)\s+than)", re.I),
    re.compile(r"(?:does|do)(?:\s+not|n['’]t)\s+(contain|mention|include|cite|match)(?:s|es)\b", re.I),
    re.compile(r"(?:can\s*not|can['’]t|cannot|won['’]t|isn['’]t|is\s+not|may\s+not)\s+"
               r"(contain|mention|include|cite|match)(?:s|es|ing)?\b", re.I),
)  # fmt: skip


def denied(at: Broken) -> Diagnostic | None:
    """`answer not contain "x"`, `answer contains not "x"`."""
    if at.key not in _CONDITIONS:
        return None
    for denial in _DENIED:
        found = denial.search(at.bare(), at.start)
        if found is None or found.start() > at.column:
            continue
        subject, _, do = _subject(at, found.start())
        says = f"{do} not {found[1].casefold()}"
        start, end = found.span()
        if start != at.column and at.reads(start, end, says) is None:
            continue
        span, step = at.span(start, end), f"write: {subject or 'answer'} {says} ..."
        message, edit = f'"{span.text}" needs a helping word', at.mend(start, end, says)
        return Diagnostic("R116", message, span, f'write "{says}"', (step,), edit=edit)
    return None


_TURNED = re.compile(r"(?:does\s+not|doesn['’]t|never)\s+(start|begin|end|equal|look|have)s?\b", re.I)


def turned(at: Broken) -> Diagnostic | None:
    """`answer does not start with "Sure"`: only a heading can turn such a check round."""
    found = _TURNED.search(at.bare(), at.start) if at.key == "check" else None
    if found is None or found.start() > at.column:
        return None
    says = _VERBS[found[1].casefold()]
    start, end = found.span()
    if at.reads(start, end, says) is None:
        return None
    message = "A check like this says what is there; that it ought not to be there is said by the heading"
    joined = re.search(r"\b(?:and|or)\b", at.bare()[end:])
    rest = at.text[end : end + joined.start() if joined else None].strip(" .\t")
    steps = ('start a criterion with "must not:" or "penalty:"', f"and write under it: check: answer {says} {rest}")
    return Diagnostic("R116", message, at.span(start, end), "", steps)
