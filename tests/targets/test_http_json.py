"""A system behind an address: what it is sent, what is read out of its reply, and what is said when it is not there."""

import asyncio
import json
import math
import os
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from engine.model.calls import Attempt, Call
from engine.model.exchange import Answer, Exchange, Hit, ToolCall, Turn
from engine.model.network import NetworkFailure, Reply, Request, Secret
from engine.model.query import Query
from engine.model.record import Failure
from engine.model.target import Surroundings
from engine.model.usage import CostBasis, CostStatus, UsageSource
from engine.providers.transport import Transport
from engine.targets.http_json import HttpJson
from engine.targets.json_reply import Paths, Reading, UnreadableError
from engine.targets.recorded import read_answer
from engine.text import one_line
from tests.loopback import serving
from tests.targets.asking import OneReply, Pays, ask, failing, from_conf, surroundings

T = TypeVar("T")
HITS = {"hits": "$.results[*]", "source": "$.id", "title": "$.title", "snippet": "$.text", "score": "$.score"}
REPLY = {
    "results": [
        {"id": "tea", "title": "Tea", "text": "Wait three minutes.", "score": 0.9},
        {"id": 7, "title": None, "text": "Other", "score": 1},
    ]
}
AGENT = {
    "out": {"parts": [{"text": "Three "}, {"text": "minutes."}], "model": "m-1"},
    "sources": [{"id": "tea"}, {"id": 7}],
    "tools": [{"name": "search", "arguments": {"q": "tea", "n": 3}}],
    "usage": {"in": 120, "out": 30},
    "usd": 0.0021,
}
AGENT_READ = {
    "text": "$.out.parts[*].text",
    "citations": "$.sources[*].id",
    "tool_calls": "$.tools",
    "input_tokens": "$.usage.in",
    "output_tokens": "$.usage.out",
    "cost_usd": "$.usd",
    "model": "$.out.model",
}


def settings(**more: Any) -> HttpJson:
    return HttpJson(
        **{"url": "https://api.example.com/search", "body": {"query": "{query}"}, "read": HITS, "free": True, **more}
    )


def agent(**more: Any) -> HttpJson:
    return settings(**{"read": AGENT_READ, "free": False, **more})


def test_hits_are_read_in_order(tmp_path: Path) -> None:
    answer = ask(settings(), surroundings(tmp_path, OneReply(REPLY)))

    assert answer.hits == (Hit(1, "tea", 0.9, "Tea", "Wait three minutes."), Hit(2, "7", 1, "", "Other"))
    assert (answer.text, answer.citations, answer.notes) == (None, None, ())
    assert answer.usage is not None
    assert answer.usage.source is UsageSource.NOT_APPLICABLE
    assert answer.cost is not None
    assert answer.cost.status is CostStatus.DECLARED_FREE
    assert answer.latency_s == {"answer": 0.5}


def test_an_agent_tells_everything(tmp_path: Path) -> None:
    answer = ask(agent(), surroundings(tmp_path, OneReply(AGENT)))

    assert answer.text == "Three minutes."
    assert answer.citations == ("tea", "7")
    assert answer.tool_calls == (ToolCall("search", {"q": "tea", "n": "3"}),)
    assert answer.model == "m-1"
    assert answer.usage is not None
    assert (answer.usage.input_total, answer.usage.output_total) == (120, 30)
    assert answer.cost is not None
    assert (answer.cost.micro_usd, answer.cost.basis) == (2100, CostBasis.PROVIDER)


def test_the_shipped_settings_name_everything_there_is(tmp_path: Path) -> None:
    shipped = from_conf("http_json")
    assert list(shipped["read"]) == list(type(settings().read).model_fields)
    assert set(shipped) == set(HttpJson.model_fields)
    answer = ask(HttpJson(**{**shipped, "url": "https://a.example/"}), surroundings(tmp_path, OneReply(REPLY)))
    assert answer.hits is not None
    assert len(answer.hits) == 2


