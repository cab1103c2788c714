"""What the server counts and remembers."""

from collections import Counter, deque
from dataclasses import dataclass, field

from tests.loopback.replies import Reply, Request

__all__ = ["Stats"]

_REMEMBERED = 2000


@dataclass(slots=True)
class Stats:
    """Counters of one server, and its last requests.

    Attributes:
        answered: replies that were sent to their end.
        charged: requests that a model really answered, whatever became of the reply: what a provider would bill.
    """

    requests: int = 0
    answered: int = 0
    charged: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    micro_usd: int = 0
    connections: int = 0
    in_flight: int = 0
    max_in_flight: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    paths: Counter[str] = field(default_factory=Counter)
    segments: Counter[str] = field(default_factory=Counter)
    request_ids: Counter[str] = field(default_factory=Counter)
    questions: Counter[str] = field(default_factory=Counter)
    seen: deque[Request] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))

    def begin(self, request: Request) -> int:
        """Count a request. Returns its number among those of its path segment, from 1."""
        self.requests += 1
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        self.paths[request.path] += 1
        self.segments[request.behaviour] += 1
        self.seen.append(request)
        if "x-request-id" in request.headers:
            self.request_ids[request.headers["x-request-id"]] += 1
        return self.segments[request.behaviour]

    def decided(self, reply: Reply) -> None:
        """Count what it costs: from here on it is charged."""
        self.statuses[str(reply.status)] += 1
        if reply.used is not None:
            self.charged += 1
            self.input_tokens += reply.used.read
            self.output_tokens += reply.used.wrote
            self.micro_usd += reply.used.micro_usd
            self.questions[reply.question[-200:]] += 1

    def as_json(self) -> dict[str, object]:
        """All counters."""
        names = (name for name in self.__slots__ if name != "seen")
        return {name: dict(value) if isinstance(value := getattr(self, name), Counter) else value for name in names}
