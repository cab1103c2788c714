"""An answer out of any JSON, by paths that a person wrote: what must be there, and what may be missing."""

from collections.abc import Mapping
from dataclasses import dataclass
from sys import float_info
from typing import NamedTuple, Self

from pydantic import Field, field_validator, model_validator

from engine.model.base import Frozen
from engine.model.usage import Usage
from engine.providers.json_tree import not_found, tree
from engine.providers.jsonpath import MISSING, JsonPath
from engine.providers.path_text import EVERY
from engine.providers.reading import tool_call
from engine.targets.charge import tokens_told
from engine.text import one_line

__all__ = ["Found", "Paths", "Reading", "UnreadableError"]

_PATH = "a path such as $.results[*]; null when it does not return this"
_LARGEST = float_info.max


class UnreadableError(ValueError):
    """The reply lacks something that must be there; the text says what, where, and what there is instead."""


class Paths(Frozen):
    """Where the parts of an answer stand in a reply."""

    hits: str | None = Field(default=None, description=f"the documents, best first: {_PATH}")
    source: str = Field(default="$.id", description="in each of them: its name, a text or a number")
    title: str | None = Field(default=None, description="in each of them: its title")
    snippet: str | None = Field(default=None, description="in each of them: the text that is shown of it")
    score: str | None = Field(default=None, description="in each of them: its score, a number")
    text: str | None = Field(default=None, description="the written answer; several texts are joined")
    citations: str | None = Field(default=None, description="names of the documents that the answer points at")
    tool_calls: str | None = Field(default=None, description="the tools that were used, in order")
    tool_name: str = Field(default="$.name", description="in each of them: its name")
    tool_arguments: str = Field(default="$.arguments", description="in each of them: its arguments")
    input_tokens: str | None = Field(default=None, description="how many tokens were read")
    output_tokens: str | None = Field(default=None, description="how many tokens were written")
    cost_usd: str | None = Field(default=None, description="what it cost, in dollars")
    model: str | None = Field(default=None, description="which model answered")

    @field_validator("*")
    @classmethod
    def _can_be_read(cls, value: str | None) -> str | None:
        if value is not None:
            JsonPath.read(value)
        return value

    @model_validator(mode="after")
    def _both_counts(self) -> Self:
        if (self.input_tokens is None) != (self.output_tokens is None):
            raise ValueError("set input_tokens and output_tokens, or neither: one alone says no cost")
        return self

    @property
    def answers(self) -> bool:
        """Whether they say where an answer is at all."""
        return self.hits is not None or self.text is not None


class Found(NamedTuple):
    """What was read.

    Attributes:
        answer: in the shape of a recorded answer, with `notes` when something was missing that may be.
        usage: None when no path says where it is.
        cost_usd: as the reply tells it, of any type; None when it tells none.
    """

    answer: Mapping[str, object]
    usage: Usage | None
    cost_usd: object
    model: str | None


