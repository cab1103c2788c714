"""The rubrics that are damaged: the shipped ones, and the real ones beside the repository where they are."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine import rubric
from engine.rubric.canonical import meaning_sha256

__all__ = ["Source", "sources"]

_ROOT = Path(__file__).resolve().parents[2]
_FOLDERS = (_ROOT / "rubrics", _ROOT.parent / "shared" / "data" / "rubrics")


@dataclass(frozen=True, slots=True)
class Source:
    """A rubric that reads without errors.

    Attributes:
        meaning: its `meaning_sha256`.
        problems: how many warnings and hints it has as it stands.
    """

    name: str
    text: str
    library: Callable[[str], str | None]
    meaning: str
    problems: int

    @property
    def rows(self) -> list[str]:
        """Its lines."""
        return self.text.split("\n")

    def read(self, text: str) -> rubric.Reading:
        """Read a damaged copy of it."""
        return rubric.read(text, self.name, self.library)

    def same(self, reading: rubric.Reading) -> bool:
        """It was accepted, and it means what it meant."""
        return reading.rubric is not None and meaning_sha256(reading.rubric) == self.meaning


@cache
def sources() -> tuple[Source, ...]:
    """Every rubric of both folders that reads without errors, in a fixed order."""
    found = []
    for folder in _FOLDERS:
        library = _library(folder)
        for path in sorted(folder.rglob("*.rubric")):
            name, text = path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8")
            reading = rubric.read(text, name, library)
            if reading.rubric is not None:
                meaning, problems = meaning_sha256(reading.rubric), len(reading.problems)
                found.append(Source(name, text, library, meaning, problems))
    return tuple(found)


def _library(folder: Path) -> Callable[[str], str | None]:
    @cache
    def text(wanted: str) -> str | None:
        file = folder / wanted
        return file.read_text(encoding="utf-8") if file.is_file() else None

    return text
