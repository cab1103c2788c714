"""What each dialect makes of a reply: whole, streamed, cut, refused, broken."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.model.exchange import ToolCall
from engine.model.record import Failure
from engine.model.usage import UsageSource
from engine.providers.dialect import BadReply, Finish, ModelReply
from engine.providers.reading import tool_call
from engine.providers.usage import chat_usage
from tests.providers.transcripts import DIALECTS, Outcome, load, names, streamed, whole

BERN = "Die Hauptstadt ist Bern – „ja“ 🐻."
TOOLS = (ToolCall("get_weather", {"city": "Zürich", "days": "2"}), ToolCall("now"))
SORRY = "I'm sorry, I cannot assist with that request."

# (text, why it stopped, tool calls, (input, cached, written to a cache, output, reasoning))
Expected = tuple[str, Finish, tuple[ToolCall, ...], tuple[int | None, ...]]
OPENAI: dict[str, Expected] = {
    "normal": (BERN, Finish.STOP, (), (19, 4, None, 10, 3)),
    "crlf": (BERN, Finish.STOP, (), (19, 4, None, 10, 3)),
    "length": ("Once upon a", Finish.LENGTH, (), (19, 0, None, 3, 0)),
    "tool_call": ("", Finish.TOOLS, TOOLS, (19, 0, None, 17, 0)),
    "parts": ("One, two.", Finish.STOP, (), (19, 0, None, 10, 0)),
    "no_usage": ("Bern.", Finish.STOP, (), (None, None, None, None, None)),
}
FILTERED: Expected = ("", Finish.REFUSED, (), (19, 0, None, 0, 0))
REPLIES: dict[str, dict[str, Expected]] = {
    "openai_chat": {**OPENAI, "refusal": (SORRY, Finish.REFUSED, (), (19, 0, None, 10, 0))},
    "azure": {**OPENAI, "refusal": FILTERED},
    "vllm": {**OPENAI, "refusal": FILTERED},
    "openai_responses": {
        "normal": (BERN, Finish.STOP, (), (36, 8, None, 87, 64)),
        "length": ("Once upon a", Finish.LENGTH, (), (36, 0, None, 16, 0)),
        "refusal": (SORRY, Finish.REFUSED, (), (36, 0, None, 12, 0)),
        "filtered": ("Half an", Finish.REFUSED, (), (36, 0, None, 3, 0)),
        "tool_call": ("", Finish.TOOLS, TOOLS, (36, 0, None, 23, 0)),
        "parts": ("One, two.", Finish.STOP, (), (36, 0, None, 5, 0)),
    },
    "anthropic": {
        "normal": (BERN, Finish.STOP, (), (142, 100, 30, 20, 7)),
        "length": ("Once upon a", Finish.LENGTH, (), (12, 0, 0, 3, None)),
        "refusal": ("I cannot", Finish.REFUSED, (), (12, 0, 0, 2, None)),
        "tool_call": ("", Finish.TOOLS, TOOLS, (12, 0, 0, 89, None)),
        "parts": ("One, two.", Finish.STOP, (), (12, 0, 0, 5, None)),
    },
    "ollama": {
        "normal": (BERN, Finish.STOP, (), (26, 8, None, 10, None)),
        "length": ("Once upon a", Finish.LENGTH, (), (26, 8, None, 3, None)),
        "tool_call": ("", Finish.TOOLS, TOOLS, (26, 8, None, 10, None)),
        "parts": ("One, two.", Finish.STOP, (), (26, 8, None, 10, None)),
    },
}
MODELS = {
    "openai_chat": "gpt-5-mini-2025-08-07",
    "openai_responses": "gpt-5-mini-2025-08-07",
    "anthropic": "claude-sonnet-4-5-20250929",
    "ollama": "llama3.2",
    "azure": "gpt-4o-2024-11-20",
    "vllm": "Qwen/Qwen3-8B",
}
# why there is no reply: category, what the message says, and what is known of the usage
BROKEN: dict[str, tuple[Failure, str, UsageSource]] = {
    "openai_chat/error.json": (Failure.PROVIDER_ERROR, "The server had an error while", UsageSource.MISSING),
    "openai_chat/error.sse": (Failure.PROVIDER_ERROR, "The server had an error while", UsageSource.MISSING),
    "openai_chat/empty.json": (Failure.SCHEMA_INVALID, "choices is empty", UsageSource.PROVIDER),
    "openai_chat/empty.sse": (Failure.SCHEMA_INVALID, "no piece had choices", UsageSource.PROVIDER),
    "openai_chat/cut.sse": (Failure.TRANSPORT, "broke off", UsageSource.MISSING),
    "azure/error.json": (Failure.PROVIDER_ERROR, "The server had an error while", UsageSource.MISSING),
    "azure/error.sse": (Failure.PROVIDER_ERROR, "The server had an error while", UsageSource.MISSING),
    "azure/empty.json": (Failure.SCHEMA_INVALID, "choices is empty", UsageSource.PROVIDER),
    "azure/empty.sse": (Failure.SCHEMA_INVALID, "no piece had choices", UsageSource.PROVIDER),
    "azure/cut.sse": (Failure.TRANSPORT, "broke off", UsageSource.MISSING),
    "vllm/error.json": (Failure.PROVIDER_ERROR, "EngineCore encountered", UsageSource.MISSING),
    "vllm/error.sse": (Failure.PROVIDER_ERROR, "EngineCore encountered", UsageSource.MISSING),
    "vllm/empty.json": (Failure.SCHEMA_INVALID, "choices is empty", UsageSource.PROVIDER),
    "vllm/empty.sse": (Failure.SCHEMA_INVALID, "no piece had choices", UsageSource.PROVIDER),
    "vllm/cut.sse": (Failure.TRANSPORT, "broke off", UsageSource.MISSING),
    "openai_responses/error.json": (Failure.PROVIDER_ERROR, "failed to generate", UsageSource.PROVIDER),
    "openai_responses/error.sse": (Failure.PROVIDER_ERROR, "failed to generate", UsageSource.PROVIDER),
    "openai_responses/error_event.sse": (Failure.PROVIDER_ERROR, "The server had an error.", UsageSource.MISSING),
    "openai_responses/empty.json": (Failure.SCHEMA_INVALID, "output is empty", UsageSource.PROVIDER),
    "openai_responses/empty.sse": (Failure.SCHEMA_INVALID, "output is empty", UsageSource.PROVIDER),
    "openai_responses/cut.sse": (Failure.TRANSPORT, "broke off", UsageSource.MISSING),
    "anthropic/error.json": (Failure.PROVIDER_ERROR, "Overloaded", UsageSource.MISSING),
    "anthropic/error.sse": (Failure.PROVIDER_ERROR, "Overloaded", UsageSource.MISSING),
    "anthropic/empty.json": (Failure.SCHEMA_INVALID, "content is empty", UsageSource.PROVIDER),
    "anthropic/empty.sse": (Failure.SCHEMA_INVALID, "no block had content", UsageSource.MISSING),
    "anthropic/cut.sse": (Failure.TRANSPORT, "broke off", UsageSource.MISSING),
    "ollama/error.json": (Failure.PROVIDER_ERROR, "model runner has unexpectedly stopped", UsageSource.MISSING),
    "ollama/error.ndjson": (Failure.PROVIDER_ERROR, "unexpected EOF", UsageSource.MISSING),
    "ollama/empty.json": (Failure.SCHEMA_INVALID, "no message", UsageSource.MISSING),
    "ollama/empty.ndjson": (Failure.TRANSPORT, "broke off", UsageSource.MISSING),
    "ollama/cut.ndjson": (Failure.TRANSPORT, "broke off", UsageSource.MISSING),
}
STREAMS = names(".sse", ".ndjson")
CUT_IN_TWO = [name for name in STREAMS if name.split("/")[1].split(".")[0] in ("normal", "tool_call", "crlf", "error")]


def _read(name: str) -> Outcome:
    dialect, data = load(name)
    return whole(dialect, data) if name.endswith(".json") else streamed(dialect, data)


@pytest.mark.parametrize("name", [name for name in names(".json", ".sse", ".ndjson") if name not in BROKEN])
def test_an_answer(name: str) -> None:
    dialect, case = name.split("/")
    text, finish, calls, counts = REPLIES[dialect][case.partition(".")[0]]

    reply = _read(name)

    assert isinstance(reply, ModelReply), reply
    assert (reply.text, reply.finish, reply.tool_calls, reply.model) == (text, finish, calls, MODELS[dialect])
    used = reply.usage
    found = used.input_total, used.input_cached, used.input_cache_write, used.output_total, used.output_reasoning
    assert found == counts
    assert used.source is (UsageSource.MISSING if counts[0] is None else UsageSource.PROVIDER)


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_no_answer(name: str) -> None:
    failure, message, source = BROKEN[name]

    outcome = _read(name)

    assert isinstance(outcome, tuple), outcome
    assert outcome[0] is failure
    assert message in outcome[1]
    assert outcome[2].source is source  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", CUT_IN_TWO)
def test_a_stream_that_is_cut_in_two_at_any_byte_gives_one_result(name: str) -> None:
    dialect, data = load(name)
    expected = streamed(dialect, data)

    assert all(streamed(dialect, data[:at], data[at:]) == expected for at in range(len(data) + 1))


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_that_comes_byte_by_byte_gives_one_result(name: str) -> None:
    dialect, data = load(name)

    assert streamed(dialect, *(data[at : at + 1] for at in range(len(data)))) == streamed(dialect, data)


@pytest.mark.parametrize("name", [name for name in STREAMS if "/normal" in name])
def test_a_stream_that_ends_too_early_is_never_half_an_answer(name: str) -> None:
    dialect, data = load(name)
    expected = streamed(dialect, data)
    assert isinstance(expected, ModelReply)

    for at in range(0, len(data), 3):
        early = streamed(dialect, data[:at])
        if isinstance(early, ModelReply):  # only what it used, or nothing, is missing
            assert (early.text, early.finish) == (expected.text, expected.finish)
        else:
            assert early[0] is Failure.TRANSPORT, early


@pytest.mark.parametrize("kind", DIALECTS)
def test_the_time_to_the_first_token_ends_with_the_text_and_not_with_the_thinking(kind: str) -> None:
    dialect, data = load(f"{kind}/normal.{'ndjson' if kind == 'ollama' else 'sse'}")
    reader = dialect.reader()
    started_at = None
    for at in range(len(data)):
        reader.feed(data[at : at + 1])
        if reader.started and started_at is None:
            started_at = at

    assert started_at is not None
    first, thinking = data.index(b"Die Haupt"), data.find(b"They ask")
    assert thinking < first < started_at < data.index(b"Bern")


BODIES = [
    b"",
    b"  \n",
    b"null",
    b"[]",
    b'"text"',
    b"{}",
    b"<!DOCTYPE html><html><body>502 Bad Gateway</body></html>",
    b'{"choices": [',
    b'{"choices": NaN}',
    b'{"choices": 1e999}',
    b"\xff\xfe{}",
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b"9" * 10_000,
]


@pytest.mark.parametrize("kind", DIALECTS)
@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_a_body_that_is_no_reply(kind: str, body: bytes) -> None:
    outcome = whole(DIALECTS[kind], body)

    assert isinstance(outcome, tuple)
    assert outcome[0] is Failure.SCHEMA_INVALID
    assert len(outcome[1]) < 200


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
@pytest.mark.parametrize("kind", DIALECTS)
def test_a_number_that_json_lacks_is_no_reply(kind: str, number: str) -> None:
    """It could not be written to a record, not even within the usage."""
    _, data = load(f"{kind}/normal.json")
    changed = data.rstrip().removesuffix(b"}") + f', "x_count": {number}}}'.encode()

    outcome = whole(DIALECTS[kind], changed)
    assert isinstance(outcome, tuple)
    assert outcome[0] is Failure.SCHEMA_INVALID


@pytest.mark.parametrize("name", [name for name in STREAMS if "/normal" in name])
def test_what_comes_after_the_end_is_not_read(name: str) -> None:
    dialect, data = load(name)

    assert streamed(dialect, data, b"data: {{{\n\n", b"{{{\n", data) == streamed(dialect, data)


@pytest.mark.parametrize("name", [name for name in STREAMS if "/normal" in name])
def test_the_last_line_may_lack_its_end(name: str) -> None:
    dialect, data = load(name)

    assert streamed(dialect, data.rstrip(b"\n")) == streamed(dialect, data)


def test_a_last_piece_without_its_end_still_counts_when_no_done_follows() -> None:
    _, data = load("openai_chat/normal.sse")
    without_done = data.removesuffix(b"data: [DONE]\n\n").rstrip(b"\n")

    assert streamed(DIALECTS["openai_chat"], without_done) == streamed(DIALECTS["openai_chat"], data)


def test_a_web_page_is_called_one() -> None:
    with pytest.raises(BadReply, match="the reply is a web page; is the address that of an API"):
        DIALECTS["openai_chat"].read(b"\n<html>\x1b[31m</html>")


def test_the_beginning_of_what_is_no_json_is_shown_without_what_a_terminal_obeys() -> None:
    with pytest.raises(BadReply) as raised:
        DIALECTS["anthropic"].read(b"upstream \x1b[31mred\x07 " + b"x" * 500)

    assert str(raised.value) == f'the reply is no JSON; it begins with "upstream \ufffdred\ufffd {"x" * 44}…"'


@pytest.mark.parametrize("name", [name for name in STREAMS if name.startswith(("openai_responses", "anthropic"))])
def test_a_stream_without_the_names_of_its_events_says_the_same(name: str) -> None:
    dialect, data = load(name)
    unnamed = b"\n".join(line for line in data.split(b"\n") if not line.startswith(b"event:"))

    assert streamed(dialect, unnamed) == streamed(dialect, data)


def test_the_model_is_named_by_any_piece() -> None:
    _, data = load("vllm/normal.sse")
    first, *others = data.split(b'"model":"Qwen/Qwen3-8B"')
    reply = streamed(DIALECTS["vllm"], first + b'"model":"Qwen/Qwen3-8B"' + b'"model":null'.join(others))

    assert isinstance(reply, ModelReply)
    assert reply.model == "Qwen/Qwen3-8B"


def test_a_part_of_an_unknown_type_is_no_text() -> None:
    _, data = load("openai_chat/parts.json")
    reply = DIALECTS["openai_chat"].read(data.replace(b'"type": "thinking"', b'"type": "reasoning", "text": "hm"'))

    assert reply.text == "One, two."


@pytest.mark.parametrize("done", [b"false", b"null", b'"true"', b"1"])
def test_a_reply_of_ollama_that_is_not_done_is_none(done: bytes) -> None:
    _, data = load("ollama/normal.json")
    with pytest.raises(BadReply, match="does not say that it is done"):
        DIALECTS["ollama"].read(data.replace(b'"done": true', b'"done": ' + done))


@pytest.mark.parametrize("depth", [150, 400, 700, 850, 900, 930, 950, 970, 980, 990])
@pytest.mark.parametrize("kind", DIALECTS)
def test_a_value_that_is_nested_deeply_raises_nothing_else(kind: str, depth: int) -> None:
    deep = ("[" * depth + "]" * depth).encode()
    for name in ("normal", "tool_call", "error"):
        _, data = load(f"{kind}/{name}.json")
        for place in (b'"usage": ', b'"arguments": ', b'"input": ', b'"error": ', b'"content": ', b'"eval_count": '):
            at = data.find(place) + len(place)
            _json_safe(whole(DIALECTS[kind], data[:at] + b'{"type":' + deep + b'},"x":' + data[at:]))


def test_a_tool_call_with_an_argument_too_deep_to_write_is_refused() -> None:
    """Some versions of Python read deeper than they write."""
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    try:
        with pytest.raises(ValueError, match="nested too deeply"):
            tool_call("lookup", {"id": deep})
        assert chat_usage({"prompt_tokens": 1, "x": deep}, wrote=True).raw == "left out: it is too large"
    finally:
        while deep:  # taken apart by hand: some versions cannot free it either
            deep = deep.pop()  # type: ignore[assignment]


def test_a_reason_in_a_stream_is_short_whatever_the_stream_holds() -> None:
    for number in (b"9" * 5_000, b"9" * 5_000 + b"e999", b"\xff"):
        outcome = streamed(DIALECTS["vllm"], b'data: {"x": ' + number + b"}\n\n")
        assert isinstance(outcome, tuple)
        assert outcome[:2] == (Failure.SCHEMA_INVALID, "the reply cannot be read: a piece of it is no JSON")


@pytest.mark.parametrize(
    ("kind", "said", "failure"),
    [
        (
            "openai_chat",
            {"error": {"message": "slow", "code": "rate_limit_exceeded"}},
            "rate_limited",
        ),
        ("anthropic", {"type": "error", "error": {"type": "rate_limit_error", "message": "m"}}, "rate_limited"),
        ("anthropic", {"type": "error", "error": {"type": "overloaded_error", "message": "m"}}, "provider_error"),
        ("vllm", {"error": {}}, "provider_error"),
        ("vllm", {"error": [1]}, "provider_error"),
    ],
)
def test_the_kind_of_an_error_after_200(kind: str, said: object, failure: str) -> None:
    with pytest.raises(BadReply) as raised:
        DIALECTS[kind].read(json.dumps(said).encode())

    assert raised.value.failure == failure


def test_a_reply_that_says_it_is_an_error_after_its_usage_keeps_the_usage() -> None:
    _, data = load("openai_chat/normal.sse")
    late = data.replace(b"data: [DONE]\n\n", b'event: error\ndata: {"message": "late"}\n\n')

    with pytest.raises(BadReply, match="failed while it answered: late") as raised:
        DIALECTS["openai_chat"].reader().feed(late)

    assert (raised.value.usage.input_total, raised.value.usage.output_total) == (19, 10)


def test_a_response_that_failed_may_hold_nothing_but_its_error() -> None:
    last = {"type": "response.failed", "response": {"status": "failed", "error": {"message": "no more"}}}
    outcome = streamed(DIALECTS["openai_responses"], f"data: {json.dumps(last)}\n\n".encode())

    assert isinstance(outcome, tuple)
    assert outcome[:2] == (Failure.PROVIDER_ERROR, "the other side failed while it answered: no more")


def test_an_error_in_the_middle_keeps_what_was_read_and_not_what_was_written() -> None:
    _, data = load("anthropic/error.sse")
    with pytest.raises(BadReply) as raised:
        DIALECTS["anthropic"].reader().feed(data)

    used = raised.value.usage
    assert (used.source, used.input_total, used.output_total) == (UsageSource.MISSING, 12, None)
    assert used.problem == "the answer broke off before its usage was complete"


def test_a_piece_of_a_tool_call_that_never_began_is_refused() -> None:
    _, data = load("anthropic/tool_call.sse")
    lost = data.replace(b'"index":0,"delta"', b'"index":7,"delta"')

    outcome = streamed(DIALECTS["anthropic"], lost)
    assert isinstance(outcome, tuple)
    assert outcome[:2] == (Failure.SCHEMA_INVALID, "the reply cannot be read: a tool call has no beginning")


def test_arguments_of_a_tool_that_are_no_object_stay_as_they_were_written() -> None:
    _, data = load("openai_chat/tool_call.json")
    reply = DIALECTS["openai_chat"].read(data.replace(b'"{\\"city\\":', b'"{\\"city:'))

    assert reply.tool_calls is not None
    assert reply.tool_calls[0] == ToolCall("get_weather", {"arguments": '{"city:"Zürich","days":2}'})


def test_half_a_character_does_not_reach_a_file() -> None:
    _, data = load("vllm/normal.json")
    reply = DIALECTS["vllm"].read(data.replace(b"Die Hauptstadt", b"\\ud83d Die \\uD83D\\uDE00"))

    assert reply.text.startswith("? Die 😀 ist")
    assert reply.text.encode()


def _json_safe(outcome: Outcome) -> None:
    """What is kept can be written: no lone surrogate, no number that JSON lacks."""
    if isinstance(outcome, ModelReply):
        calls = [[call.name, {**call.arguments}] for call in outcome.tool_calls or ()]
        json.dumps(
            [outcome.text, outcome.model, calls, outcome.usage.raw], allow_nan=False, ensure_ascii=False
        ).encode()
    else:
        assert outcome[0] in (Failure.SCHEMA_INVALID, Failure.PROVIDER_ERROR, Failure.RATE_LIMITED, Failure.TRANSPORT)
        outcome[1].encode()


@given(st.sampled_from(sorted(DIALECTS)), st.binary(max_size=200))
@settings(max_examples=300, deadline=None)
def test_random_bytes_raise_nothing_else(kind: str, data: bytes) -> None:
    for body in (data, b"data: " + data + b"\n\n", b'{"choices":' + data + b"}\n"):
        _json_safe(whole(DIALECTS[kind], body))
        _json_safe(streamed(DIALECTS[kind], body[:50], body[50:]))


ODD = st.sampled_from(["\ud83d", 10**400, -1, "text", 12.0])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | ODD
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2)
)


def _places(value: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """The way to every value within a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in _places(item, (*path, key)))]


