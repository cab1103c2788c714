"""The fields of a query set: what each may hold, and every problem with what it does hold."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from sys import intern
from typing import TypeVar

from engine.errors import Problem
from engine.model.query import NO_FIELDS, Query, Source, Split
from engine.store.query_places import Places
from engine.store.strict_yaml import Path
from engine.text import count, field_name, nearest, one_line

E = TypeVar("E", bound=StrEnum)

__all__ = ["SCHEMA", "Header", "Problems", "read_header", "read_query"]

SCHEMA = "assay.queries/1"

_HEADER_FIELDS = ("schema", "version", "description", "source", "categories", "queries")
_QUERY_FIELDS = (
    *("id", "query", "intent", "category", "task_context", "relevant", "expected_answer", "fields", "split"),
    "added_at",
)
_TAKEN = ("intent", "category", "task context", "expected answer")
_LARGEST_GRADE = 1_000_000
_LARGEST_FIELD = 1e15
# The names that earlier tools write; read everywhere, offered nowhere.
_EARLIER_FIELDS = ("taskContext", "expectedSources", "addedAt")
_SEMVER = re.compile(r"(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Header:
    """What a query set says about itself. `categories` is empty when it declares none."""

    version: str
    description: str
    source: Source | None
    categories: tuple[str, ...]


class Problems:
    """Everything that is wrong with a file; beyond the first 200 problems it only counts."""

    _MOST = 200

    def __init__(self) -> None:
        self._found: list[Problem] = []
        self.count = 0
        self.unread: dict[str, str | None] = {}
        """Fields that were not read, with the known field that was perhaps meant."""

    def add(self, message: str, place: str, advice: str = "") -> None:
        self.count += 1
        if self.count <= self._MOST:
            self._found.append(Problem(message, place, advice))

    def all(self) -> tuple[Problem, ...]:
        more = self.count - len(self._found)
        return (*self._found, Problem(f"and {count(more, 'problem')} more")) if more else tuple(self._found)


def read_header(value: Mapping[str, object], places: Places, problems: Problems) -> Header:
    """What stands above the queries."""
    fields = _Fields(value, places, (), problems)
    schema = value.get("schema", SCHEMA)
    if schema != SCHEMA:
        fields.wrong("schema", f"{_shown(schema)} is not a format this version reads", f"it reads {SCHEMA}")
    version = fields.version()
    description = fields.optional_text("description")
    source = fields.choice("source", Source)
    fields.unknown(_HEADER_FIELDS, ())
    return Header(version, description or "", source, _categories(fields))


def read_query(
    value: object, path: Path, places: Places, categories: tuple[str, ...], problems: Problems
) -> Query | None:
    """One query; None when something is wrong with it, which then stands in `problems`."""
    if not isinstance(value, dict):
        problems.add(f"a query must have fields (id, query, intent, category), not {_shown(value)}", places.at(path))
        return None
    before = problems.count
    fields = _Fields(value, places, path, problems)
    query = Query(
        id=fields.id(),
        text=fields.text("query", "the question, as a person would ask it"),
        intent=fields.text("intent", "what the person wants to reach"),
        category=fields.category(categories),
        task_context=fields.optional_text("task_context", "taskContext"),
        relevant=fields.relevant(),
        split=fields.choice("split", Split),
        expected_answer=fields.optional_text("expected_answer"),
        fields=fields.own(),
    )
    if not fields.known_only():
        fields.unknown(_QUERY_FIELDS, _EARLIER_FIELDS)
    return query if problems.count == before else None


def _categories(fields: "_Fields") -> tuple[str, ...]:
    value = fields.value.get("categories")
    if value is None:
        return ()
    if not isinstance(value, list) or not value:
        fields.wrong("categories", "must be a list of words", "for example [concept, comparison]")
        return ()
    words: list[str] = []
    for index, word in enumerate(value):
        if fields.is_text(word, ("categories", index)):
            if word in words:
                fields.wrong("categories", f"{_shown(word)} is given twice", at=("categories", index))
            words.append(intern(str(word)))
    return tuple(words)


class _Fields:
    """The fields of one mapping. Each method reads one and notes what is wrong with it."""

    __slots__ = ("_path", "_places", "_problems", "value")

    def __init__(self, value: Mapping[str, object], places: Places, path: Path, problems: Problems) -> None:
        self.value, self._places, self._path, self._problems = value, places, path, problems

    def text(self, name: str, meaning: str) -> str:
        """Required text; empty when it is wrong."""
        value = self.value.get(name)
        if value is None or (isinstance(value, str) and not value.strip()):
            self.wrong(name, "is missing" if name not in self.value else "is empty", f"write {name}: {meaning}")
            return ""
        return str(value) if self.is_text(value, (name,)) else ""

    def version(self) -> str:
        """Three numbers; `1.0` is a number to YAML and too short to everybody."""
        value = self.value.get("version")
        if value is None or value == "":
            return self.text("version", "three numbers that say which edition this is, such as 1.0.0")
        if isinstance(value, str) and _SEMVER.fullmatch(value):
            return value
        self.wrong("version", f"{_shown(value)} is not a version", "write three numbers, such as 1.0.0")
        return ""

    def optional_text(self, *names: str) -> str | None:
        """Text under one of several names; None when it is absent, null or blank."""
        given = [name for name in names if self.value.get(name) is not None]
        if len(given) > 1:
            self.wrong(given[1], f"says the same as {given[0]}", "keep one of them")
        if not given:
            return None
        value = self.value[given[0]]
        return str(value) if self.is_text(value, (given[0],)) and str(value).strip() else None

    def id(self) -> str:
        """Text without anything that could not be seen in a list."""
        value = self.text("id", "a short name that never changes, such as with-001")
        if value and (not value.isprintable() or value != value.strip() or len(value) > 200):
            reason = "is longer than 200 characters" if len(value) > 200 else "holds a character that cannot be seen"
            self.wrong("id", reason, "use letters, digits and hyphens")
        return value

    def category(self, known: tuple[str, ...]) -> str:
        """A word of the set's own vocabulary, when it declares one."""
        value = self.text("category", f"one of {', '.join(known)}" if known else "one word for the kind of question")
        if value and known and value not in known:
            near = nearest(value, known)
            advice = f'did you mean "{near}"?' if near else f"this set has {', '.join(known)}"
            self.wrong("category", f"{_shown(value)} is not one of this set's categories", advice)
        return intern(value)

    def choice(self, name: str, kind: type[E]) -> E | None:
        """One of a closed list; None when absent or wrong."""
        value = self.value.get(name)
        if value is None:
            return None
        words = [member.value for member in kind]
        if value not in words:
            near = nearest(value, words) if isinstance(value, str) else None
            self.wrong(name, f"{_shown(value)} is not known", f'did you mean "{near}"?' if near else " or ".join(words))
            return None
        return kind(value)

    def relevant(self) -> Mapping[str, float] | None:
        """Graded relevance. What earlier tools call expectedSources is relevant with grade 1."""
        value, expected = self.value.get("relevant"), self.value.get("expectedSources")
        if expected is not None:
            if value is not None:
                self.wrong("expectedSources", "says the same as relevant", "keep relevant")
            return self._expected(expected)
        if value is None:
            return None
        if not isinstance(value, dict):
            self.wrong("relevant", "must give each source a grade", "for example relevant: {context-managers: 3}")
            return None
        grades: dict[str, float] = {}
        for source, grade in value.items():
            if isinstance(grade, bool) or not isinstance(grade, int | float) or not abs(grade) <= _LARGEST_GRADE:
                message = f"the grade of {_shown(source)} must be a number, not {_shown(grade)}"
                self.wrong("relevant", message, "3 is best, 1 is a little relevant, 0 is not", at=("relevant", source))
            elif not source.strip():
                self.wrong("relevant", "a source has no name", at=("relevant", source))
            else:
                grades[source] = float(grade)
        return _shared(tuple(grades.items()))

    def own(self) -> Mapping[str, str | float]:
        """What the team records about each question, by names as rubrics say them; nothing when there is none."""
        value = self.value.get("fields")
        if value is None:
            return NO_FIELDS
        if not isinstance(value, dict):
            self.wrong("fields", "must give each field a value", "for example fields: {customer tier: gold}")
            return NO_FIELDS
        found: dict[str, str | float] = {}
        for written, content in value.items():
            name = field_name(written)
            at = ("fields", written)
            if name in _TAKEN:
                self.wrong("fields", f"{_shown(written)} has a place of its own in a query", at=at)
            elif not name or name in found:
                self.wrong("fields", f"{_shown(written)} is {'given twice' if name else 'no name'}", at=at)
            elif isinstance(content, bool):
                found[name] = "yes" if content else "no"
            elif isinstance(content, int | float) and abs(content) <= _LARGEST_FIELD:
                found[name] = content
            elif isinstance(content, str) and content.strip():
                found[name] = " ".join(content.split())
            else:
                advice = "leave it out when it is not known" if content is None else ""
                self.wrong("fields", f"{_shown(written)} must be a word or a number, not {_shown(content)}", advice, at)
        return found

    def _expected(self, value: object) -> Mapping[str, float] | None:
        if not isinstance(value, list) or not all(isinstance(source, str) and source.strip() for source in value):
            self.wrong("expectedSources", "must be a list of sources")
            return None
        # Earlier tools write an empty list for "nobody said", which is not "nothing is relevant".
        return _shared(tuple((source, 1.0) for source in dict.fromkeys(value))) or None

    def known_only(self) -> bool:
        """The quick answer for the usual case."""
        return self.value.keys() <= _KNOWN

    def unknown(self, known: tuple[str, ...], earlier: tuple[str, ...]) -> None:
        """Unknown fields: a mistake in our own format, set aside in a file another tool may have written."""
        for name in self.value:
            if name in known or name in earlier:
                continue
            near = nearest(name, known)
            if self._places.strict:
                advice = f'did you mean "{near}"?' if near else f"known: {', '.join(known)}"
                message = f"{_name((*self._path, name))} is not a field of a {'query' if self._path else 'query set'}"
                self._problems.add(message, self._places.key_at((*self._path, name)), advice)
            else:
                self._problems.unread[name] = near

    def is_text(self, value: object, path: Path) -> bool:
        """Text that every reader reads as text; else the problem is noted."""
        whole = (*self._path, *path)
        if isinstance(value, str):
            reading = self._places.other_reading(whole)
            if reading is None:
                return True
        else:
            reading = _reading(value)
        if self._places.strict and reading:
            message = f"{_name(whole)}: YAML reads this as {reading}; write it in quotes to make it text"
        else:
            message = f"{_name(whole)}: must be text, not {_shown(value)}"
        self._problems.add(message, self._places.at(whole))
        return False

    def wrong(self, name: str, message: str, advice: str = "", at: Path = ()) -> None:
        whole = (*self._path, name)
        place = self._places.at((*self._path, *(at or (name,))))
        self._problems.add(f"{_name(whole)}: {message}", place, advice)


@lru_cache(maxsize=8192)
def _shared(grades: tuple[tuple[str, float], ...]) -> Mapping[str, float]:
    """Many queries of a large set have the same relevant sources; one mapping of 230 bytes serves them all."""
    return dict(grades)


_KNOWN = frozenset((*_QUERY_FIELDS, *_EARLIER_FIELDS))


def _name(path: Path) -> str:
    return ".".join(one_line(str(part), 60) for part in path)


def _shown(value: object) -> str:
    if isinstance(value, str):
        return f'"{one_line(value, 60)}"'
    if isinstance(value, dict | list):
        return "a list" if isinstance(value, list) else "fields of its own"
    return "nothing" if value is None else _reading(value) or "that"


def _reading(value: object) -> str:
    """How a value that is not text was read."""
    if isinstance(value, bool):
        return str(value)
    return f"the number {value}" if isinstance(value, int | float) else ""
