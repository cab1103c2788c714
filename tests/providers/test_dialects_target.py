"""A model as a target: what it is asked, what becomes of its answer, and its settings in conf/."""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from engine.judges.dialects import (
    AnthropicJudge,
    AzureJudge,
    OllamaJudge,
    OpenAIChatJudge,
    OpenAIResponsesJudge,
    VllmJudge,
)
from engine.model.calls import Attempt, Call, CallFailure
from engine.model.exchange import Answer, Exchange, ToolCall, Turn
from engine.model.network import Line, NetworkFailure, Reply, Request, Site
from engine.model.query import Query
from engine.model.record import Failure
from engine.model.target import Surroundings
from engine.model.usage import CostStatus, UsageSource
from engine.providers.dialect import ModelSettings
from engine.store.strict_yaml import load
from engine.targets.models import (
    AnthropicTarget,
    AzureTarget,
    OllamaTarget,
    OpenAIChatTarget,
    OpenAIResponsesTarget,
    VllmTarget,
)
from engine.targets.recorded import read_answer
from tests.providers.transcripts import FIXTURES

T = TypeVar("T")
CONF = Path(__file__).resolve().parents[2] / "conf"
TARGETS: dict[str, type[ModelSettings]] = {
    "openai_chat": OpenAIChatTarget,
    "openai_responses": OpenAIResponsesTarget,
    "anthropic": AnthropicTarget,
    "ollama": OllamaTarget,
    "azure": AzureTarget,
    "vllm": VllmTarget,
}

JUDGES: dict[str, type[ModelSettings]] = {
    "openai_chat": OpenAIChatJudge,
    "openai_responses": OpenAIResponsesJudge,
    "anthropic": AnthropicJudge,
    "ollama": OllamaJudge,
    "azure": AzureJudge,
    "vllm": VllmJudge,
}


@dataclass
class OneReply:
    """A network that knows one reply, and keeps what it was asked."""

    body: bytes
    status: int = 200
    site: Site | None = None
    request: Request | None = None

    def line(self, site: Site) -> Line:
        self.site = site
        return self

    def turn(self) -> AbstractAsyncContextManager[None]:
        return nullcontext()

    def clean(self, text: str) -> str:
        return text

    async def send(self, request: Request, on_bytes: Callable[[bytes], None] | None = None) -> Reply:
        self.request = request
        if not self.status:
            raise NetworkFailure(Failure.TIMEOUT, "nothing came", sent=True)
        if on_bytes is not None and self.status == 200:
            for at in range(0, len(self.body), 7):
                on_bytes(self.body[at : at + 7])
            return Reply(self.status, {}, b"", 0.1, 0.5)
        return Reply(self.status, {}, self.body, 0.1, 0.5)


class Pays:
    """Makes every call at once. With `kept`, what was answered before a kill is not asked again."""

    def __init__(self, kept: Mapping[str, object] | None = None) -> None:
        self.kept = kept
        self.who = ""

    async def pay(self, call: Call[T]) -> Attempt[T]:
        self.who = call.who
        made = await call.make()
        if self.kept is None:
            self.kept = json.loads(json.dumps(call.keeps(made.value)))
            return made
        return Attempt(call.restores(self.kept), made.usage, made.cost, made.model, made.latency_s)


def _ask(
    settings: ModelSettings, network: OneReply, history: tuple[Exchange, ...] = (), calls: Pays | None = None
) -> Answer:
    surroundings = Surroundings(Path(), Path(), Path(), print, network)
    with settings.open(surroundings) as target:  # type: ignore[attr-defined]
        assert (target.corpus_sha256, target.sources) == (None, None)
        return asyncio.run(target.answer(Turn("Und?", "q-1"), history, calls or Pays()))  # type: ignore[no-any-return]


def _settings(kind: str, **more: Any) -> ModelSettings:
    url = {"url": "https://res.openai.azure.com/openai/v1"} if kind == "azure" else {}
    return TARGETS[kind](**{"model": "m", "system": "Be short.", **url, **more})


def _transcript(kind: str, name: str, stream: bool = False) -> OneReply:
    ending = "json" if not stream else "ndjson" if kind == "ollama" else "sse"
    return OneReply((FIXTURES / kind / f"{name}.{ending}").read_bytes())


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", TARGETS)
def test_an_answer_with_its_usage_its_model_and_its_times(kind: str, stream: bool) -> None:
    calls = Pays()
    answer = _ask(_settings(kind, stream=stream, free=True), _transcript(kind, "normal", stream), calls=calls)

    assert calls.who == "target"
    assert (answer.text, answer.tool_calls, answer.notes) == ("Die Hauptstadt ist Bern – „ja“ 🐻.", (), ())
    assert answer.hits is None
    assert answer.model
    assert answer.usage is not None
    assert answer.usage.source is UsageSource.PROVIDER
    assert answer.cost is not None
    assert answer.cost.status is CostStatus.DECLARED_FREE
    assert answer.latency_s["answer"] == 0.5
    assert set(answer.latency_s) == ({"answer", "first_token"} if stream else {"answer"})


