"""Rubrics that are open in an editor: their pages, what the last check said, and the files that they use."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from engine import rubric as language
from engine.cli.rubric.source import library
from engine.errors import UsageError
from engine.rubric import Diagnostic, Rubric
from engine.rubric.editor import Known, Page
from engine.store.rubric_files import RubricFiles
from engine.store.workspace import Workspace

__all__ = ["Document", "Files", "opened", "path_of"]

Texts = Callable[[], Mapping[Path, str]]
"""What is open in the editor right now: file → text, saved or not."""


@dataclass(frozen=True, slots=True)
class Files:
    """The files that a rubric uses, as they stand in the editor, or else on the disk."""

    stored: RubricFiles
    texts: Texts

    def __call__(self, path: str, /) -> str | None:
        """The text of a used file; None when there is none that can be read."""
        file = self.find(path)
        if file is None:
            return None
        open_text = self.texts().get(file.resolve())
        if open_text is not None:
            return open_text
        try:
            return self.stored(path)
        except UsageError:
            return None

    def names(self) -> Iterator[str]:
        """The files there are."""
        return self.stored.names()

    def find(self, path: str) -> Path | None:
        """Where a used file is stored."""
        inside = ((folder / path, folder) for folder in self.stored.folders)
        return next(
            (file for file, folder in inside if file.is_file() and folder.resolve() in file.resolve().parents), None
        )


@dataclass(slots=True)
class Document:
    """One open rubric.

    Attributes:
        version: the editor's number of this text; None when it gives none.
        rubric: the last one that could be read, for shares and summaries; it may be older than the page.
    """

    uri: str
    page: Page
    files: Files
    version: int | None = None
    rubric: Rubric | None = None
    problems: tuple[Diagnostic, ...] = field(default=())

    def rewritten(self, text: str, version: int | None) -> None:
        """The text is another one now; what was said about the old one stays until it is checked."""
        self.page = Page.of(text, self.page.name)
        self.version = version

    def read(self) -> language.Reading:
        """Everything that is wrong with the text as it stands."""
        return language.read(self.page.text, self.page.name, self.files)

    @property
    def standing(self) -> tuple[Diagnostic, ...]:
        """What the last check said about lines that are still the same."""
        rows = self.page.rows
        return tuple(
            problem
            for problem in self.problems
            if (line := problem.span.line).number <= len(rows) and rows[line.number - 1].line == line
        )

    @property
    def mendable(self) -> bool:
        """Something can be mended in one way only."""
        return any(problem.edit is not None for problem in self.standing)

    @property
    def uses_others(self) -> bool:
        """Its check depends on other files."""
        return any(row.key == "use" for row in self.page.rows)

    @property
    def known(self) -> Known:
        """What hover texts are made of."""
        return Known(self.page, self.files, self.rubric, self.standing)


def opened(uri: str, text: str, workspace: Workspace, texts: Texts) -> Document:
    """A document that an editor has just opened. It need not be stored anywhere yet."""
    path = path_of(uri) or workspace.folder / "unnamed.rubric"
    files = Files(library(path, workspace), texts)
    return Document(uri, Page.of(text, _name(path, files.stored)), files)


def path_of(uri: str) -> Path | None:
    """The file of a `file:` address, or None."""
    try:
        parts = urlsplit(uri)
        if parts.scheme != "file":
            return None
        return Path(url2pathname(unquote(parts.path) if not parts.netloc else f"//{parts.netloc}{unquote(parts.path)}"))
    except ValueError:
        return None


def _name(path: Path, files: RubricFiles) -> str:
    """As `use:` lines name it, so that files that use each other in a circle are seen."""
    whole = path.resolve()
    inside = next((folder.resolve() for folder in files.folders if whole.is_relative_to(folder.resolve())), None)
    return path.name if inside is None else whole.relative_to(inside).as_posix()
