"""Rubrics in the forms of other tools: hashes that agree, a schema that holds, promptfoo there and back."""

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import rubric
from engine.rubric.canonical import Json
from engine.rubric.exporting.canonical import SCHEMA, canonical
from engine.rubric.exporting.judge_schema import judge_schema
from engine.rubric.exporting.promptfoo import promptfoo as exported
from engine.rubric.exporting.yaml_text import Yaml, yaml_text
from engine.rubric.importing import promptfoo as importing
from engine.rubric.syntax import Rubric, criteria, questions
from engine.store import strict_yaml
from tests.rubric.build import real, rubric_of, shared


def _real(name: str) -> Rubric:
    found = real(name).rubric
    assert found is not None, name
    return found


# ---- canonical JSON ---------------------------------------------------------------------------


def test_the_canonical_document_has_every_hash_and_reads_back() -> None:
    found = _real("support-answers.rubric")
    document = json.loads(json.dumps(canonical(found)))

    assert list(document) == ["schema", "id", "title", "version", "sha256", "criteria", "questions", "content"]
    assert document["schema"] == SCHEMA == "assay-rubric/1"
    assert document["sha256"] == found.sha256
    hashes = {each["id"]: each["sha256"] for each in document["criteria"]}
    assert hashes == {each.id: rubric.criterion_sha256(each) for each in criteria(found.root)}
    assert document["questions"][0]["choose"] == ["yes", "no"]
    assert canonical(rubric.from_json(document["content"])) == document


def test_a_weight_changes_the_rubric_and_no_criterion() -> None:
    text = "rubric: R\ncriterion: A\n  weight: {}\n  ask: Is it?\ncriterion: B\n  ask: Is it so?\n"
    one, other = (json.loads(json.dumps(canonical(rubric_of(text.format(weight))))) for weight in (1, 2))

    assert one["sha256"] != other["sha256"]
    assert one["criteria"] == other["criteria"]


# ---- the judge's answer -----------------------------------------------------------------------

_ASKS = """rubric: R
criterion: Tone
  ask: Is it kind?
criterion: Depth
  ask: How deep?
  scale: 1 to 5
  allow n/a: yes
criterion: Quality
  ask: How good?
  scale:
  | good | 1 | Fine |
  | poor | 0 | Not fine |
checklist: Facts
  - [vital] Says 30 days
  - Says how
"""


def test_the_schema_has_one_member_a_question_in_order_with_the_reason_first() -> None:
    schema = judge_schema(tuple(questions(rubric_of(_ASKS).root)))

    assert isinstance(schema, dict)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["required"] == ["tone", "depth", "quality", "facts/says-30-days", "facts/says-how"]
    assert isinstance(schema["properties"], dict)
    assert list(schema["properties"]) == schema["required"]
    for member in schema["properties"].values():
        assert isinstance(member, dict)
        assert member["required"] == ["reason", "said"]
        assert isinstance(member["properties"], dict)
        assert list(member["properties"]) == ["reason", "said"]


_GOOD = {
    "tone": {"reason": "r", "said": "yes"},
    "depth": {"reason": "r", "said": 3.5},
    "quality": {"reason": "r", "said": "poor"},
    "facts/says-30-days": {"reason": "r", "said": "no"},
    "facts/says-how": {"reason": "r", "said": "yes"},
}


@pytest.mark.parametrize(
    ("change", "valid"),
    [
        pytest.param({}, True, id="good"),
        pytest.param({"depth": {"reason": "r", "said": "n/a"}}, True, id="n/a-where-allowed"),
        pytest.param({"tone": {"reason": "r", "said": "n/a"}}, False, id="n/a-where-not-allowed"),
        pytest.param({"depth": {"reason": "r", "said": 5.01}}, False, id="above-the-scale"),
        pytest.param({"depth": {"reason": "r", "said": True}}, False, id="true-is-no-number"),
        pytest.param({"quality": {"reason": "r", "said": "fine"}}, False, id="no-label"),
        pytest.param({"quality": {"reason": "", "said": "good"}}, False, id="no-reason"),
        pytest.param({"quality": {"said": "good"}}, False, id="reason-left-out"),
        pytest.param({"quality": {"reason": "r", "said": "good", "score": 1}}, False, id="something-more"),
        pytest.param({"verdict": {"reason": "r", "said": "pass"}}, False, id="a-question-nobody-asked"),
        pytest.param({"facts/says-how": None}, False, id="fewer-answers-than-questions"),
    ],
)
def test_what_the_schema_lets_through(change: Mapping[str, Json], valid: bool) -> None:
    answer: dict[str, Json] = json.loads(json.dumps(_GOOD)) | dict(change)
    answer = {key: value for key, value in answer.items() if value is not None}

    assert _valid(answer, judge_schema(tuple(questions(rubric_of(_ASKS).root)))) is valid


def _valid(value: Json, schema: Json) -> bool:
    """The few words of JSON Schema that we write; any other is a mistake in the test."""
    assert isinstance(schema, dict)
    return all(_WORDS[word](value, schema) for word in schema)


def _typed(value: Json, schema: dict[str, Json]) -> bool:
    kinds = {"object": dict, "string": str, "number": (int, float)}
    return isinstance(value, kinds[str(schema["type"])]) and not isinstance(value, bool)  # type: ignore[arg-type]


def _members(value: Json, schema: dict[str, Json]) -> bool:
    parts = schema["properties"]
    assert isinstance(parts, dict)
    return isinstance(value, dict) and all(_valid(value[key], parts[key]) for key in parts if key in value)


