"""The English of an expression: reading it again gives the same expression."""

from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.measures import MEASURES
from engine.rubric import expression as say
from engine.rubric import names
from engine.rubric.context import Context
from engine.rubric.diagnostic import Line
from engine.rubric.opposite import sayable
from engine.rubric.parse import Node, parse_line
from engine.rubric.phrases import check
from engine.rubric.spoken import canonical_expression
from engine.rubric.syntax import FieldType, titles
from tests.rubric.build import read

_TEXTS = st.sampled_from(["refund", "it's", 'say "x"', "a b", "#1, or (2)", "»", "50 %", "Größe"])
_SEVERAL = st.lists(_TEXTS, min_size=2, max_size=4, unique=True).map(tuple)
_WORDS = st.sampled_from(["lookup", "how-to", "two words", "given", "7", "a, b", "under age", "answer"])
_TOOLS = st.sampled_from(["get_booking", "cancel"])
_WHOLE = st.integers(0, 300).map(Decimal)
_SHARES = st.sampled_from([Decimal(n) for n in ("0", "0.1", "0.5", "0.3333", "0.0333", "1")])
_TOP = st.none() | st.integers(1, 5)


def _ranges(numbers: st.SearchStrategy[Decimal]) -> st.SearchStrategy[say.Between]:
    """Every range that the language has words for."""
    return st.one_of(
        st.builds(lambda low, is_open: say.Between(low=low, low_open=is_open), numbers, st.booleans()),
        st.builds(lambda high, is_open: say.Between(high=high, high_open=is_open), numbers, st.booleans()),
        st.lists(numbers, min_size=2, max_size=2).map(sorted).map(lambda ends: say.Between(ends[0], ends[1])),
    )


def _contains(texts: tuple[str, ...]) -> st.SearchStrategy[say.Contains]:
    return st.integers(1, len(texts)).map(lambda least: say.Contains(texts, least))


_NUMBERS = st.one_of(
    st.builds(say.NameNumber, st.sampled_from(["latency", "cost", "number of results", "tool calls"]), _ranges(_WHOLE)),
    st.builds(say.NameNumber, st.sampled_from(["ndcg@10", "faithfulness", "citation precision"]), _ranges(_SHARES)),
    st.builds(say.NameNumber, st.just("p95 latency ratio"), _ranges(_WHOLE)),
)
_DENIABLE = st.one_of(
    st.builds(lambda text: say.Contains((text,)), _TEXTS),
    st.builds(lambda texts: say.Contains(texts, 1), _SEVERAL),
    st.builds(say.Expected, st.sampled_from(["contains", "is given"])),
    st.builds(say.Matches, st.sampled_from(["a/b", "^x+$", r"\d\/"]), st.booleans()),
    st.builds(say.CitesSource, _TEXTS),
    st.builds(say.ValidJson, st.just(()) | _SEVERAL),
    st.builds(say.IsEmpty),
    st.builds(say.ResultsContain, _SEVERAL, _TOP, any_of=st.just(True)),
    st.builds(
        say.NameIs, st.sampled_from(["kind", "task context"]), st.lists(_WORDS, min_size=1, max_size=3).map(tuple)
    ),
    st.builds(say.NameGiven, st.sampled_from(["kind", "latency"])),
    st.builds(say.RefPasses, st.sampled_from(["tone", "group/first-hit"])),
    st.builds(say.AnyMustFails),
)
_ATOMS = st.one_of(
    _DENIABLE.filter(lambda atom: not isinstance(atom, say.ResultsContain)),
    _DENIABLE.map(say.Not),
    _SEVERAL.flatmap(_contains),
    st.builds(say.HasWord, _TEXTS),
    st.builds(say.Starts, _TEXTS),
    st.builds(say.Ends, _TEXTS),
    st.builds(say.Equals, _TEXTS),
    st.builds(say.Expected, st.just("equals")),
    st.builds(say.LooksLike, st.just("ORD-###")),
    st.builds(say.Length, st.sampled_from(["words", "characters", "sentences", "lines"]), _ranges(_WHOLE)),
    st.builds(say.CitesSources, _ranges(_WHOLE)),
    st.builds(say.ToolCalled, _TOOLS, _ranges(_WHOLE)),
    st.builds(say.ToolOrder, _TOOLS, _TOOLS),
    st.builds(say.ToolArgument, _TOOLS, _TEXTS, _TEXTS),
    st.builds(say.ResultsContain, _SEVERAL | _TEXTS.map(lambda text: (text,)), _TOP),
    st.builds(say.TopResult, _TEXTS),
    _NUMBERS,
    st.builds(say.RefScore, st.sampled_from(["tone", "group/first-hit"]), _ranges(_SHARES)),
    st.builds(say.RefUngraded, st.just("tone")),
    st.builds(say.Score, _ranges(_SHARES)),
    st.builds(say.ScoreUngraded),
)  # fmt: skip


def _joined(parts: st.SearchStrategy[say.Expression]) -> st.SearchStrategy[say.Expression]:
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    return st.builds(say.All, several) | st.builds(say.Any, several)


