"""R101 with a cure: a word is changed, put in or left out, and the line is read again.

Only the neighbourhood of the place where the line stopped making sense is tried, so that a file full of
broken lines costs little more than a good one.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from engine.rubric import names
from engine.rubric.diagnostic import Diagnostic, Edit, Span
from engine.rubric.parse import Node
from engine.rubric.slips.broken import Broken, Tries
from engine.text import nearest, one_slip

__all__ = ["left_out", "misspelled", "respelled", "respelling", "subjects", "too_many"]

VOCABULARY = (
    "answer", "contains", "contain", "mentions", "includes", "cites", "cite", "starts", "begins", "ends", "with",
    "equals", "matches", "match", "looks", "like", "has", "the", "word", "words", "characters", "sentences", "lines",
    "source", "sources", "citations", "valid", "JSON", "empty", "expected", "reference", "tool", "called", "used",
    "was", "not", "never", "times", "before", "after", "containing", "results", "result", "top", "first", "any",
    "all", "none", "one", "of", "at", "least", "most", "more", "less", "fewer", "than", "no", "up", "to", "minimum",
    "maximum", "exactly", "between", "and", "or", "is", "are", "does", "do", "score", "overall", "total", "passes",
    "pass", "fails", "fail", "must", "musts", "every", "when", "if", "otherwise", "ungraded", "everything", "from",
    "version", "full", "marks", "zero", "seconds", "second", "minutes", "minute", "milliseconds", "dollars", "dollar",
    "cents", "tokens", "in", "given", "present", "known", "missing", "absent", "below", "above", "under", "over",
    "fields", "field", "number", "text", "yes", "for", "a", "an", "ms", "sec", "phrase", "response", "reply",
)  # fmt: skip
_BEFORE, _AFTER, _TRIES = 8, 4, 30

Sound = Callable[[Node], bool]
_Near = Callable[[str], tuple[str, ...]]


def misspelled(at: Broken) -> Diagnostic | None:
    """`answer cites at leest 2 sources`."""
    if not at.searched:
        return None
    found = _respelled(at, _around(at), _plausible, (_close, _closest))
    if found is None:
        return None
    span, right = found
    return respelling(span, right)


def respelling(span: Span, right: str) -> Diagnostic:
    """The message for a word of an expression that was spelt wrong."""
    line = span.line.folded
    mended = f"{line[: span.start]}{right}{line[span.end :]}".strip()
    message = f'I don\'t understand "{span.text}" here'
    return Diagnostic("R101", message, span, f'did you mean "{right}"?', (f"write: {mended}",), edit=Edit(span, right))


def respelled(at: Span, sound: Sound) -> Diagnostic | None:
    """The same for a line that reads and says something nobody knows: one word in `at` is changed until it is sound."""
    broken = Broken(at.line, at.start, frozenset(), Tries(_TRIES))
    if not broken.searched:
        return None
    words = [word for word in broken.words() if at.start <= word.start() < at.end]
    found = _respelled(broken, words, sound, (_close,))
    return None if found is None else respelling(*found)


def _around(at: Broken) -> list[re.Match[str]]:
    """The words before and after the place, the likeliest first."""
    words = list(at.words())
    here = next((number for number, word in enumerate(words) if word.end() > at.column), len(words))
    after, before = words[here : here + _AFTER], words[max(here - _BEFORE, 0) : here][::-1]
    return [word for pair in _zipped(after, before) for word in pair]


def _zipped(one: list[re.Match[str]], other: list[re.Match[str]]) -> Iterator[list[re.Match[str]]]:
    for place in range(max(len(one), len(other))):
        yield [*one[place : place + 1], *other[place : place + 1]]


def _respelled(at: Broken, words: list[re.Match[str]], sound: Sound, ways: Sequence[_Near]) -> tuple[Span, str] | None:
    tries = 0
    for near in ways:
        for word in words:
            if tries > _TRIES or not at.tries.once():
                return None
            for right in near(word[0]):
                tries += 1
                node = at.reads(word.start(), word.end(), right)
                if node is not None and sound(node):
                    return at.span(word.start(), word.end()), right
    return None


@lru_cache(4096)
def _close(word: str) -> tuple[str, ...]:
    """The words one slip away: a letter too many, too few or changed, or two swapped."""
    wanted = word.casefold()
    return (*(right for right in VOCABULARY if one_slip(wanted, right.casefold())), *(("a",) if len(word) == 1 else ()))


@lru_cache(4096)
def _closest(word: str) -> tuple[str, ...]:
    if len(word) < 4 or word.casefold() in VOCABULARY:
        return ()
    near = nearest(word, VOCABULARY)
    return (near,) if near else ()


def _plausible(node: Node) -> bool:
    """What is compared with a number has a name of few words."""
    return all(len(part.words()) <= 3 for part in subjects(node))


def subjects(node: Node) -> Iterator[Node]:
    """The names of whatever a condition compares or looks up."""
    if node.rule in ("compare_name", "name_is", "name_given"):
        yield next(part for part in node.parts if isinstance(part, Node))
    for part in node.parts:
        if isinstance(part, Node):
            yield from subjects(part)


# ---- a word too few, a word too many --------------------------------------------------------------


def left_out(at: Broken) -> Diagnostic | None:
    """`cites at least 2 sources`, `answer at most 200 words`: a word is missing."""
    if at.key not in ("check", "only when", "cap", "verdict", "field", "use") or not at.searched:
        return None
    first = len(at.text) - len(at.text[at.start :].lstrip())
    places = [(first, words) for words in _SUBJECTS if at.key == "check"]
    places += [(at.column, words) for words, kind in _LEFT_OUT if kind in at.expected]
    for column, words in places:
        node = at.reads(column, column, f"{words} ")
        if node is None or not all(_known(part) for part in subjects(node)):
            continue
        width = len(at.text[column:].split(maxsplit=1)[0]) if at.text[column:].strip() else 1
        span = at.span(column, column + width)
        step, edit = at.write(column, column, f"{words} "), at.mend(column, column, f"{words} ")
        return Diagnostic("R101", f'"{words}" is missing here', span, f'write "{words}"', (step,), edit=edit)
    return None


_SUBJECTS = ("answer", "answer cites", "answer has", "answer is", "tool")
_LEFT_OUT = (
    ("answer", "ANSWER"),
    ("answer cites", "ANSWER"),
    ("answer has", "ANSWER"),
    ("cites", "CITES"),
    ("has", "HAS"),
    ("is", "IS"),
    ("of", "OF"),
    ("when", "WHEN"),
    ("at", "AT"),
    ("from", "FROM"),
)


def _known(subject: Node) -> bool:
    name = " ".join(word.text for word in subject.words())
    return names.quantity(name) is not None or names.plain_name(name) in names.FIELDS


_FILLERS = {"the", "a", "an", "that", "also", "always", "please", "either", "both", "text", "texts", "string", "phrase",
            "term", "following", "least", "of", "really", "actually", "about", "limit", "long", "it"}  # fmt: skip
_TOGETHER = re.compile(
    r"(?:at\s+least(?=\s+(?:one|any)\s+of)|the\s+following(?:\s+(?:texts?|words?|phrases?))?:?"
    r"|the\s+(?:text|string|phrase|term)|either|both|that|also|always)(?!\w) ?",
    re.I,
)


def too_many(at: Broken) -> Diagnostic | None:
    """`answer contains either "a" or "b"`, `answer cites at at least 2 sources`: a word to leave out."""
    if at.key not in ("check", "only when", "cap", "verdict", "measure", "use") or not at.searched:
        return None
    for start, end in _spare(at):
        if at.reads(start, end, "") is None:
            continue
        span = at.span(start, len(at.text[:end].rstrip()))
        step, edit = at.write(start, end, ""), at.mend(start, end, "")
        return Diagnostic("R101", f'Leave out "{span.text}" here', span, "leave it out", (step,), edit=edit)
    return None


def _spare(at: Broken) -> Iterator[tuple[int, int]]:
    for found in _TOGETHER.finditer(at.bare(), at.start):
        if found.start() <= at.column <= found.end() or found.start() >= at.column - 25:
            yield found.span()
    words = list(at.words())
    for number, word in enumerate(words):
        end = len(at.text) - len(at.text[word.end() :].lstrip())
        twice = number and word[0].casefold() == words[number - 1][0].casefold()
        if twice or (word[0].casefold() in _FILLERS and word.start() <= at.column <= word.end()):
            yield word.start(), end
