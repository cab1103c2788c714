"""How a request to a model API is written: what never changes is written once, the messages for each call."""

import json
from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar, Self

from pydantic import field_validator

from engine.model.network import Header, Request
from engine.providers.dialect import Chat, ModelSettings, secret_of

__all__ = ["JsonApi", "enforceable", "role_messages"]

_JSON: Header = ("content-type", "application/json")


class JsonApi(ModelSettings):
    """A model API that takes one JSON object. A dialect says its address, its key and its members.

    Attributes:
        OWN: members of the request that settings write. `extra` may not: the answer could be another one
            than the record says, or cost more than was reserved for it.
    """

    OWN: ClassVar[frozenset[str]]

    @field_validator("extra")
    @classmethod
    def _own_members_are_settings(cls, extra: dict[str, object]) -> dict[str, object]:
        for name in extra:
            if name in cls.OWN:
                raise ValueError(f'may not hold "{name}": a setting says it, or it would change what is counted')
        return extra

    @abstractmethod
    def address(self) -> str:
        """The address that is posted to."""

    @abstractmethod
    def fixed_headers(self) -> tuple[Header, ...]:
        """The key, and what else every request needs."""

    @abstractmethod
    def fixed(self) -> dict[str, object]:
        """The members that are the same in every request."""

    @abstractmethod
    def enforcing(self, schema: Mapping[str, object]) -> dict[str, object]:
        """The members that make the API keep to a schema."""

    @abstractmethod
    def said(self, chat: Chat) -> dict[str, object]:
        """The members that hold what is asked. They come last."""

    def request(self, chat: Chat) -> Request:
        """The request. Pure."""
        start = self._start if chat.schema is None else self._start_with(chat.schema)
        return Request("POST", self._address, self._headers, start + _encoded(self.said(chat))[1:])

    def __copy__(self) -> Self:
        """A copy that may get other values (`model_copy`), so it works out anew what was written once."""
        copy = super().__copy__()
        for name in ("_address", "_headers", "_start", "_recent"):
            copy.__dict__.pop(name, None)
        return copy

    def bearer(self) -> tuple[Header, ...]:
        """The key as most APIs want it; empty without one."""
        key = None if self.key is None else secret_of(f"Bearer {self.key}")
        return () if key is None else (("authorization", key),)

    @cached_property
    def _address(self) -> str:
        return self.address()

    @cached_property
    def _headers(self) -> tuple[Header, ...]:
        """A header of the settings stands for one of the same name that the dialect would send."""
        further = self.further_headers()
        named = {name.lower() for name, _ in further}
        return (*(header for header in (_JSON, *self.fixed_headers()) if header[0] not in named), *further)

    @cached_property
    def _start(self) -> bytes:
        return self._opening({})

    @cached_property
    def _recent(self) -> list[tuple[Mapping[str, object], bytes]]:
        """The schema that was asked for last, with the request up to what is asked: a judge keeps to one."""
        return []

    def _start_with(self, schema: Mapping[str, object]) -> bytes:
        recent = self._recent
        if not recent or recent[0][0] is not schema:
            recent[:] = [(schema, self._opening(self.enforcing(schema)))]
        return recent[0][1]

    def _opening(self, enforcing: Mapping[str, object]) -> bytes:
        """The request up to what is asked. A null in `extra` leaves a member out; objects are joined."""
        members = {**self.fixed(), **enforcing}
        for name, value in self.extra.items():
            before = members.get(name)
            if value is None:
                members.pop(name, None)
            else:
                members[name] = {**before, **value} if isinstance(before, dict) and isinstance(value, dict) else value
        return _encoded(members)[:-1] + b","


def role_messages(chat: Chat) -> list[dict[str, str]]:
    """The messages, after the system prompt as a message of its own where there is one."""
    system = [{"role": "system", "content": chat.system}] if chat.system else []
    return [*system, *({"role": role, "content": text} for role, text in chat.messages)]


def enforceable(schema: Mapping[str, object], unknown: frozenset[str]) -> dict[str, object]:
    """A schema without the keywords that an API does not know; a choice of texts says that they are texts.

    What such a keyword asked for is not enforced then. Whoever reads the answer checks all of it anyway.
    """
    found: dict[str, object] = {}
    for name, value in schema.items():
        if name in unknown:
            continue
        if name in ("properties", "$defs") and isinstance(value, dict):
            found[name] = {key: _inner(inner, unknown) for key, inner in value.items()}
        else:
            found[name] = _inner(value, unknown)
    choices = schema.get("enum")
    if "type" not in found and isinstance(choices, list) and all(isinstance(choice, str) for choice in choices):
        found["type"] = "string"
    return found


def _inner(value: object, unknown: frozenset[str]) -> object:
    if isinstance(value, dict):
        return enforceable(value, unknown)
    return [_inner(item, unknown) for item in value] if isinstance(value, list) else value


def _encoded(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
