"""Query sets by the names that people type: finding their files, reading them, joining several into one."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from engine.errors import Problem, UsageError
from engine.model.query import Query, QuerySet, Source
from engine.store import strict_json
from engine.store.query_choice import choose
from engine.store.query_document import ENDINGS, read_file
from engine.store.workspace import Workspace, checked_name
from engine.text import count, nearest, one_line

__all__ = ["SetFile", "choose", "edited", "names", "read_set", "set_files"]

_GENERATED = "generated/"
_NOT_SETS = "templates"  # the folder from which conversations are made


@dataclass(frozen=True, slots=True)
class SetFile:
    """A file that was found. `problem` says why it cannot even be opened as a query set."""

    name: str
    path: Path
    shown: str
    problem: Problem | None = None

    def read(self) -> QuerySet:
        """The query set in it, or UsageError with everything that is wrong."""
        if self.problem:
            raise UsageError(self.problem)
        return read_file(self.path, self.name, self.shown)


def set_files(workspace: Workspace) -> tuple[SetFile, ...]:
    """Every file of the query set folders, curated ones first.

    The packaged sets are there until the workspace has a curated set of its own: questions about
    other documents would be noise in a list and wrong in `all`.
    """
    found: dict[str, SetFile] = {}
    for folder in workspace.query_set_folders:
        if any(not file.problem and not name.startswith(_GENERATED) for name, file in found.items()):
            break
        found = {**_scan(workspace, folder), **found}
    return tuple(sorted(found.values(), key=lambda file: (file.name.startswith(_GENERATED), file.name)))


def names(workspace: Workspace) -> tuple[str, ...]:
    """The names that can be typed, curated ones first."""
    return tuple(file.name for file in set_files(workspace) if not file.problem)


def read_set(workspace: Workspace, wanted: str | Sequence[str]) -> QuerySet:
    """The query set that is asked for; several become one, with ids `set:id`.

    Args:
        wanted: a name, `all` (every curated set), a pattern (`generated/*`; a `*` stays between
            slashes), several of them joined by commas, or a list of them.

    Raises:
        UsageError: a name or a pattern finds nothing, or a file is wrong; every problem of every file.
    """
    files = set_files(workspace)
    words = wanted.split(",") if isinstance(wanted, str) else [part for word in wanted for part in word.split(",")]
    chosen: dict[str, SetFile] = {}
    problems: list[Problem] = []
    for word in map(str.strip, words):
        try:
            chosen.update((file.name, file) for file in _matching(word, files))
        except UsageError as error:
            problems += error.problems
    if problems:
        raise UsageError(*problems)
    sets = []
    for file in chosen.values():
        try:
            sets.append(file.read())
        except UsageError as error:
            problems += error.problems
    if problems:
        raise UsageError(*problems)
    return sets[0] if len(sets) == 1 else _combined(sets)


def edited(queries: QuerySet, known_hash: Callable[[str, str], Sequence[str]]) -> tuple[str, ...]:
    """A warning for each member that was run before under the same version with other content.

    Args:
        known_hash: the content hashes that a set (name, version) had when it was run, newest first.
    """
    return tuple(
        f"{member.name} {member.version} is not what was run before under this version: "
        f"its content hash is {member.sha256[:12]}, it was {others[0][:12]}. Give the edited set a new version."
        for member in queries.members
        if (others := [known for known in known_hash(member.name, member.version) if known != member.sha256])
    )


def _scan(workspace: Workspace, folder: Path) -> Mapping[str, SetFile]:
    found: dict[str, SetFile] = {}
    for path in sorted(_walk(folder)):
        name, shown = path.relative_to(folder).with_suffix("").as_posix(), workspace.shown(path)
        problem = None
        if path.suffix == ".yml":
            problem = Problem("query sets end in .yaml; .yml is not read", shown, f"rename it to {path.stem}.yaml")
        elif path.suffix not in ENDINGS:
            continue
        else:
            problem = _name_problem(name, shown)
        other = found.get(name)
        if other and path.suffix in ENDINGS and other.path.suffix in ENDINGS:
            message = f"there are two files for the query set {name}: {other.path.name} and {path.name}"
            problem = Problem(message, shown, "keep one of them")
        if not other or other.path.suffix == ".yml" or path.suffix != ".yml":
            found[name] = SetFile(name, path, shown, problem)
    return found


def _walk(folder: Path) -> Iterator[Path]:
    """Files below the folder. Links to folders are not followed: what is read stays inside."""
    for top, folders, files in os.walk(folder, onerror=_unreadable):
        folders[:] = [name for name in folders if not name.startswith(".") and name != _NOT_SETS]
        for name in files:
            path = Path(top, name)
            if not name.startswith(".") and path.is_file():
                yield path


def _unreadable(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise UsageError(Problem(f"the folder cannot be read: {error.strerror}", str(error.filename))) from error


def _name_problem(name: str, shown: str) -> Problem | None:
    if name == "all" or "," in name or ":" in name or any(char in name for char in "*?["):
        return Problem(f"{one_line(name, 60)!r} cannot be the name of a query set: it means something else", shown)
    try:
        checked_name(name, "query set")
    except UsageError as error:
        return Problem(error.problems[0].message, shown, "rename the file")
    return None


def _matching(word: str, files: Sequence[SetFile]) -> list[SetFile]:
    if word == "all":
        found = [file for file in files if not file.name.startswith(_GENERATED)]
        missing = "there are no curated query sets"
    elif any(char in word for char in "*?["):
        found = [file for file in files if _fits(file.name, word)]
        missing = f"no query set matches {one_line(word, 60)}"
    else:
        checked_name(word, "query set")
        found = [file for file in files if file.name == word]
        missing = f"there is no query set {one_line(word, 60)!r}"
    if found:
        return found
    raise UsageError(Problem(missing, help=_choices(word, [file.name for file in files if not file.problem])))


def _fits(name: str, pattern: str) -> bool:
    parts, wanted = name.split("/"), pattern.split("/")
    return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))


def _choices(word: str, known: Sequence[str]) -> str:
    if not known:
        return "there are none yet; write conf/query_sets/core.yaml"
    listed = f"there is: {', '.join(known[:20])}{', …' if len(known) > 20 else ''}"
    near = nearest(word, known)
    return f'did you mean "{near}"? {listed}' if near else listed


def _combined(sets: Sequence[QuerySet]) -> QuerySet:
    members = tuple(member for part in sets for member in part.members)
    queries = tuple(replace(query, id=f"{part.name}:{query.id}") for part in sets for query in part.queries)
    return QuerySet(
        name="+".join(part.name for part in sets),
        version="+".join(f"{member.name}@{member.version}" for member in members),
        description=f"{count(len(sets), 'query set')} together",
        source=Source.CURATED if all(part.source is Source.CURATED for part in sets) else Source.AI_GENERATED,
        categories=tuple(dict.fromkeys(category for part in sets for category in part.categories)),
        queries=queries,
        members=members,
        sha256=strict_json.sha256([(member.name, member.sha256) for member in members]),
        notes=(*(f"{part.name}: {note}" for part in sets for note in part.notes), *_repeated(queries)),
    )


_MOST_SHOWN = 5


def _repeated(queries: Sequence[Query]) -> list[str]:
    """The same question in several sets is asked in each of them; the person should know, in one line."""
    asked: dict[str, list[str]] = {}
    for query in queries:
        asked.setdefault(query.text, []).append(query.id)
    same = [ids for ids in asked.values() if len({query_id.partition(":")[0] for query_id in ids}) > 1]
    if not same:
        return []
    some = "; ".join(" = ".join(ids[:_MOST_SHOWN]) + (" = …" if len(ids) > _MOST_SHOWN else "") for ids in same[:3])
    are = "question is" if len(same) == 1 else "questions are"
    return [f"{len(same):,} {are} in several sets: {some}{'; …' if len(same) > 3 else ''}"]
