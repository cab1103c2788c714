"""Random rubrics, nearly all without an error, and random answers: for properties that hold for every rubric."""

import random

from engine.model.grade import Vote
from engine.rubric.syntax import Question

__all__ = ["answers", "rubric_text"]

_ASK = ("yes or no", "levels", "points", "with n/a")
_ROLES = (*("criterion",) * 8, "must", "must", "must not", "must not", "penalty", "penalty", "bonus", "info")
_COMBINE = ("weighted mean", "mean", "lowest", "highest", "all", "any", "at least 2")
_SCALES = """\
define scale: levels
  | good | 1.0 | as it should be |
  | okay | 0.7 | nearly |
  | poor | 0.4 | hardly |
  | bad | 0.1 | not at all |
define scale: points from 1 to 5
  | 1 | the worst |
  | 2-4 | between |
  | 5 | the best |
define scale: with n/a
  | there | 1.0 | it is there |
  | partly | 0.5 | a part of it |
  | missing | 0 | it is not |
  | none | n/a | it does not fit |
"""


class _Writer:
    """Writes one rubric. `names` are the criteria and groups so far, which later conditions may ask about.

    Nothing asks whether a part "is ungraded": the answer to that changes as soon as it is graded.
    """

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.names: list[str] = []
        self.lines: list[str] = []

    def condition(self) -> str:
        pick = self.chance.randrange(5)
        if self.names and pick < 3:
            name = self.chance.choice(self.names)
            bound = self.chance.choice(
                ("below 0.5", "at least 0.7", "at most 0.1", "at least 0", "at least 1/3", "at most 2/3")
            )
            return (f"[{name}] is {bound}", f"[{name}] passes", f"[{name}] fails")[pick]
        return self.chance.choice(("intent is lookup", "intent is comparison", "task context is travel"))

    def criterion(self, number: int, roles: tuple[str, ...] = _ROLES) -> None:
        chance, name = self.chance, f"C{number}"
        role = chance.choice(roles)
        if role == "criterion" and chance.random() < 0.25:
            self.checklist(name)
            return
        self.lines.append(f"{role}: {name}")
        if role not in ("must", "must not", "info") or chance.random() < 0.2:
            self.lines.append(f"weight: {chance.choice((1, 1, 2, 2, 3, 0.5, 0))}")
        if self.names and chance.random() < 0.3:
            self.lines.append(f"only when: {self.condition()}")
        if chance.random() < 0.2:
            self.lines.append(f'check: answer contains "{chance.choice("ab")}"')
            if chance.random() < 0.5:
                self.lines += ["partial credit: yes", 'check: answer contains "c"', "check: answer cites a source"]
        else:
            scale = chance.choice(_ASK)
            self.lines += [f"ask: Is {name} so?", *([] if scale == "yes or no" else [f"scale: {scale}"])]
            self.panel()
        if role not in ("penalty", "bonus"):  # what neither passes nor fails is asked by nobody here
            self.lines.append(f"pass mark: {chance.choice((0.3, 0.5, 0.7, 0.9, '1/3'))}")
            self.names.append(name)

    def checklist(self, name: str) -> None:
        self.lines += [f"checklist: {name}", "pass mark: 0.5"]
        marks = ("", "[vital] ", "[minor] ", "[must] ", "[3] ", "[-2] ", "[-1] ")
        self.lines += [f"- {self.chance.choice(marks)}fact {number} of {name}" for number in range(3)]
        self.lines.append("- and a last one")
        self.panel()
        self.names.append(name)

    def panel(self) -> None:
        chance = self.chance
        if chance.random() < 0.3:
            self.lines.append("allow n/a: yes")
        if chance.random() < 0.3:
            size = chance.choice((2, 3, 5))
            self.lines.append(f"judge: {size} llm")
            self.lines.append(f"combine judges: {chance.choice(('median', 'mean', 'majority', 'lowest', 'highest'))}")
            if chance.random() < 0.3:
                self.lines.append(f"quorum: {chance.randint(1, size)}")

    def group(self, name: str, first: int) -> None:
        chance = self.chance
        combine = chance.choice(_COMBINE)
        self.lines += [f"group: {name}", f"weight: {chance.choice((1, 2, 5))}", f"combine: {combine}", "pass mark: 0.5"]
        if self.names and chance.random() < 0.2:
            self.lines.append(f"only when: {self.condition()}")
        inside = len(self.names)
        skips = ["allow n/a: yes"] if chance.random() < 0.5 else []
        gates = chance.random() < 0.2  # then nothing in it need count
        role = "must" if gates else "criterion"
        self.lines += [f"{role}: {name} always", f"ask: Is {name} so?", *skips]
        self.lines += [f"{role}: {name} too", f"ask: Is {name} too?", *skips]
        self.names.append(f"{name} always")
        for number in range(chance.randint(1, 3)):
            # only a mean has a use for penalties
            roles = ("must", "must not") if gates else _ROLES if combine.endswith("mean") else ("criterion",)
            self.criterion(first + number, roles)
        del self.names[inside:]  # what is inside may not be asked by what is inside, or by the group: no circles
        self.lines.append(f"end group: {name}")
        self.names.append(name)


def rubric_text(seed: int) -> str:
    """The rubric of a seed."""
    chance = random.Random(seed)
    writer = _Writer(chance)
    number = 1
    writer.lines += ["rubric: Random", "version: 1", _SCALES.rstrip(), "criterion: First", "ask: Is it so?"]
    writer.lines += ["allow n/a: yes"] if chance.random() < 0.5 else []
    writer.names.append("First")
    for _ in range(chance.randint(1, 5)):
        if chance.random() < 0.3:
            writer.group(f"G{number}", number)
        else:
            writer.criterion(number)
        number += 10
    for _ in range(chance.randrange(3)):
        limit = chance.choice(("0%", "40%", "70%"))
        if chance.random() < 0.3:  # of a part: no circle through what it looks at
            name = chance.choice(writer.names)
            writer.lines.append(f"cap: [{name}] at {limit} when task context is travel")
        else:
            writer.lines.append(f"cap: {limit} when {writer.condition()}")
    if chance.random() < 0.9:
        writer.lines += [
            *(["verdict: stop when any must fails"] if chance.random() < 0.3 else []),
            *([f"verdict: odd when {writer.condition()} and score is below 0.9"] if chance.random() < 0.3 else []),
            "verdict: good when score is at least 0.7",
            "verdict: fair when score is at least 1/3",
            "verdict: poor otherwise",
        ]
    return "\n".join(writer.lines) + "\n"


def answers(question: Question, chance: random.Random) -> tuple[Vote, ...]:
    """What a whole panel says; enough of it on the scale to be graded."""
    return tuple(Vote(_said(question, chance)) for _ in range(question.panel.size))


def _said(question: Question, chance: random.Random) -> str | float:
    scale = question.scale
    if question.skippable and chance.random() < 0.2:
        return "n/a"
    if scale.low is not None and scale.high is not None:
        return chance.randint(int(scale.low), int(scale.high))
    return chance.choice(scale.levels).label
