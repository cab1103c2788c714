"""A run of a few queries in this process, with any target: for what the command line cannot be made to do."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from engine.execute.session import Session
from engine.model.calls import Calls
from engine.model.exchange import Answer, Exchange, Turn
from engine.model.grade import Grading
from engine.model.plan import Plan
from engine.model.query import Member, Query, QuerySet, Source
from engine.model.run import RunInfo, RunStatus
from engine.model.target import Scalar, Target
from engine.store.journal import Durability
from engine.store.runs import BeginRun, RunFolder, begin, info

__all__ = ["Found", "Half", "Made", "queries", "small_session"]


class Found:
    """A target that finds nothing, at once."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.identity: dict[str, Scalar] = {"kind": "double"}
        self.corpus_sha256 = None
        self.sources = None

    def most(self, turn: Turn) -> int:
        return 1_000

    async def answer(self, turn: Turn, history: tuple[Exchange, ...], calls: Calls) -> Answer:
        del history
        self.asked.append(turn.query_id)
        return Answer(hits=())


class Half:
    """A rubric that gives everything one half."""

    def grade(self, exchange: Exchange) -> Grading:
        del exchange
        return Grading((), {"overall": 0.5}, 0.5, 0.5, None)


@dataclass(frozen=True, slots=True)
class Made:
    """A session, and the same one with something changed."""

    session: Session

    def but(self, *, stop: Callable[[], bool], concurrency: int = 1) -> Session:
        return replace(self.session, stop=stop, concurrency=concurrency)


def queries(number: int) -> tuple[Query, ...]:
    """`q1`, `q2` …"""
    return tuple(Query(f"q{n}", f"question {n}", "to know", "a", relevant={"d": 1}) for n in range(1, number + 1))


def small_session(at: Path, number: int, target: Target | None = None, folder: RunFolder | None = None) -> Made:
    """So many queries, one after the other. Without a folder, a run is begun."""
    asked = QuerySet(
        "few",
        "1.0.0",
        "",
        Source.CURATED,
        ("a",),
        queries(number),
        (Member("few", "1.0.0", "0" * 64, number),),
        "0" * 64,
    )
    plan = Plan(asked, 1, "the same")
    known = RunInfo(id="", started_at="", status=RunStatus.RUNNING, queries="few", planned=number, done=0)
    if folder is None:
        start = BeginRun(known, ({"key": trial.key} for trial in plan.trials()), "queries: few\n")
        folder = begin(at / "runs", start, 1_790_000_000.0, random.Random(1))
    return Made(
        Session(
            folder=folder,
            info=info(folder),
            plan=plan,
            target=target or Found(),
            grader=Half(),
            concurrency=1,
            timeout_s=5.0,
            durability=Durability.BATCH,
            on_record=lambda record, seen: None,
            stop=lambda: False,
        )
    )
