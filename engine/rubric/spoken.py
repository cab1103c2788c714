"""A check or a condition as the language says it: the English of an expression, in its one spelling.

Reading it again gives the same expression. Needs no grammar, so a rubric that came as JSON can be shown too.
"""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from types import MappingProxyType

from engine.rubric import expression as say
from engine.rubric import names
from engine.rubric.numbers import number, plain
from engine.rubric.opposite import sayable

__all__ = ["canonical_expression"]

_NO_TITLES: Mapping[str, str] = MappingProxyType({})


def canonical_expression(expression: say.Expression, titles: Mapping[str, str] = _NO_TITLES) -> str:
    """The expression in words. `titles` gives the names that stand in [brackets], by id; else the id stands there.

    A Not for which the language has no words is said by what it comes to: `fewer than 200 words`, every part turned
    round. Where nothing comes to the same it is `not (...)`, which people read and the language does not; the
    same goes for a range without ends. No rubric text gives such an expression.
    """
    return _said(sayable(expression), titles, _together)


def _together(text: str) -> str:
    return text


def _bracketed(text: str) -> str:
    return f"({text})"


def _said(expression: say.Expression, titles: Mapping[str, str], wrap: Callable[[str], str]) -> str:
    """One expression; `wrap` is what happens to one that is made of several."""
    match expression:
        case say.All(parts=parts):
            return wrap(" and ".join(_said(part, titles, _bracketed) for part in parts))
        case say.Any(parts=parts):
            return wrap(" or ".join(_said(part, titles, _bracketed) for part in parts))
        case say.Not(part=part):
            return _denied(part, titles) or f"not ({_said(part, titles, _together)})"
        case say.RefScore(ref=ref, range=wanted):
            return f"[{titles.get(ref, ref)}] is {_scores(wanted)}"
        case say.RefPasses(ref=ref):
            return f"[{titles.get(ref, ref)}] passes"
        case say.RefUngraded(ref=ref):
            return f"[{titles.get(ref, ref)}] is ungraded"
    return _about_the_answer(expression) or _about_numbers(expression)


def _about_the_answer(expression: say.Expression) -> str:  # noqa: C901, PLR0912 - a line for each noun
    match expression:
        case say.Contains(texts=(text,), at_least=1):
            return f"answer contains {_quoted(text)}"
        case say.Contains(texts=texts, at_least=least):
            few = "any" if least == 1 else "all" if least == len(texts) else f"at least {least}"
            return f"answer contains {few} of {_listed(texts)}"
        case say.HasWord(text=text):
            return f"answer has the word {_quoted(text)}"
        case say.Starts(text=text):
            return f"answer starts with {_quoted(text)}"
        case say.Ends(text=text):
            return f"answer ends with {_quoted(text)}"
        case say.Equals(text=text):
            return f"answer equals {_quoted(text)}"
        case say.Expected(how="is given"):
            return "expected answer is given"
        case say.Expected(how=how):
            return f"answer {how} the expected answer"
        case say.Matches(pattern=pattern, any_case=any_case):
            return f"answer matches {_pattern(pattern, any_case)}"
        case say.LooksLike(shape=shape):
            return f"answer looks like {_quoted(shape)}"
        case say.CitesSource(source=source):
            return f"answer cites {_quoted(source)}"
        case say.ValidJson(fields=fields):
            return f"answer is valid JSON{_fields(fields)}"
        case say.IsEmpty():
            return "answer is empty"
        case say.Length(unit=unit, range=wanted):
            return f"answer has {_counts(wanted, unit)}"
        case say.CitesSources(range=wanted):
            return _cites(wanted)
    return ""


def _about_numbers(expression: say.Expression) -> str:  # noqa: C901 - a line for each noun
    match expression:
        case say.ToolCalled(tool=tool, range=wanted):
            return f"tool {_quoted(tool)} {_called(wanted)}"
        case say.ToolOrder(first=first, second=second):
            return f"tool {_quoted(first)} was called before tool {_quoted(second)}"
        case say.ToolArgument(tool=tool, argument=argument, text=text):
            return f"tool {_quoted(tool)} was called with {_quoted(argument)} containing {_quoted(text)}"
        case say.ResultsContain(sources=sources, top=top):
            return f"results contain {_listed(sources)}{_top(top)}"
        case say.TopResult(source=source):
            return f"top result is {_quoted(source)}"
        case say.NameNumber(name=name, range=wanted):
            return f"{name} is {_amounts(name, wanted)}"
        case say.NameIs(name=name, values=values):
            return f"{name} is {_values(values)}"
        case say.NameGiven(name=name):
            return f"{name} is given"
        case say.Score(range=wanted):
            return f"score is {_scores(wanted)}"
        case say.ScoreUngraded():
            return "ungraded"
        case say.AnyMustFails():
            return "any must fails"
    raise AssertionError(f"an expression without words: {type(expression).__name__}")


