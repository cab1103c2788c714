"""YAML that is read strictly, with the place of each value. The only home of the YAML library."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import yaml

from engine.errors import Problem, UsageError
from engine.store import yaml_mistakes
from engine.store.yaml_scalars import ambiguous, scalar

__all__ = ["Loaded", "Path", "Place", "ambiguous", "load"]

Path = tuple[str | int, ...]
Place = tuple[int, int]
"""Line and column, both from 1."""

MOST_ALIASES = 100
MOST_NODES = 1_000_000  # with every alias written out
DEEPEST = 100


@dataclass(frozen=True, slots=True)
class Loaded:
    """A YAML document as plain values, and where each of them stands in the file.

    Attributes:
        value: dicts with text keys, lists, text, numbers, booleans and None. To be read only: what
            is repeated by an alias is the same object. Keys are always text.
    """

    value: object
    _start: Place = (1, 1)
    _marks: Mapping[int, Mapping[str | int, "_Mark"]] = field(default_factory=dict, repr=False)

    def at(self, path: Path) -> Place:
        """Where the value starts; for a path that does not exist, where the deepest part of it does."""
        marks = self._along(path)
        return marks[-1].value if marks else self._start

    def key_at(self, path: Path) -> Place:
        """Where the key of the value starts; the value's own place for an item of a list."""
        marks = self._along(path)
        return marks[-1].key if marks else self._start

    def other_reading(self, path: Path) -> str | None:
        """What other YAML readers make of a value that is text here because it has no quotes: `False`."""
        marks = self._along(path)
        return ambiguous(marks[-1].plain) if len(marks) == len(path) and marks else None

    def _along(self, path: Path) -> list["_Mark"]:
        found: list[_Mark] = []
        value = self.value
        for part in path:
            mark = self._marks.get(id(value), {}).get(part)
            if mark is None:
                break
            found.append(mark)
            value = value[part]  # type: ignore[index]
        return found


def load(text: str, place: str) -> Loaded:
    """The one document in `text`; an empty text is None.

    Args:
        text: may start with a byte order mark.
        place: the file, for messages.

    Raises:
        UsageError: not YAML, or more than one document, a key given twice, a tag, a key that is not
            plain text, control characters, more than 100 aliases, a million values or 100 levels.
    """
    text = text.removeprefix("\ufeff")
    if found := _FORBIDDEN.search(text):
        at = text.count("\n", 0, found.start()) + 1, found.start() - text.rfind("\n", 0, found.start())
        char = "a NUL byte: this is not a text file" if found.group() == "\0" else f"U+{ord(found.group()):04X}"
        raise _refused(place, at, f"YAML may not hold {char}")
    try:
        return _Reader(place).read(yaml.parse(text, Loader=_LOADER))
    except yaml.MarkedYAMLError as error:
        raise _syntax(error, text, place) from None
    except yaml.YAMLError as error:
        raise UsageError(Problem(f"this is not YAML: {error}", place)) from None


@dataclass(frozen=True, slots=True)
class _Mark:
    """`plain` is the scalar as written when it has no quotes, else empty."""

    key: Place
    value: Place
    plain: str


@dataclass(slots=True)
class _Frame:
    """A list or a mapping whose end has not come yet. `size` and `height` count what aliases repeat."""

    value: dict[str, object] | list[object]
    at: Place
    anchor: str | None
    marks: dict[str | int, _Mark] = field(default_factory=dict)
    key: str | None = None
    key_at: Place = (1, 1)
    size: int = 1
    height: int = 0


@dataclass(frozen=True, slots=True)
class _Node:
    """A complete value."""

    value: object
    at: Place
    plain: str = ""
    size: int = 1
    height: int = 0


