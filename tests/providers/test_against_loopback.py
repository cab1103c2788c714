"""Every dialect through the real transport against a server that speaks it, and every lie that the server can tell."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from engine.model.calls import Attempt, CallFailure
from engine.model.exchange import Turn
from engine.model.record import Failure
from engine.model.usage import CostStatus, Price, PriceTable, UsageSource
from engine.providers.asking import model_call
from engine.providers.dialect import Chat, Finish, ModelReply, ModelSettings
from engine.providers.transport import Transport
from engine.targets.models import (
    AnthropicTarget,
    AzureTarget,
    ModelTarget,
    OllamaTarget,
    OpenAIChatTarget,
    OpenAIResponsesTarget,
    VllmTarget,
)
from tests.doubles import JustCalls
from tests.loopback import Loopback, serving

ANSWER = "The answer is A49."
QUESTION = "What is the answer to Q7?"
PRICES = PriceTable("prices", "2026-12-01", "0" * 64, {"loopback": Price(Decimal(1), Decimal(4))})
ENVIRONMENT = {"KEY": "s3cret-key"}
KINDS: dict[str, tuple[type[ModelSettings], str, dict[str, object]]] = {
    "openai_chat": (OpenAIChatTarget, "/v1", {}),
    "openai_responses": (OpenAIResponsesTarget, "/v1", {}),
    "anthropic": (AnthropicTarget, "", {}),
    "ollama": (OllamaTarget, "", {}),
    "azure": (AzureTarget, "/openai/v1", {}),
    "azure_old": (AzureTarget, "", {"api_version": "2024-02-01"}),
    "azure_newer": (AzureTarget, "", {"api_version": "2024-10-21"}),
    "vllm": (VllmTarget, "/v1", {}),
}
SCHEMA = {
    "type": "object",
    "properties": {"said": {"enum": ["good", "poor"]}},
    "required": ["said"],
    "additionalProperties": False,
}
TINY = 0.08


@pytest.fixture(scope="module")
def loopback() -> Iterator[Loopback]:
    with serving() as server:
        yield server


def model(kind: str, base: str, **more: object) -> ModelSettings:
    """Settings that ask the model `loopback` at an address."""
    settings, path, own = KINDS[kind]
    values: dict[str, Any] = {"url": base + path, "model": "loopback", "key": "env:KEY", "local": True, **own, **more}
    return settings.model_validate({"kind": kind.partition("_old")[0].partition("_newer")[0], **values})


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks over one transport: making one takes longer than a test may."""

    runner: asyncio.Runner
    transport: Transport

    def ask(self, settings: ModelSettings, chat: Chat | None = None) -> Attempt[ModelReply]:
        """Make one call."""
        asked = chat or Chat((("user", QUESTION),))
        line = self.transport.line(settings.site())
        return self.runner.run(model_call(line, settings, asked, "target", PRICES).make())  # type: ignore[arg-type]

    def failing(self, settings: ModelSettings) -> CallFailure:
        """How a call fails."""
        with pytest.raises(CallFailure) as found:
            self.ask(settings)
        return found.value


@pytest.fixture(scope="module")
def asker() -> Iterator[Asker]:
    with asyncio.Runner() as runner:
        transport = Transport(ENVIRONMENT, 8)
        yield Asker(runner, transport)
        runner.run(transport.aclose())


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_dialect_is_understood(loopback: Loopback, asker: Asker, kind: str, stream: bool) -> None:
    base = loopback.url("vllm", key="s3cret-key") if kind == "vllm" else loopback.url(key="s3cret-key")
    first = asker.ask(model(kind, base, stream=stream))
    connections = loopback.stats()["connections"]
    second = asker.ask(model(kind, base, stream=stream))

    assert first.value.text == second.value.text == ANSWER
    assert loopback.stats()["connections"] == connections
    assert first.value.finish is Finish.STOP
    assert first.model == ("loopback-2026-01-01" if kind.startswith("azure") else "loopback")
    if kind == "azure_old" and stream:
        assert (first.usage.source, first.cost.status) == (UsageSource.MISSING, CostStatus.UNKNOWN_USAGE)
    else:
        assert (first.usage.input_total, first.usage.output_total) == (7, 5)
        assert first.usage.source is UsageSource.PROVIDER
        assert (first.cost.micro_usd, first.cost.table) == (27, PRICES.label)
    assert ("first_token" in first.latency_s) is stream


