"""What is in the conf folders, and the refusal of files that Hydra should never see."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from engine.errors import Problem, UsageError
from engine.plan.conf_defaults import at, check_defaults, named
from engine.store import strict_yaml
from engine.store.strict_yaml import Loaded
from engine.store.workspace import Workspace, packaged
from engine.text import nearest, one_line

__all__ = ["check_conf_files", "conf_file", "groups", "shown"]

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


def conf_file(workspace: Workspace, name: str) -> Path | None:
    """The file of `target/folder`, the workspace's own before the packaged one."""
    return next((f for folder in workspace.conf_folders if (f := folder / f"{name}.yaml").is_file()), None)


def check_conf_files(workspace: Workspace, chosen: Iterable[str]) -> None:
    """Refuse, before Hydra reads them, files that are broken, that reach into Hydra, or that are misnamed.

    Only files that can come into play are looked at: those that the defaults name, starting with
    `config`, and those that are `chosen` (`experiment/mine`). One that nobody uses disturbs nobody.
    """
    problems = [problem for folder in workspace.conf_folders for problem in _misplaced(workspace, folder)]
    waiting, seen = ["config", *chosen], set[str]()
    while waiting:
        name = waiting.pop()
        file = conf_file(workspace, name)
        if name in seen or file is None:
            continue
        seen.add(name)
        if _is_ours(file):
            continue
        place = shown(workspace, file)
        try:
            text = _text(file, place)
            loaded = strict_yaml.load(text, place)
        except UsageError as error:
            problems += error.problems
            continue
        problems += [*_headers(text, place), *_check(loaded, place, name)]
        for wanted in named(loaded.value, name):
            if conf_file(workspace, wanted) is None:
                problems.append(_no_file(workspace, wanted, at(loaded, place, ("defaults",))))
            waiting.append(wanted)
    if problems:
        raise UsageError(*dict.fromkeys(problems))


def shown(workspace: Workspace, file: Path) -> str:
    """The path as a person knows it: from the workspace when it is inside."""
    try:
        return file.relative_to(workspace.folder).as_posix()
    except ValueError:
        return file.as_posix()


def _files(folder: Path) -> Iterator[Path]:
    """Plain files alone: a pipe or a device would keep us waiting for ever."""
    for file in sorted(folder.rglob("*.yaml")):
        if file.relative_to(folder).parts[0] != _DATA and file.is_file():
            yield file


def _misplaced(workspace: Workspace, folder: Path) -> Iterator[Problem]:
    for file in sorted(folder.rglob("*.yml")):
        message = "files in conf/ end in .yaml; .yml is not read."
        yield Problem(message, shown(workspace, file), f"rename it to {file.stem}.yaml")
    for file in sorted(folder.glob("hydra*/**/*.yaml")):
        yield _hydras(shown(workspace, file))


def _is_ours(file: Path) -> bool:
    """The one file that may speak to Hydra, where nobody has changed it."""
    own = packaged() / "conf" / "_hydra.yaml"
    return file.name == own.name and file.read_bytes() == own.read_bytes()


def _text(file: Path, place: str) -> str:
    try:
        text = file.read_text("utf-8")
    except UnicodeDecodeError:
        raise UsageError(Problem("this file is not UTF-8 text.", place, "save it again as UTF-8")) from None
    except OSError as error:
        raise UsageError(Problem(f"this file cannot be read: {error.strerror}.", place)) from error
    if text.startswith("\ufeff"):
        advice = "save it again as UTF-8 without it (in Notepad: Save as, Encoding: UTF-8)"
        raise UsageError(Problem("this file starts with an invisible byte order mark.", f"{place}:1:1", advice))
    return text


def _check(loaded: Loaded, place: str, name: str) -> Iterator[Problem]:
    if isinstance(loaded.value, dict):
        yield from _reaches_hydra(loaded.value, loaded, place)
        yield from _two_readings(loaded.value, loaded, place, ())
        yield from check_defaults(loaded, place, name)
    elif loaded.value is not None:
        yield Problem("a file in conf/ holds settings, one `name: value` a line.", place)


def _headers(text: str, place: str) -> Iterator[Problem]:
    """Where a file may put its settings: at the top, or under its own group."""
    for header in _HEADER.finditer(text):
        if header[1] != "_global_":
            line = text.count("\n", 0, header.start()) + 1
            message = f"this file would be put under “{one_line(header[1], 60)}”; only _global_ may stand there."
            yield Problem(message, f"{place}:{line}:1", "write: # @package _global_")


def _no_file(workspace: Workspace, wanted: str, place: str) -> Problem:
    group, _, name = wanted.rpartition("/")
    there = (
        groups(workspace).get(group, ())
        if group
        else tuple(f.stem for w in workspace.conf_folders for f in w.glob("*.yaml"))
    )
    near = nearest(name, there)
    advice = f"did you mean {near}? " if near else ""
    advice += f"There is: {', '.join(sorted(set(there)))}"
    return Problem(f"there is no conf/{one_line(wanted, 80)}.yaml.", place, advice)


def _reaches_hydra(value: Mapping[str, object], loaded: Loaded, place: str) -> Iterator[Problem]:
    for key in value:
        if key.startswith("hydra"):
            yield _hydras(at(loaded, place, (key,)))


def _two_readings(value: object, loaded: Loaded, place: str, path: tuple[str | int, ...]) -> Iterator[Problem]:
    """`012` is text to one reader of YAML and ten to another; Hydra is the other."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _two_readings(item, loaded, place, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _two_readings(item, loaded, place, (*path, index))
    elif isinstance(value, str) and loaded.other_reading(path) == "a number":
        message = f"{one_line(value, 40)} is one number to some readers of YAML and text or another number to others."
        yield Problem(message, at(loaded, place, path), "write it plainly (12), or in quotes")


def _hydras(place: str) -> Problem:
    return Problem("Hydra's own settings could run code and are not for changing here.", place, "remove this")
