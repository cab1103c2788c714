"""A line that does not read: which typical slip it is, and how to say it. Tried in order, first fit wins."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from engine.rubric.diagnostic import Diagnostic, Edit, Line, Span
from engine.rubric.parse import Failure, Node, parse_line
from engine.rubric.words import key_of, keyword
from engine.text import nearest

__all__ = ["explain"]


@dataclass(frozen=True, slots=True)
class _Broken:
    """A line and the column from which it makes no sense."""

    line: Line
    column: int
    expected: frozenset[str]

    @property
    def text(self) -> str:
        return self.line.folded

    @property
    def rest(self) -> str:
        return self.text[self.column :].rstrip()

    @property
    def key(self) -> str:
        return keyword(self.text.partition(":")[0])

    @property
    def end(self) -> int:
        return len(self.text.rstrip())

    def span(self, start: int, end: int) -> Span:
        return Span(self.line, start, max(end, start + 1))

    @property
    def word(self) -> Span:
        found = re.match(r"[\w@'’/.-]+|\S", self.rest)
        return self.span(self.column, self.column + (found.end() if found else 1))


def explain(line: Line, failure: Failure) -> Diagnostic:
    """The one message for a line whose structure could not be read."""
    broken = _Broken(line, failure.column, failure.expected)
    for slip in _SLIPS:
        found = slip(broken)
        if found is not None:
            return found
    return _not_understood(broken)


def _remark(at: _Broken) -> Diagnostic | None:
    hash_at = _outside_quotes(at.text, "#")
    if hash_at is None or hash_at > at.column:
        return None
    span = at.span(hash_at, at.end)
    step = "move it to the line above, starting with #"
    edit = Edit(at.span(len(at.text[:hash_at].rstrip()), at.end), "")
    return Diagnostic("R110", "A comment needs a line of its own here", span, "comment starts here", (step,), edit=edit)


def _open_quote(at: _Broken) -> Diagnostic | None:
    opened = _unclosed(at.text)
    if opened is None or opened > at.column + len(at.rest):
        return None
    span = at.span(opened, at.end)
    step = 'add " at the end of the text'
    edit = Edit(Span(at.line, at.end, at.end), '"')
    return Diagnostic("R111", "This text in quotes is never closed", span, "opened here", (step,), edit=edit)


def _decimal_comma(at: _Broken) -> Diagnostic | None:
    for found in re.finditer(r"(?<![\w.])\d+,\d+(?![\w,])", at.text):
        if found.start() <= at.column <= found.end():
            cure = found[0].replace(",", ".")
            span = at.span(found.start(), found.end())
            line = f"{at.text[: found.start()]}{cure}{at.text[found.end() :]}".strip()
            return Diagnostic(
                "R114",
                "Numbers use a full stop, not a comma",
                span,
                f"write {cure}",
                (f"write: {line}",),
                edit=Edit(span, cure),
            )
    return None


_VERBS = {"cite": "cites", "contain": "contains", "mention": "mentions", "include": "includes", "have": "has",
          "start": "starts", "begin": "begins", "end": "ends", "equal": "equals", "match": "matches",
          "look": "looks", "be": "is"}  # fmt: skip
_MODAL = re.compile(r"(should|must|shall|ought to|has to|needs to|may|can|will)\s+((?:not|never)\s+)?(\w+)", re.I)


def _modal(at: _Broken) -> Diagnostic | None:
    found = _MODAL.match(at.rest)
    if found is None or at.key not in ("check", "only when"):
        return None
    subject, who, do = _subject(at)
    verb = found[3].casefold()
    says = _denied(verb, who, do) if found[2] else _says(verb, who, do)
    span = at.span(at.column, at.column + found.end())
    modal = found[1].casefold()
    return Diagnostic(
        "R117",
        f'Say what the {who} {do}, without "{modal}"',
        span,
        f'write "{says}"',
        (f"write: {subject} {says} ...", 'whether it is compulsory is said by the heading: "must:" or "criterion:"'),
        edit=Edit(span, says),
    )


_SUBJECT = re.compile(
    r"((?:the|every|each)\s+)?(?P<who>answer|response|reply|results?|(?:top|first)\s+result|tool)\b[^()]*$", re.I
)


def _subject(at: _Broken) -> tuple[str, str, str]:
    """What the line speaks of as it was written, in one word, and whether that `does` or `do`."""
    before = re.split(r"\b(?:and|or)\s+(?=(?:the\s+)?(?:answer|response|reply|results|tool)\b)", at.text[: at.column])
    found = _SUBJECT.search(before[-1])
    if found is None:
        return "answer", "answer", "does"
    who = found["who"].casefold()
    return found[0].strip(), who, "do" if who == "results" else "does"


def _says(verb: str, who: str, do: str) -> str:
    """`cite` → `cites`; many results `contain`, and a tool `was` called."""
    return _be(who) if verb == "be" else verb if do == "do" else _VERBS.get(verb, verb)


def _denied(verb: str, who: str, do: str) -> str:
    return f"{_be(who)} not" if verb == "be" else f"{do} not {verb}"


def _be(who: str) -> str:
    return {"results": "are", "tool": "was"}.get(who, "is")


def _not_verb(at: _Broken) -> Diagnostic | None:
    found = re.match(r"(?:not|no)\s+(contain|mention|include|cite|match)(s?)\b", at.rest, re.I)
    if found is None:
        return None
    span = at.span(at.column, at.column + found.end())
    subject, _, do = _subject(at)
    says = f"{do} not {found[1].casefold()}"
    return Diagnostic(
        "R116", f'"{span.text}" needs a helping word', span, f'write "{says}"', (f"write: {subject} {says} ...",),
        edit=Edit(span, says),
    )  # fmt: skip


def _no_quotes(at: _Broken) -> Diagnostic | None:
    if "STRING" not in at.expected or not re.match(r"[^\W\d_]", at.rest):
        return None
    if re.match(r"(several|many|few|some|a few|enough|multiple)\b", at.rest, re.I) and "NUMBER" in at.expected:
        return None
    text = re.split(r"\s+(?:and|or)\s+(?=answer|results|tool|the\b)|\.\s*$", at.rest)[0].rstrip()
    span = at.span(at.column, at.column + len(text))
    step = f'write: "{text}"'
    return Diagnostic(
        "R115", "Put the text to look for in quotes", span, "needs quotes", (step,), edit=Edit(span, f'"{text}"')
    )


def _bare_list(at: _Broken) -> Diagnostic | None:
    found = re.search(
        r"(\bcontains?|\bmentions?|\bincludes?)\s+([\"“”„«'‘][^\"“”„»'’]*[\"“”»'’])\s*$", at.text[: at.column], re.I
    )
    if not at.rest.startswith(",") or found is None:
        return None
    verb, first = found[1], found[2]
    steps = (f"write: {verb} any of {first}, ...", f"or:    {verb} all of {first}, ...")
    message = "Should the answer have any of these texts, or all of them?"
    return Diagnostic("R113", message, at.span(at.column, at.column + 1), "a list needs any of / all of", steps)


def _mixed(at: _Broken) -> Diagnostic | None:
    found = re.match(r"(and|or)\b", at.rest, re.I)
    if found is None or not at.expected & {"AND", "OR"}:
        return None
    span = at.span(at.column, at.column + found.end())
    steps = (
        "put brackets round the part that belongs together, for example: (A or B) and C",
        "or write two check: lines; every check: line of a criterion must hold",
    )
    message = '"and" and "or" are mixed, so this can be read in two ways'
    return Diagnostic("R112", message, span, "which goes first?", steps)


_BEFORE_NUMBER = re.compile(
    r"(least|most|than|to|minimum|maximum|over|above|under|below|exactly|between|top|marks (?:at|for)|and|[<>=≤≥]|cap:)"
    r"\s*$",
    re.I,
)


def _no_number(at: _Broken) -> Diagnostic | None:
    if "NUMBER" not in at.expected or not at.rest or "OTHERWISE" in at.expected:
        return None
    if not _BEFORE_NUMBER.search(at.text[: at.column]):
        return None
    step = "say how many, in digits: what one reader calls few another calls many"
    message = f'I expected a number here, and found "{at.word.text}"'
    return Diagnostic("R118", message, at.word, "a number goes here", (step,))


def _no_unit(at: _Broken) -> Diagnostic | None:
    if at.rest or at.expected != {"UNIT"}:
        return None
    found = re.search(r"(\d[\d.]*|\{[^}]*\}|\w+)\s*$", at.text[: at.column])
    shown = found[1] if found else "how many"
    if "tool" in at.text and "answer" not in at.text:
        return None
    message = f"{shown} what? Words, characters, sentences or lines?"
    edit = Edit(Span(at.line, at.end, at.end), " words")
    return Diagnostic(
        "R119", message, at.span(at.end, at.end + 1), "unit missing", (f"write: {shown} words",), edit=edit
    )


def _verdict(at: _Broken) -> Diagnostic | None:
    if at.key != "verdict":
        return None
    found = re.match(
        r"\s*verdict\s*:\s*(?P<name>[^<>=≥≤\d]*?)\s*(?P<how>>=|≥|=|>|:|at least)?\s*(?P<number>\d[\d.%]*)\s*\.?\s*$",
        at.text,
        re.I,
    )
    if found and found["name"]:
        good = f"verdict: {found['name'].strip()} when score is at least {found['number']}"
        start = found.start("how") if found["how"] else found.start("number")
        span = at.span(start, found.end("how") if found["how"] else found.end("number"))
        edit = Edit(at.span(len(at.text) - len(at.text.lstrip()), at.end), good)
        return Diagnostic("R120", "A verdict says when it applies", span, help=(f"write: {good}",), edit=edit)
    if at.expected & {"WHEN", "OTHERWISE"} or not at.rest:
        span = at.word if at.rest else at.span(at.end, at.end + 1)
        steps = ("write: verdict: pass when score is at least 0.75", "the last line says: verdict: fail otherwise")
        return Diagnostic("R120", "A verdict says when it applies", span, help=steps)
    return None


def _cap(at: _Broken) -> Diagnostic | None:
    if at.key != "cap" or not at.expected & {"WHEN", "NUMBER", "AT", "SCORE"}:
        return None
    span = at.word if at.rest else at.span(at.end, at.end + 1)
    step = "write: cap: 40% when [Name of a criterion] fails"
    return Diagnostic("R121", "A cap says how high the score may be, and when", span, help=(step,))


def _use(at: _Broken) -> Diagnostic | None:
    if at.key != "use":
        return None
    span = at.word if at.rest else at.span(at.end, at.end + 1)
    steps = (
        'write: use: everything from "shared/safety.rubric"',
        'or:    use: [Name], [Other name] from "shared/safety.rubric"',
    )
    return Diagnostic("R122", "A use: line says what comes from which file", span, help=steps)


def _field(at: _Broken) -> Diagnostic | None:
    if at.key != "field":
        return None
    span = at.word if at.rest else at.span(at.end, at.end + 1)
    steps = ("write: field: intent is one of lookup, comparison", "or:    field: price is a number")
    return Diagnostic("R123", "A field: line says what values there are", span, help=steps)


def _setting(at: _Broken) -> Diagnostic | None:
    if at.key != "setting":
        return None
    span = at.word if at.rest else at.span(at.end, at.end + 1)
    return Diagnostic("R124", "A setting has a name and a value", span, help=("write: setting: max words = 200",))


_SLIPS: tuple[Callable[[_Broken], Diagnostic | None], ...] = (
    _open_quote,
    _remark,
    _decimal_comma,
    _modal,
    _not_verb,
    _bare_list,
    _mixed,
    _verdict,
    _no_number,
    _no_quotes,
    _no_unit,
    _cap,
    _use,
    _field,
    _setting,
)

_KNOWN = (
    "answer", "contains", "mentions", "includes", "cites", "starts", "ends", "with", "equals", "matches",
    "looks", "like", "has", "the", "word", "words", "characters", "sentences", "lines", "source", "sources",
    "valid", "json", "empty", "expected", "tool", "called", "was", "not", "times", "before", "after",
    "containing", "results", "contain", "result", "top", "any", "all", "none", "one", "of", "at", "least",
    "most", "more", "less", "fewer", "than", "exactly", "between", "and", "or", "is", "does", "score", "passes",
    "fails", "must", "when", "otherwise", "ungraded", "everything", "from", "version", "full", "no", "marks",
    "seconds", "minutes", "dollars", "cents", "in", "given", "missing", "below", "above", "under", "over",
    "fields", "field",
)  # fmt: skip


def _not_understood(at: _Broken) -> Diagnostic:
    """R101. One word is replaced by a known one and the line read again; the first that reads is offered."""
    for found in re.finditer(r"[^\W\d_][\w'’-]*", at.text):
        word = found[0]
        if found.start() < _after_key(at.text) or word.casefold() in _KNOWN:
            continue
        near = nearest(word, _KNOWN)
        if near is None:
            continue
        mended = at.text[: found.start()] + near + at.text[found.end() :]
        if isinstance(parse_line(Line(at.line.file, at.line.number, mended, mended)), Node):
            span = at.span(found.start(), found.end())
            return Diagnostic(
                "R101",
                f'I don\'t understand "{word}" here',
                span,
                f'did you mean "{near}"?',
                (f"write: {mended.strip()}",),
                edit=Edit(span, near),
            )
    if not at.rest:
        message, span = "This line stops too early", at.span(at.end, at.end + 1)
    else:
        message, span = f'I don\'t understand this line from "{at.word.text}" on', at.word
    return Diagnostic("R101", message, span, help=_examples(at.key))


def _examples(key: str) -> tuple[str, ...]:
    if key == "measure":
        return ("write: measure: ndcg@10", "or:    measure: latency, full marks at 2 seconds, no marks at 10 seconds")
    return (
        'a check reads like: answer contains "refund policy"',
        "or like:            answer cites at least 2 sources",
        "or like:            ndcg@10 is at least 0.5",
    )


def _after_key(text: str) -> int:
    return text.find(":") + 1 if ":" in text and len(key_of(text.partition(":")[0])) < 30 else 0


_QUOTES = {'"': '"', "“": '”"', "”": "”", "„": '“”"', "«": "»", "‘": "’"}


def _unclosed(text: str) -> int | None:
    """Where a quote opens that nothing closes."""
    opened, closes = None, ""
    for column, char in enumerate(text):
        if opened is not None:
            if char in closes:
                opened, closes = None, ""
        elif char in _QUOTES or (char == "'" and text[column - 1 : column] in (" ", "(", ",")):
            opened, closes = column, _QUOTES.get(char, "'")
    return opened


def _outside_quotes(text: str, wanted: str) -> int | None:
    closes = ""
    for column, char in enumerate(text):
        if closes:
            closes = "" if char in closes else closes
        elif char in _QUOTES:
            closes = _QUOTES[char]
        elif char == wanted:
            return column
    return None
