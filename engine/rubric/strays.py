"""A line that does not start with a keyword: which one was meant, and how to say it."""

from dataclasses import dataclass

from engine.rubric.diagnostic import Diagnostic, Edit, Line, Span
from engine.rubric.parse import Node
from engine.rubric.source import INVISIBLE, Mended, mended
from engine.rubric.words import ELSEWHERE, HEADS, KEYWORDS, key_of, meant

__all__ = ["Found", "stray", "unknown"]

_PART_OF_TEXT = "if it continues the text above, start the line with >"
_FOR_PEOPLE = "if it is a remark for people, start the line with #"


@dataclass(frozen=True, slots=True)
class Found:
    """The message, and the line as it is read on; None when it says nothing that could be read."""

    problem: Diagnostic
    mend: Mended | None = None


def unknown(line: Line, node: Node) -> Found:
    """A word with a colon that is no keyword (R102), another tool's word (R105), or hides a character (R104)."""
    word = node.words()[0]
    span = Span(line, word.start, word.end)
    hidden = _invisible(span)
    if hidden is not None:
        return hidden
    name = line.folded[span.start : span.end - 1].strip()
    key = key_of(name)
    if key in ELSEWHERE and key not in KEYWORDS:
        cure = ELSEWHERE[key]
        step = f"write: {cure}: {line.text[word.end :].strip()}".rstrip()
        label = f'here it is called "{cure}:"'
        problem = Diagnostic("R105", f'There is no keyword "{name}"', span, label, (step,), edit=Edit(span, f"{cure}:"))
        return Found(problem, mended(span, f"{cure}:"))
    near = meant(key)
    message = f'I don\'t know the keyword "{name}"'
    if near is None:
        return Found(Diagnostic("R102", message, span, "", (_PART_OF_TEXT, _FOR_PEOPLE)))
    step = f'change "{name}:" to "{near}:"'
    problem = Diagnostic("R102", message, span, f'did you mean "{near}:"?', (step,), edit=Edit(span, f"{near}:"))
    return Found(problem, mended(span, f"{near}:"))


def stray(line: Line, node: Node) -> Found:
    """A keyword without its colon (R102), or a line that may continue the text above (R103)."""
    word = node.words()[0]
    text = line.folded[word.start :].rstrip()
    span = Span(line, word.start, word.start + len(text))
    hidden = _invisible(span)
    if hidden is not None:
        return hidden
    for key in sorted((*KEYWORDS, *ELSEWHERE), key=len, reverse=True):
        if not text.casefold().startswith(key + " ") or (key in ELSEWHERE and len(key) < 5):
            continue
        if key not in HEADS and len(text.split()) > 6 and key not in ("check", "ask", "verdict"):
            continue
        right = ELSEWHERE.get(key, key)
        at = Span(line, word.start, word.start + len(key))
        step = f"write: {right}: {line.text[at.end :].strip()}"
        message = f'"{at.text}" needs a colon after it'
        problem = Diagnostic("R102", message, at, "colon missing", (step,), edit=Edit(at, f"{right}:"))
        return Found(problem, mended(at, f"{right}:"))
    message = "This line does not start with a keyword"
    label = "is it part of the text above?"
    return Found(Diagnostic("R103", message, span, label, (_PART_OF_TEXT, _FOR_PEOPLE)))


def _invisible(span: Span) -> Found | None:
    kind = next((INVISIBLE[char] for char in span.text if char in INVISIBLE), None)
    if kind is None:
        return None
    clean = "".join(char for char in span.text if char not in INVISIBLE)
    near = meant(key_of(clean)) or key_of(clean)
    message = f"There is an invisible character ({kind}) inside this word"
    step = "it usually comes from copying out of a web page or a PDF; delete the word and type it again"
    problem = Diagnostic("R104", message, span, "retype this word", (step,), edit=Edit(span, clean))
    return Found(problem, mended(span, f"{near}:") if near in KEYWORDS else None)
