"""What a system that answers in JSON is sent: settings with templates in them, and requests from these."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Self
from urllib.parse import quote

from pydantic import Field, field_validator, model_validator

from engine.model.exchange import Exchange, Turn
from engine.model.network import Header, Request
from engine.providers.dialect import secret_of
from engine.providers.template import Filled, address_template, has_names, template
from engine.targets.charge import Charged
from engine.targets.json_reply import Paths
from engine.targets.own_system import said_before

__all__ = ["TEXTS", "VALUES", "JsonCall", "Writing"]

TEXTS = ("query", "query_id")
"""Names that may stand within a text."""

VALUES = ("history", "messages")
"""Names of lists, which stand alone."""


class JsonCall(Charged):
    """What is sent, and where the answer stands in what comes back."""

    method: Literal["GET", "POST", "PUT", "PATCH"] = Field(default="POST", description="how it is asked")
    parameters: dict[str, str] = Field(
        default_factory=dict, description="parameters of the address, such as {q: '{query}'}; env:NAME for a secret"
    )
    body: object = Field(
        default=None, description="the JSON that is sent, with {query} within its texts; null for none"
    )
    read: Paths = Field(default=Paths(), description="where the parts of the answer stand in the reply")

    @field_validator("parameters", mode="before")
    @classmethod
    def _fillable_parameters(cls, value: object) -> object:
        template(value, TEXTS)
        if not isinstance(value, dict):
            return value
        for text in value.values():
            secret = secret_of(text) if isinstance(text, str) else None
            if secret is not None and has_names(secret.before):
                raise ValueError("nothing is filled in beside a secret: give each a parameter of its own")
        return {name: json.dumps(each) if isinstance(each, int | float) else each for name, each in value.items()}

    @field_validator("headers", check_fields=False)
    @classmethod
    def _plain_headers(cls, value: dict[str, str]) -> dict[str, str]:
        if any(f"{{{name}}}" in text for text in value.values() for name in (*TEXTS, *VALUES)):
            raise ValueError("nothing is filled into headers: {query} belongs in url, parameters or body")
        return value

    @field_validator("body")
    @classmethod
    def _fillable_body(cls, value: object) -> object:
        template(value, TEXTS, VALUES)
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            raise ValueError("holds something that JSON has no word for") from None
        if _holds_a_secret(value):
            raise ValueError("env:NAME is not read in it: a secret belongs in key, headers or parameters")
        return value

    @model_validator(mode="after")
    def _can_be_asked(self) -> Self:
        if self.method == "GET" and self.body is not None:
            raise ValueError("a GET has no body: use parameters, or method: POST")
        if not self.read.answers:
            raise ValueError("read says nowhere where the answer is: set read.hits, or read.text, or both")
        if self.free and self.read.cost_usd is not None:
            raise ValueError("free and read.cost_usd contradict each other: set one of them")
        return self


@dataclass(frozen=True, slots=True)
class Writing:
    """Templates that were read once, for all requests."""

    method: str
    address: Callable[[Mapping[str, object]], str]
    parameters: Mapping[str, Filled]
    secrets: tuple[Header, ...]
    headers: tuple[Header, ...]
    body: Filled | None

    @classmethod
    def of(cls, settings: JsonCall, address: str, headers: tuple[Header, ...]) -> "Writing":
        """From the settings. A header that they give stands for the usual one."""
        usual = [("accept", "application/json")]
        if settings.body is not None:
            usual.append(("content-type", "application/json"))
        given = {name.lower() for name, _ in headers}
        secrets = {name: secret for name, value in settings.parameters.items() if (secret := secret_of(value))}
        return cls(
            settings.method,
            address_template(address, TEXTS),
            {name: template(value, TEXTS) for name, value in settings.parameters.items() if name not in secrets},
            tuple(secrets.items()),
            (*((name, value) for name, value in usual if name not in given), *headers),
            None if settings.body is None else template(settings.body, TEXTS, VALUES),
        )

    def request(self, turn: Turn, history: tuple[Exchange, ...]) -> Request:
        """The request for a turn. Pure."""
        given: dict[str, object] = {"query": turn.say, "query_id": turn.query_id}
        url = self.address(given)
        if self.parameters:
            filled = (f"{_quoted(name)}={_quoted(str(part(given)))}" for name, part in self.parameters.items())
            url = f"{url}{'&' if '?' in url else '?'}{'&'.join(filled)}"
        if self.body is None:
            return Request(self.method, url, self.headers, b"", self.secrets)
        given["history"] = before = said_before(history)
        given["messages"] = [*before, {"role": "user", "content": turn.say}]
        body = json.dumps(self.body(given), ensure_ascii=False).encode("utf-8", "replace")
        return Request(self.method, url, self.headers, body, self.secrets)


def _holds_a_secret(value: object) -> bool:
    if isinstance(value, dict | list | tuple):
        return any(map(_holds_a_secret, value.values() if isinstance(value, dict) else value))
    return isinstance(value, str) and value.startswith("env:") and secret_of(value) is not None


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="replace")
