"""What can be wrong with what a judge said: a closed list, each with its sentence."""

from collections.abc import Mapping
from enum import StrEnum

from engine.model.grade import Vote

__all__ = ["SENTENCES", "VoteProblem", "unusable"]


class VoteProblem(StrEnum):
    """Why a vote cannot be used. Codes are counted in reports."""

    TRUNCATED = "truncated"
    EMPTY = "empty"
    REFUSED = "refused"
    NOT_JSON = "not_json"
    SEVERAL_OBJECTS = "several_objects"
    TWICE = "twice"
    EXTRA = "extra"
    MISSING = "missing"
    WRONG_COUNT = "wrong_count"
    OFF_MENU = "off_menu"
    NOT_A_NUMBER = "not_a_number"
    OUT_OF_RANGE = "out_of_range"
    NO_REPLY = "no_reply"
    NOTHING_SHOWN = "nothing_shown"
    CANARY = "canary"


SENTENCES: Mapping[VoteProblem, str] = {
    VoteProblem.TRUNCATED: "the judge's answer was cut off",
    VoteProblem.EMPTY: "the judge's answer was empty",
    VoteProblem.REFUSED: "the judge refused to answer",
    VoteProblem.NOT_JSON: "the judge's answer was not one JSON object",
    VoteProblem.SEVERAL_OBJECTS: "the judge gave several answers",
    VoteProblem.TWICE: "the judge answered the question twice",
    VoteProblem.EXTRA: "the judge's answer held more than was asked",
    VoteProblem.MISSING: "the judge left the question out, or a part of its answer",
    VoteProblem.WRONG_COUNT: "the judge said something about more or fewer results than there are",
    VoteProblem.OFF_MENU: "the judge's answer is not on the scale",
    VoteProblem.NOT_A_NUMBER: "the judge's answer is not a number",
    VoteProblem.OUT_OF_RANGE: "the judge's number is outside the scale",
    VoteProblem.NO_REPLY: "the judge did not answer",
    VoteProblem.NOTHING_SHOWN: "there was nothing that the judge could compare",
    VoteProblem.CANARY: "the judge was wrong about an example whose verdict is known",
}


def unusable(problem: VoteProblem, judge: str = "", model: str = "", detail: str = "") -> Vote:
    """A vote that says nothing, with its reason. `detail` is a word from a closed list: reasons are counted."""
    sentence = SENTENCES[problem]
    return Vote(None, judge, model, f"{sentence}: {detail}" if detail else sentence, problem)
