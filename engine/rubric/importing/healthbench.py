"""Examples in the form of HealthBench (criteria with points up and down) as rubric text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from engine.errors import Problem, UsageError
from engine.rubric.importing.pen import Pen, question, short, visible
from engine.rubric.importing.writing import Draft, Imported, Part, write
from engine.text import count, one_line

__all__ = ["Example", "examples", "imported"]

Example = Mapping[str, object]
"""`{"rubrics": [{"criterion": "...", "points": 7, "tags": [...]}], "prompt": [...]}`"""

_KNOWN = frozenset({"rubrics", "prompt", "prompt_id", "example_tags"})
_MOST = Decimal(10) ** 12


def examples(values: Iterator[object]) -> Iterator[Example]:
    """The examples in what a file holds: one, a list of them, or one a line. Anything without `rubrics` is left out."""
    for value in values:
        inner = value if isinstance(value, list) else [value]
        yield from (each for each in inner if isinstance(each, dict) and isinstance(each.get("rubrics"), list))


def imported(example: Example, place: str, title: str) -> Imported:
    """The rubric of one example. Points below 0 are penalties, points of 0 are information.

    Raises:
        UsageError: no criterion of it can be brought over.
    """
    pen = Pen()
    rubrics = example.get("rubrics")
    items = rubrics if isinstance(rubrics, list) else []
    if not items:
        raise UsageError(Problem('this example has no criteria under "rubrics"', place))
    parts = tuple(part for number, item in enumerate(items, start=1) if (part := _part(item, number, pen)) is not None)
    asked = _prompt(example.get("prompt"), pen)
    for key in example:
        if key not in _KNOWN:
            pen.lose(f'"{key}", which is no part of a rubric')
    name = pen.name(title) or "Imported example"
    about = f"Written for one question.\n{asked}" if asked else ""
    prompt_id = example.get("prompt_id")
    head = (
        *pen.prose("about", about),
        *pen.tags(_texts(example.get("example_tags"))),
        *(pen.prose("note", f"prompt_id {prompt_id}") if isinstance(prompt_id, str) else ()),
    )
    return write(Draft(name, ("version: 1", *(line.lstrip() for line in head)), parts), pen, place)


@dataclass(frozen=True, slots=True)
class _Points:
    heading: str
    weight: Decimal | None


def _part(item: object, number: int, pen: Pen) -> Part | None:
    """The criterion, or None after saying why there is none."""
    content = item if isinstance(item, dict) else {}
    text, points = content.get("criterion"), _points(content.get("points"))
    if not isinstance(text, str) or not visible(text):
        pen.lose(f"criterion {number}: it has no text")
        return None
    if points is None:
        pen.lose(f'criterion {number}, "{short(one_line(text), 100)}": its points are not a number')
        return None
    title = pen.title(text)
    extra = tuple(
        f'its "{key}"' for key in content if key not in ("criterion", "points", "tags", "criterion_id") and content[key]
    )
    lines = (
        f"{points.heading}: {title}",
        *(() if points.weight is None else (pen.weight(points.weight),)),
        *pen.prose("ask", question(text)),
        *pen.tags(_texts(content.get("tags"))),
    )
    return Part(f'"{title}"', lines, title, extra)


def _points(value: object) -> _Points | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    points = Decimal(str(value))
    if not points.is_finite() or abs(points) >= _MOST:
        return None
    if not points:
        return _Points("info", None)
    return _Points("criterion" if points > 0 else "penalty", abs(points))


def _prompt(value: object, pen: Pen) -> str:
    """What the person asked last; earlier messages belong to the query, not to the rubric."""
    messages: Sequence[object] = value if isinstance(value, list) else [{"role": "user", "content": value}]
    said = [
        message["content"]
        for message in messages
        if isinstance(message, dict) and message.get("role") == "user" and isinstance(message.get("content"), str)
    ]
    if len(messages) > 1:
        pen.lose(f"{count(len(messages) - 1, 'earlier message')} of the conversation; they belong to a query set")
    return said[-1] if said else ""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