def _denied(part: say.Expression, titles: Mapping[str, str]) -> str:  # noqa: C901, PLR0912 - a line for each noun
    """A Not that the language has words for; else nothing."""
    match part:
        case say.Contains(texts=(text,), at_least=1):
            return f"answer does not contain {_quoted(text)}"
        case say.Contains(texts=texts, at_least=1):
            return f"answer does not contain any of {_listed(texts)}"
        case say.Expected(how="contains"):
            return "answer does not contain the expected answer"
        case say.Expected(how="is given"):
            return "expected answer is missing"
        case say.Matches(pattern=pattern, any_case=any_case):
            return f"answer does not match {_pattern(pattern, any_case)}"
        case say.CitesSource(source=source):
            return f"answer does not cite {_quoted(source)}"
        case say.ValidJson(fields=fields):
            return f"answer is not valid JSON{_fields(fields)}"
        case say.IsEmpty():
            return "answer is not empty"
        case say.ResultsContain(sources=sources, top=top, any_of=True):
            return f"results do not contain {_listed(sources)}{_top(top)}"
        case say.NameIs(name=name, values=values):
            return f"{name} is not {_values(values)}"
        case say.NameGiven(name=name):
            return f"{name} is missing"
        case say.RefPasses(ref=ref):
            return f"[{titles.get(ref, ref)}] fails"
        case say.AnyMustFails():
            return "all musts pass"
    return ""


# ---- amounts ----------------------------------------------------------------------------------


def _ends(wanted: say.Between, more: str, less: str, show: Callable[[Decimal], str]) -> str:
    low, high = wanted.low, wanted.high
    if low is not None and high is not None:
        return f"exactly {show(low)}" if low == high else f"between {show(low)} and {show(high)}"
    if low is not None:
        return f"{more if wanted.low_open else 'at least'} {show(low)}"
    return "any number" if high is None else f"{less if wanted.high_open else 'at most'} {show(high)}"


def _counts(wanted: say.Between, unit: str) -> str:
    return f"{_ends(wanted, 'more than', 'fewer than', _number)} {_counted(wanted, unit)}"


def _counted(wanted: say.Between, unit: str) -> str:
    ends = {wanted.low, wanted.high} - {None}
    return unit.removesuffix("s") if ends == {Decimal(1)} else unit


def _cites(wanted: say.Between) -> str:
    if wanted == say.Between(low=Decimal(1)):
        return "answer cites a source"
    if wanted == say.Between(high=Decimal(0)):
        return "answer does not cite a source"
    return f"answer cites {_counts(wanted, 'sources')}"


def _called(wanted: say.Between) -> str:
    if wanted == say.Between(low=Decimal(1)):
        return "was called"
    return "was not called" if wanted == say.Between(high=Decimal(0)) else f"was called {_counts(wanted, 'times')}"


def _scores(wanted: say.Between) -> str:
    return _ends(wanted, "above", "below", _number)


def _amounts(name: str, wanted: say.Between) -> str:
    """Seconds behind the number, dollars before it."""
    found = names.quantity(name)
    kind = "" if found is None else found.kind
    if kind == "money":
        return _ends(wanted, "above", "below", lambda value: f"${_number(value)}")
    said = _scores(wanted)
    return f"{said} {_counted(wanted, 'seconds')}" if kind == "time" else said


def _number(value: Decimal) -> str:
    """In digits; as a percentage where only that has few enough of them to be read again."""
    said = plain(value)
    percent = f"{plain(value * 100)}%"
    return percent if number(said) != value == number(percent) else said


# ---- texts ------------------------------------------------------------------------------------

_QUOTES = (('"', '"'), ("'", "'"), ("«", "»"), ("”", "”"), ("‘", "’"))
_WORDS = re.compile(r"[^\W\d_]\w*(?:[-'’@.]\w+)*(?: [^\W\d_]\w*(?:[-'’@.]\w+)*)*")
_TAKEN = frozenset(
    """above absent after all an and answer any are at before below between cents characters citation citations cite
    cites contain containing contains dollars each empty end ends equals every everything exactly expected fail failed
    fails fewer field fields first from full given greater has have if in include includes is known less line lines
    match matches maximum mean mention mentions milliseconds min mins minimum minute minutes missing more ms must
    musts never no none not number of on one or otherwise over overall pass passed passes present reference reply
    response result results s score sec second seconds secs sentence sentences source sources start starts ten text the
    time times token tokens tool top total two three four five six seven eight nine under ungraded up usd valid version
    was when with word words zero isn't aren't""".split()  # noqa: SIM905 - a list of words to be read
)
"""Words of the language: a value with one of them stands in quotes, so that it cannot be taken for something else."""


def _quoted(text: str) -> str:
    """In straight quotes; in others when the text has straight ones itself."""
    for opens, closes in _QUOTES:
        if closes not in text and not (opens == "‘" and opens in text):
            return f"{opens}{text}{closes}"
    return '"{}"'.format(text.replace('"', "“"))  # texts are compared with all quotes alike


def _listed(texts: tuple[str, ...]) -> str:
    return ", ".join(map(_quoted, texts))


def _fields(fields: tuple[str, ...]) -> str:
    return f" with fields {_listed(fields)}" if fields else ""


def _top(top: int | None) -> str:
    return "" if top is None else f" in the top {top}"


def _pattern(pattern: str, any_case: bool) -> str:
    escaped = pattern.replace("/", "\\/")
    return f"/{escaped}/{'i' if any_case else ''}"


def _values(values: tuple[str, ...]) -> str:
    named = ", ".join(map(_value, values))
    return named if len(values) == 1 else f"one of {named}"


def _value(value: str) -> str:
    plain_words = _WORDS.fullmatch(value) is not None and not _TAKEN & set(value.casefold().split())
    return value if plain_words else _quoted(value)
