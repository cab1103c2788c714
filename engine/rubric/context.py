"""What is known while the lines of one rubric are read: settings, declared names, and the problems so far."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from engine.rubric.diagnostic import Diagnostic, Severity, Span
from engine.rubric.numbers import Unit
from engine.rubric.syntax import FieldType, Scale

__all__ = ["Context", "Setting", "Slip"]


class Slip(Exception):
    """This line cannot be read any further, and why. Never leaves `engine.rubric`."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.message)


@dataclass(frozen=True, slots=True)
class Setting:
    """A value that is written once and used by name. It is a text or a number, with a unit or without."""

    name: str
    text: str
    value: Decimal | None
    unit: Unit | None
    at: Span


@dataclass(slots=True)
class Context:
    """The desk that a reader works at. Only `problems` and `used` grow after the names are collected.

    Attributes:
        ids: title of each criterion and group, folded → its id.
        titles: the same titles as they were written.
        used: names of settings, scales and fields that something referred to.
    """

    settings: Mapping[str, Setting] = field(default_factory=dict)
    scales: Mapping[str, Scale] = field(default_factory=dict)
    fields: Mapping[str, FieldType] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)
    titles: tuple[str, ...] = ()
    problems: list[Diagnostic] = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    @property
    def failed(self) -> bool:
        """Something so far is an error."""
        return any(problem.severity is Severity.ERROR for problem in self.problems)
