"""One call of a model: request, reply, usage and cost, as a call that can be paid for."""

from collections.abc import Iterator, Mapping
from time import perf_counter

from engine.model.calls import Attempt, Call, CallFailure
from engine.model.exchange import ToolCall
from engine.model.network import Line, Reply
from engine.model.usage import Cost, PriceTable, Usage
from engine.providers.cost import FREE, cost_of, most_of, priced
from engine.providers.dialect import BadReply, Chat, Finish, ModelReply, ModelSettings
from engine.providers.sending import sent

__all__ = ["kept", "model_call", "restored"]


def model_call(line: Line, settings: ModelSettings, chat: Chat, who: str, prices: PriceTable) -> Call[ModelReply]:
    """The call of a model. Nothing is sent from here: whoever pays makes it.

    Args:
        line: the way to the site of these settings.
        who: who calls: `target`, `judge NAME`.
        prices: looked up by the model as it names itself, then by the name it was asked by.
    """
    request = settings.request(chat)
    declared = None if settings.price is None else settings.price.price()
    asked = declared or priced(prices, settings.model)

    def cost(usage: Usage, model: str | None) -> Cost:
        if settings.free:
            return FREE
        if declared is not None:
            return cost_of(usage, declared)
        return cost_of(usage, priced(prices, model, settings.model), prices.label)

    async def make() -> Attempt[ModelReply]:
        started = perf_counter()
        reader = settings.reader() if settings.stream else None
        first_token_s: float | None = None

        def on_bytes(data: bytes) -> None:
            nonlocal first_token_s
            assert reader is not None
            reader.feed(data)
            if first_token_s is None and reader.started:
                first_token_s = perf_counter() - started

        try:
            reply = await sent(line, request, lambda usage: cost(usage, None), None if reader is None else on_bytes)
            found = settings.read(reply.body) if reader is None else _whole(reader.end(), line)
        except BadReply as error:
            spent = error.usage, cost(error.usage, None)
            late = perf_counter() - started
            raise CallFailure(error.failure, str(error), spent=spent, latency_s=late) from error
        return Attempt(found, found.usage, cost(found.usage, found.model), found.model, _latency(reply, first_token_s))

    most = 0 if settings.free else most_of(asked, len(request.body), settings.max_tokens)
    return Call(who, most, make, kept, restored, settings.retries, line.turn)


def _whole(reply: ModelReply, line: Line) -> ModelReply:
    """A streamed reply, put together: a secret that came in pieces stands in it whole only now."""
    calls = reply.tool_calls
    if calls:
        calls = tuple(
            ToolCall(call.name, {name: line.clean(text) for name, text in call.arguments.items()}) for call in calls
        )
    return reply._replace(text=line.clean(reply.text), tool_calls=calls)


def _latency(reply: Reply, first_token_s: float | None) -> dict[str, float]:
    first = {} if first_token_s is None else {"first_token": first_token_s}
    return {"total": reply.total_s, **first}


def kept(reply: ModelReply) -> dict[str, object]:
    """A reply as JSON values, to be written down before anything is done with it."""
    calls = reply.tool_calls
    told = None if calls is None else [{"name": call.name, "arguments": {**call.arguments}} for call in calls]
    return {"text": reply.text, "finish": str(reply.finish), **({} if told is None else {"tool_calls": told})}


def restored(value: Mapping[str, object]) -> ModelReply:
    """A reply from what was kept of it; usage, cost and model stand beside it. Raises ValueError."""
    match value:
        case {"text": str(text), "finish": str(finish)}:
            told = value.get("tool_calls")
            calls = None if told is None else tuple(_tool_calls(told))
            return ModelReply(text, Finish(finish), Usage(), tool_calls=calls)
    raise ValueError("no reply of a model was kept here")


def _tool_calls(told: object) -> Iterator[ToolCall]:
    for call in told if isinstance(told, list) else ():
        match call:
            case {"name": str(name), "arguments": dict(arguments)}:
                yield ToolCall(name, {str(key): str(argument) for key, argument in arguments.items()})