def test_what_is_sent(tmp_path: Path) -> None:
    network = OneReply(REPLY)
    before = Exchange(Query("q-0", "Hi", "", ""), Turn("Hi", "q-0"), Answer(text="Hello"))
    body = {"q": "{query}", "id": "{query_id}", "before": "{history}", "all": "{messages}", "n": (1, None, True)}
    chosen = settings(
        url="https://api.example.com/v1/{query}/x",
        parameters={"id": "{query_id}", "token": "env:TOKEN", "a b": "{query}"},
        body=body,
        key="env:KEY",
        headers={"X-Team": "blue", "accept": "text/json"},
    )
    ask(chosen, surroundings(tmp_path, network), (before,))

    (sent,) = network.requests
    asked = "How is tea brewed?"
    assert network.sites[0].url == "https://api.example.com"
    assert sent.url == (
        "https://api.example.com/v1/How%20is%20tea%20brewed%3F/x?id=q-1&a%20b=How%20is%20tea%20brewed%3F"
    )
    assert sent.query == (("token", Secret("TOKEN")),)
    assert sent.headers == (
        ("content-type", "application/json"),
        ("authorization", Secret("KEY", "Bearer ")),
        ("X-Team", "blue"),
        ("accept", "text/json"),
    )
    said = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    assert json.loads(sent.body) == {
        "q": asked,
        "id": "q-1",
        "before": said,
        "all": [*said, {"role": "user", "content": asked}],
        "n": [1, None, True],
    }


def test_a_get_has_no_body(tmp_path: Path) -> None:
    network = OneReply(REPLY)
    ask(settings(method="GET", body=None, parameters={"q": "{query}"}), surroundings(tmp_path, network))
    assert network.requests[0].method == "GET"
    assert network.requests[0].body == b""
    assert [name for name, _ in network.requests[0].headers] == ["accept"]


@pytest.mark.parametrize("reply", [{"results": []}, {"results": None}])
def test_nothing_found_is_an_answer(tmp_path: Path, reply: object) -> None:
    answer = ask(settings(), surroundings(tmp_path, OneReply(reply)))
    assert answer.hits == ()
    assert answer.notes == ()


def test_a_path_to_the_list_itself_will_do(tmp_path: Path) -> None:
    read = {**HITS, "hits": "$.results"}
    assert len(ask(settings(read=read), surroundings(tmp_path, OneReply(REPLY))).hits or ()) == 2


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ({"data": {"results": REPLY["results"]}}, "did you mean $.data.results[*]?"),
        ({"result": [], "took": 3}, 'has no "results", it is {result: [], took: 3}; did you mean $.result[*]?'),
        ({"results": {"a": {"id": "x"}, "b": {}}}, 'hit 2 has no "id", it is {}'),
        ({"results": [{"id": "x"}, {"_id": "y"}]}, 'hit 2 has no "id", it is {_id: "y"}; did you mean $._id?'),
        ({"results": [{"id": ""}]}, 'hit 1 must be a name, a text or a whole number, not ""'),
        ({"results": [{"id": True}]}, "not true"),
        ({"results": [{"id": 1.5}]}, "not 1.5"),
        ({"results": ["x"]}, 'hit 1 has no "id", it is "x"'),
        ({"results": "x"}, "$.results of the reply is no list"),
        ({"results": [{"id": "x", "score": "high"}]}, 'the score of hit 1 must be a number, not "high"'),
        ({"results": [{"id": "x", "score": True}]}, "must be a number, not true"),
        ({"results": [{"id": "x", "title": ["T"]}]}, "the title of hit 1 must be a text"),
        (b'{"results": [{"id": "x", "score": NaN}]}', "NaN and Infinity are no JSON"),
        (b'{"results": [{"id": "x", "score": 1e999}]}', "cannot be read as JSON"),
        ({"results": [None]}, 'hit 1 has no "id", it is null'),
        (b'{"results": [{"id": "x", "score": 1' + b"0" * 400 + b"}]}", "the score of hit 1 must be a number"),
        (b"<html>", "a web page and no JSON"),
        (b"", "the reply is empty"),
        (b"[" * 100_000, "cannot be read as JSON"),
        ([], 'the reply has no "results", it is []'),
    ],
)
def test_a_reply_without_what_must_be_there_says_what_it_has(tmp_path: Path, reply: object, said: str) -> None:
    failure = failing(settings(), surroundings(tmp_path, OneReply(reply)))
    assert failure.failure is Failure.SCHEMA_INVALID
    assert said in str(failure)
    assert len(str(failure)) < 600
    assert "\n" not in str(failure)
    assert failure.spent is not None
    assert failure.spent[1].micro_usd == 0


