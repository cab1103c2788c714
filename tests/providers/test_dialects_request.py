"""How each dialect writes a request."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from engine.model.network import Request, Secret
from engine.providers.anthropic import Anthropic
from engine.providers.azure import Azure
from engine.providers.dialect import Chat
from engine.providers.ollama import Ollama
from engine.providers.openai_chat import OpenAIChat
from engine.providers.openai_responses import OpenAIResponses
from engine.providers.vllm import Vllm
from engine.providers.writing import JsonApi
from tests.providers.transcripts import DIALECTS

TALK = Chat((("user", "Hallo"), ("assistant", "Hi „du“"), ("user", "Und?")), "Be short.")
TURNS = [
    {"role": "user", "content": "Hallo"},
    {"role": "assistant", "content": "Hi „du“"},
    {"role": "user", "content": "Und?"},
]
SYSTEM = {"role": "system", "content": "Be short."}
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "minLength": {"type": "string", "minLength": 1},
        "said": {"anyOf": [{"type": "number", "minimum": 0.0, "maximum": 5.0}, {"enum": ["n/a"]}]},
    },
    "required": ["minLength", "said"],
    "additionalProperties": False,
}
PLAIN_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "minLength": {"type": "string"},
        "said": {"anyOf": [{"type": "number"}, {"enum": ["n/a"], "type": "string"}]},
    },
    "required": ["minLength", "said"],
    "additionalProperties": False,
}
RANGED_SCHEMA = {
    **PLAIN_SCHEMA,
    "properties": {
        "minLength": {"type": "string"},
        "said": {"anyOf": [{"type": "number", "minimum": 0.0, "maximum": 5.0}, {"enum": ["n/a"], "type": "string"}]},
    },
}


def _body(request: Request) -> Any:
    return json.loads(request.body)


def _bearer(name: str) -> tuple[str, Secret]:
    return "authorization", Secret(name, "Bearer ")


JSON = ("content-type", "application/json")
RES = "https://res.openai.azure.com"


@pytest.mark.parametrize(
    ("settings", "url", "headers", "body"),
    [
        pytest.param(
            OpenAIChat(model="m"),
            "https://api.openai.com/v1/chat/completions",
            (JSON, _bearer("OPENAI_API_KEY")),
            {"model": "m", "max_completion_tokens": 1024, "messages": [SYSTEM, *TURNS]},
            id="openai_chat",
        ),
        pytest.param(
            OpenAIChat(model="m", stream=True, temperature=0.0, seed=7, max_tokens=9),
            "https://api.openai.com/v1/chat/completions",
            (JSON, _bearer("OPENAI_API_KEY")),
            {
                "model": "m",
                "max_completion_tokens": 9,
                "temperature": 0.0,
                "seed": 7,
                "stream": True,
                "stream_options": {"include_usage": True},
                "messages": [SYSTEM, *TURNS],
            },
            id="openai_chat-streamed",
        ),
        pytest.param(
            OpenAIResponses(model="m", temperature=0.5),
            "https://api.openai.com/v1/responses",
            (JSON, _bearer("OPENAI_API_KEY")),
            {
                "model": "m",
                "max_output_tokens": 1024,
                "store": False,
                "temperature": 0.5,
                "instructions": "Be short.",
                "input": TURNS,
            },
            id="openai_responses",
        ),
        pytest.param(
            OpenAIResponses(model="m", stream=True, extra={"store": True, "reasoning": {"effort": "low"}}),
            "https://api.openai.com/v1/responses",
            (JSON, _bearer("OPENAI_API_KEY")),
            {
                "model": "m",
                "max_output_tokens": 1024,
                "store": True,
                "reasoning": {"effort": "low"},
                "stream": True,
                "instructions": "Be short.",
                "input": TURNS,
            },
            id="openai_responses-streamed",
        ),
        pytest.param(
            Anthropic(model="m", url="https://api.anthropic.com/v1/"),
            "https://api.anthropic.com/v1/messages",
            (JSON, ("anthropic-version", "2023-06-01"), ("x-api-key", Secret("ANTHROPIC_API_KEY"))),
            {"model": "m", "max_tokens": 1024, "system": "Be short.", "messages": TURNS},
            id="anthropic",
        ),
        pytest.param(
            Anthropic(model="m", stream=True, headers={"Anthropic-Version": "2099-01-01"}, key="env:K"),
            "https://api.anthropic.com/v1/messages",
            (JSON, ("x-api-key", Secret("K")), ("Anthropic-Version", "2099-01-01")),
            {"model": "m", "max_tokens": 1024, "stream": True, "system": "Be short.", "messages": TURNS},
            id="anthropic-own-version",
        ),
        pytest.param(
            Ollama(model="m", seed=1, extra={"options": {"num_ctx": 8192}, "keep_alive": "5m"}),
            "http://localhost:11434/api/chat",
            (JSON,),
            {
                "model": "m",
                "stream": False,
                "options": {"num_predict": 1024, "seed": 1, "num_ctx": 8192},
                "keep_alive": "5m",
                "messages": [SYSTEM, *TURNS],
            },
            id="ollama",
        ),
        pytest.param(
            Ollama(model="m", stream=True, key="env:K"),
            "http://localhost:11434/api/chat",
            (JSON, _bearer("K")),
            {"model": "m", "stream": True, "options": {"num_predict": 1024}, "messages": [SYSTEM, *TURNS]},
            id="ollama-streamed",
        ),
        pytest.param(
            Azure(model="d", url=f"{RES}/openai/v1/", stream=True),
            f"{RES}/openai/v1/chat/completions",
            (JSON, ("api-key", Secret("AZURE_OPENAI_API_KEY"))),
            {
                "model": "d",
                "max_completion_tokens": 1024,
                "stream": True,
                "stream_options": {"include_usage": True},
                "messages": [SYSTEM, *TURNS],
            },
            id="azure",
        ),
        pytest.param(
            Azure(model="a/b", url=RES, api_version="2024-10-21", key=None, headers={"Authorization": "Bearer env:T"}),
            f"{RES}/openai/deployments/a%2Fb/chat/completions?api-version=2024-10-21",
            (JSON, ("Authorization", Secret("T", "Bearer "))),
            {"model": "a/b", "max_completion_tokens": 1024, "messages": [SYSTEM, *TURNS]},
            id="azure-with-a-version-and-entra",
        ),
        pytest.param(
            Azure(model="d", url=f"{RES}/openai/v1", api_version="2024-05-01-preview", stream=True),
            f"{RES}/openai/deployments/d/chat/completions?api-version=2024-05-01-preview",
            (JSON, ("api-key", Secret("AZURE_OPENAI_API_KEY"))),
            {"model": "d", "max_tokens": 1024, "stream": True, "messages": [SYSTEM, *TURNS]},
            id="azure-too-old-for-stream_options",
        ),
        pytest.param(
            Vllm(model="m", stream=True, extra={"stream_options": None, "top_k": 1}),
            "http://localhost:8000/v1/chat/completions",
            (JSON,),
            {"model": "m", "max_tokens": 1024, "stream": True, "top_k": 1, "messages": [SYSTEM, *TURNS]},
            id="vllm-null-leaves-a-member-out",
        ),
    ],
)
def test_request(settings: JsonApi, url: str, headers: object, body: object) -> None:
    request = settings.request(TALK)

    assert (request.method, request.url, request.headers, request.query) == ("POST", url, headers, ())
    assert _body(request) == body
    assert settings.request(TALK) == request


@pytest.mark.parametrize("kind", DIALECTS)
def test_without_a_system_prompt_there_is_none(kind: str) -> None:
    body = _body(DIALECTS[kind].request(Chat(TALK.messages)))

    assert body.get("messages", body.get("input")) == TURNS
    assert not {"system", "instructions"} & set(body)


@pytest.mark.parametrize(
    ("kind", "place", "expected"),
    [
        ("openai_chat", ("response_format", "json_schema", "schema"), RANGED_SCHEMA),
        ("azure", ("response_format", "json_schema", "schema"), RANGED_SCHEMA),
        ("vllm", ("response_format", "json_schema", "schema"), RANGED_SCHEMA),
        ("openai_responses", ("text", "format", "schema"), RANGED_SCHEMA),
        ("anthropic", ("output_config", "format", "schema"), PLAIN_SCHEMA),
        ("ollama", ("format",), SCHEMA),
    ],
)
def test_a_schema_is_enforced(kind: str, place: tuple[str, ...], expected: object) -> None:
    dialect = DIALECTS[kind]
    asked = Chat(TALK.messages, schema=SCHEMA)
    body = found = _body(dialect.request(asked))
    for name in place:
        around, found = found, found[name]

    assert found == expected
    if kind != "ollama":
        assert around["type" if "type" in around else "strict"] in ("json_schema", True)
    assert body["model"] == dialect.model
    assert dialect.request(asked) == dialect.request(Chat(TALK.messages, schema={**SCHEMA}))
    other = _body(dialect.request(Chat(TALK.messages, schema={"type": "string"})))
    assert other != body
    assert not set(place[:1]) & set(_body(dialect.request(TALK)))


def test_extra_joins_an_object_that_the_dialect_writes() -> None:
    settings = Anthropic(model="m", extra={"output_config": {"effort": "low"}})
    both = _body(settings.request(Chat(TALK.messages, schema=SCHEMA)))["output_config"]

    assert both == {"effort": "low", "format": {"type": "json_schema", "schema": PLAIN_SCHEMA}}
    assert _body(settings.request(TALK))["output_config"] == {"effort": "low"}


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *((kind, name) for kind in DIALECTS for name in ("model", "stream")),
        *((kind, "messages") for kind in DIALECTS if kind != "openai_responses"),
        *(("openai_responses", name) for name in ("input", "instructions", "max_output_tokens", "background")),
        *(("vllm", name) for name in ("n", "max_tokens", "max_completion_tokens", "temperature", "seed")),
        ("anthropic", "system"),
    ],
)
def test_extra_may_not_hold_what_settings_say(kind: str, name: str) -> None:
    said = DIALECTS[kind].model_dump(exclude={"extra"})
    with pytest.raises(ValidationError, match=f'may not hold "{name}"'):
        type(DIALECTS[kind])(**said, extra={name: 1})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Ollama(model="m", extra={"options": {"num_predict": 9}}), 'options may not hold "num_predict"'),
        (lambda: Ollama(model="m", extra={"options": 9}), "options is an object"),
        (lambda: Anthropic(model="m", seed=1), "takes none: leave it null"),
        (lambda: OpenAIResponses(model="m", seed=1), "takes none: leave it null"),
        (lambda: OpenAIResponses(model="m", max_tokens=15), "greater than or equal to 16"),
        (lambda: Anthropic(model="m", temperature=1.5), "less than or equal to 1"),
        (lambda: OpenAIChat(model="m", key="sk-live"), "is written as env:NAME"),
        (lambda: Azure(model="m", url=RES, api_version="latest"), "should match pattern"),
        (lambda: OpenAIChat(model=""), "at least 1 character"),
    ],
)
def test_settings_that_an_api_would_refuse_or_ignore(make: Any, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        make()


def test_a_copy_with_another_value_writes_another_request() -> None:
    first = OpenAIChat(model="m", seed=1)
    asked = Chat(TALK.messages, schema=SCHEMA)
    before = first.request(TALK), first.request(asked)
    more = {"seed": 2, "url": "https://example.com/v1", "key": "env:K"}
    second = first.model_copy(update=more)

    assert second.request(TALK) == OpenAIChat(model="m", **more).request(TALK)  # type: ignore[arg-type]
    assert _body(second.request(asked))["seed"] == 2
    assert (first.request(TALK), first.request(asked)) == before


@given(st.text(), st.text(), st.sampled_from(sorted(DIALECTS)))
def test_any_text_arrives_as_it_is(system: str, text: str, kind: str) -> None:
    body = _body(DIALECTS[kind].request(Chat((("user", text),), system)))
    messages = body.get("messages", body.get("input"))

    assert messages[-1] == {"role": "user", "content": text}
    told = body.get("system", body.get("instructions", messages[0]["content"] if len(messages) > 1 else ""))
    assert told == system


def test_half_a_character_is_replaced() -> None:
    assert _body(OpenAIChat(model="m").request(Chat((("user", "a\ud83d"),))))["messages"][0]["content"] == "a?"


@pytest.mark.parametrize("kind", DIALECTS)
def test_identity_holds_what_can_change_an_answer_and_no_key(kind: str) -> None:
    identity = DIALECTS[kind].identity()

    assert identity["kind"] == kind
    assert identity["model"] == DIALECTS[kind].model
    assert not {"key", "headers", "stream", "free"} & set(identity)
    DIALECTS[kind].request(TALK)
    assert DIALECTS[kind].identity() == identity
