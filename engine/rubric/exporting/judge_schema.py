"""The JSON Schema of what a judge answers: a reason and a choice for every question, and nothing else."""

from collections.abc import Sequence

from engine.model.grade import NOT_APPLICABLE
from engine.rubric.canonical import Json
from engine.rubric.fold import fold
from engine.rubric.syntax import Question

__all__ = ["choices", "judge_schema"]

_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def judge_schema(questions: Sequence[Question]) -> Json:
    """The schema of the answer to some questions of a rubric.

    The answer is one object with a member for every question id, in the order of the questions; each
    has a `reason` and then what is `said`: a label of the scale, a number within it, or `n/a` where the
    question may be left out.

        {"tone": {"reason": "It greets by name.", "said": "good"}}

    Args:
        questions: at least one; ids are unique.
    """
    return {"$schema": _DRAFT, **_object({question.id: _answer(question) for question in questions})}


def choices(question: Question) -> tuple[str, ...]:
    """The words a judge can say, best first as the author wrote them. On a scale of points only `n/a`, if that."""
    named = () if question.scale.low is not None else tuple(level.label for level in question.scale.levels)
    extra = question.skippable and not any(fold(label) == NOT_APPLICABLE for label in named)
    return (*named, NOT_APPLICABLE) if extra else named


def _answer(question: Question) -> Json:
    return _object({"reason": {"type": "string", "minLength": 1}, "said": _said(question)})


def _said(question: Question) -> Json:
    scale, words = question.scale, choices(question)
    if scale.low is None or scale.high is None:
        return {"enum": list(words)}
    points: Json = {"type": "number", "minimum": float(scale.low), "maximum": float(scale.high)}
    return {"anyOf": [points, {"enum": list(words)}]} if words else points


def _object(properties: dict[str, Json]) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
