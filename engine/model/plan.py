"""What will be run: every trial of a run, in execution order. The same inputs give the same keys."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.model.query import Query, QuerySet
from engine.model.target import Scalar

__all__ = ["Plan", "Trial", "identity_of"]


@dataclass(frozen=True, slots=True)
class Trial:
    """One query × one repeat.

    Attributes:
        key: identity from content: target, query, repeat, rubric and judge. Never position or clock.
        position: place in the plan, from 1.
        set_name: the query set the query came from.
    """

    key: str
    position: int
    query: Query
    set_name: str
    repeat: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be run. Trials are made on demand, so that memory does not grow with their number.

    `identity` is the hash of everything that answers and grades: see `identity_of`.
    """

    queries: QuerySet
    repeats: int
    identity: str

    def __len__(self) -> int:
        return len(self.queries.queries) * self.repeats

    def trials(self) -> Iterator[Trial]:
        """All queries once, then all of them again for the next repeat."""
        sole = self.queries.members[0].name if len(self.queries.members) == 1 else None
        start = hashlib.sha256(self.identity.encode())
        position = 0
        for repeat in range(1, self.repeats + 1):
            for query in self.queries.queries:
                position += 1
                digest = start.copy()
                digest.update(_content(query, repeat).encode())
                name = sole or query.id.rpartition(":")[0]
                yield Trial(digest.hexdigest()[:24], position, query, name, repeat)


def identity_of(parts: Mapping[str, Scalar | Mapping[str, Scalar]]) -> str:
    """One hash over what answers and what grades."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=True, default=dict).encode()).hexdigest()


def _content(query: Query, repeat: int) -> str:
    relevant = None if query.relevant is None else sorted(query.relevant.items())
    # ascii(): the same text on every Python, and a quarter of the price of JSON
    return ascii((query.id, query.text, query.intent, query.category, query.task_context, relevant, repeat))
