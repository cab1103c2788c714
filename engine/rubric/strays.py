"""A line that does not start with a keyword: which one was meant, and how to say it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.rubric.diagnostic import Diagnostic, Edit, Line, Severity, Span
from engine.rubric.parse import Failure, Node, parse_line, span_of
from engine.rubric.slips.verbs import without_modal
from engine.rubric.source import INVISIBLE, Mended, mended, without_quoted
from engine.rubric.words import ELSEWHERE, HEADS, KEYWORDS, key_of, keyword, likely, meant

__all__ = ["Dressed", "Found", "decorated", "heading", "joined", "stray", "unknown"]

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
    span = span_of(word, line)
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
    near = _meant(key, span)
    message = f'I don\'t know the keyword "{name}"'
    if near is None:
        return Found(Diagnostic("R102", message, span, "", (_PART_OF_TEXT, _FOR_PEOPLE)))
    step = f'change "{name}:" to "{near}:"'
    problem = Diagnostic("R102", message, span, f'did you mean "{near}:"?', (step,), edit=Edit(span, f"{near}:"))
    return Found(problem, mended(span, f"{near}:"))


def _meant(key: str, word: Span) -> str | None:
    """The likeliest keyword with which the line reads: `tap: 40% when ...` is a cap and no tag."""
    near = likely(key)
    fits = (each for each in near if isinstance(parse_line(mended(word, f"{each}:").read), Node))
    return next(fits, next(iter(near), None))


def stray(line: Line, node: Node) -> Found:
    """A keyword without its colon (R102), or a line that may continue the text above (R103)."""
    word = node.words()[0]
    text = line.folded[word.start :].rstrip()
    span = Span(line, word.start, word.start + len(text))
    hidden = _invisible(span)
    if hidden is not None:
        return hidden
    dressed = decorated(line)
    if dressed is not None:
        return Found(dressed.problem, dressed.mend)
    for key in sorted((*KEYWORDS, *ELSEWHERE), key=len, reverse=True):
        found = re.compile(rf"{re.escape(key)}(?P<sign>\s*(?:=>?|[–—])|\s+-+>?|\s*->)?\s", re.I).match(text)
        if found is None or (key in ELSEWHERE and len(key) < 5):
            continue
        if not found["sign"] and not _short(key, text):
            continue
        right = ELSEWHERE.get(key, key)
        at = Span(line, word.start, word.start + len(found[0].rstrip()))
        step = f"write: {right}: {line.text[at.end :].strip()}"
        message = f'"{at.text[: len(key)]}" needs a colon after it'
        problem = Diagnostic("R102", message, at, "colon missing", (step,), edit=Edit(at, f"{right}:"))
        return Found(problem, mended(at, f"{right}:"))
    message = "This line does not start with a keyword"
    check = _as_check(line, span)
    if check is not None:
        steps = (f"write: check: {check}", "or start it with # if it is a remark for people")
        edit = Edit(span, f"check: {check}")
        problem = Diagnostic("R103", message, span, "is it a check?", steps, edit=edit)
        return Found(problem, mended(span, f"check: {check}"))
    label = "is it part of the text above?"
    return Found(Diagnostic("R103", message, span, label, (_PART_OF_TEXT, _FOR_PEOPLE)))


def _short(key: str, text: str) -> bool:
    """A long sentence that begins like a keyword is more likely the second line of a text."""
    return key in HEADS or len(text.split()) <= 6 or key in ("check", "ask", "verdict")


_DECORATED = re.compile(
    r"\s*(?P<mark>(?:[-*•–—·]|\d+[.)])\s+)?(?P<left>[*_`]+)?(?P<key>[^\W\d_][\w/ -]*?)(?P<right>[*_`]*:[*_`]*)\s*"
)


@dataclass(frozen=True, slots=True)
class Dressed:
    """A keyword in the clothes of another format, and the line without them."""

    problem: Diagnostic
    mend: Mended


def decorated(line: Line, only: Sequence[str] = ()) -> Dressed | None:
    """`- criterion: Tone`, `**criterion:** Tone`: a keyword dressed up as in Markdown or YAML.

    `only` are the keywords that count where an item may well be "Note: ..." or "Result: ...".
    """
    found = _DECORATED.match(line.folded)
    if found is None or not (found["mark"] or found["left"]):
        return None
    key = key_of(found["key"])
    right = key if keyword(key) in KEYWORDS else {**ELSEWHERE, "name": "criterion"}.get(key)
    if right is None or (only and keyword(right) not in only):
        return None
    start = len(line.folded) - len(line.folded.lstrip())
    at = Span(line, start, len(found[0].rstrip()))
    step = f"write: {right}: {line.text[found.end() :].strip()}".rstrip()
    message = f'The keyword stands by itself, without "{_signs(found)}"'
    edit = Edit(at, f"{right}:")
    return Dressed(Diagnostic("R102", message, at, f'write "{right}:"', (step,), edit=edit), mended(at, f"{right}:"))


def _signs(found: re.Match[str]) -> str:
    return (found["mark"] or found["left"] or "").strip()


def _as_check(line: Line, span: Span) -> str | None:
    """A sentence that would be a check: `The answer must cite at least 2 sources.`"""
    text = line.text[span.start : span.end]
    if len(text) > _SENTENCE or not _SUBJECT.match(text):
        return None
    for each in (text, without_modal(text)):
        row = f"check: {each}"
        node = parse_line(Line(line.file, line.number, row, row))
        if isinstance(node, Node) and node.rule == "expr_line":
            return each
    return None


_SENTENCE = 200
_SUBJECT = re.compile(r"(?:(?:the|every|each)\s+)?(?:answer|response|reply|results|tool)\s", re.I)

_TYPED = re.compile(
    r"(?:^|\s)(?P<key>weight|points?|pass mark|scale|check|ask|question|measure|only when|judges?|tags?|id|show|combine"
    r"|guidance|version|owner|about|criterion|must not|must|penalty|bonus|info|checklist|good example|bad example"
    r"|verdict|cap|field|setting)\s*:(?=\s)",
    re.I,
)


def joined(line: Line, start: int, key: str) -> Diagnostic | None:
    """`criterion: Tone weight: 3`: two lines on one, of which the second would be taken for words of the first.

    Names and questions are free text in any language. So what could be meant as text is a warning, and only what
    reads as a whole line of its own is an error; in a question a key counts after the end of a sentence alone.
    """
    text = without_quoted(line.folded)
    free = key not in HEADS and key not in _NAMES
    marks = () if key in HEADS else _CONTINUED.finditer(text, start)  # group: A > B
    for found in (*_TYPED.finditer(text, start), *marks):
        before = text[start : found.start("key")].rstrip()
        if not before or (free and (before[-1] not in ".?!" or found["key"] != found["key"].lower())):
            continue
        at = Span(line, found.start("key"), found.end())
        said, rest = at.text.strip(), line.text[at.start :].strip()
        step = f"write on the next line: {rest}"
        if not found["key"][0].isalpha() or _a_line(text[at.start :]):
            message = f'Two lines stand on one: "{said}" starts a line of its own'
            return Diagnostic("R101", message, at, "a new line", (step,))
        message = f'"{said}" is read as a word of this text, and starts no line of its own'
        steps = (step, "if it is meant as text, write a line above it: # ok R702: part of the text")
        return Diagnostic("R702", message, at, "a new line?", steps, severity=Severity.WARNING)
    return None


def _a_line(text: str) -> bool:
    """It reads as a check, a measure, a weight … and not only as words after a colon."""
    node = parse_line(Line("", 0, text.strip(), text.strip()))
    if isinstance(node, Failure) or node.rule in ("head_line", "text_line"):
        return False
    return node.rule != "scalar_line" or len(text.partition(":")[2].split()) <= 3


_NAMES = ("owner", "id", "tags", "show", "item")
_CONTINUED = re.compile(r"\s(?P<key>>(?=\s+[^\W\d])|[-*•–]\s\[(?=(?:must|vital|okay|minor|-?\d[\d.]*)\]))")


def heading(line: Line) -> Diagnostic | None:
    """`## Criterion: Tone`: a heading in Markdown is a remark here, and nothing below it would be graded."""
    found = re.match(r"\s*#{2,}\s*(?P<key>[^\W\d_][\w ]*?)\s*:\s*\S", line.folded)
    if found is None or keyword(found["key"]) not in HEADS:
        return None
    start = found.start("key")
    at = Span(line, start - len(line.folded[:start].lstrip()), start)
    step = f"write: {line.text[start:].strip()}"
    message = "A line that starts with # is a remark, so nothing reads this one"
    again = "or leave it, and start it with a single # to say that it is one"
    return Diagnostic("R702", message, at, "", (step, again), edit=Edit(at, ""), severity=Severity.WARNING)


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
