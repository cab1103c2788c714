"""What a person sees of a first answer: everything that came, shortened and harmless, and nothing that did not."""

import re

from engine.model.calls import CallFailure
from engine.model.exchange import Answer, Hit, ToolCall
from engine.model.record import Failure, TargetFailure
from engine.model.usage import Cost, CostBasis, CostStatus, Usage, UsageSource
from engine.report.first_answer import answer_lines, failure_lines, identity_line, unpriced_step
from engine.report.symbols import RICH
from engine.targets.http_json import HttpJson
from engine.targets.models import OpenAIChatTarget

NASTY = "\x1b[2J\x1b]0;t\x07\u202e\n::error::x "
AGENT = Answer(
    hits=tuple(Hit(rank, f"page-{rank}", 1 / rank, f"Page {rank}", "some words " * 50) for rank in range(1, 9)),
    text="It is so. " * 100,
    citations=("page-1", "page-2"),
    tool_calls=(ToolCall("search", {"q": "tea", "limit": "3"}),),
    latency_s={"answer": 1.5, "first_token": 0.25},
    notes=("page-3 came twice",),
    numbers={"steps": 4},
    usage=Usage(1200, 200, None, 90, 40, source=UsageSource.PROVIDER),
    cost=Cost(1234, CostStatus.KNOWN, CostBasis.PROVIDER),
    model="m-2026",
)


def lines(answer: Answer) -> list[str]:
    return list(answer_lines(answer, 1.5, RICH))


def test_everything_that_came_is_shown() -> None:
    shown = lines(AGENT)

    for line in (
        "answered  in 1.50 s, its first word after 0.25 s",
        "hits      8",
        "  → 1. [1.00] page-1  Page 1",
        "  … 3 more",
        "citations page-1, page-2",
        "tools     search(q=tea, limit=3)",
        "steps     4",
        "model     m-2026, as it names itself",
        (
            "usage     tokens: 1,200 read, 200 of them from a cache, 90 written, 40 of them for thinking; "
            "as the answer tells"
        ),
        "cost      $0.001234, as the answer tells",
        "note      page-3 came twice",
    ):
        assert line in shown
    assert max(map(len, shown)) < 430


def test_what_is_not_reported_is_not_mentioned_and_never_0() -> None:
    assert lines(Answer(text="yes")) == ["answered  in 1.50 s", 'text      "yes"']
    assert lines(Answer(hits=()))[1:] == ["hits      none"]
    assert lines(Answer(text=" ", citations=(), tool_calls=()))[1:] == [
        "text      empty",
        "citations none",
        "tools     none was called",
    ]


def test_costs_and_where_they_are_from() -> None:
    def cost(micro: int | None, status: CostStatus, basis: CostBasis, table: str = "") -> str:
        return lines(Answer(cost=Cost(micro, status, basis, table)))[-1].removeprefix("cost      ")

    assert (
        cost(15, CostStatus.KNOWN, CostBasis.TABLE, "prices@2026-11-30 (ab)")
        == "$0.000015, from prices@2026-11-30 (ab)"
    )
    assert cost(0, CostStatus.DECLARED_FREE, CostBasis.DECLARED) == "nothing, as target.free says"
    assert cost(None, CostStatus.UNKNOWN_PRICE, CostBasis.TABLE) == "not known, because its price is not"
    assert cost(None, CostStatus.UNKNOWN_USAGE, CostBasis.TABLE) == "not known, because what it used is not"
    for status in (CostStatus.UNKNOWN_PRICE, CostStatus.UNKNOWN_USAGE):
        unknown = Answer(cost=Cost(None, status, CostBasis.TABLE))
        assert "target.free=true" in unpriced_step(unknown, model=True)
        assert "cost_per_request_usd" not in unpriced_step(unknown, model=True)
    assert "cost_per_request_usd" in unpriced_step(unknown, model=False)
    assert unpriced_step(AGENT, model=True) == unpriced_step(Answer(text=""), model=False) == ""


def test_nothing_of_it_is_obeyed() -> None:
    nasty = Answer(
        hits=(Hit(1, NASTY, None, NASTY, NASTY),),
        text=NASTY,
        citations=(NASTY,),
        tool_calls=(ToolCall(NASTY, {NASTY: NASTY}),),
        notes=(NASTY,),
        numbers={NASTY: 1.0},
        usage=Usage(problem=NASTY),
        cost=Cost(1, CostStatus.KNOWN, CostBasis.TABLE, NASTY),
        model=NASTY,
    )
    failure = CallFailure(Failure.OTHER, NASTY)

    shown = [*lines(nasty), *failure_lines(failure, None, RICH), identity_line({"kind": NASTY, "url": NASTY})]

    assert not [line for line in shown if re.search(r"[\x00-\x1f\x7f-\x9f\u202e]", line) or line.startswith("::")]


def test_a_failure_says_what_to_do_where_something_can_be_done() -> None:
    model = OpenAIChatTarget.model_validate({"kind": "openai_chat", "model": "m", "url": "https://a.example/v1"})
    search = HttpJson.model_validate(
        {"kind": "http_json", "url": "https://a.example/s", "read": {"hits": "$.r[*]"}, "free": True}
    )

    def told(error: CallFailure | TargetFailure, reached: OpenAIChatTarget | HttpJson | None = model) -> str:
        return "\n".join(failure_lines(error, reached, RICH))

    unread = CallFailure(
        Failure.SCHEMA_INVALID, "nothing at $.r", spent=(Usage(), Cost(7, CostStatus.KNOWN, CostBasis.DECLARED))
    )
    assert "up to its version" in told(unread)
    assert "target.read" in told(unread, search)
    assert "cost      $0.000007" in told(unread)
    missing = CallFailure(Failure.PROVIDER_ERROR, "status 404", status=404)
    assert "target.model" in told(missing)
    assert "target.model" not in told(missing, search)
    assert "wait a while" in told(CallFailure(Failure.RATE_LIMITED, "status 429", status=429))
    assert told(TargetFailure(Failure.OTHER, "it raised"), None) == "✗ other: it raised"
