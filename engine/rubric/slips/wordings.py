"""Other ways to say what the language says in one way: offered as soon as the line reads with the right words."""

import re

from engine.rubric.diagnostic import Diagnostic, Line, Span
from engine.rubric.slips.broken import Broken

__all__ = ["condition", "conditional", "otherwise_said"]

_Q = r"[\"“”„«][^\"“”„»]*[\"“”»]"
_NUMBER = r"(?:\d+(?:\.\d+)?|one|two|three|four|five|six|seven|eight|nine|ten)"

_SAID: tuple[tuple[str, str], ...] = (
    (r"(?:an?\s+)?min(?:imum|\.)?\s+of\b|at\s+a\s+minimum\b|not\s+(?:less|fewer|shorter)\s+than\b", "at least"),
    (r"(?:an?\s+)?max(?:imum|\.)?\s+of\b|not\s+(?:more|longer|greater)\s+than\b|no\s+longer\s+than\b", "at most"),
    (r"(?:does\s+not|doesn['’]t)\s+have\s+more\s+than\b", "has at most"),
    (r"(?:does\s+not|doesn['’]t)\s+have\s+(?:less|fewer)\s+than\b", "has at least"),
    (r"\bwithin\b", "at most"),
    (r"\bmin\b\.?", "at least"),
    (r"\bmax\b\.?", "at most"),
    (r"at\s+(?:the\s+)?least\b|atleast\b|as\s+least\b", "at least"),
    (r"at\s+(?:the\s+)?most\b|atmost\b", "at most"),
    (r"(?:shorter|smaller|lower|faster|quicker|cheaper)\s+th[ae]n\b|(?:less|fewer)\s+then\b", "less than"),
    (r"(?:longer|bigger|larger|higher|slower)\s+th[ae]n\b|(?:more|greater)\s+then\b", "more than"),
    (r"=>", ">="),
    (r"=<", "<="),
    (r"&&?|\bas\s+well\s+as\b|\bplus\b", "and"),
    (r"\|\|?", "or"),
    (rf"(?:is\s+)?equals?\s+to\s+(?={_Q})|is\s+(?={_Q})|=\s*(?={_Q})", "equals "),
    (r"(?:is\s+)?equal\s+to\b", "is exactly"),
    (rf"has\s+(?={_Q})|have\s+(?={_Q})|says\s+(?={_Q})|uses\s+(?={_Q})", "contains "),
    (rf"(?:contains?|mentions?|includes?)\s+(?:an?\s+|the\s+)?(word|phrase)s?\s+(?={_Q})", r"has the \1 "),
    (rf"contains?\s+neither\s+({_Q})\s+nor\s+({_Q})", r"does not contain any of \1, \2"),
    (rf"\bbut\s+not\s+(?={_Q})", "and answer does not contain "),
    (r"\bbut\b", "and"),
    (rf"({_Q})\s+(?:is\s+)?in\s+(?:the\s+)?answer", r"answer contains \1"),
    (r"(?:contains?|includes?|mentions?|has)(?=\s+(?:[\w ]{0,20}\s)?(?:sources?|citations?)\b)", "cites"),
    (rf"does\s+not\s+cite\s+at\s+least\s+({_NUMBER})\b", r"cites less than \1"),
    (r"has\s+an?\s+(\d+)[\s-](word|character|sentence|line)\s+limit", r"has at most \1 \2s"),
    (r"(?:(?:exactly|only|just)\s+)?once\b", "exactly 1 time"),
    (r"(?:(?:exactly|only|just)\s+)?twice\b", "exactly 2 times"),
    (r"with\s+(?:the\s+)?(?:keys?|properties|property|attributes?)\b", "with fields"),
    (r"(full|no|zero)\s+marks\s*(?:[:=]|(?=[\d$]))\s*", r"\1 marks at "),
    (rf"(?:contains?|includes?)\s+(?={_NUMBER}\s+of\b)", "contains at least "),
)  # fmt: skip
_WAYS = tuple((re.compile(said, re.I), cure) for said, cure in _SAID)


def otherwise_said(at: Broken) -> Diagnostic | None:
    """`answer is shorter than 200 words`."""
    if not at.searched:
        return None
    for way, cure in _WAYS:
        for found in way.finditer(at.text, at.start):
            right = found.expand(cure)
            if at.reads(found.start(), found.end(), right) is not None:
                return _say(at, found, right)
    return None


def _say(at: Broken, found: re.Match[str], right: str) -> Diagnostic:
    start, end = found.span()
    step, edit = at.write(start, end, right), at.mend(start, end, right)
    return Diagnostic(
        "R101", "This is said in other words here", at.span(start, end), f'write "{right.strip()}"', (step,), edit=edit
    )


_IF = re.compile(r"\s*check\s*:\s*(?P<if>if|when)\s+(?P<when>.+?)(?:\s*,\s*|\s+)then\s+(?P<what>.+)", re.I)


def condition(at: Broken) -> Diagnostic | None:
    """`check: if intent is lookup then answer cites a source`."""
    return conditional(at.line) if at.key == "check" else None


def conditional(line: Line) -> Diagnostic | None:
    """The same for a line that reads, because "lookup then answer ..." could be a value."""
    found = _IF.match(line.folded)
    if found is None:
        return None
    span = Span(line, found.start("if"), len(line.folded.rstrip()))
    steps = (f"write: only when: {found['when']}", f"and:   check: {found['what'].strip()}")
    message = "When a check applies is said on a line of its own"
    return Diagnostic("R101", message, span, "two lines", steps)
