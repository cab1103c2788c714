"""What targets share that ask a system of one's own: identity, what was said before, an answer that is paid for."""

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager

from engine.model.base import Frozen
from engine.model.calls import Attempt, Call
from engine.model.exchange import Answer, Exchange
from engine.model.target import Scalar
from engine.providers.dialect import NO_MATTER
from engine.targets.recorded import read_answer

__all__ = ["answer_of", "flat_identity", "own_call", "said_before"]


def own_call(
    most: int | None,
    make: Callable[[], Awaitable[Attempt[Mapping[str, object]]]],
    retries: int = 0,
    turn: Callable[[], AbstractAsyncContextManager[None]] | None = None,
) -> Call[Mapping[str, object]]:
    """One call of a system of one's own, whose answer is kept in the recorded shape (see `Call`)."""
    return Call("target", most, make, dict, _answer_kept, retries, turn)


def answer_of(paid: Attempt[Mapping[str, object]]) -> Answer:
    """An answer from one in the recorded shape, with what it cost."""
    answer = read_answer(paid.value)
    notes = paid.value.get("notes")
    more = tuple(note for note in notes if isinstance(note, str)) if isinstance(notes, list) else ()
    latency_s = {("answer" if name == "total" else name): seconds for name, seconds in paid.latency_s.items()}
    return answer._replace(
        notes=(*answer.notes, *more), latency_s=latency_s, usage=paid.usage, cost=paid.cost, model=paid.model
    )


def _answer_kept(value: Mapping[str, object]) -> Mapping[str, object]:
    """What was kept of an answer, if it is one. Raises ValueError."""
    read_answer(value)
    return value


def said_before(history: tuple[Exchange, ...]) -> list[dict[str, str]]:
    """The turns before this one as chat APIs write them."""
    messages: list[dict[str, str]] = []
    for exchange in history:
        messages.append({"role": "user", "content": exchange.turn.say})
        messages.append({"role": "assistant", "content": exchange.answer.text or ""})
    return messages


def flat_identity(settings: Frozen) -> dict[str, Scalar]:
    """Everything in the settings that can change an answer: no key, no limit, no price. Groups become JSON text."""
    said = settings.model_dump(mode="json", exclude=NO_MATTER | {"cost_per_request_usd"})
    kept = {name: value for name, value in said.items() if value is not None}
    return {name: _scalar(value) for name, value in kept.items()}


def _scalar(value: object) -> Scalar:
    if isinstance(value, str | int | float | bool):
        return value
    shown = {k: v for k, v in value.items() if v is not None} if isinstance(value, dict) else value
    return json.dumps(shown, ensure_ascii=False)
