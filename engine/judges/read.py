"""What a judge replied, read strictly: every question gets a vote, usable or with what was wrong. Never mended."""

import json
import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from decimal import Decimal
from math import isnan

from engine.judges.problems import VoteProblem, unusable
from engine.model.grade import NOT_APPLICABLE, Vote
from engine.providers.dialect import Finish, ModelReply
from engine.rubric.fold import fold
from engine.rubric.syntax import Question, Scale
from engine.text import encodable, one_line

__all__ = ["LONGEST_REASON", "Members", "Misread", "members", "number_within", "read", "reason_of", "said_on"]

LONGEST_REASON = 600
"""Characters of a judge's reason that are kept."""

_LONGEST_REPLY = 1_000_000
_FENCED = re.compile(r"```(?:json)?[ \t]*\r?\n(.*?)\r?\n?[ \t]*```", re.DOTALL | re.IGNORECASE)


class Misread(Exception):
    """Nothing, or one part, of a reply can be used."""

    def __init__(self, problem: VoteProblem) -> None:
        self.problem = problem
        super().__init__(problem)


@dataclass(frozen=True, slots=True)
class Members:
    """The members of a JSON object, and which names were given twice."""

    values: Mapping[str, object]
    twice: frozenset[str] = frozenset()


def read(reply: ModelReply, questions: Mapping[str, Question], judge: str = "") -> dict[str, Vote]:
    """A vote for every question, by its id.

    Args:
        questions: by the key that the judge was to answer with.
        judge: who the votes are from.
    """
    model = reply.model or ""
    try:
        found = members(reply, frozenset(questions))
    except Misread as fault:
        return {question.id: unusable(fault.problem, judge, model) for question in questions.values()}
    votes: dict[str, Vote] = {}
    for key, question in questions.items():
        try:
            said, reason = _answer(found, key, question)
            votes[question.id] = Vote(said, judge, model, reason)
        except Misread as fault:
            votes[question.id] = unusable(fault.problem, judge, model)
    return votes


def members(reply: ModelReply, names: AbstractSet[str]) -> Members:
    """The one JSON object of a reply, bare or in one fence. Not every name has to be in it.

    Raises:
        Misread: the reply is none, is cut off, or holds no object, several, or one with other names in it.
    """
    text = reply.text.strip()
    if reply.finish is Finish.REFUSED:
        raise Misread(VoteProblem.REFUSED)
    if reply.finish is Finish.LENGTH:
        raise Misread(VoteProblem.TRUNCATED)
    if not text:
        raise Misread(VoteProblem.EMPTY)
    if len(text) > _LONGEST_REPLY:
        raise Misread(VoteProblem.NOT_JSON)
    value = _object(text if text.startswith("{") else _unfenced(text))
    if not isinstance(value, Members):
        raise Misread(VoteProblem.NOT_JSON)
    if value.values.keys() - names:
        raise Misread(VoteProblem.EXTRA)
    return value


def _unfenced(text: str) -> str:
    """What stands in the only fence; nothing around it may look like another answer."""
    fences = _FENCED.findall(text)
    around = _FENCED.sub("", text)
    if len(fences) > 1:
        raise Misread(VoteProblem.SEVERAL_OBJECTS)
    if not fences:
        raise Misread(VoteProblem.TRUNCATED if text.startswith("```") else VoteProblem.NOT_JSON)
    if "{" in around or "```" in around:
        raise Misread(VoteProblem.SEVERAL_OBJECTS)
    return str(fences[0]).strip()


def _object(text: str) -> object:
    try:
        value, end = _DECODER.raw_decode(text)
    except json.JSONDecodeError as error:
        cut = error.pos >= len(text) or not text.endswith("}") or error.msg.startswith("Unterminated")
        raise Misread(VoteProblem.TRUNCATED if cut else VoteProblem.NOT_JSON) from None
    except (ValueError, RecursionError):  # a number of thousands of digits, or thousands of brackets
        raise Misread(VoteProblem.NOT_JSON) from None
    rest = text[end:].strip()
    if rest:
        raise Misread(VoteProblem.SEVERAL_OBJECTS if "{" in rest else VoteProblem.NOT_JSON)
    return value


def _pairs(pairs: list[tuple[str, object]]) -> Members:
    values = dict(pairs)
    if len(values) == len(pairs):
        return Members(values)
    names = [name for name, _ in pairs]
    return Members(values, frozenset(name for name in values if names.count(name) > 1))


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs)


# ---- one answer -------------------------------------------------------------------------------


def _answer(found: Members, key: str, question: Question) -> tuple[str | float, str]:
    if key in found.twice:
        raise Misread(VoteProblem.TWICE)
    answer = found.values.get(key)
    if not isinstance(answer, Members) or not {"reason", "said"} <= answer.values.keys():
        raise Misread(VoteProblem.MISSING)
    if answer.twice:
        raise Misread(VoteProblem.TWICE)
    if len(answer.values) > 2:
        raise Misread(VoteProblem.EXTRA)
    said = said_on(question.scale, question.skippable, answer.values["said"])
    return said, reason_of(answer.values["reason"])


def reason_of(value: object) -> str:
    """A reason as one line that is safe to print, cut to a bearable length. Raises Misread when it is no text."""
    if not isinstance(value, str):
        raise Misread(VoteProblem.MISSING)
    return one_line(encodable(value[: 4 * LONGEST_REASON]), LONGEST_REASON)


def said_on(scale: Scale, skippable: bool, value: object) -> str | float:
    """What was said on a scale: a label as the scale writes it, or a number within it. Raises Misread."""
    if isinstance(value, str) and skippable and fold(value) == NOT_APPLICABLE:
        return NOT_APPLICABLE
    if scale.low is not None and scale.high is not None:
        return number_within(value, scale.low, scale.high)
    said = fold(value) if isinstance(value, str) else None
    for level in scale.levels:
        if fold(level.label) == said:
            return level.label
    raise Misread(VoteProblem.OFF_MENU)


def number_within(value: object, low: Decimal | int, high: Decimal | int) -> float:
    """A number between two ends, both of them included. Never clamped: raises Misread."""
    if isinstance(value, bool) or not isinstance(value, int | float) or isnan(value):
        raise Misread(VoteProblem.NOT_A_NUMBER)
    if not low <= value <= high:
        raise Misread(VoteProblem.OUT_OF_RANGE)
    return value
