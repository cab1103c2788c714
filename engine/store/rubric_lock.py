"""`rubrics.lock` on disk: JSON with one criterion a line, so that a review shows what a publication changed."""

import fcntl
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path

from engine.errors import Problem, UsageError
from engine.model.rubric_lock import Published, RubricLock
from engine.store import json_places, strict_json
from engine.store.plain_file import open_plain
from engine.store.whole_file import write_shared

__all__ = ["lock_path", "publishing", "read_lock", "write_lock"]

_NAME = "rubrics.lock"
_SCHEMA = "assay.rubrics-lock/1"
"""Rises when the layout changes, and when the hashes of the language do: old ones could not be compared."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
_ADVICE = "take the last good one out of your version control; only `assay rubric publish` writes it"


def lock_path(rubric: Path) -> Path:
    """Beside the rubrics folder that a rubric lies in; beside the rubric when it lies in none."""
    folders = (folder for folder in rubric.resolve().parents if folder.name == "rubrics")
    folder = next(folders, None)
    return (rubric.resolve().parent if folder is None else folder.parent) / _NAME


@contextmanager
def publishing(path: Path) -> Iterator[None]:
    """While inside, nobody else publishes into this file: of two at once, one would write over what the other promised.

    The folder is locked, because the file is replaced.
    """
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        with suppress(OSError):  # a network disk without locks
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def read_lock(path: Path) -> RubricLock:
    """What was published; nothing when there is no such file.

    Raises:
        UsageError: the file is damaged, with the line, or in another version of the format.
    """
    if not os.path.lexists(path):
        return RubricLock()
    with open_plain(path) as file:
        text = strict_json.decode(file.read(), str(path))
    conflict = next((number for number, row in enumerate(text.split("\n"), start=1) if row[:7] in _CONFLICT), None)
    if conflict is not None:
        step = "keep the entries of both sides, and remove the lines with <<<<<<<, ======= and >>>>>>>"
        raise UsageError(Problem("two people published at the same time", f"{path}:{conflict}", step))
    return _Reader(str(path), text).lock(strict_json.loads(text, str(path)))


def write_lock(path: Path, lock: RubricLock) -> None:
    """Put the file in the place of the earlier one.

    Raises:
        EngineError: it cannot be written; the earlier one stays.
    """
    rubrics = {
        name: {str(each.version): _to_json(each) for each in lock.rubrics[name]} for name in sorted(lock.rubrics)
    }
    text = json.dumps({"schema": _SCHEMA, "rubrics": rubrics}, ensure_ascii=False, indent=2)
    write_shared(path, f"{text}\n".encode())


_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>")


def _to_json(entry: Published) -> dict[str, object]:
    return {"published": entry.on, "rubric": entry.sha256, "criteria": dict(sorted(entry.criteria.items()))}


class _Reader:
    """Turns the JSON into nouns; what does not fit is refused with its line."""

    def __init__(self, place: str, text: str) -> None:
        self.place = place
        self.text = text

    def lock(self, content: object) -> RubricLock:
        match content:
            case {"schema": str(schema), "rubrics": dict(rubrics), **rest} if schema == _SCHEMA and not rest:
                return RubricLock({name: self._versions(name, each) for name, each in rubrics.items()})
            case {"schema": str(schema)} if schema != _SCHEMA:
                step = "use the version of the engine that wrote it, or publish again with this one"
                message = f"this file is in another format ({schema[:60]}); this engine reads {_SCHEMA}"
                raise UsageError(Problem(message, self._at(("schema",)), step))
        raise self._refused("this is not a file of published rubrics", ())

    def _versions(self, rubric: str, content: object) -> tuple[Published, ...]:
        if not isinstance(content, Mapping):
            raise self._refused(f'"{rubric[:60]}" has no versions', ("rubrics", rubric))
        found = [self._published(rubric, version, each) for version, each in content.items()]
        return tuple(sorted(found, key=lambda each: each.version))

    def _published(self, rubric: str, version: str, content: object) -> Published:
        path = ("rubrics", rubric, version)
        if not re.fullmatch(r"[1-9][0-9]{0,8}", version):
            raise self._refused(f'"{version[:20]}" is not a version: a whole number from 1', path)
        match content:
            case {"published": str(on), "rubric": str(sha256), "criteria": dict(criteria), **rest} if not rest:
                if not _is_day(on):
                    raise self._refused(f'"{on[:20]}" is not a day', (*path, "published"))
                self._hash(sha256, (*path, "rubric"))
                for name, digest in criteria.items():
                    self._hash(digest, (*path, "criteria", name))
                return Published(int(version), on, sha256, criteria)
        raise self._refused(f'version {version} of "{rubric[:60]}" is damaged', path)

    def _hash(self, value: object, path: json_places.Path) -> None:
        if not isinstance(value, str) or not _SHA256.fullmatch(value):
            raise self._refused("this is not a hash: 64 digits and letters from a to f", path)

    def _refused(self, message: str, path: json_places.Path) -> UsageError:
        return UsageError(Problem(message, self._at(path), _ADVICE))

    def _at(self, path: json_places.Path) -> str:
        found = json_places.of(self.text).get(path)
        return self.place if found is None else f"{self.place}:{found[0]}:{found[1]}"


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
