"""A registry of settings by their `kind:`, each loaded when it is chosen: most runs need one of many."""

from collections.abc import Iterator, Mapping
from importlib import import_module

from engine.model.base import Frozen

__all__ = ["Kinds"]


class Kinds:
    """Kind → `module:Class` within a room."""

    def __init__(self, room: str, classes: Mapping[str, str]) -> None:
        self._room, self._classes = room, classes

    def __iter__(self) -> Iterator[str]:
        return iter(self._classes)

    def __contains__(self, kind: object) -> bool:
        return isinstance(kind, str) and kind in self._classes

    def settings(self, kind: str) -> type[Frozen]:
        """The settings class of a kind. Raises KeyError when there is none."""
        module, _, name = self._classes[kind].partition(":")
        found = getattr(import_module(f"{self._room}.{module}"), name)
        assert isinstance(found, type)
        assert issubclass(found, Frozen)
        return found
