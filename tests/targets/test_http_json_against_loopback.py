"""A search and an agent behind an address, through the real transport, when the server is honest and when it lies."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engine.model.calls import CallFailure
from engine.model.exchange import Answer, ToolCall, Turn
from engine.model.record import Failure
from engine.model.target import Surroundings
from engine.model.usage import CostBasis, CostStatus, UsageSource
from engine.providers.transport import Transport
from engine.targets.http_json import HttpJson
from tests.doubles import JustCalls
from tests.loopback import Loopback, serving

SEARCH = {"hits": "$.results[*]", "title": "$.title", "snippet": "$.text", "score": "$.score"}
AGENT = {
    "text": "$.answer",
    "hits": "$.retrieved[*]",
    "citations": "$.citations[*].id",
    "tool_calls": "$.tool_calls[*]",
    "input_tokens": "$.usage.prompt_tokens",
    "output_tokens": "$.usage.completion_tokens",
    "cost_usd": "$.cost_usd",
    "model": "$.model",
}
TINY = 0.08


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks over one transport."""

    runner: asyncio.Runner
    transport: Transport

    def ask(self, query: str = "how to brew tea", **settings: object) -> Answer:
        """One question to a target with these settings."""
        target = HttpJson.model_validate({"kind": "http_json", "local": True, "key": "env:KEY", **settings})
        nowhere = Path("/nowhere")
        surroundings = Surroundings(nowhere, nowhere, nowhere, lambda _: None, self.transport)
        with target.open(surroundings) as opened:
            found: Any = self.runner.run(opened.answer(Turn(query, "q1"), (), JustCalls()))
        assert isinstance(found, Answer)
        return found


@pytest.fixture(scope="module")
def loopback() -> Iterator[Loopback]:
    with serving() as server:
        yield server


@pytest.fixture(scope="module")
def asker() -> Iterator[Asker]:
    with asyncio.Runner() as runner:
        transport = Transport({"KEY": "s3cret-key"}, 8)
        yield Asker(runner, transport)
        runner.run(transport.aclose())


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param({"method": "GET", "parameters": {"q": "{query}", "limit": "2"}}, id="parameters"),
        pytest.param({"method": "POST", "body": {"query": "{query}", "limit": 2}}, id="body"),
    ],
)
def test_a_search(loopback: Loopback, asker: Asker, sent: dict[str, object]) -> None:
    answer = asker.ask('how to brew tea & "more"', url=f"{loopback.url()}/search", read=SEARCH, free=True, **sent)

    assert answer.hits is not None
    assert [(hit.rank, hit.source, hit.title) for hit in answer.hits] == [
        (1, "tea", "How to brew tea"),
        (2, "coffee", "How to brew coffee"),
    ]
    assert "wait three minutes" in answer.hits[0].snippet
    assert answer.cost is not None
    assert (answer.cost.micro_usd, answer.cost.status) == (0, CostStatus.DECLARED_FREE)
    seen = loopback.seen()[-1]
    assert seen.headers["authorization"] == "Bearer s3cret-key"
    assert (seen.query["q"] if sent["method"] == "GET" else seen.body.decode()).count("tea") == 1


def test_nothing_found_is_an_empty_list_and_no_failure(loopback: Loopback, asker: Asker) -> None:
    answer = asker.ask(
        "astrophysics", url=f"{loopback.url()}/search", read=SEARCH, free=True, body={"query": "{query}"}
    )

    assert answer.hits == ()


def test_an_agent(loopback: Loopback, asker: Asker) -> None:
    answer = asker.ask(url=f"{loopback.url()}/agent", read=AGENT, body={"query": "{query}"})

    assert answer.text is not None
    assert answer.text.startswith("Pour water of ninety degrees")
    assert answer.citations == ("tea",)
    assert answer.tool_calls == (ToolCall("search", {"query": "how to brew tea", "limit": "3"}),)
    assert answer.usage is not None
    assert answer.usage.source is UsageSource.PROVIDER
    assert answer.cost is not None
    read, wrote = answer.usage.input_total, answer.usage.output_total
    assert read is not None
    assert wrote is not None
    assert (answer.cost.micro_usd, answer.cost.basis) == (read + 4 * wrote, CostBasis.PROVIDER)
    assert answer.model == "loopback-agent"


@pytest.mark.parametrize("lie", ["none", "null", "empty", "strings", "camel", "noprompt"])
def test_an_agent_that_does_not_tell_what_it_used(loopback: Loopback, asker: Asker, lie: str) -> None:
    read = {name: path for name, path in AGENT.items() if name != "cost_usd"}

    answer = asker.ask(url=f"{loopback.url(usage=lie)}/agent", read=read, body={"query": "{query}"})

    assert answer.text
    assert answer.usage is not None
    assert answer.usage.source is UsageSource.MISSING
    assert answer.cost is not None
    assert answer.cost.micro_usd is None


CASES: dict[str, tuple[Failure, str, tuple[str, ...], dict[str, Any], dict[str, Any]]] = {
    "400": (Failure.PROVIDER_ERROR, "nothing", ("e400",), {}, {}),
    "401": (Failure.UNAUTHORIZED, "nothing", ("e401", "echo"), {}, {}),
    "429": (Failure.RATE_LIMITED, "nothing", ("e429",), {"retry": 3}, {}),
    "503": (Failure.PROVIDER_ERROR, "nothing", ("e503",), {}, {}),
    "302": (Failure.TRANSPORT, "nothing", (), {"to": "http://169.254.169.254/latest"}, {}),
    "malformed": (Failure.SCHEMA_INVALID, "unknown", ("bad",), {}, {}),
    "web-page": (Failure.SCHEMA_INVALID, "unknown", ("html",), {}, {}),
    "wrong-types": (Failure.SCHEMA_INVALID, "unknown", ("types",), {}, {}),
    "empty": (Failure.SCHEMA_INVALID, "unknown", ("empty",), {}, {}),
    "cut": (Failure.TRANSPORT, "unknown", (), {"cut": 20}, {}),
    "ended-early": (Failure.SCHEMA_INVALID, "unknown", (), {"cutclean": 20}, {}),
    "bomb": (Failure.TRANSPORT, "unknown", (), {"bomb": 40}, {}),
    "endless": (Failure.TRANSPORT, "unknown", ("endless",), {}, {}),
    "never": (Failure.TIMEOUT, "unknown", ("never",), {}, {"read_s": TINY}),
    "slow-body": (Failure.TIMEOUT, "unknown", (), {"slowbody": 60}, {"total_s": TINY}),
    "closed": (Failure.TRANSPORT, "unknown", ("close",), {}, {}),
    "no-http": (Failure.TRANSPORT, "unknown", ("garbage",), {}, {}),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("free", [False, True], ids=["paid", "free"])
def test_a_lie_is_a_failure_of_its_kind(loopback: Loopback, asker: Asker, name: str, free: bool) -> None:
    failure, spent, words, values, settings = CASES[name]
    url = f"{loopback.url(*words, **values)}/search"

    with pytest.raises(CallFailure) as found:
        asker.ask(url=url, read=SEARCH, body={"query": "{query}"}, free=free, **settings)

    assert found.value.failure is failure, str(found.value)
    assert "s3cret" not in str(found.value)
    if spent == "nothing":
        assert found.value.spent is None
    else:
        assert found.value.spent is not None
        assert found.value.spent[1].micro_usd == (0 if free else None)
