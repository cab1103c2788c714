"""Rubrics, answers and votes by chance, made of nouns: every shape that a grader can meet, many of them at once."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TypeVar

from engine.model.exchange import Answer, Exchange, Hit, ToolCall, Turn
from engine.model.grade import Vote
from engine.model.query import Query
from engine.rubric import expression as say
from engine.rubric import syntax
from engine.rubric.syntax import Check, Criterion, Group, Panel, Role, Rubric, Scale, questions
from tests.rubric.odd_texts import PATTERNS, WORDS, a_text

__all__ = ["a_rubric", "an_exchange", "some_votes"]

Chance = random.Random
T = TypeVar("T")

_SHAPES = ("ORD-######", "@@@-#", "*@*.org", "A-#", "*", "##", "@*#", "a.md")
_SOURCES = ("a.md", "b.md", "Policy.md", "POLICY.md", "docs/straße.md", "DOCS/STRASSE.MD", "c")
_TOOLS = ("search", "Search", "refund", "look up")
_RATIOS = ("ndcg@10", "recall@3", "p@5", "similarity", "faithfulness")
_NUMBERS = (*_RATIOS, "latency", "cost", "number of results", "tool calls", "citations", "tokens", "steps", "seats")
_FIELDS = ("intent", "category", "task context", "tier", "seats")
_VALUES = ("lookup", "LOOKUP", "how-to", "gold", "Straße", "3")


# ---- rubrics ----------------------------------------------------------------------------------


class _Maker:
    """Makes one rubric. Parts refer only to parts made before them, so nothing goes in circles."""

    def __init__(self, chance: Chance) -> None:
        self.chance = chance
        self.made: list[str] = []

    def rubric(self) -> Rubric:
        root = self.group("", 0)
        caps = tuple(self.cap() for _ in range(self.chance.choice((0, 0, 1, 2))))
        return Rubric("r", "Chance", 1, root, caps, self.verdicts())

    def group(self, name: str, depth: int) -> Group:
        chance, condition = (
            self.chance,
            self.condition(),
        )  # made before what is in the group, which it must not ask about
        members = tuple(self.member(name, number, depth) for number in range(chance.randrange(1, 5 - depth)))
        combine = chance.choice((*syntax.Combine, syntax.Combine.WEIGHTED_MEAN))
        least = chance.choice((Decimal(1), Decimal(1), Decimal(1), Decimal("0.5"), Decimal("0.8")))
        need, mark, weight = chance.randrange(1, 4), self.mark(), self.weight()
        group = Group(name, f"Group {name}", members, weight, combine, need, mark, least, condition)
        if depth:
            self.made.append(name)
        return group

    def member(self, above: str, number: int, depth: int) -> Criterion | Group:
        chance = self.chance
        name = f"{above}/{number}".lstrip("/")
        if depth < 2 and chance.random() < 0.25:
            return self.group(name, depth + 1)
        role = chance.choice((*Role, Role.CRITERION, Role.CRITERION, Role.CRITERION))
        weight = self.weight() if chance.random() < 0.6 else None
        criterion = Criterion(name, f"Criterion {name}", role, self.grading(), weight, self.mark(), self.condition())
        self.made.append(name)
        return criterion

    def grading(self) -> syntax.Grading:
        chance = self.chance
        match chance.randrange(7):
            case 0:
                full = chance.choice((Decimal(1), Decimal(2), Decimal("0.02")))
                none = chance.choice((Decimal(0), Decimal(10), Decimal("-0.5")))
                return syntax.Measured(chance.choice(_NUMBERS), full, none)
            case 1 | 2:
                return syntax.Asked("Is it?", self.scale(), self.panel(), chance.random() < 0.5)
            case 3:
                items = tuple(self.item(number) for number in range(chance.randrange(1, 5)))
                return syntax.Checklist(items, self.scale(), "", self.panel(), chance.random() < 0.5)
            case _:
                checks = tuple(Check(self.expression(1), f"check {n}") for n in range(chance.choice((1, 1, 1, 2, 3))))
                return syntax.Checks(checks, chance.random() < 0.3)

    def item(self, number: int) -> syntax.Item:
        weight = self.chance.choice((Decimal(1), Decimal(2), Decimal("0.5"), Decimal(-1), Decimal(0)))
        return syntax.Item(f"item-{number}", f"Item {number}", weight, self.chance.random() < 0.2)

    def scale(self) -> Scale:
        if self.chance.random() < 0.3:
            return Scale("points", low=Decimal(1), high=self.chance.choice((Decimal(5), Decimal("7.5"))))
        if self.chance.random() < 0.4:
            return syntax.YES_NO
        rows = [("Good", Decimal(1)), ("okay", Decimal("0.7")), ("poor", Decimal("0.1")), ("does not fit", None)]
        return Scale("quality", tuple(syntax.Level(label, score) for label, score in rows))

    def panel(self) -> Panel:
        chance = self.chance
        if chance.random() < 0.4:
            return syntax.USUAL_PANEL
        judges = (syntax.Judge("llm", chance.randrange(1, 4)), syntax.Judge("human"))[: chance.randrange(1, 3)]
        settle, quorum = chance.choice(tuple(syntax.Settle)), chance.choice((None, 1, 2))
        return Panel(judges, settle, quorum, chance.choice((None, None, Decimal("0.3"), Decimal("0.5"))))

    def weight(self) -> syntax.Weight:
        return syntax.Weight(Decimal(self.chance.choice(("1", "2", "3", "0.5", "0.1", "0.7", "0.3"))))

    def mark(self) -> Decimal | None:
        return self.chance.choice((None, Decimal(1), Decimal("0.5"), Decimal("0.75"), Decimal(0)))

    def condition(self) -> Check | None:
        return Check(self.expression(1), "when") if self.chance.random() < 0.25 else None

    def cap(self) -> syntax.Cap:
        limit, ref = self.chance.choice((Decimal("0.4"), Decimal(0))), self.chance.choice((None, *self.made))
        if ref is None:
            return syntax.Cap(limit, Check(self.whole(1), "cap"))
        made, self.made = self.made, self.made[: self.made.index(ref)]
        capped = syntax.Cap(limit, Check(self.expression(1), "cap"), ref)
        self.made = made
        return capped

    def verdicts(self) -> tuple[syntax.Verdict, ...]:
        lines = [syntax.Verdict(f"v{n}", Check(self.whole(1), "when")) for n in range(self.chance.randrange(3))]
        if self.chance.random() < 0.3:
            lines.append(syntax.Verdict("open", Check(say.ScoreUngraded(), "when ungraded")))
        if self.chance.random() < 0.7:
            lines.append(syntax.Verdict("otherwise", None))
        return tuple(lines)

    # ---- what a check can say ------------------------------------------------------------------

    def whole(self, depth: int) -> say.Expression:
        chance = self.chance
        match chance.randrange(6):
            case 0:
                return say.AnyMustFails()
            case 1:
                return say.Not(say.AnyMustFails())
            case 2:
                return self.expression(depth)
            case _:
                return say.Score(self.share())

    def expression(self, depth: int) -> say.Expression:
        chance = self.chance
        if depth and chance.random() < 0.25:
            parts = tuple(self.expression(depth - 1) for _ in range(chance.randrange(2, 4)))
            return say.All(parts) if chance.random() < 0.5 else say.Any(parts)
        atom = self.about_part() if self.made and chance.random() < 0.4 else self.atom()
        return say.Not(atom) if chance.random() < 0.3 else atom

    def about_part(self) -> say.Expression:
        ref = self.chance.choice(self.made)
        return self.chance.choice((say.RefScore(ref, self.share()), say.RefPasses(ref), say.RefUngraded(ref)))

    def atom(self) -> say.Expression:  # noqa: C901, PLR0912 (one line for each shape)
        chance = self.chance
        source, tool, words = chance.choice(_SOURCES), chance.choice(_TOOLS), chance.choices(WORDS, k=3)
        match chance.randrange(24):
            case 0:
                return say.Contains((words[0],))
            case 1:
                return say.Contains(tuple(words), chance.randrange(1, 4))
            case 2:
                return say.HasWord(chance.choice((words[0], f"{words[0]} {words[1]}")))
            case 3:
                return say.Starts(words[0])
            case 4:
                return say.Ends(words[0])
            case 5:
                return say.Equals(words[0])
            case 6:
                return say.Matches(chance.choice(PATTERNS), chance.random() < 0.5)
            case 7:
                return say.LooksLike(chance.choice(_SHAPES))
            case 8 | 9:
                unit = chance.choice(("words", "characters", "sentences", "lines"))
                return say.Length(unit, self.count(chance.choice((3, 20, 100))))
            case 10:
                return say.CitesSources(self.count(4))
            case 11:
                return say.CitesSource(source)
            case 12 | 13:
                return say.ValidJson(chance.choice(((), ("a",), ("a", "b"), ("__proto__",), ("toString",))))
            case 14:
                return say.IsEmpty()
            case 15:
                return say.ToolCalled(tool, self.count(3))
            case 16:
                return say.ToolOrder(tool, chance.choice(_TOOLS))
            case 17:
                return say.ToolArgument(tool, chance.choice(("id", "Wörter")), words[0])
            case 18:
                top = chance.choice((None, 1, 3))
                return say.ResultsContain(tuple(chance.choices(_SOURCES, k=2)), top, chance.random() < 0.5)
            case 19:
                return say.TopResult(source)
            case 20:
                name = chance.choice(_NUMBERS)
                return say.NameNumber(name, self.share() if name in _RATIOS else self.count(8))
            case 21:
                return say.NameIs(chance.choice(_FIELDS), tuple(chance.choices(_VALUES, k=2)))
            case 22:
                return say.NameGiven(chance.choice((*_FIELDS, "latency", "ndcg@10", "tokens", "citations")))
            case _:
                return say.Expected(chance.choice(("contains", "equals", "is given")))

    def share(self) -> say.Between:
        return self.between(Decimal(self.chance.choice(("0.5", "0.75", "1", "0", "0.3334"))), Decimal("0.9"))

    def count(self, most: int) -> say.Between:
        return self.between(Decimal(self.chance.randrange(most)), Decimal(most))

    def between(self, low: Decimal, high: Decimal) -> say.Between:
        match self.chance.randrange(5):
            case 0:
                return say.Between(low=low)
            case 1:
                return say.Between(low=low, low_open=True)
            case 2:
                return say.Between(high=low)
            case 3:
                return say.Between(high=low, high_open=True)
            case _:
                return say.Between(low, high)


def a_rubric(chance: Chance) -> Rubric:
    """A rubric that no person would write, and that means something all the same."""
    rubric = _Maker(chance).rubric()
    return replace(rubric, root=replace(rubric.root, weight=None, only_when=None))


# ---- what is judged ---------------------------------------------------------------------------


def an_exchange(chance: Chance) -> Exchange:
    """An answer of which any part may be unrecorded."""

    def maybe(value: T) -> T | None:
        return value if chance.random() < 0.75 else None

    sources = chance.sample(_SOURCES, k=chance.randrange(5))
    relevant = {source: float(chance.randrange(4)) for source in _SOURCES[:4]}
    fields: dict[str, str | float] = {}
    if chance.random() < 0.7:
        fields["tier"] = chance.choice(_VALUES)
    if chance.random() < 0.7:
        fields["seats"] = chance.choice((3, 2.5, 0, 12.0, "many", 1e21, 1234567.0))
    numbers = {name: chance.choice((0.5, 1.0, 3.0, -1.0, 0.33335)) for name in _NUMBERS if chance.random() < 0.5}
    calls = tuple(
        ToolCall(chance.choice(_TOOLS), {"id": a_text(chance), "WÖRTER": chance.choice(WORDS)})
        for _ in range(chance.randrange(4))
    )
    answer = Answer(
        hits=maybe(tuple(Hit(rank, source) for rank, source in enumerate(sources, start=1))),
        text=maybe(a_text(chance)),
        citations=maybe(tuple(chance.choices(_SOURCES, k=chance.randrange(5)))),
        tool_calls=maybe(calls),
        numbers=numbers,
    )
    expected = maybe(chance.choice((*WORDS, "", "  ", answer.text or "x")))
    query = Query(
        "q", "what", chance.choice(_VALUES), chance.choice(_VALUES), maybe(chance.choice(("", "Straße", "x"))),
        maybe(relevant), expected_answer=expected, fields=fields,
    )  # fmt: skip
    seconds = chance.choice((0.0, 0.5, 2.0, 3.3, 1e-7, 12345678.9))
    return Exchange(query, Turn("what", "q"), answer, maybe(seconds), maybe(chance.choice((0.0, 0.01, 1 / 3))))


def some_votes(chance: Chance, rubric: Rubric) -> Mapping[str, Sequence[Vote]]:
    """Votes for some of the questions: labels, points, skips, and answers that are off the menu."""
    found: dict[str, list[Vote]] = {}
    for question in questions(rubric.root):
        scale = question.scale
        usable: list[str | float] = [level.label.upper() for level in scale.levels]
        if scale.low is not None and scale.high is not None:
            usable = [1, 2, 3.5, float(scale.high)]
        said = [*usable, *usable, *usable, "n/a", None, "rubbish", 99.5]
        size = question.panel.size
        if chance.random() < 0.8:
            number = chance.choice((size, size, max(size - 1, 0), size + 1))
            reason = chance.choice(("", "because"))
            found[question.id] = [Vote(chance.choice(said), "llm", "", reason) for _ in range(number)]
    return found
