"""Where things are: the person's own folder, and the files that come with the engine."""

import re
from dataclasses import dataclass
from pathlib import Path

import engine
from engine.errors import Problem, UsageError
from engine.text import nearest, one_line

__all__ = ["Workspace", "checked_name", "packaged"]


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder with the person's files. Those in it win over packaged files of the same name."""

    folder: Path

    @property
    def conf_folders(self) -> tuple[Path, ...]:
        """Folders of settings, the one that wins first. The workspace's own need not exist."""
        return self._layers("conf")

    @property
    def rubric_folders(self) -> tuple[Path, ...]:
        """Folders of rubrics, the one that wins first. The workspace's own need not exist."""
        return self._layers("rubrics")

    @property
    def query_set_folders(self) -> tuple[Path, ...]:
        """Folders of query sets, the one that wins first. The workspace's own need not exist."""
        return tuple(folder / "query_sets" for folder in self.conf_folders)

    @property
    def runs(self) -> Path:
        """The folder of recorded runs."""
        return self.folder / "runs"

    @property
    def cache(self) -> Path:
        """Derived files (indexes, compiled rubrics). It can be deleted at any time."""
        return self.folder / ".assay"

    @property
    def baselines(self) -> Path:
        """One file per baseline."""
        return self.folder / "baselines"

    def shown(self, path: Path) -> str:
        """The path as it is named in messages: from the workspace when it lies there."""
        return path.relative_to(self.folder).as_posix() if path.is_relative_to(self.folder) else str(path)

    def above(self) -> Path | None:
        """The workspace that this folder lies in, when it is none itself: somebody started too deep."""
        if (self.folder / "conf").is_dir():
            return None
        return next((f for f in self.folder.resolve().parents if (f / "conf" / "query_sets").is_dir()), None)

    def find_rubric(self, name: str) -> Path:
        """The file of a rubric, `search` or `search.rubric`.

        Raises:
            UsageError: the name is not a plain name, or there is no such rubric.
        """
        plain = checked_name(name, "rubric").removesuffix(".rubric")
        for folder in self.rubric_folders:
            path = folder / f"{plain}.rubric"
            if path.is_file():
                return path
        known = sorted({path.stem for folder in self.rubric_folders for path in folder.glob("*.rubric")})
        last = plain.rpartition("/")[2]
        close = last if last in known else nearest(last, known)
        choices = f"choices: {', '.join(known)}" if known else "there are no rubrics yet"
        raise UsageError(
            Problem(
                f"there is no rubric {plain!r} in {' or '.join(map(self.shown, self.rubric_folders))}",
                help=f'did you mean "{close}"?' if close else choices,
            )
        )

    def _layers(self, part: str) -> tuple[Path, ...]:
        own, shipped = self.folder / part, packaged() / part
        same = own.exists() and shipped.exists() and own.samefile(shipped)
        return (own,) if same else (own, shipped)


def packaged() -> Path:
    """The folder that holds the engine's own `conf/` and `rubrics/`: in a wheel, or the checkout."""
    package = Path(engine.__file__).resolve().parent
    shipped = package / "shipped"
    return shipped if shipped.is_dir() else package.parent


_LONGEST_NAME = 200


def checked_name(name: str, what: str) -> str:
    """The name, when it is one that stays inside its folder on every system.

    Args:
        name: a name or a path with `/` between its parts, `generated/2025-12-17`.
        what: the noun for the message, `query set`.

    Raises:
        UsageError: it could name a file elsewhere, or could not be a file name somewhere.
    """
    reason = _unfit(name)
    if reason is None:
        return name
    raise UsageError(Problem(f"{one_line(name, 60)!r} cannot be the name of a {what}: {reason}"))


def _unfit(name: str) -> str | None:
    if not name.strip():
        return "it is empty"
    if len(name) > _LONGEST_NAME or len(name.encode("utf-8", "replace")) > _LONGEST_NAME:
        return f"it is longer than {_LONGEST_NAME} characters"
    if any(not char.isprintable() for char in name):
        return "it holds a character that cannot be seen"
    if name.startswith(("/", "~")):
        return "it is a path from the top, not a name"
    return next(filter(None, map(_unfit_part, name.split("/"))), None)


def _unfit_part(part: str) -> str | None:
    return next((reason for pattern, reason in _UNFIT if pattern.search(part)), None)


_UNFIT = (
    (re.compile(r"^$"), "it has an empty part between slashes"),
    (re.compile(r"^\.+$"), "it points to another folder"),
    (re.compile(r"^\s|[.\s]$"), "a part of it begins or ends with a blank, or ends with a dot"),
    (re.compile(r'[\\:*?"<>|]'), 'it holds one of \\ : * ? " < > |'),
    (re.compile(r"%(?:2e|2f|5c|00)", re.IGNORECASE), "it holds an encoded dot, slash or NUL"),
    (
        re.compile(r"^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\s*\..*)?$", re.IGNORECASE),
        "it is reserved on Windows",
    ),
)
