"""What was recorded beside the text: sources, results, tools, numbers, and words about the query."""

from engine.measures.rounding import half_up
from engine.rubric import expression as say
from engine.rubric import names
from engine.rubric.closures.holds import Holds
from engine.rubric.closures.ranges import counted, ends
from engine.rubric.evidence import Evidence
from engine.rubric.expression import Expression
from engine.rubric.fold import fold
from engine.text import encodable

__all__ = ["about_record"]


def about_record(expression: Expression) -> Holds | None:  # noqa: C901 (one line for each shape)
    """The closure of a check of anything but the text; None for any other expression."""
    match expression:
        case say.CitesSources():
            return counted(expression.range, lambda evidence: None if evidence.cited is None else len(evidence.cited))
        case say.CitesSource():
            return _cites(fold(expression.source))
        case say.ToolCalled():
            name = fold(expression.tool)
            return counted(expression.range, lambda evidence: _calls(evidence, name))
        case say.ToolOrder():
            return _in_order(fold(expression.first), fold(expression.second))
        case say.ToolArgument():
            return _argument(fold(expression.tool), fold(expression.argument), fold(expression.text))
        case say.ResultsContain():
            return _results(expression)
        case say.TopResult():
            wanted = fold(expression.source)
            return lambda evidence: None if evidence.sources is None else wanted in "".join(evidence.sources[:1])
        case say.NameNumber():
            return _number(expression)
        case say.NameIs():
            return _field(expression)
        case say.NameGiven():
            return _given(expression.name)
        case _:
            return None


def _cites(wanted: str) -> Holds:
    def holds(evidence: Evidence) -> bool | None:
        cited = evidence.cited
        return None if cited is None else any(wanted in source for source in cited)

    return holds


def _results(expression: say.ResultsContain) -> Holds:
    wanted = tuple(map(fold, expression.sources))
    top = expression.top
    if len(wanted) == 1:
        return _result(wanted[0], top)
    enough = any if expression.any_of else all

    def holds(evidence: Evidence) -> bool | None:
        sources = evidence.sources
        if sources is None:
            return None
        first = sources[:top]
        return enough(any(each in source for source in first) for each in wanted)

    return holds


def _result(wanted: str, top: int | None) -> Holds:
    """One source: a plain loop, at half the time of `any` over a generator."""

    def holds(evidence: Evidence) -> bool | None:
        sources = evidence.sources
        if sources is None:
            return None
        for source in sources[:top]:  # noqa: SIM110 (see above)
            if wanted in source:
                return True
        return False

    return holds


def _calls(evidence: Evidence, name: str) -> int | None:
    called = evidence.called
    return None if called is None else called.count(name)


def _in_order(first: str, second: str) -> Holds:
    def holds(evidence: Evidence) -> bool | None:
        called = evidence.called
        if called is None:
            return None
        return first in called and second in called and called.index(first) < called.index(second)

    return holds


def _argument(tool: str, argument: str, text: str) -> Holds:
    def holds(evidence: Evidence) -> bool | None:
        calls = evidence.exchange.answer.tool_calls
        if calls is None:
            return None
        return any(
            fold(call.name) == tool
            and any(fold(name) == argument and text in fold(encodable(value)) for name, value in call.arguments.items())
            for call in calls
        )

    return holds


def _number(expression: say.NameNumber) -> Holds:
    found = names.quantity(expression.name) or names.field_number(expression.name)
    name, read = found.name, found.read
    low, high = ends(expression.range)
    rounded = found.kind == "ratio"  # shown with 4 decimals, so compared with 4 decimals

    def holds(evidence: Evidence) -> bool | None:
        value, _ = evidence.numbers.get(name) or evidence.measured(name, read)
        if value is None or value != value:  # noqa: PLR0124 (not a number)
            return None
        return low <= (half_up(value) if rounded else value) <= high

    return holds


def _field(expression: say.NameIs) -> Holds:
    name, read = expression.name, names.field_word(expression.name)
    values = frozenset(map(fold, expression.values))

    def holds(evidence: Evidence) -> bool | None:
        told = evidence.told
        if name not in told:
            value = read(evidence.exchange)
            told[name] = None if value is None else fold(value)
        word = told[name]
        return None if word is None else word in values

    return holds


def _given(name: str) -> Holds:
    found = names.quantity(name)
    if found is None:
        word = names.field_word(name)
        return lambda evidence: bool(word(evidence.exchange))
    key, read = found.name, found.read
    return lambda evidence: evidence.measured(key, read).value is not None
