"""A rubric as one JSON document for programs in other languages, with the hashes that labels are bound to."""

from engine.rubric.canonical import Json, criterion_sha256, meaning_sha256, to_json
from engine.rubric.exporting.judge_schema import choices
from engine.rubric.syntax import Rubric, Scale, criteria, questions

__all__ = ["SCHEMA", "canonical"]

SCHEMA = "assay-rubric/1"
"""Name and version of this document. Members may be added within a version; none is removed or changes its meaning."""


def canonical(rubric: Rubric) -> Json:
    """The document. Settings and used files are in their places already.

    Members:
        schema: `assay-rubric/1`.
        id, title, version: of the rubric; version 0 means that none was written.
        sha256: of what the rubric means; scores are bound to it. Layout, remarks, order and owner are outside.
        criteria: in the order of the file: `id`, `title`, `role`, and the `sha256` that labels are bound to;
            weights and pass marks are outside it.
        questions: what judges are asked: `id`, the `criterion` it belongs to, `text`, and how to answer: the
            words to `choose` from, or a number from `lowest` to `highest`. Votes are given by these ids.
        content: the whole tree, `{"language": 1, "rubric": {...}}`, as `engine.rubric.from_json` reads it. Every
            object names its noun under `is`; a member with its usual value is left out.
    """
    return {
        "schema": SCHEMA,
        "id": rubric.id,
        "title": rubric.title,
        "version": rubric.version,
        "sha256": rubric.sha256 or meaning_sha256(rubric),
        "criteria": [
            {"id": each.id, "title": each.title, "role": each.role.value, "sha256": criterion_sha256(each)}
            for each in criteria(rubric.root)
        ],
        "questions": [
            {
                "id": each.id,
                "criterion": each.criterion,
                "text": each.text,
                **_range(each.scale),
                "choose": list(choices(each)),
            }
            for each in questions(rubric.root)
        ],
        "content": to_json(rubric),
    }


def _range(scale: Scale) -> dict[str, Json]:
    if scale.low is None or scale.high is None:
        return {}
    return {"lowest": float(scale.low), "highest": float(scale.high)}
