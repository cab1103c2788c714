"""What a reply used: missing is not 0, and what makes no sense is missing."""

import json
from collections.abc import Callable
from decimal import Decimal

import pytest

from engine.model.usage import CostStatus, Price, Usage, UsageSource
from engine.providers.anthropic import Anthropic
from engine.providers.cost import cost_of
from engine.providers.dialect import BadReply
from engine.providers.ollama import Ollama
from engine.providers.openai_chat import OpenAIChat
from engine.providers.usage import anthropic_usage, chat_usage, latest, ollama_usage, responses_usage

PRICE = Price(Decimal(2), Decimal(10), cached=Decimal("0.5"))
MISSING, PROVIDER = UsageSource.MISSING, UsageSource.PROVIDER


def _whole(**members: object) -> Usage:
    choice = {"index": 0, "message": {"role": "assistant", "content": "Bern."}, "finish_reason": "stop"}
    body = {"model": "m", "choices": [choice], **members}
    return OpenAIChat(model="m").read(json.dumps(body).encode()).usage


def _stream(*chunks: object, done: bool = True) -> Usage:
    reader = OpenAIChat(model="m").reader()
    try:
        for chunk in (*chunks, *([None] if done else [])):
            reader.feed(b"data: " + (b"[DONE]" if chunk is None else json.dumps(chunk).encode()) + b"\n\n")
        return reader.end().usage
    except BadReply as error:
        return error.usage


def _ollama(**counts: object) -> Usage:
    body = {"model": "m", "message": {"role": "assistant", "content": "Bern."}, "done": True, "done_reason": "stop"}
    return Ollama(model="m").read(json.dumps({**body, **counts}).encode()).usage


TEXT = {"choices": [{"index": 0, "delta": {"content": "Bern."}, "finish_reason": None}], "usage": None}
STOP = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": None}
USED = {"prompt_tokens": 19, "completion_tokens": 10, "total_tokens": 29}
COUNTS = {"choices": [], "usage": USED}
ERROR = {"error": {"message": "late"}}

SHRUNK = {"choices": [], "usage": {**USED, "completion_tokens": 4, "total_tokens": 23}}

# The 14 ways in which usage is missing, or seems to be: source, problem, and micro-dollars at PRICE. A cost
# that is not known (None) is what makes the cost guard stop.
FOURTEEN: list[tuple[str, Callable[[], Usage], UsageSource, str, int | None]] = [
    ("no-usage-key", _whole, MISSING, "no usage in the answer", None),
    ("null", lambda: _whole(usage=None), MISSING, "no usage in the answer", None),
    ("empty", lambda: _whole(usage={}), MISSING, "the usage is empty", None),
    (
        "zeros-with-text",
        lambda: _whole(usage={"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}),
        MISSING,
        "prompt_tokens is 0, although something was asked",
        None,
    ),
    ("only-total", lambda: _whole(usage={"total_tokens": 29}), MISSING, "the usage has only a total", None),
    ("usage-in-the-wrong-chunk", lambda: _stream({**TEXT, "usage": USED}, STOP), PROVIDER, "", 138),
    (
        "two-usage-chunks",
        lambda: _stream(
            TEXT, COUNTS, STOP, {"choices": [], "usage": {**USED, "completion_tokens": 4, "total_tokens": 23}}
        ),
        MISSING,
        "two usages that contradict each other",
        None,
    ),
    ("stream-cut-before-it", lambda: _stream(TEXT, done=False), MISSING, "the answer broke off before its usage", None),
    ("error-after-it", lambda: _stream(TEXT, STOP, COUNTS, ERROR), PROVIDER, "", 138),
    (
        "strings-for-numbers",
        lambda: _whole(usage={"prompt_tokens": "19", "completion_tokens": "10"}),
        MISSING,
        "prompt_tokens is no whole number",
        None,
    ),
    (
        "camel-case-gateway",
        lambda: _whole(usage={"promptTokens": 19, "completionTokens": 10, "totalTokens": 29}),
        MISSING,
        "no prompt_tokens and no completion_tokens in the usage",
        None,
    ),
    (
        "more-cached-than-prompt",
        lambda: _whole(usage={**USED, "prompt_tokens_details": {"cached_tokens": 20}}),
        MISSING,
        "more tokens from a cache than prompt_tokens",
        None,
    ),
    (
        "ollama-without-prompt-eval-count",
        lambda: _ollama(eval_count=10, eval_duration=4535599000),
        MISSING,
        "no prompt_eval_count in the usage",
        None,
    ),
    ("a-proxy-that-drops-it", lambda: _stream(TEXT, STOP), MISSING, "no usage in the answer", None),
]


@pytest.mark.parametrize(
    ("usage", "source", "problem", "micro_usd"), [case[1:] for case in FOURTEEN], ids=[case[0] for case in FOURTEEN]
)
def test_missing_usage(usage: Callable[[], Usage], source: UsageSource, problem: str, micro_usd: int | None) -> None:
    used = usage()
    assert (used.source, used.problem) == (source, problem)

    cost = cost_of(used, PRICE, "prices")
    assert cost.micro_usd == micro_usd
    assert cost.status is (CostStatus.UNKNOWN_USAGE if micro_usd is None else CostStatus.KNOWN)


def test_there_are_fourteen_of_them() -> None:
    assert len({name for name, *_ in FOURTEEN}) == 14


CHAT = {"prompt_tokens": 19, "completion_tokens": 10}


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ({**CHAT, "prompt_tokens": -1}, "prompt_tokens is negative"),
        ({**CHAT, "completion_tokens": True}, "completion_tokens is no whole number"),
        ({**CHAT, "completion_tokens": 10.0}, "completion_tokens is no whole number"),
        ({**CHAT, "prompt_tokens": 10**30}, "prompt_tokens is too large to be true"),
        ({**CHAT, "completion_tokens": 0}, "completion_tokens is 0, although there is an answer"),
        ({**CHAT, "completion_tokens": None}, "no completion_tokens in the usage"),
        ({**CHAT, "total_tokens": 28}, "total_tokens is less than prompt_tokens and completion_tokens"),
        ({**CHAT, "total_tokens": "29"}, "total_tokens is no whole number"),
        ({**CHAT, "prompt_tokens_details": []}, "prompt_tokens_details is no object"),
        ({**CHAT, "prompt_tokens_details": {"cached_tokens": -1}}, "cached_tokens is negative"),
        (
            {**CHAT, "prompt_tokens_details": {"cached_tokens": 10, "cache_write_tokens": 10}},
            "more tokens from a cache",
        ),
        ({**CHAT, "completion_tokens_details": {"reasoning_tokens": 11}}, "more tokens of reasoning"),
        ([19, 10], "the usage is no object"),
        ("29", "the usage is no object"),
    ],
)
def test_what_makes_no_sense_is_missing(raw: object, problem: str) -> None:
    used = chat_usage(raw, wrote=True)

    assert used.source is MISSING
    assert problem in used.problem
    if "no completion_tokens" not in problem:
        assert (used.input_total, used.output_total) == (None, None)


