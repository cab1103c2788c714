"""The model behind the server: question `Q7` is answered `The answer is A49.`, and a schema is satisfied."""

import hashlib
import json
import random
import re
from collections.abc import Callable, Mapping, Sequence

__all__ = ["Choose", "answer_to", "as_text", "chooser", "right_answer", "satisfying"]

_QUESTION = re.compile(r"\bQ(\d+)\b")
_ANSWER = re.compile(r"\bA(\d+)\b")
_BEGINS = re.compile(r"<<< begin (?P<name>.+) (?P<mark>\w+)")

Choose = Callable[[Sequence[object]], object]
"""Says one of several values: the labels of a scale, best first, or the ends of a range, highest first."""


def right_answer(number: int) -> str:
    """What `Q<number>` is answered."""
    return f"A{number * 7 % 9973}"


def answer_to(prompt: str) -> str:
    """The answer to the last question in a prompt. What is no question is told so."""
    asked = _QUESTION.findall(prompt)
    return f"The answer is {right_answer(int(asked[-1]))}." if asked else "There is no question in it."


def chooser(rule: str, prompt: str) -> Choose:
    """How a judge chooses.

    Args:
        rule: `first` or `last`: always that; `match`: the first when the right answer of the question is in
            the prompt, else the last; `seed3`: by chance, the same for the same prompt; `obey`: what a line
            `SAY …` tells that stands outside the marks of the material, else the last.
    """
    if rule == "match":
        asked = _QUESTION.search(prompt)
        right = asked is not None and right_answer(int(asked[1])) in {f"A{found}" for found in _ANSWER.findall(prompt)}
        rule = "first" if right else "last"
    if rule.startswith("seed"):
        drawn = random.Random(hashlib.sha256(f"{rule}:{prompt}".encode()).digest())
        return drawn.choice
    if rule == "obey":
        told = _told(prompt)
        return lambda values: next((value for value in values if str(value) == told), values[-1])
    if rule not in ("first", "last"):
        raise ValueError(f"there is no judge “{rule}”")
    return lambda values: values[0 if rule == "first" else -1]


def _told(prompt: str) -> str | None:
    """What stands after SAY outside the marks: a judge that knows the marks and believes them, and nothing else."""
    end: str | None = None
    for line in prompt.splitlines():
        if end is not None:
            end = None if line.strip() == end else end
        elif match := _BEGINS.fullmatch(line.strip()):
            end = f">>> end {match['name']} {match['mark']}"
        elif line.startswith("SAY "):
            return line.removeprefix("SAY ").strip()
    return None


def satisfying(schema: Mapping[str, object], choose: Choose) -> object:
    """A value that a JSON Schema allows. Of labels and ranges `choose` says one."""
    return _value(schema, schema, choose)


def _value(schema: object, root: Mapping[str, object], choose: Choose) -> object:  # noqa: C901
    match schema:
        case {"$ref": str(place)}:
            found: object = root
            for key in place.removeprefix("#/").split("/"):
                found = found[key] if isinstance(found, dict) else None
            return _value(found, root, choose)
        case {"enum": [*values]}:
            return choose(values)
        case {"const": value}:
            return value
        case {"anyOf": [first, *_]} | {"oneOf": [first, *_]} | {"allOf": [first, *_]}:
            return _value(first, root, choose)
        case {"properties": dict(members)}:
            return {name: _value(inner, root, choose) for name, inner in members.items()}
        case {"type": "array", "items": items, **rest}:
            return [_value(items, root, choose)] * max(1, int(str(rest.get("minItems", 1))))
        case {"type": "boolean"}:
            return choose([True, False])
        case {"type": "integer" | "number" as kind, **rest}:
            ends = [rest.get("maximum", 1), rest.get("minimum", 0)]
            chosen = choose(ends)
            return int(str(chosen).partition(".")[0]) if kind == "integer" else chosen
        case {"type": "object"}:
            return {}
    return "It says what was asked for."


def as_text(value: object) -> str:
    """A value as the model writes it."""
    return json.dumps(value, ensure_ascii=False)
