"""Whole rubrics against formulas that others published, written here a second time and without our code."""

import random
from collections.abc import Mapping
from fractions import Fraction

import pytest

from engine import rubric
from tests.rubric.build import exchange, grade, grader, votes

_SEEDS = range(40)


@pytest.mark.parametrize("seed", _SEEDS)
def test_points_up_and_down_over_points_that_can_be_earned(seed: int) -> None:
    """The HealthBench shape: Σ points of what is met, penalties below 0, over Σ of the positive points, clipped."""
    chance = random.Random(seed)
    points = [chance.choice((-10, -8, -5, -1, 1, 3, 5, 7, 10)) for _ in range(chance.randint(2, 12))] + [5]
    lines = [
        f"{'criterion' if point > 0 else 'penalty'}: C{number}\n  weight: {abs(point)}\n  ask: Is it so?\n"
        for number, point in enumerate(points)
    ]
    met = [chance.random() < 0.5 for _ in points]
    said = {f"c{number}": "yes" if is_met else "no" for number, is_met in enumerate(met)}

    earned = sum(point for point, is_met in zip(points, met, strict=True) if is_met)
    possible = sum(point for point in points if point > 0)
    expected = min(max(Fraction(earned, possible), Fraction(0)), Fraction(1))

    assert grade("".join(lines), answers=said).scores["overall"] == _rounded(expected)


class _Tree:
    """A requirement with weighted parts, or a leaf that is met or not (the PaperBench shape)."""

    def __init__(self, chance: random.Random, name: str, depth: int) -> None:
        self.name, self.weight = name, chance.randint(1, 9)
        count = chance.randint(1, 4) if depth else 0
        self.parts = [
            _Tree(chance, f"{name}{part}", depth - 1 if chance.random() < 0.7 else 0) for part in range(count)
        ]
        self.met = chance.random() < 0.5

    def score(self) -> Fraction:
        if not self.parts:
            return Fraction(self.met)
        whole = sum(part.weight for part in self.parts)
        return sum((part.weight * part.score() for part in self.parts), Fraction(0)) / whole

    def lines(self, above: str = "") -> list[str]:
        if not self.parts:
            return [f"criterion: {self.name}", f"weight: {self.weight}", f"ask: Is {self.name} done?"]
        path = f"{above} > {self.name}" if above else self.name
        leaves = [line for part in self.parts if not part.parts for line in part.lines()]
        groups = [line for part in self.parts if part.parts for line in part.lines(path)]
        return [f"group: {path}", f"weight: {self.weight}", *leaves, *groups]

    def answers(self) -> dict[str, str]:
        if not self.parts:
            return {self.name: "yes" if self.met else "no"}
        return {name: said for part in self.parts for name, said in part.answers().items()}


@pytest.mark.parametrize("seed", _SEEDS)
def test_a_tree_of_weighted_requirements(seed: int) -> None:
    chance = random.Random(seed)
    tree = _Tree(chance, "T", 4)
    if not tree.parts:
        tree.parts = [_Tree(chance, "T0", 0)]
    made = grader("rubric: Tree\nversion: 1\n" + "\n".join(tree.lines()) + "\n")
    said = {name: tree.answers()[made.questions[name].text.split()[1]] for name in made.questions}

    assert made.grade(exchange(), votes(said)).scores["overall"] == _rounded(tree.score())


@pytest.mark.parametrize("seed", _SEEDS)
def test_nuggets_weighted_by_how_vital_they_are(seed: int) -> None:
    """Support full 1, partial ½, none 0; vital counts 2, okay 1: the share of the weight that is supported."""
    chance = random.Random(seed)
    marks = [chance.choice(("vital", "okay")) for _ in range(chance.randint(1, 9))]
    support = [chance.choice(("full", "partial", "none")) for _ in marks]
    scale = "define scale: support\n| full | 1 | all of it |\n| partial | 0.5 | a part |\n| none | 0 | nothing |\n"
    items = "".join(f"- [{mark}] Fact number {number}\n" for number, mark in enumerate(marks))
    said = {f"facts/fact-number-{number}": how for number, how in enumerate(support)}

    weight: Mapping[str, int] = {"vital": 2, "okay": 1}
    worth = {"full": Fraction(1), "partial": Fraction(1, 2), "none": Fraction(0)}
    earned = sum((weight[mark] * worth[how] for mark, how in zip(marks, support, strict=True)), Fraction(0))
    expected = earned / sum(weight[mark] for mark in marks)

    assert grade(f"{scale}checklist: Facts\nscale: support\n{items}", answers=said).scores["overall"] == _rounded(
        expected
    )


@pytest.mark.parametrize("seed", range(10))
def test_a_mean_over_many_levels_is_exact(seed: int) -> None:
    """Tenths and thirds in any order: the sum is exact, and rounded half up once."""
    chance = random.Random(seed)
    levels = [Fraction(chance.randint(0, 10), 10) for _ in range(30)]
    lines = [f"criterion: C{number}\nask: How much?\nscale: 0 to 10\n" for number in range(30)]
    said = {f"c{number}": int(level * 10) for number, level in enumerate(levels)}

    assert grade("".join(lines), answers=said).scores["overall"] == _rounded(sum(levels, Fraction(0)) / 30)


def _rounded(exact: Fraction) -> float:
    """Half up to 4 decimals, in whole numbers."""
    return ((exact * 20_000 + 1) // 2) / 10_000


def test_the_rubrics_here_are_read_as_they_are_meant() -> None:
    assert rubric.read("rubric: x\ncriterion: a\nask: Is it?\n", "x", lambda _: None).rubric is not None