_READABLE: st.SearchStrategy[say.Expression] = st.recursive(_ATOMS, _joined, max_leaves=6)
_TITLES = {"tone": "Tone", "group/first-hit": "First hit", "group": "Group"}
_PATIENT = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _reading(said: str) -> say.Expression:
    """What the words mean, wherever an expression may stand."""
    line = Line("x", 1, f"only when: {said}", f"only when: {said}")
    node = parse_line(line)
    assert isinstance(node, Node), said
    inner = node.parts[1]
    assert isinstance(inner, Node), said
    fields = {"kind": FieldType("kind"), "p95 latency ratio": FieldType("p95 latency ratio", number=True)}
    ids = {title.casefold(): name for name, title in _TITLES.items()}
    return check(inner, line, Context(fields=fields, ids=ids)).holds


@_PATIENT
@given(_READABLE)
def test_what_the_reader_makes_reads_back_as_the_same(expression: say.Expression) -> None:
    assert _reading(canonical_expression(expression, _TITLES)) == expression


def _deniable(parts: st.SearchStrategy[say.Expression]) -> st.SearchStrategy[say.Expression]:
    return _joined(parts) | st.builds(say.Not, parts)


def _any_range(low: Decimal, high: Decimal, low_open: bool, high_open: bool) -> say.Between:
    """Also one that is empty, or that lacks an end."""
    return say.Between(low, high, low_open, high_open)


_OPEN, _OPEN_WHOLE = (
    st.builds(_any_range, numbers, numbers, st.booleans(), st.booleans()) for numbers in (_SHARES, _WHOLE)
)
_ANYTHING = st.recursive(
    _ATOMS | _DENIABLE | st.builds(say.Score, _OPEN) | st.builds(say.Length, st.just("words"), _OPEN_WHOLE),
    _deniable,
    max_leaves=6,
)


@_PATIENT
@given(_ANYTHING)
def test_every_expression_has_words_and_most_read_back(expression: say.Expression) -> None:
    """Also what no text gives: a Not of several, a range with an open end. Words that read mean what they say."""
    said = canonical_expression(expression, _TITLES)

    assert said
    if "not (" not in said:
        assert _reading(said) == sayable(expression)


_FIFTH, _HALF = Decimal("0.2"), Decimal("0.5")
_TURNED = [("has at least 200 words", "has fewer than 200 words"), ("cites a source", "does not cite a source"),
                   ("has between 3 and 5 lines", "has fewer than 3 lines or answer has more than 5 lines")]  # fmt: skip


@pytest.mark.parametrize(("said", "opposite"), _TURNED)
def test_the_opposite_of_a_range_is_said_with_the_range_turned_round(said: str, opposite: str) -> None:
    assert canonical_expression(say.Not(_reading(f"answer {said}"))).endswith(opposite)


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        (say.Not(say.Starts("a")), 'not (answer starts with "a")'),
        (say.Not(say.All((say.Starts("a"), say.IsEmpty()))), 'not (answer starts with "a") or answer is not empty'),
        (say.Not(say.Contains(("a", "b"), 2)), 'answer does not contain "a" or answer does not contain "b"'),
        (say.ResultsContain(("a", "b"), any_of=True), 'results contain "a" or results contain "b"'),
        (say.Score(say.Between(_FIFTH, _HALF, high_open=True)), "score is at least 0.2 and score is below 0.5"),
        (say.Score(say.Between(_HALF, _FIFTH)), "score is at least 0.5 and score is at most 0.2"),
        (say.NameNumber("latency", say.Between(high=Decimal(1))), "latency is at most 1 second"),
        (say.NameNumber("cost", say.Between(high=Decimal("0.02"))), "cost is at most $0.02"),
        (say.RefPasses("group/first-hit"), "[First hit] passes"),
        (say.RefPasses("unknown"), "[unknown] passes"),
    ],
)  # fmt: skip
def test_words(expression: say.Expression, said: str) -> None:
    assert canonical_expression(expression, _TITLES) == said


def test_every_measure_is_said_by_a_name_that_reads() -> None:
    for name in MEASURES:
        found = names.quantity(name) or names.quantity(f"{name}@10")
        assert found is not None, name
        expression = say.NameNumber(found.name, say.Between(low=Decimal("0.5")))
        assert _reading(canonical_expression(expression)) == expression


def test_names_in_brackets_are_the_titles_of_the_rubric() -> None:
    text = """rubric: A
criterion: Tone
  ask: Is it kind?
group: Ranking
  criterion: First hit
    measure: mrr@10
    only when: [Tone] is at least 0.5
verdict: x when [First hit] is below 0.5 and [Ranking] is above 0.1
verdict: y otherwise
"""
    rubric = read(text).rubric
    assert rubric is not None
    known = titles(rubric.root)
    conditions = [member.only_when for group in rubric.root.members for member in getattr(group, "members", ())]
    assert [canonical_expression(when.holds, known) for when in conditions] == ["[Tone] is at least 0.5"]
    first = rubric.verdicts[0].when
    assert first is not None
    assert canonical_expression(first.holds, known) == "[First hit] is below 0.5 and [Ranking] is above 0.1"