@pytest.mark.parametrize("kind", ["openai_chat", "openai_responses", "anthropic", "ollama", "azure", "vllm"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_schema_reaches_the_model(loopback: Loopback, asker: Asker, kind: str, stream: bool) -> None:
    chat = Chat((("user", QUESTION),), "Judge.", SCHEMA)

    good = asker.ask(model(kind, loopback.url(judge="first"), stream=stream), chat)
    poor = asker.ask(model(kind, loopback.url(judge="last"), stream=stream), chat)

    assert (good.value.text, poor.value.text) == ('{"said": "good"}', '{"said": "poor"}')


@pytest.mark.parametrize("kind", ["openai_chat", "openai_responses", "anthropic", "ollama"])
def test_what_was_cached_and_thought_is_counted_once(loopback: Loopback, asker: Asker, kind: str) -> None:
    for stream in (False, True):
        found = asker.ask(model(kind, loopback.url(cached=3, reasoning=4), stream=stream))

        usage = found.usage
        assert (usage.input_total, usage.input_cached, usage.output_total) == (7, 3, 9)
        assert usage.output_reasoning == (4 if kind.startswith("openai") else None)


def test_a_model_that_is_a_target(loopback: Loopback, asker: Asker) -> None:
    settings = model("openai_chat", loopback.url())

    target = ModelTarget(settings, asker.transport.line(settings.site()), PRICES, "Be short.", settings.identity())

    answer = asker.runner.run(target.answer(Turn(QUESTION, "q"), (), JustCalls()))

    assert (answer.text, answer.model) == (ANSWER, "loopback")
    assert answer.cost is not None
    assert answer.cost.micro_usd is not None
    assert "answer" in answer.latency_s


# ---- lies -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Case:
    """What a lie comes to.

    Attributes:
        spent: `nothing`, `unknown`, or the micro-dollars that are known to be spent.
        streamed: the failure when the answer is read as a stream; None: the same.
        settings: further settings.
    """

    failure: Failure
    spent: str | int
    words: tuple[str, ...] = ()
    values: tuple[tuple[str, object], ...] = ()
    streamed: Failure | None = None
    again: bool = False
    wait_s: float | None = None
    settings: tuple[tuple[str, object], ...] = ()


_SHORT = (("read_s", TINY), ("total_s", 5.0))
_HURRY = (("read_s", 5.0), ("total_s", TINY))
_ELSEWHERE = (("to", "http://169.254.169.254/latest"),)
CASES = {
    "400": Case(Failure.PROVIDER_ERROR, "nothing", ("e400",)),
    "401": Case(Failure.UNAUTHORIZED, "nothing", ("e401",)),
    "403": Case(Failure.UNAUTHORIZED, "nothing", ("e403",)),
    "404": Case(Failure.PROVIDER_ERROR, "nothing", ("e404",)),
    "408": Case(Failure.TIMEOUT, "nothing", ("e408",), again=True),
    "413": Case(Failure.VALIDATION, "nothing", ("e413",)),
    "429": Case(Failure.RATE_LIMITED, "nothing", ("e429",), again=True),
    "429-in-3-seconds": Case(Failure.RATE_LIMITED, "nothing", ("e429",), (("retry", 3),), again=True, wait_s=3.0),
    "429-at-a-date": Case(Failure.RATE_LIMITED, "nothing", ("e429",), (("retry", "date"),), again=True, wait_s=1.5),
    "429-in-an-hour": Case(Failure.RATE_LIMITED, "nothing", ("e429",), (("retry", 3600),), again=True, wait_s=60.0),
    "500": Case(Failure.PROVIDER_ERROR, "nothing", ("e500",), again=True),
    "503": Case(Failure.PROVIDER_ERROR, "nothing", ("e503",), again=True),
    "529": Case(Failure.PROVIDER_ERROR, "nothing", ("e529",), again=True),
    "301": Case(Failure.TRANSPORT, "nothing", ("e301",), _ELSEWHERE),
    "302": Case(Failure.TRANSPORT, "nothing", (), _ELSEWHERE),
    "307": Case(Failure.TRANSPORT, "nothing", ("e307",), _ELSEWHERE),
    "308": Case(Failure.TRANSPORT, "nothing", ("e308",), _ELSEWHERE),
    "malformed": Case(Failure.SCHEMA_INVALID, "unknown", ("bad",), streamed=Failure.TRANSPORT),
    "web-page": Case(Failure.SCHEMA_INVALID, "unknown", ("html",), streamed=Failure.TRANSPORT),
    "wrong-types": Case(Failure.SCHEMA_INVALID, "unknown", ("types",)),
    "empty": Case(Failure.SCHEMA_INVALID, "unknown", ("empty",), streamed=Failure.TRANSPORT),
    "error-after-200": Case(Failure.PROVIDER_ERROR, "unknown", ("error",)),
    "cut": Case(Failure.TRANSPORT, "unknown", (), (("cut", 20),)),
    "cut-at-once": Case(Failure.TRANSPORT, "unknown", (), (("cut", 0),)),
    "ended-early": Case(Failure.SCHEMA_INVALID, "unknown", (), (("cutclean", 20),), streamed=Failure.TRANSPORT),
    "bomb": Case(Failure.TRANSPORT, "unknown", (), (("bomb", 40),), streamed=Failure.SCHEMA_INVALID),
    "endless": Case(Failure.TRANSPORT, "unknown", ("endless",), streamed=Failure.SCHEMA_INVALID),
    "never": Case(Failure.TIMEOUT, "unknown", ("never",), settings=_SHORT),
    "slow-answer": Case(Failure.TIMEOUT, "unknown", ("l600",), settings=_HURRY),
    "slow-head": Case(Failure.TIMEOUT, "unknown", (), (("slowhead", 90),), settings=_HURRY),
    "slow-body": Case(Failure.TIMEOUT, "unknown", (), (("slowbody", 60),), settings=_HURRY),
    "closed": Case(Failure.TRANSPORT, "unknown", ("close",)),
    "no-http": Case(Failure.TRANSPORT, "unknown", ("garbage",)),
}


def check(failure: CallFailure, case: Case, *, streamed: bool) -> None:
    """Whether it failed as the table says."""
    expected = case.streamed if streamed and case.streamed is not None else case.failure
    assert failure.failure is expected, str(failure)
    if case.spent == "nothing":
        assert failure.spent is None, str(failure)
    else:
        assert failure.spent is not None, str(failure)
        usage, cost = failure.spent
        assert cost.micro_usd is None
        assert cost.status is CostStatus.UNKNOWN_USAGE
        assert usage.problem
    assert failure.again is case.again
    if case.wait_s is None:
        assert failure.retry_after_s is None
    else:
        assert failure.retry_after_s == pytest.approx(case.wait_s, abs=0.6)
    assert "s3cret" not in str(failure)
    assert "\n" not in str(failure)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", ["openai_chat", "openai_responses", "anthropic", "ollama"])
def test_a_lie_is_a_failure_of_its_kind(loopback: Loopback, asker: Asker, kind: str, name: str, stream: bool) -> None:
    case = CASES[name]

    settings = model(kind, loopback.url(*case.words, **dict(case.values)), stream=stream, **dict(case.settings))

    check(asker.failing(settings), case, streamed=stream)


def test_a_body_that_is_shorter_than_it_says(loopback: Loopback, asker: Asker) -> None:
    failure = asker.failing(model("openai_chat", loopback.url(length="+50")))

    check(failure, Case(Failure.TRANSPORT, "unknown"), streamed=False)


def test_a_body_that_is_longer_than_it_says(loopback: Loopback, asker: Asker) -> None:
    """Whether the rest is seen as broken HTTP or is cut off depends on when it comes."""
    failure = asker.failing(model("openai_chat", loopback.url(length="m10")))

    assert failure.failure in (Failure.TRANSPORT, Failure.SCHEMA_INVALID)
    check(failure, Case(failure.failure, "unknown"), streamed=False)


def test_where_nobody_listens_nothing_is_spent(asker: Asker) -> None:
    with serving() as gone:
        address = gone.url()

    failure = asker.failing(model("openai_chat", address))

    assert (failure.failure, failure.spent, failure.again) == (Failure.TRANSPORT, None, True)
    assert "nothing listens there" in str(failure)


def test_a_redirect_is_named_and_not_followed(loopback: Loopback, asker: Asker) -> None:
    with serving() as other:
        failure = asker.failing(model("openai_chat", loopback.url(to=other.url() + "/v1/chat/completions")))

        assert other.stats()["connections"] == 0
    assert f"127.0.0.1:{other.port}" in str(failure)


@pytest.mark.parametrize("words", [("echo", "e401"), ("echo", "e500")])
def test_a_key_that_is_echoed_is_not_told(loopback: Loopback, asker: Asker, words: tuple[str, ...]) -> None:
    failure = asker.failing(model("openai_chat", loopback.url(*words)))

    assert "authorization" in str(failure)
    for secret in ("s3cret-key", "czNjcmV0LWtleQ"):
        assert secret not in str(failure)


def test_a_key_that_is_echoed_in_an_answer_is_taken_out(loopback: Loopback, asker: Asker) -> None:
    found = asker.ask(model("openai_chat", loopback.url("echo")))

    assert "authorization" in found.value.text
    assert "s3cret-key" not in found.value.text


def test_a_packed_answer_is_unpacked(loopback: Loopback, asker: Asker) -> None:
    found = asker.ask(model("openai_chat", loopback.url("gzip")))

    assert found.value.text == ANSWER
    assert loopback.seen()[-1].headers["accept-encoding"]


# ---- usage that is none -----------------------------------------------------------------------

KNOWN, UNKNOWN, FAILED = "known", "unknown", "failed"
WHOLE_USAGE = {
    **dict.fromkeys(("none", "null", "empty", "zeros", "total", "strings", "camel", "noprompt", "cached"), UNKNOWN),
    **dict.fromkeys(("wrong", "twice", "cut", "late", "dropped"), KNOWN),
}
STREAM_USAGE = {**WHOLE_USAGE, "cut": FAILED, "dropped": UNKNOWN}
"""`late`, `wrong` and `twice` depend on the dialect."""


@pytest.mark.parametrize("lie", WHOLE_USAGE)
@pytest.mark.parametrize("kind", ["openai_chat", "openai_responses", "anthropic", "ollama", "azure", "vllm"])
def test_a_whole_answer_without_usage_has_an_unknown_cost(
    loopback: Loopback, asker: Asker, kind: str, lie: str
) -> None:
    words = ("vllm",) if kind == "vllm" else ()
    found = asker.ask(model(kind, loopback.url(*words, usage=lie)))

    assert found.value.text == ANSWER
    _check_usage(found, WHOLE_USAGE[lie])


@pytest.mark.parametrize("lie", STREAM_USAGE)
@pytest.mark.parametrize("kind", ["openai_chat", "openai_responses", "anthropic", "ollama"])
def test_a_streamed_answer_without_usage_has_an_unknown_cost(
    loopback: Loopback, asker: Asker, kind: str, lie: str
) -> None:
    settings = model(kind, loopback.url(usage=lie), stream=True)
    expected = STREAM_USAGE[lie]
    if lie == "wrong" and kind != "openai_chat":
        expected = UNKNOWN  # of chat completions any piece may hold it
    if expected == FAILED or (lie == "late" and kind in ("openai_chat", "anthropic")):
        failure = asker.failing(settings)
        assert failure.spent is not None
        assert failure.failure in (Failure.TRANSPORT, Failure.PROVIDER_ERROR)
        assert (failure.spent[1].micro_usd is not None) is (lie == "late")
        return

    found = asker.ask(settings)

    assert found.value.text == ANSWER
    _check_usage(found, expected)


def _check_usage(found: Attempt[ModelReply], expected: str) -> None:
    if expected == KNOWN:
        assert (found.usage.input_total, found.usage.output_total) == (7, 5)
        assert found.cost.micro_usd == 27 or found.cost.status is CostStatus.KNOWN
    else:
        assert found.usage.source is UsageSource.MISSING
        assert found.usage.problem
        assert (found.cost.micro_usd, found.cost.status) == (None, CostStatus.UNKNOWN_USAGE)
