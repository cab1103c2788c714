"""Lines of one shape (verdict, cap, use, field, setting, judge, measure): what belongs into them."""

import re

from engine.rubric.diagnostic import Diagnostic, Span
from engine.rubric.slips.broken import Broken

__all__ = ["cap", "field", "judge", "length", "measure", "not_understood", "of_length", "setting", "use", "verdict"]


def verdict(at: Broken) -> Diagnostic | None:
    """`verdict: pass >= 0.75`."""
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
        edit = at.mend(len(at.text) - len(at.text.lstrip()), at.end, good)
        return Diagnostic("R120", "A verdict says when it applies", span, help=(f"write: {good}",), edit=edit)
    if at.expected & {"WHEN", "OTHERWISE"} or not at.rest:
        steps = ("write: verdict: pass when score is at least 0.75", "the last line says: verdict: fail otherwise")
        return at.problem("R120", "A verdict says when it applies", at.here, *steps)
    return None


def cap(at: Broken) -> Diagnostic | None:
    """`cap: 40`."""
    if at.key != "cap" or not at.expected & {"WHEN", "NUMBER", "AT", "SCORE"}:
        return None
    step = "write: cap: 40% when [Name of a criterion] fails"
    return at.problem("R121", "A cap says how high the score may be, and when", at.here, step)


def use(at: Broken) -> Diagnostic | None:
    """`use: this`."""
    if at.key != "use":
        return None
    steps = (
        'write: use: everything from "shared/safety.rubric"',
        'or:    use: [Name], [Other name] from "shared/safety.rubric"',
    )
    return at.problem("R122", "A use: line says what comes from which file", at.here, *steps)


def field(at: Broken) -> Diagnostic | None:
    """`field: intent`."""
    if at.key != "field":
        return None
    steps = ("write: field: intent is one of lookup, comparison", "or:    field: price is a number")
    return at.problem("R123", "A field: line says what values there are", at.here, *steps)


def setting(at: Broken) -> Diagnostic | None:
    """`setting: max words`."""
    if at.key != "setting":
        return None
    return at.problem("R124", "A setting has a name and a value", at.here, "write: setting: max words = 200")


def judge(at: Broken) -> Diagnostic | None:
    """`judge: two times llm`."""
    if at.key != "judge":
        return None
    steps = ("write: judge: llm", "or:    judge: 2 llm, 1 human")
    return at.problem("R101", "A judge: line says who judges, and how many", at.here, *steps)


def measure(at: Broken) -> Diagnostic | None:
    """`measure: latency, full marks: 2 seconds`."""
    if at.key != "measure":
        return None
    return _unclear(
        at, "write: measure: ndcg@10", "or:    measure: latency, full marks at 2 seconds, no marks at 10 seconds"
    )


_LENGTH = re.compile(
    r"\s*((?:the\s+)?(?:answer(?:['’]s)?\s+)?(?:number\s+of\s+)?(?:length|words?|characters?|sentences?|lines?)"
    r"(?:\s+count)?)\s*(?:[,.]|$)",
    re.I,
)


def length(at: Broken) -> Diagnostic | None:
    """`measure: words, full marks at 200, no marks at 400`."""
    found = _LENGTH.match(at.text, at.start) if at.key == "measure" else None
    return None if found is None else _no_measure(at.span(*found.span(1)))


def of_length(name: str, at: Span) -> Diagnostic | None:
    """The same for a line that reads: `measure: length`."""
    return _no_measure(at) if _LENGTH.fullmatch(name) else None


def _no_measure(at: Span) -> Diagnostic:
    message = "How long an answer is can be checked, and is no measure"
    return Diagnostic("R305", message, at, help=("write, for example: check: answer has at most 200 words",))


def not_understood(at: Broken) -> Diagnostic:
    """R101: nothing better is known."""
    return _unclear(
        at,
        'a check reads like: answer contains "refund policy"',
        "or like:            answer cites at least 2 sources",
        "or like:            ndcg@10 is at least 0.5",
    )


def _unclear(at: Broken, *steps: str) -> Diagnostic:
    if at.rest:
        return at.problem("R101", f'I don\'t understand this line from "{at.word.text}" on', at.here, *steps)
    return at.problem("R101", "This line stops too early", at.here, *steps)
