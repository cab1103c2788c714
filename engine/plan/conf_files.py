"""What is in the conf folders, and the refusal of files that Hydra should never see."""

import re
from collections.abc import Iterator
from pathlib import Path

from engine.errors import Problem, UsageError
from engine.store import strict_yaml
from engine.store.workspace import Workspace, packaged
from engine.text import one_line

__all__ = ["check_conf_files", "groups", "shown"]

_DATA = "query_sets"
_HEADER = re.compile(r"#\s*@package\s+(\S+)")  # Hydra takes the last one


def groups(workspace: Workspace) -> dict[str, tuple[str, ...]]:
    """Every folder of choices with the names that can be typed: `{"target": ("folder", …)}`."""
    found: dict[str, set[str]] = {}
    for folder in workspace.conf_folders:
        for file in _files(folder):
            group = file.relative_to(folder).parent.as_posix()
            if group != ".":
                found.setdefault(group, set()).add(file.stem)
    return {group: tuple(sorted(names)) for group, names in sorted(found.items())}


def check_conf_files(workspace: Workspace) -> None:
    """Refuse, before Hydra reads them, files that are broken, that reach into Hydra, or that are misnamed."""
    problems: list[Problem] = []
    for folder in workspace.conf_folders:
        for file in sorted(folder.rglob("*.yml")):
            place = shown(workspace, file)
            problems.append(
                Problem("files in conf/ end in .yaml; .yml is not read.", place, f"rename it to {file.stem}.yaml")
            )
        for file in _files(folder):
            if not _is_ours(file, folder):
                problems += _check(file, folder, shown(workspace, file))
    if problems:
        raise UsageError(*problems)


def shown(workspace: Workspace, file: Path) -> str:
    """The path as a person knows it: from the workspace when it is inside."""
    try:
        return file.relative_to(workspace.folder).as_posix()
    except ValueError:
        return file.as_posix()


def _files(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*.yaml")):
        if file.relative_to(folder).parts[0] != _DATA:
            yield file


def _is_ours(file: Path, folder: Path) -> bool:
    """The one file that may speak to Hydra, where nobody has changed it."""
    own = packaged() / "conf" / "_hydra.yaml"
    return file == folder / own.name and file.read_bytes() == own.read_bytes()


def _check(file: Path, folder: Path, place: str) -> Iterator[Problem]:
    try:
        text = file.read_text("utf-8-sig")
        loaded = strict_yaml.load(text, place)
    except UnicodeDecodeError:
        yield Problem("this file is not UTF-8 text.", place, "save it again as UTF-8")
        return
    except OSError as error:
        yield Problem(f"this file cannot be read: {error.strerror}.", place)
        return
    except UsageError as error:
        yield from error.problems
        return
    yield from _headers(text, place)
    if file.relative_to(folder).parts[0].startswith("hydra"):
        yield _hydras(place)
    if isinstance(loaded.value, dict):
        yield from _reaches_hydra(loaded.value, loaded, place)
    elif loaded.value is not None:
        yield Problem("a file in conf/ holds settings, one `name: value` a line.", place)


def _headers(text: str, place: str) -> Iterator[Problem]:
    """Where a file may put its settings: at the top, or under its own group."""
    for header in _HEADER.finditer(text):
        if header[1] != "_global_":
            line = text.count("\n", 0, header.start()) + 1
            message = f"this file would be put under “{one_line(header[1], 60)}”; only _global_ may stand there."
            yield Problem(message, f"{place}:{line}:1", "write: # @package _global_")


def _reaches_hydra(value: dict[str, object], loaded: strict_yaml.Loaded, place: str) -> Iterator[Problem]:
    for key, entry in value.items():
        if key.startswith("hydra") or (key == "defaults" and "hydra" in str(entry).replace("'_hydra'", "")):
            line, column = loaded.at((key,))
            yield _hydras(f"{place}:{line}:{column}")


def _hydras(place: str) -> Problem:
    return Problem("Hydra's own settings could run code and are not for changing here.", place, "remove this line")