def test_what_is_merely_missing_leaves_the_others_standing() -> None:
    used = ollama_usage({"eval_count": 10, "message": {"content": "not kept"}}, wrote=True)

    assert (used.input_total, used.output_total, used.raw) == (None, 10, {"eval_count": 10})


def test_raw_is_kept_word_for_word() -> None:
    raw = {**USED, "service_tier": "flex", "prompt_tokens_details": {"cached_tokens": 3, "audio_tokens": 0}}

    assert _whole(usage=raw).raw == raw
    assert _whole(usage={"promptTokens": 1}).raw == {"promptTokens": 1}


@pytest.mark.parametrize(
    "more", ["y" * 5_000, [[]] * 200, json.loads("[" * 90 + "]" * 90)], ids=["text", "list", "deep"]
)
def test_raw_that_is_far_too_large_is_left_out(more: object) -> None:
    used = _whole(usage={**USED, "x": more})

    assert used.raw == "left out: it is too large"
    assert (used.source, used.input_total) == (PROVIDER, 19)


def test_nothing_written_is_no_contradiction_when_there_is_no_answer() -> None:
    used = chat_usage({"prompt_tokens": 19, "completion_tokens": 0}, wrote=False)

    assert (used.source, used.output_total) == (PROVIDER, 0)


def test_reasoning_that_only_the_total_counts_was_written() -> None:
    raw = {"prompt_tokens": 19, "completion_tokens": 10, "total_tokens": 129}
    used = chat_usage({**raw, "completion_tokens_details": {"reasoning_tokens": 100}}, wrote=True)

    assert (used.output_total, used.output_reasoning) == (110, 100)


def test_counts_that_grow_from_chunk_to_chunk_end_with_the_last() -> None:
    growing = [{**TEXT, "usage": {"prompt_tokens": 19, "completion_tokens": count}} for count in (0, 3, 7)]

    assert _stream(*growing, STOP).output_total == 7
    assert latest(Usage(19, output_total=3), Usage(18, output_total=7)).problem
    assert not latest(Usage(19, output_total=3), Usage(19, output_total=3)).problem


def test_input_of_anthropic_is_the_sum_of_three() -> None:
    raw = {"input_tokens": 12, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 30, "output_tokens": 20}
    used = anthropic_usage(raw, wrote=True)

    assert (used.input_total, used.input_cached, used.input_cache_write) == (142, 100, 30)
    # 12 plain and 30 written at 2 a token, 100 cached at 0.5, 20 of output at 10
    assert cost_of(used, PRICE).micro_usd == 12 * 2 + 30 * 2 + 50 + 200


def test_input_of_anthropic_without_a_cache() -> None:
    nulls = {"cache_read_input_tokens": None, "cache_creation_input_tokens": None}
    used = anthropic_usage({"input_tokens": 12, "output_tokens": 20, **nulls}, wrote=True)

    assert (used.input_total, used.input_cached) == (12, None)


def test_later_counts_of_anthropic_stand_for_all_before_them() -> None:
    """They are cumulative, and some gateways tell the input at the end alone."""
    late, nulls = {"input_tokens": 9, "output_tokens": 5}, {"cache_read_input_tokens": None}
    start = {"input_tokens": 0, "output_tokens": 1, "cache_read_input_tokens": 70}
    events = [
        {"type": "message_start", "message": {"model": "m", "usage": start}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Bern."}},
        {"type": "message_delta", "delta": {"stop_reason": None}, "usage": {"output_tokens": 3, **nulls}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": late},
        {"type": "message_stop"},
    ]
    reader = Anthropic(model="m").reader()
    for event in events:
        reader.feed(b"data: " + json.dumps(event).encode() + b"\n\n")

    used = reader.end().usage
    assert (used.source, used.input_total, used.input_cached, used.output_total) == (PROVIDER, 79, 70, 5)


def test_a_zero_of_ollama_is_not_a_count() -> None:
    used = _ollama(prompt_eval_count=0, eval_count=10)

    assert (used.source, used.input_total) == (MISSING, None)
    assert used.problem == "prompt_eval_count is 0, although something was asked"


def test_usage_of_a_response() -> None:
    raw = {
        "input_tokens": 36,
        "input_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 4},
        "output_tokens": 87,
    }
    used = responses_usage({**raw, "output_tokens_details": {"reasoning_tokens": 64}}, wrote=True)

    assert used == Usage(36, 8, 4, 87, 64, source=PROVIDER, raw=used.raw)