class _Reader:
    """Builds values from parser events, without recursion, so that depth costs no stack."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._frames: list[_Frame] = []
        self._anchors: dict[str, _Node] = {}
        self._marks: dict[int, dict[str | int, _Mark]] = {}
        self._aliases = 0
        self._root: _Node | None = None
        self._nodes = 0

    def read(self, events: Iterator[yaml.Event]) -> Loaded:
        for event in events:
            if isinstance(event, yaml.ScalarEvent):
                self._scalar(event)
            elif isinstance(event, yaml.CollectionStartEvent):
                self._open(event)
            elif isinstance(event, yaml.CollectionEndEvent):
                self._close()
            elif isinstance(event, yaml.AliasEvent):
                self._alias(event)
            elif isinstance(event, yaml.DocumentStartEvent) and self._root:
                raise self._refuse(_at(event), "a second document begins here", "keep one document in a file")
        root = self._root or _Node(None, (1, 1))
        return Loaded(root.value, root.at, self._marks)

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        at = _at(event)
        self._check_tag(event.tag, at)
        plain = event.value if event.implicit[0] and not event.style else ""
        frame = self._frames[-1] if self._frames else None
        if frame and isinstance(frame.value, dict) and frame.key is None:
            self._key(frame, event, at)
            return
        value: object = event.value
        if event.implicit[0] and not event.style:
            try:
                value = scalar(event.value)
            except ValueError as error:
                raise self._refuse(at, str(error), "write it in quotes if it is text") from None
        self._add(_Node(value, at, plain), event.anchor)

    def _key(self, frame: _Frame, event: yaml.ScalarEvent, at: Place) -> None:
        key = event.value
        if key in frame.marks:
            first = frame.marks[key].key
            message = f'the key "{key}" is given twice, first in line {first[0]}'
            raise self._refuse(at, message, "keep one of them")
        if key == "<<" and not event.style:
            raise self._refuse(at, "the merge key << is not supported", "write the settings out")
        frame.key, frame.key_at = key, at

    def _open(self, event: yaml.CollectionStartEvent) -> None:
        at = _at(event)
        self._check_tag(event.tag, at)
        frame = self._frames[-1] if self._frames else None
        if frame and isinstance(frame.value, dict) and frame.key is None:
            raise self._refuse(
                at, "a key must be plain text, not a list or a mapping", "put text with { or [ in quotes"
            )
        if len(self._frames) >= DEEPEST:
            raise self._refuse(at, f"values are nested more than {DEEPEST} levels deep")
        value: dict[str, object] | list[object] = {} if isinstance(event, yaml.MappingStartEvent) else []
        self._frames.append(_Frame(value, at, event.anchor))

    def _close(self) -> None:
        frame = self._frames.pop()
        self._marks[id(frame.value)] = frame.marks
        self._add(_Node(frame.value, frame.at, size=frame.size, height=frame.height), frame.anchor)

    def _alias(self, event: yaml.AliasEvent) -> None:
        at = _at(event)
        self._aliases += 1
        if self._aliases > MOST_ALIASES:
            raise self._refuse(at, f"there are more than {MOST_ALIASES} aliases (*name)")
        node = self._anchors.get(event.anchor or "")
        if node is None:
            message = f"the alias *{event.anchor} repeats a value that is not complete before this place"
            raise self._refuse(
                at, message, f"put text that begins with * in quotes, or mark the value with &{event.anchor}"
            )
        frame = self._frames[-1] if self._frames else None
        if frame and isinstance(frame.value, dict) and frame.key is None:
            raise self._refuse(at, "a key must be plain text, not an alias")
        if len(self._frames) + node.height > DEEPEST:
            raise self._refuse(at, f"values are nested more than {DEEPEST} levels deep")
        self._add(_Node(node.value, at, node.plain, node.size, node.height), None)

    def _add(self, node: _Node, anchor: str | None) -> None:
        if anchor:
            self._anchors[anchor] = node
        if not self._frames:
            self._root = node
            return
        frame = self._frames[-1]
        frame.size += node.size
        frame.height = max(frame.height, node.height + 1)
        if frame.size > MOST_NODES:
            raise self._refuse(node.at, f"there are more than {MOST_NODES:,} values once the aliases are written out")
        if isinstance(frame.value, list):
            frame.marks[len(frame.value)] = _Mark(node.at, node.at, node.plain)
            frame.value.append(node.value)
        elif frame.key is not None:
            frame.marks[frame.key] = _Mark(frame.key_at, node.at, node.plain)
            frame.value[frame.key] = node.value
            frame.key = None

    def _check_tag(self, tag: str | None, at: Place) -> None:
        if tag is not None:
            raise self._refuse(
                at,
                f"tags are not supported, here {tag.replace(_STANDARD, '!!')}",
                "write text that begins with ! in quotes",
            )

    def _refuse(self, at: Place, message: str, advice: str = "") -> UsageError:
        return _refused(self._place, at, message, advice)


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast where it was built

_STANDARD = "tag:yaml.org,2002:"
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


def _at(event: yaml.Event) -> Place:
    return _marked(event.start_mark)


def _refused(place: str, at: Place, message: str, advice: str = "") -> UsageError:
    return UsageError(Problem(message, f"{place}:{at[0]}:{at[1]}", advice))


def _syntax(error: yaml.MarkedYAMLError, text: str, place: str) -> UsageError:
    at, begun = _marked(error.problem_mark or error.context_mark), _marked(error.context_mark or error.problem_mark)
    lines = text.split("\n")
    char = lines[at[0] - 1][at[1] - 1 : at[1]] if at[0] <= len(lines) else ""
    mistake = yaml_mistakes.explain(error.problem or "it cannot be read", char)
    return _refused(place, begun if mistake.where_it_began else at, mistake.message, mistake.help)


def _marked(mark: "yaml.error.Mark | yaml._yaml.Mark | None") -> Place:
    return (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
