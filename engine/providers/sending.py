"""One request whose reply may be used: what stands in its way becomes the failure of a call, with what it cost."""

from collections.abc import Callable
from time import perf_counter

from engine.model.calls import CallFailure
from engine.model.network import Line, NetworkFailure, Reply, Request
from engine.model.record import Failure
from engine.model.usage import Cost, Usage
from engine.providers.refusal import refused

__all__ = ["sent"]


async def sent(
    line: Line, request: Request, cost: Callable[[Usage], Cost], on_bytes: Callable[[bytes], None] | None = None
) -> Reply:
    """The reply to a request, which has a status of success.

    Args:
        cost: what a request cost, by what it used; asked when nobody knows whether the other side answered.
        on_bytes: as in `Line.send`.

    Raises:
        CallFailure: no usable reply, or a refusal.
    """
    started = perf_counter()
    try:
        reply = await line.send(request, on_bytes)
    except NetworkFailure as error:
        nothing = Usage(problem="no whole answer came")
        spent = (nothing, cost(nothing)) if error.sent else None
        late = perf_counter() - started
        raise CallFailure(error.failure, str(error), spent=spent, again=_passing(error), latency_s=late) from error
    if not 200 <= reply.status < 300:
        raise refused(reply)
    return reply


def _passing(error: NetworkFailure) -> bool:
    """Nothing was sent, and the next try may find the other side there; a missing key will still be missing."""
    return not error.sent and error.failure in (Failure.TRANSPORT, Failure.TIMEOUT)