@pytest.mark.parametrize("kind", TARGETS)
def test_what_was_said_before_goes_along(kind: str) -> None:
    def said(text: str, answer: str | None) -> Exchange:
        return Exchange(Query("q-1", "?", "", ""), Turn(text, "q-1"), Answer(text=answer))

    network = _transcript(kind, "normal")
    _ask(_settings(kind), network, (said("Hallo", "Hi"), said("Wie?", None)))

    assert network.request is not None
    assert network.site is not None
    assert network.request.url.startswith(network.site.url + "/")
    body = json.loads(network.request.body)
    system = {"role": "system", "content": "Be short."}
    assert [message for message in body.get("messages", body.get("input")) if message != system] == [
        {"role": "user", "content": "Hallo"},
        {"role": "assistant", "content": "Hi"},
        {"role": "user", "content": "Wie?"},
        {"role": "assistant", "content": "(no text)"},
        {"role": "user", "content": "Und?"},
    ]
    assert "Be short." in network.request.body.decode()


@pytest.mark.parametrize(
    ("kind", "name", "note"),
    [
        *((kind, "length", "cut off by the token limit") for kind in TARGETS),
        *(
            (kind, "refusal", "the model refused to answer, or a filter stopped it")
            for kind in TARGETS
            if kind != "ollama"
        ),
    ],
)
def test_an_answer_that_was_cut_off_or_refused_is_one_with_a_note(kind: str, name: str, note: str) -> None:
    answer = _ask(_settings(kind), _transcript(kind, name))

    assert answer.text is not None
    assert answer.notes == (note,)


@pytest.mark.parametrize("kind", TARGETS)
def test_what_is_kept_of_a_call_gives_the_same_answer_again(kind: str) -> None:
    first = Pays()
    network = _transcript(kind, "tool_call")
    answer = _ask(_settings(kind), network, calls=first)
    assert answer.tool_calls == (ToolCall("get_weather", {"city": "Zürich", "days": "2"}), ToolCall("now"))
    assert first.kept is not None

    again = _ask(_settings(kind), _transcript(kind, "tool_call"), calls=Pays(first.kept))
    assert again == answer
    recorded = read_answer(first.kept)  # it has the shape of an answer in a journal
    assert (recorded.text, recorded.tool_calls) == (answer.text, answer.tool_calls)


@pytest.mark.parametrize(
    ("network", "failure"),
    [
        (OneReply(b"{}", 401), Failure.UNAUTHORIZED),
        (OneReply(b"{}", 429), Failure.RATE_LIMITED),
        (OneReply(b"<html>", 200), Failure.SCHEMA_INVALID),
        (OneReply(b"", 0), Failure.TIMEOUT),
    ],
)
@pytest.mark.parametrize("kind", TARGETS)
def test_a_failure_keeps_its_category(kind: str, network: OneReply, failure: Failure) -> None:
    with pytest.raises(CallFailure) as raised:
        _ask(_settings(kind), network)

    assert raised.value.failure is failure
    assert (raised.value.spent is None) is (network.status > 400)  # refused: it cost nothing


def test_the_system_prompt_is_part_of_what_was_tested() -> None:
    with _settings("vllm").open(Surroundings(Path(), Path(), Path(), print, OneReply(b""))) as target:  # type: ignore[attr-defined]
        assert target.identity["system"] == "Be short."
        assert target.identity["kind"] == "vllm"
        assert not {"key", "headers"} & set(target.identity)


@pytest.mark.parametrize("group", ["target", "judge"])
@pytest.mark.parametrize("kind", TARGETS)
def test_the_shipped_file_shows_every_setting_with_its_default(group: str, kind: str) -> None:
    path = CONF / group / f"{kind}.yaml"
    text = path.read_text("utf-8")
    shown = load(text, str(path)).value
    assert isinstance(shown, dict)
    must_be_set = {name for name, value in shown.items() if value == "???"}
    assert must_be_set == ({"model", "url"} if kind == "azure" else {"model"})
    assert all("#" in line for line in text.splitlines() if not line.startswith("kind:"))
    assert max(len(line) for line in text.splitlines()) <= 120

    made = (TARGETS if group == "target" else JUDGES)[kind]
    assert set(shown) == set(made.model_fields)
    settings = made(**shown | dict.fromkeys(must_be_set, "https://example.com"))
    for name in set(shown) - must_be_set - {"free"}:
        assert getattr(settings, name) == made.model_fields[name].get_default(call_default_factory=True), name
    assert settings.free is (kind == "ollama")
    assert settings.local is (kind in ("ollama", "vllm"))
