"""What came back from one question to a target, for the person who connects it, and what to do when nothing did."""

from collections.abc import Iterator, Mapping

from engine.model.calls import CallFailure
from engine.model.exchange import Answer, Hit, ToolCall
from engine.model.record import Failure, TargetFailure
from engine.model.target import Scalar
from engine.model.usage import Cost, CostBasis, CostStatus, Usage, UsageSource
from engine.providers.dialect import ModelSettings, Reached
from engine.report.symbols import Symbols
from engine.text import count, dollars, one_line

__all__ = ["answer_lines", "failure_lines", "identity_line", "unpriced_step"]

_HITS, _TEXT, _PREVIEW = 5, 400, 120
_KNOWN = ("url", "model", "path", "file", "run", "call", "app", "command", "tool")


def identity_line(identity: Mapping[str, Scalar]) -> str:
    """`openai_chat, url https://api.openai.com/v1, model gpt-5-mini`: what is asked, in one line."""
    said = (f"{name} {one_line(str(identity[name]), 200)}" for name in _KNOWN if identity.get(name) is not None)
    return _line("target", ", ".join((one_line(str(identity.get("kind", "target"))), *said)))


def answer_lines(answer: Answer, total_s: float, symbols: Symbols) -> Iterator[str]:
    """Everything that a target returned, shortened; what it does not report is not mentioned, and never 0.

    Args:
        total_s: seconds until the answer was whole.
    """
    first_s = answer.latency_s.get("first_token")
    first = "" if first_s is None else f", its first word after {first_s:.2f} s"
    yield _line("answered", f"in {total_s:.2f} s{first}")
    if answer.text is not None:
        yield _line("text", f'"{one_line(answer.text, _TEXT)}"' if answer.text.strip() else "empty")
    if answer.hits is not None:
        yield from _hits(answer.hits, symbols)
    if answer.citations is not None:
        yield _line("citations", ", ".join(one_line(source, 80) for source in answer.citations[:_HITS]) or "none")
    if answer.tool_calls is not None and (answer.tool_calls or answer.hits is None):
        yield _line("tools", "; ".join(map(_called, answer.tool_calls[:_HITS])) or "none was called")
    for name, number in list(answer.numbers.items())[:_HITS]:
        yield _line(one_line(name, 20), f"{number:g}")
    if answer.model is not None:
        yield _line("model", f"{one_line(answer.model, 100)}, as it names itself")
    if answer.usage is not None:
        yield _line("usage", _usage(answer.usage))
    if answer.cost is not None:
        yield _line("cost", _cost(answer.cost))
    for note in answer.notes:
        yield _line("note", one_line(note, _TEXT))


def failure_lines(error: CallFailure | TargetFailure, reached: Reached | None, symbols: Symbols) -> Iterator[str]:
    """What went wrong, whether it may have cost something all the same, and what to do about it.

    Args:
        reached: the settings of the target, when it is reached over the network.
    """
    yield f"{symbols.bad} {error.failure}: {one_line(str(error), 500)}"
    spent = error.spent if isinstance(error, CallFailure) else None
    if spent is not None and spent[1].micro_usd is None:
        yield _line("cost", "not known: it may have been charged all the same")
    elif spent is not None:
        yield _line("cost", _cost(spent[1]))
    step = _next_step(error, reached)
    if step:
        yield f"  {symbols.arrow} {step}"


def unpriced_step(answer: Answer, *, model: bool) -> str:
    """What to do when nobody knows what an answer cost; empty when it is known.

    Args:
        model: the target is a model, which is paid for by tokens.
    """
    cost = answer.cost
    if cost is None or cost.micro_usd is not None:
        return ""
    if cost.status is CostStatus.UNKNOWN_PRICE:
        return (
            "a run refuses to start until its price is known: 'target.price={input: 0.15, output: 0.60}' in dollars "
            "per million tokens, or target.free=true; see: assay prices show"
        )
    declared = "" if model else ", or in dollars target.cost_per_request_usd=0.002"
    return (
        "a run stops at the first answer that does not tell what it used, unless cost_allow_unknown=true, "
        f"or you say what it costs: target.free=true{declared}"
    )