def _with(value: object, path: tuple[object, ...], new: object) -> object:
    if not path:
        return new
    if isinstance(value, dict):
        return {key: _with(item, path[1:], new) if key == path[0] else item for key, item in value.items()}
    assert isinstance(value, list)
    return [_with(item, path[1:], new) if at == path[0] else item for at, item in enumerate(value)]


def _mutated(text: bytes, data: st.DataObject) -> bytes:
    value = json.loads(text)
    place = data.draw(st.sampled_from(_places(value)))
    return json.dumps(_with(value, place, data.draw(VALUES))).encode()


@given(st.sampled_from(names(".json")), st.data())
@settings(max_examples=200, deadline=None)
def test_a_whole_reply_with_a_wrong_value_anywhere_raises_nothing_else(name: str, data: st.DataObject) -> None:
    dialect, body = load(name)

    _json_safe(whole(dialect, _mutated(body, data)))


@given(st.sampled_from(STREAMS), st.data())
@settings(max_examples=200, deadline=None)
def test_a_stream_with_a_wrong_value_anywhere_raises_nothing_else(name: str, data: st.DataObject) -> None:
    dialect, body = load(name)
    lines = body.split(b"\n")
    at = data.draw(st.integers(0, len(lines) - 1))
    before, brace, text = lines[at].partition(b"{")
    try:
        lines[at] = before + _mutated(brace + text, data)
    except ValueError:  # a line without JSON
        lines[at] = data.draw(st.binary(max_size=20))

    _json_safe(streamed(dialect, b"\n".join(lines)))


@given(st.sampled_from(names(".json", ".sse", ".ndjson")), st.integers(0, 3000), st.binary(max_size=4))
@settings(max_examples=300, deadline=None)
@example("anthropic/normal.sse", 0, b"\xef\xbb\xbf")
def test_a_transcript_with_a_few_wrong_bytes_raises_nothing_else(name: str, at: int, wrong: bytes) -> None:
    dialect, body = load(name)
    changed = body[:at] + wrong + body[at + len(wrong) :]

    _json_safe(whole(dialect, changed) if name.endswith(".json") else streamed(dialect, changed))
