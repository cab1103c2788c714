"""Values in a file of cases: text, numbers, lists and names with values, each wrong one noted with its place."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from engine.store.query_fields import Problems
from engine.store.query_places import YamlText
from engine.store.strict_yaml import Path as Steps
from engine.text import nearest, one_line

__all__ = ["CaseValues", "shown_value"]

_LARGEST = 1e12

T = TypeVar("T")


class CaseValues:
    """Each method reads one part and notes what is wrong with it; a part that is wrong reads as absent."""

    def __init__(self, places: YamlText) -> None:
        self.places = places
        self.problems = Problems()

    def text(self, value: Mapping[str, object], steps: Steps, name: str, *, blank: bool = False) -> str | None:
        """Text of a field, or None. An empty answer is an answer; anything else that is empty is a slip."""
        found = value.get(name)
        if found is None:
            return None
        if blank and found == "":
            return ""
        return self.text_at(found, (*steps, name))

    def text_at(self, value: object, steps: Steps) -> str | None:
        reading = self.places.other_reading(steps) if isinstance(value, str) else None
        if isinstance(value, str) and value.strip() and reading is None:
            return value
        if isinstance(value, str):
            wrong = f"other tools read this as {reading}" if reading else "is empty"
        else:
            wrong = f"must be text, not {shown_value(value)}"
        self.wrong(steps, wrong, "write it in quotes if it is text" if wrong != "is empty" else "leave it out")
        return None

    def number(self, value: object, steps: Steps) -> float | None:
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _LARGEST:
            self.wrong(steps, f"must be a number, not {shown_value(value)}")
            return None
        return float(value)

    def amount(self, value: Mapping[str, object], steps: Steps, name: str) -> float | None:
        """A number that cannot be below 0."""
        found = None if value.get(name) is None else self.number(value[name], (*steps, name))
        if found is not None and found < 0:
            self.wrong((*steps, name), "cannot be below 0")
        return found

    def word(self, value: object, steps: Steps) -> str | float | None:
        """Text or a number."""
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self.number(value, steps)
        return self.text_at(value, steps)

    def mapping(
        self, value: Mapping[str, object], steps: Steps, name: str, read: Callable[[object, Steps], T | None]
    ) -> dict[str, T] | None:
        found = value.get(name)
        if found is None:
            return None
        if not isinstance(found, dict):
            self.wrong((*steps, name), f"must have names with values, not {shown_value(found)}")
            return None
        pairs = ((key, read(each, (*steps, name, key))) for key, each in found.items())
        return {key: each for key, each in pairs if each is not None}

    def sequence(
        self, value: Mapping[str, object], steps: Steps, name: str, read: Callable[[object, Steps], T | None]
    ) -> tuple[T, ...] | None:
        found = value.get(name)
        if found is None:
            return None
        if not isinstance(found, list):
            self.wrong((*steps, name), f"must be a list, not {shown_value(found)}", f"for example {name}: [a, b]")
            return None
        pairs = (read(each, (*steps, name, index)) for index, each in enumerate(found))
        return tuple(each for each in pairs if each is not None)

    def known(self, value: Mapping[str, object], steps: Steps, known: tuple[str, ...], what: str) -> None:
        for name in value:
            if name not in known:
                near = nearest(name, known)
                help_ = f'did you mean "{near}"?' if near else f"known: {', '.join(known)}"
                message = f'"{one_line(name, 60)}" is not a field of {what}'
                self.problems.add(message, self.places.key_at((*steps, name)), help_)

    def wrong(self, steps: Steps, message: str, advice: str = "") -> None:
        inside = steps[2:] if len(steps) > 1 and steps[0] == "cases" else steps
        named = ".".join(one_line(str(step), 60) for step in inside if isinstance(step, str))
        self.problems.add(f"{named}: {message}" if named else message, self.places.at(steps), advice)


def shown_value(value: object) -> str:
    if isinstance(value, str):
        return f'"{one_line(value, 60)}"'
    if isinstance(value, dict | list):
        return "a list" if isinstance(value, list) else "fields of its own"
    return "nothing" if value is None else str(value).lower()