@dataclass(frozen=True, slots=True)
class Reading:
    """Paths that were read once, for all replies."""

    paths: Mapping[str, JsonPath]
    hits: tuple[JsonPath, JsonPath] | None

    @classmethod
    def of(cls, paths: Paths) -> "Reading":
        """From the settings."""
        read = {name: JsonPath.read(path) for name, path in paths.model_dump().items() if path is not None}
        return cls(read, read["hits"].parted() if "hits" in read else None)

    def read(self, value: object) -> Found:
        """The answer in a reply. Raises UnreadableError."""
        answer: dict[str, object] = {}
        notes: list[str] = []
        if self.hits is not None:
            answer["hits"] = self._hits(*self.hits, value, notes)
        if "text" in self.paths:
            answer["text"] = self._text(value)
        for name, part in (("citations", self._citations), ("tool_calls", self._tool_calls)):
            if name in self.paths:
                answer[name] = part(value, notes)
        if notes:
            answer["notes"] = notes
        return Found(answer, self.usage(value), self.cost_usd(value), self.model(value))

    def usage(self, value: object) -> Usage | None:
        """The tokens that a reply tells; None when no path says where."""
        if "input_tokens" not in self.paths:
            return None
        told = {"input": self._maybe("input_tokens", value), "output": self._maybe("output_tokens", value)}
        return tokens_told({name: count for name, count in told.items() if count is not None})

    def cost_usd(self, value: object) -> object:
        """What a reply says that it cost."""
        return self._maybe("cost_usd", value)

    def model(self, value: object) -> str | None:
        """The model that a reply names."""
        found = self._maybe("model", value)
        return found if isinstance(found, str) else None

    def _maybe(self, name: str, value: object) -> object:
        path = self.paths.get(name)
        found = None if path is None else path.one(value)
        return None if found is MISSING else found

    def _listed(self, path: JsonPath, value: object) -> list[object] | None:
        """What a path to several things finds; without a `[*]`, the members of the list. None: it finds nothing."""
        found = path.all(value)
        if not found and (gap := path.gap(value)) is not None:
            is_null = gap.step is EVERY and gap.value is None  # how some servers write an empty list
            return [] if is_null else None
        if EVERY in path.steps:
            return found
        return found[0] if isinstance(found[0], list) else [] if found[0] is None else found

    def _missing(self, path: JsonPath, value: object, what: str) -> str:
        gap = path.gap(value)
        assert gap is not None
        return not_found(path.text, gap, value, what)

    def _hits(self, each: JsonPath, within: JsonPath, value: object, notes: list[str]) -> list[dict[str, object]]:
        listed = self._listed(each, value)
        if listed is None:
            raise UnreadableError(self._missing(self.paths["hits"], value, "the reply"))
        if within.steps:
            listed = [self._within(within, item, at + 1) for at, item in enumerate(listed)]
        source, hits = self.paths["source"].one, []
        parts = [(name, self.paths[name].one) for name in ("title", "snippet", "score") if name in self.paths]
        for at, item in enumerate(listed):
            named = source(item)
            if type(named) is not str or not named:
                named = self._named(named, item, at + 1)
            hit: dict[str, object] = {"source": named}
            for name, part in parts:
                found = part(item)
                if found is not MISSING and found is not None:
                    hit[name] = found if type(found) is str and name != "score" else _fit(name, found, at + 1)
            hits.append(hit)
        for name, _ in parts:
            if listed and not any(name in hit for hit in hits):
                path = self.paths[name]
                gap = path.gap(listed[0])
                notes.append(
                    f"no hit has a {name}: {path.text} is null"
                    if gap is None
                    else f"no hit has a {name}: {not_found(path.text, gap, listed[0], 'hit 1')}"
                )
        return hits

    def _within(self, path: JsonPath, item: object, nth: int) -> object:
        """A hit in a member of the list. Leaving one out would change the ranks of those after it."""
        found = path.one(item)
        if found is MISSING:
            raise UnreadableError(self._missing(path, item, f"hit {nth}"))
        return found

    def _named(self, found: object, item: object, nth: int) -> str:
        """A name that is no plain text: a whole number is one; anything else makes the reply unreadable."""
        if type(found) is int:
            return str(found)
        if found is MISSING:
            raise UnreadableError(self._missing(self.paths["source"], item, f"hit {nth}"))
        path = self.paths["source"].text
        raise UnreadableError(
            f"{path} of hit {nth} must be a name, a text or a whole number, not {tree(found)}; the hit is "
            f"{one_line(tree(item), 200)}"
        )

    def _text(self, value: object) -> str | None:
        path = self.paths["text"]
        found = path.all(value)
        if not found and path.gap(value) is not None:
            raise UnreadableError(self._missing(self.paths["text"], value, "the reply"))
        if found == [None]:
            return None
        if not all(isinstance(part, str) for part in found):
            wrong = next(part for part in found if not isinstance(part, str))
            raise UnreadableError(f"{path.text} must be a text, not {one_line(tree(wrong), 200)}")
        return "".join(map(str, found))

    def _citations(self, value: object, notes: list[str]) -> list[str] | None:
        listed = self._listed(self.paths["citations"], value)
        if listed is None:
            notes.append(f"citations are not known: {self._missing(self.paths['citations'], value, 'the reply')}")
            return None
        for item in listed:
            if type(item) not in (str, int):
                path = self.paths["citations"].text
                raise UnreadableError(f"{path} must lead to names of documents, not to {one_line(tree(item), 200)}")
        return [str(item) for item in listed]

    def _tool_calls(self, value: object, notes: list[str]) -> list[dict[str, object]] | None:
        listed = self._listed(self.paths["tool_calls"], value)
        if listed is None:
            notes.append(f"tool calls are not known: {self._missing(self.paths['tool_calls'], value, 'the reply')}")
            return None
        calls: list[dict[str, object]] = []
        for at, item in enumerate(listed):
            arguments = self.paths["tool_arguments"].one(item)
            name = self.paths["tool_name"].one(item)
            if name is MISSING:
                raise UnreadableError(self._missing(self.paths["tool_name"], item, f"tool call {at + 1}"))
            try:
                call = tool_call(name, None if arguments is MISSING else arguments)
            except ValueError as error:
                raise UnreadableError(f"tool call {at + 1}: {error}") from None
            calls.append({"name": call.name, "arguments": dict(call.arguments)})
        return calls


def _fit(name: str, found: object, nth: int) -> object:
    """A part of a hit, if it is of its type. NaN is no score."""
    if name == "score":
        if (type(found) is int or type(found) is float) and -_LARGEST <= found <= _LARGEST:
            return found
        raise UnreadableError(f"the score of hit {nth} must be a number, not {one_line(tree(found), 100)}")
    raise UnreadableError(f"the {name} of hit {nth} must be a text, not {one_line(tree(found), 100)}")