def test_what_may_be_missing_is_noted_and_not_known(tmp_path: Path) -> None:
    reply = {"out": {"parts": []}, "results": [{"id": "x", "name": "T"}]}
    read = {**AGENT_READ, **HITS}
    answer = ask(agent(read=read), surroundings(tmp_path, OneReply(reply)))

    assert (answer.text, answer.citations, answer.tool_calls, answer.model) == ("", None, None, None)
    assert answer.hits == (Hit(1, "x"),)
    assert answer.usage is not None
    assert answer.usage.source is UsageSource.MISSING
    assert answer.cost is not None
    assert answer.cost.status is CostStatus.UNKNOWN_USAGE
    assert any("no hit has a score: nothing at $.score: hit 1 has no" in note for note in answer.notes)
    assert any(note.startswith("citations are not known: nothing at $.sources[*].id") for note in answer.notes)


def test_foreign_text_in_a_failure_is_harmless(tmp_path: Path) -> None:
    failure = failing(settings(), surroundings(tmp_path, OneReply({"\x1b]0;x\x07": "\x1b[31m" * 99})))
    assert "\x1b" not in str(failure)


def test_a_reply_that_cannot_be_read_was_paid_for_all_the_same(tmp_path: Path) -> None:
    failure = failing(agent(), surroundings(tmp_path, OneReply({**AGENT, "out": {}})))
    assert failure.spent is not None
    assert failure.spent[0].input_total == 120
    assert failure.spent[1].micro_usd == 2100


@pytest.mark.parametrize(
    ("more", "most", "status"),
    [
        ({"free": True}, 0, CostStatus.DECLARED_FREE),
        ({"free": False}, None, CostStatus.UNKNOWN_USAGE),
        ({"free": False, "cost_per_request_usd": 0.0000011}, 2, CostStatus.KNOWN),
    ],
)
def test_what_a_request_costs_at_most(tmp_path: Path, more: dict[str, Any], most: int | None, status: str) -> None:
    calls = Pays()
    answer = ask(settings(**more), surroundings(tmp_path, OneReply(REPLY)), calls=calls)
    assert [(call.who, call.most) for call in calls.calls] == [("target", most)]
    assert answer.cost is not None
    assert (answer.cost.micro_usd, answer.cost.status) == (most, status)
    assert answer.usage is not None
    source = UsageSource.MISSING if most is None else UsageSource.NOT_APPLICABLE
    assert answer.usage.source is source


@pytest.mark.parametrize("told", [-1, "much", True, math.pi * 1e300, [1]])
def test_a_cost_that_makes_no_sense_is_not_known(tmp_path: Path, told: object) -> None:
    answer = ask(agent(), surroundings(tmp_path, OneReply({**AGENT, "usd": told})))
    assert answer.cost is not None
    assert answer.cost.micro_usd is None


