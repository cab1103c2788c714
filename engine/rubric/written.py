"""What stands in a file and not in the rubric any more once it is read: settings by name, and used files."""

from dataclasses import dataclass

from engine.rubric.blocks import Entry
from engine.rubric.declared import settings_of
from engine.rubric.outline import outline
from engine.rubric.source import lines

__all__ = ["Written", "written"]


@dataclass(frozen=True, slots=True)
class Written:
    """Lines of a file, as their author wrote them.

    Attributes:
        settings: name and value, `("max words", "200")`.
        uses: `everything from "shared/safety.rubric" version 2`.
    """

    settings: tuple[tuple[str, str], ...] = ()
    uses: tuple[str, ...] = ()


def written(text: str, name: str) -> Written:
    """The settings and the used files of a rubric's text."""
    found = outline(lines(text, name))
    settings = tuple((each.name, each.text) for each in settings_of(found, {}, []).values())
    return Written(settings, tuple(_value(entry) for entry, _ in found.uses))


def _value(entry: Entry) -> str:
    words = entry.node.words()
    return " ".join(entry.line.text[words[1].start : words[-1].end].split())