_WORDS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$schema": lambda value, schema: True,
    "type": _typed,
    "properties": _members,
    "required": lambda value, schema: isinstance(value, dict) and set(schema["required"]) <= set(value),
    "additionalProperties": lambda value, schema: (
        schema["additionalProperties"] or set(value) <= set(schema["properties"])
    ),
    "minLength": lambda value, schema: len(value) >= schema["minLength"],
    "minimum": lambda value, schema: _number(value) and value >= schema["minimum"],
    "maximum": lambda value, schema: _number(value) and value <= schema["maximum"],
    "enum": lambda value, schema: any(value == each and type(value) is type(each) for each in schema["enum"]),
    "anyOf": lambda value, schema: any(_valid(value, each) for each in schema["anyOf"]),
}


def _number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# ---- promptfoo --------------------------------------------------------------------------------

_MAPPED = r"""defaultTest:
  threshold: 0.8
  assert:
    - {type: icontains, value: "refund \"policy\"", weight: 2, metric: Policy}
    - {type: not-icontains, value: sorry}
    - {type: icontains-any, value: [a b, c]}
    - {type: not-icontains-any, value: [x, y]}
    - {type: icontains-all, value: [d, e], weight: 0}
    - {type: starts-with, value: Dear}
    - {type: equals, value: "42"}
    - {type: regex, value: 'https?:\/\/a/\d+"'}
    - {type: not-regex, value: foo|bar}
    - {type: is-json}
    - {type: is-json, value: {type: object, required: [a, b]}}
    - {type: not-is-json}
    - {type: latency, threshold: 2500}
    - {type: cost, threshold: 0.002}
    - {type: word-count, value: {min: 2, max: 100}}
    - {type: word-count, value: {max: 50}}
    - {type: word-count, value: 7}
    - {type: llm-rubric, value: "Is polite\nand calm", weight: 0.5}
    - {type: llm-rubric, value: "Is it kind?"}
    - type: assert-set
      metric: Form
      threshold: 0.5
      weight: 3
      assert: [{type: icontains, value: regards, weight: 2}, {type: word-count, value: {min: 3}}]
"""


def test_promptfoo_there_and_back_is_the_same() -> None:
    config = strict_yaml.load(_MAPPED, "p.yaml").value
    first = importing.imported(config, "p.yaml", "R")
    again = exported(rubric_of(first.text))
    back = strict_yaml.load(again.text, "q.yaml").value
    second = importing.imported(back, "q.yaml", "R")

    assert rubric_of(second.text) == rubric_of(first.text)
    assert _bare(back) == [_alike(each) for each in _bare(config)]


def _alike(each: dict[str, object]) -> dict[str, object]:
    """A slash needs no backslash, and a description is asked as a question."""
    value = each.get("value")
    if value == "Is polite\nand calm":
        return {**each, "value": f"Does the answer fit this description?\n{value}"}
    return {**each, "value": value.replace("\\/", "/")} if isinstance(value, str) else each


def _bare(config: object) -> list[dict[str, object]]:
    """The assertions without the names that an export gives them."""
    assert isinstance(config, dict)
    found = []
    for each in config["defaultTest"]["assert"]:
        inner = [{**part, "metric": ""} for part in each.get("assert", [])]
        found.append({**each, "metric": "", **({"assert": inner} if inner else {})})
    return found


def test_what_promptfoo_cannot_say_is_a_comment() -> None:
    found = exported(_real("support-answers.rubric"))

    assert len(found.lost) == 7
    assert [line for line in found.text.split("\n") if line.startswith("# not exported: ")] == [
        f"# not exported: {each}" for each in found.lost
    ]
    loaded = strict_yaml.load(found.text, "p.yaml").value
    assert isinstance(loaded, dict)
    assert loaded["defaultTest"]["threshold"] == 0.75
    assert [each["type"] for each in loaded["defaultTest"]["assert"]] == ["llm-rubric", "assert-set", "assert-set"]


def test_a_must_not_is_turned_round() -> None:
    found = exported(
        rubric_of('rubric: R\nmust not: Sorry\n  check: answer contains "sorry"\nmust not: Rude\n  ask: Is it rude?\n')
    ).text

    assert "type: not-icontains\n      value: sorry" in found
    assert (
        "Is it rude?\n        This is about something bad: it passes only when the answer to the question is no."
        in found
    )


@pytest.mark.parametrize("path", sorted(shared("data/rubrics").glob("*.rubric")), ids=lambda path: path.name)
def test_every_real_rubric_is_exported_as_yaml_that_reads(path: object) -> None:
    found = _real(str(getattr(path, "name", "")))
    loaded = strict_yaml.load(exported(found).text, "p.yaml").value

    assert isinstance(loaded, dict)
    assert loaded["description"] == found.title
    assert exported(found) == exported(found)


_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_VALUES: st.SearchStrategy[Yaml] = st.recursive(
    st.one_of(
        _TEXT,
        st.booleans(),
        st.sampled_from(["yes", "1", "~", "- a", "a: b", "#x", "a\nb", " a\n b", "\ufeff", "'", '"']),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_TEXT, inner, max_size=3)),
    max_leaves=8,
)


@given(st.dictionaries(_TEXT, _VALUES, max_size=4))
def test_any_text_survives_yaml(value: dict[str, Yaml]) -> None:
    loaded = strict_yaml.load(yaml_text(value), "x.yaml").value

    assert (loaded or {}) == value


def test_numbers_are_numbers_in_yaml() -> None:
    assert yaml_text({"a": Decimal("0.50"), "b": Decimal(3)}) == "a: 0.5\nb: 3\n"