@pytest.mark.parametrize(
    ("status", "failure", "charged"),
    [(0, Failure.TIMEOUT, True), (429, Failure.RATE_LIMITED, False), (302, Failure.TRANSPORT, False)],
)
def test_no_answer(tmp_path: Path, status: int, failure: Failure, charged: bool) -> None:
    found = failing(settings(free=False), surroundings(tmp_path, OneReply({}, status)))
    assert found.failure is failure
    assert (found.spent is not None) is charged


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"read": {"hits": "$.results["}}, "this [ is not closed, at character 10:\n    $.results[\n             ^"),
        ({"read": {"hits": "results"}}, "write $.results instead"),
        ({"read": {}}, "read says nowhere where the answer is"),
        ({"read": {"text": "$.a", "input_tokens": "$.i"}}, "input_tokens and output_tokens, or neither"),
        ({"body": {"q": "{qury}"}}, "did you mean {query}?"),
        ({"url": "https://x.example/{quary}"}, "did you mean {query}?"),
        ({"url": "https://{query}/"}, "only behind the host"),
        ({"url": "localhost:8000/search"}, "an address begins with https://"),
        ({"url": "x.example/search"}, "write https://x.example/search instead"),
        ({"parameters": {"q": "{messages}"}}, "nothing is called {messages}"),
        ({"free": True, "cost_per_request_usd": 0.1}, "free and cost_per_request_usd contradict"),
        ({"free": True, "read": {"text": "$.a", "cost_usd": "$.c"}}, "free and read.cost_usd contradict"),
        ({"method": "GET"}, "a GET has no body"),
        ({"url": "https://x.example/s?key=env:KEY"}, "write the secret under parameters"),
        ({"url": "https://x.example/s#part"}, "a blank, a # or a \\ in an address"),
        ({"url": "https://x.example/a b"}, "a blank, a # or a \\ in an address"),
        ({"body": {"key": ["env:KEY"]}}, "a secret belongs in key, headers or parameters"),
        ({"body": {"query": {"query": None}}}, "write it as '{query}'"),
        ({"body": {"n": math.nan}}, "JSON has no word for"),
        ({"parameters": {"q": {"query": None}}}, "write it as '{query}'"),
        ({"parameters": {"q": "{query} env:KEY"}}, "beside a secret"),
        ({"headers": {"x-query": "{query}"}}, "nothing is filled into headers"),
    ],
)
def test_wrong_settings_are_told_before_anything_is_sent(more: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        settings(**more)
    assert said in str(caught.value)


def test_identity_holds_what_can_change_an_answer_and_no_key(tmp_path: Path) -> None:
    chosen = settings(key="env:KEY", headers={"x": "env:OTHER"})
    with chosen.open(surroundings(tmp_path)) as target:
        identity = target.identity
    assert identity["url"] == "https://api.example.com/search"
    assert json.loads(str(identity["body"])) == {"query": "{query}"}
    assert json.loads(str(identity["read"]))["hits"] == "$.results[*]"
    assert not {"key", "headers", "free", "retries", "cost_per_request_usd"} & set(identity)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_real_search_on_this_machine(tmp_path: Path, method: str) -> None:
    with serving() as server:
        asked = {"parameters": {"q": "{query}"}, "body": None} if method == "GET" else {"body": {"query": "{query}"}}
        chosen = settings(url=f"{server.origin}/search", local=True, method=method, **asked)

        async def once() -> Answer:
            network = Transport(os.environ, 4)
            around = Surroundings(tmp_path, tmp_path, tmp_path, print, network)
            with chosen.open(around) as target:
                answer = await target.answer(Turn("brew tea", "q-1"), (), Pays())
            await network.aclose()
            return answer

        hits = asyncio.run(once()).hits
    assert hits is not None
    assert hits[0].source == "tea"
    assert hits[0].score == 1.0


@pytest.mark.parametrize("names", [[], ["a"], ["a", "b"]])
@pytest.mark.parametrize("hits", ["$.results", "$.results[*]"])
def test_hits_that_are_lists_are_read_alike_however_many_there_are(tmp_path: Path, names: list[str], hits: str) -> None:
    network = OneReply({"results": [[name, "title of it"] for name in names]})
    answer = ask(settings(read={"hits": hits, "source": "$[0]", "title": "$[1]"}), surroundings(tmp_path, network))
    assert answer.hits == tuple(Hit(rank, name, None, "title of it") for rank, name in enumerate(names, 1))


def test_a_hit_is_never_left_out_in_silence(tmp_path: Path) -> None:
    read = {"hits": "$.results[*].document"}
    documents = [{"document": {"id": name}} for name in "ab"]
    whole = ask(settings(read=read), surroundings(tmp_path, OneReply({"results": documents})))
    failure = failing(settings(read=read), surroundings(tmp_path, OneReply({"results": [{"note": "x"}, *documents]})))

    assert whole.hits == (Hit(1, "a"), Hit(2, "b"))
    assert str(failure) == 'nothing at $.document: hit 1 has no "document", it is {note: "x"}'


def test_a_secret_that_comes_in_pieces_is_taken_out(tmp_path: Path) -> None:
    class Knows(OneReply):
        def clean(self, text: str) -> str:
            return text.replace("s3cret-key", "[secret removed]")

    network = Knows({**AGENT, "out": {"parts": [{"text": "It is s3c"}, {"text": "ret-key."}]}})
    assert ask(agent(), surroundings(tmp_path, network)).text == "It is [secret removed]."


def test_numbers_may_be_parameters(tmp_path: Path) -> None:
    network = OneReply(REPLY)
    ask(settings(parameters={"size": 10, "least": 0.5, "all": True}), surroundings(tmp_path, network))
    assert network.requests[0].url.endswith("?size=10&least=0.5&all=true")


def test_an_empty_object_is_a_body(tmp_path: Path) -> None:
    network = OneReply(REPLY)
    ask(settings(body={}), surroundings(tmp_path, network))
    assert network.requests[0].body == b"{}"
    assert ("content-type", "application/json") in network.requests[0].headers


@pytest.mark.parametrize(
    ("failure", "sent", "again"),
    [
        (Failure.TRANSPORT, False, True),
        (Failure.TIMEOUT, False, True),
        (Failure.UNAUTHORIZED, False, False),
        (Failure.VALIDATION, False, False),
        (Failure.TRANSPORT, True, False),
    ],
)
def test_only_what_may_pass_is_tried_again(tmp_path: Path, failure: Failure, sent: bool, again: bool) -> None:
    """A key that is missing will be missing the next time, and what may have arrived may be charged twice."""

    class Broken(OneReply):
        async def send(self, request: Request, on_bytes: object = None) -> Reply:
            raise NetworkFailure(failure, "broken", sent=sent)

    found = failing(settings(free=False, cost_per_request_usd=0.01), surroundings(tmp_path, Broken()))
    assert (found.failure, found.again) == (failure, again)
    assert (found.spent is not None) is sent
    assert not sent or (found.spent and found.spent[1].micro_usd) == 10_000


NAMES = st.sampled_from(["results", "id", "title", "score", "text", "out", "parts", "sources", "tools", "name", "usd"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)


A_HIT = st.fixed_dictionaries(
    {"id": st.text(max_size=3) | st.integers()},
    optional={"title": st.none() | st.text(), "score": st.floats(allow_nan=False) | st.integers()},
)


@given(st.dictionaries(NAMES, JSON), st.lists(A_HIT, min_size=1, max_size=2) | st.lists(JSON, max_size=2) | JSON)
def test_whatever_comes_is_an_answer_or_says_why_not(reply: dict[str, object], results: object) -> None:
    """What was read can be kept and restored; nothing else than UnreadableError is ever raised."""
    reading = Reading.of(Paths.model_validate({**AGENT_READ, **HITS, "text": None}))
    try:
        found = reading.read({**reply, "results": results})
    except UnreadableError as error:
        said = str(error)
        assert said == one_line(said)
        return
    restored = read_answer(json.loads(json.dumps(found.answer)))
    assert restored.hits is not None
    assert found.usage is not None


def test_a_kept_answer_comes_back_with_its_notes(tmp_path: Path) -> None:
    class Restores(Pays):
        async def pay(self, call: Call[T]) -> Attempt[T]:
            made = await super().pay(call)
            return made._replace(value=call.restores(json.loads(json.dumps(call.keeps(made.value)))))

    network = OneReply({**AGENT, "sources": None, "results": [{"id": "x"}, {"id": "x"}]})
    chosen = agent(read={**AGENT_READ, **HITS})
    first = ask(chosen, surroundings(tmp_path, network))
    assert len(first.notes) == 4
    assert ask(chosen, surroundings(tmp_path, network), calls=Restores()) == first