def _next_step(error: CallFailure | TargetFailure, reached: Reached | None) -> str:
    """Empty when the sentence of the failure says it already."""
    if reached is None:
        return ""
    if isinstance(error, CallFailure) and error.status is not None:
        return _refused(error.status, error.retry_after_s, reached)
    not_sent = isinstance(error, CallFailure) and error.spent is None
    match error.failure:
        case Failure.UNAUTHORIZED:
            return "or target.key=null, if it needs no key"
        case Failure.TRANSPORT if not_sent:
            return f"is target.url right, and does something listen there? It is {one_line(reached.url, 200)}"
        case Failure.TRANSPORT:
            return "try again; if it stays so, see what the other side wrote into its log"
        case Failure.TIMEOUT:
            return "is it slow, or does it hang? It may take longer with target.read_s, target.total_s and timeout_s"
        case Failure.SCHEMA_INVALID if isinstance(reached, ModelSettings):
            return "does target.url lead to what this kind of target speaks to, up to its version?"
        case Failure.SCHEMA_INVALID:
            return "do the paths in target.read fit what comes back, and is target.url right?"
    return ""


def _refused(status: int, wait_s: float | None, reached: Reached) -> str:
    key = "" if reached.key is None else reached.key.removeprefix("env:")
    if status in (401, 403):
        asks = f"is the key in {key} one for {one_line(reached.url, 200)}, and may it do this?"
        return asks if key else "it wants a key: export NAME=… and target.key=env:NAME"
    if 300 <= status < 400:
        return "if you trust the place it points to, write its address into target.url"
    if status in (404, 405):
        model = ", up to its version, and is target.model what it is called there"
        return f"is target.url right{model if isinstance(reached, ModelSettings) else ''}?"
    if status == 429:
        wait = "a while" if wait_s is None else f"{wait_s:g} seconds"
        return f"wait {wait}, or ask less often: target.per_minute=30; and is there money on the account?"
    if status >= 500:
        return "the fault is on the other side: try again later"
    return "what it does not understand stands in brackets; a setting that is null is left out of the request"


def _line(name: str, value: str) -> str:
    return f"{name:<9} {value}"


def _hits(hits: tuple[Hit, ...], symbols: Symbols) -> Iterator[str]:
    yield _line("hits", str(len(hits)) if hits else "none")
    for hit in hits[:_HITS]:
        score = "" if hit.score is None else f"[{hit.score:.2f}] "
        title = f"  {one_line(hit.title, 60)}" if hit.title else ""
        yield f"  {symbols.arrow} {hit.rank}. {score}{one_line(hit.source, 80)}{title}"
        if hit.snippet.strip():
            yield f'       "{one_line(hit.snippet, _PREVIEW)}"'
    if len(hits) > _HITS:
        yield f"  {symbols.ellipsis} {len(hits) - _HITS} more"


def _called(call: ToolCall) -> str:
    said = ", ".join(f"{one_line(name, 40)}={one_line(value, 40)}" for name, value in call.arguments.items())
    return f"{one_line(call.name, 60)}({one_line(said, _PREVIEW)})"


def _usage(usage: Usage) -> str:
    if usage.source is UsageSource.NOT_APPLICABLE:
        return "nothing that is counted in tokens"
    if usage.source is UsageSource.MISSING:
        return f"not known: {one_line(usage.problem, 200) or 'it is not told'}"
    parts = {
        "read": usage.input_total,
        "of them from a cache": usage.input_cached or None,
        "written": usage.output_total,
        "of them for thinking": usage.output_reasoning or None,
    }
    told = ", ".join(f"{number:,} {what}" for what, number in parts.items() if number is not None)
    who = "as the answer tells" if usage.source is UsageSource.PROVIDER else "estimated"
    several = f" ({count(usage.requests, 'request')})" if usage.requests > 1 else ""
    return f"tokens: {told}; {who}{several}"


def _cost(cost: Cost) -> str:
    if cost.status is CostStatus.DECLARED_FREE:
        return "nothing, as target.free says"
    if cost.micro_usd is None:
        why = "its price" if cost.status is CostStatus.UNKNOWN_PRICE else "what it used"
        return f"not known, because {why} is not"
    whence = {
        CostBasis.PROVIDER: "as the answer tells",
        CostBasis.TABLE: f"from {one_line(cost.table, 80)}",
        CostBasis.DECLARED: "as the settings say",
    }
    return f"{dollars(cost.micro_usd)}, {whence[cost.basis]}"
