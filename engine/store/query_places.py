"""Where the fields of a query stand in its file, whichever format the file has."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from engine.store import json_places
from engine.store.strict_yaml import Loaded, Path

__all__ = ["JsonLine", "JsonText", "Places", "YamlText"]


class Places(Protocol):
    """Paths are from the top of the document: `("queries", 2, "id")`."""

    @property
    def strict(self) -> bool:
        """True when an unknown field is a mistake; other tools write JSON with fields of their own."""
        ...

    def at(self, path: Path) -> str:
        """`file:line:column` of the value, or of the deepest part of the path that exists."""
        ...

    def key_at(self, path: Path) -> str:
        """`file:line:column` of the key where the format knows it."""
        ...

    def other_reading(self, path: Path) -> str | None:
        """What other readers make of text without quotes, or None."""
        ...


@dataclass(frozen=True, slots=True)
class YamlText:
    """A YAML document."""

    file: str
    loaded: Loaded
    strict: bool = True

    def at(self, path: Path) -> str:
        line, column = self.loaded.at(path)
        return f"{self.file}:{line}:{column}"

    def key_at(self, path: Path) -> str:
        line, column = self.loaded.key_at(path)
        return f"{self.file}:{line}:{column}"

    def other_reading(self, path: Path) -> str | None:
        return self.loaded.other_reading(path)


class JsonText:
    """A JSON document. Places are worked out when the first one is needed."""

    strict = False

    def __init__(self, file: str, text: str) -> None:
        self.file, self.text = file, text

    @cached_property
    def _places(self) -> Callable[[Path], tuple[int, int]]:
        places = json_places.of(self.text)
        return lambda path: next(places[path[:n]] for n in range(len(path), -1, -1) if path[:n] in places)

    def at(self, path: Path) -> str:
        line, column = self._places(path)
        return f"{self.file}:{line}:{column}"

    def key_at(self, path: Path) -> str:
        return self.at(path)

    def other_reading(self, _path: Path) -> str | None:
        return None


@dataclass(frozen=True, slots=True)
class JsonLine:
    """One line of a JSONL file."""

    file: str
    number: int
    text: str
    strict: bool = False

    def at(self, path: Path) -> str:
        places = json_places.of(self.text)
        column = next(places[path[:n]][1] for n in range(len(path), -1, -1) if path[:n] in places)
        return f"{self.file}:{self.number}:{column}"

    def key_at(self, path: Path) -> str:
        return self.at(path)

    def other_reading(self, _path: Path) -> str | None:
        return None
