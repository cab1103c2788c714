"""Calls in the journal: a line before each paid one and a line after each, and what they add up to."""

from collections import defaultdict
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import Problem
from engine.store import entries

if TYPE_CHECKING:  # a listing needs none of them
    from engine.model.calls import Ended, Spent, Started
    from engine.model.usage import Cost, Usage

__all__ = [
    "PaidBefore",
    "cost_data",
    "ended_data",
    "paid_before",
    "rounded_s",
    "spent_data",
    "started_data",
    "usage_data",
]


def started_data(call: "Started") -> dict[str, object]:
    """The line that is written before a paid call is sent."""
    return {**_which(call), "most": call.most}


def ended_data(ended: "Ended") -> dict[str, object]:
    """The line that says what became of a call. Members without a value are left out."""
    data = _which(ended.call)
    if ended.failure is not None:
        data |= {"failure": str(ended.failure), "error": ended.error}
    if ended.model is not None:
        data["model"] = ended.model
    if ended.spent is not None:
        data |= {"usage": usage_data(ended.spent[0]), "cost": cost_data(ended.spent[1])}
    data["latency_s"] = rounded_s(ended.latency_s)
    if ended.kept is not None:
        data["kept"] = {**ended.kept}
    return data


def _which(call: "Started") -> dict[str, object]:
    """The call by its trial, caller, number and attempt; a number that is missing is 1."""
    data: dict[str, object] = {"trial": call.trial, "who": call.who}
    if call.nth != 1:
        data["nth"] = call.nth
    if call.attempt != 1:
        data["attempt"] = call.attempt
    return data


def rounded_s(latency_s: Mapping[str, float]) -> dict[str, float]:
    """Seconds to the microsecond: no clock here tells more."""
    return {name: round(seconds, 6) for name, seconds in latency_s.items()}


def usage_data(usage: "Usage") -> dict[str, object]:
    """Tokens; what is not known is left out. `raw` is what the provider sent, word for word."""
    members = {
        "input": usage.input_total,
        "cached": usage.input_cached,
        "cache_write": usage.input_cache_write,
        "output": usage.output_total,
        "reasoning": usage.output_reasoning,
        "problem": usage.problem or None,
        "raw": usage.raw,
    }
    return {"source": str(usage.source), **{name: value for name, value in members.items() if value is not None}}


def cost_data(cost: "Cost") -> dict[str, object]:
    """Whole micro-dollars, null when not known."""
    return {"micro_usd": cost.micro_usd, "status": str(cost.status), "basis": str(cost.basis)}


def spent_data(spent: Mapping[str, "Spent"]) -> dict[str, object]:
    """What the calls of each caller came to."""
    return {
        who: {
            "calls": each.calls,
            "micro_usd": each.micro_usd,
            "unknown": each.unknown,
            "input": each.input_tokens,
            "output": each.output_tokens,
            "models": [*each.models],
        }
        for who, each in spent.items()
    }


@dataclass(slots=True)
class PaidBefore:
    """What a run paid before it was stopped.

    Attributes:
        micro_usd: spent, with the most that calls can have cost whose cost is not known.
        unknown: calls of which it is not known what they cost, those that were under way at a kill among them.
        untold: those of them that were answered, or broke off, and did not tell.
        spent: by caller.
        answered: calls that were answered, of trials that have no record yet.
    """

    micro_usd: int = 0
    unknown: int = 0
    untold: int = 0
    spent: dict[str, "Spent"] = field(default_factory=dict)
    answered: dict[tuple[str, str, int], "Ended"] = field(default_factory=dict)
    _open: dict[tuple[str, str, int, int], list[int | None]] = field(default_factory=lambda: defaultdict(list))

    def start(self, call: "Started") -> None:
        """Count a call that was about to be sent."""
        self._open[call.trial, call.who, call.nth, call.attempt].append(call.most)

    def end(self, ended: "Ended", *, needed: bool) -> None:
        """Count what became of a call; keep what it answered when it is needed."""
        from engine.model.calls import NOTHING, Spent

        call = ended.call
        key = (call.trial, call.who, call.nth, call.attempt)
        begun = self._open.get(key)
        most = begun.pop() if begun else 0
        if begun is not None and not begun:
            del self._open[key]
        if ended.spent is not None:
            cost = ended.spent[1].micro_usd
            self.micro_usd += (most or 0) if cost is None else cost
            self.unknown += cost is None
            self.untold += cost is None and ended.failure != "cancelled"
        self.spent.setdefault(call.who, Spent()).add(*(ended.spent or NOTHING), ended.model)
        if needed and ended.kept is not None:
            self.answered[call.trial, call.who, call.nth] = ended

    def close(self) -> None:
        """What was under way when the run was killed may have been charged in full."""
        for left in self._open.values():
            self.micro_usd += sum(most or 0 for most in left)
            self.unknown += len(left)
        self._open.clear()


def paid_before(path: Path, done: AbstractSet[str]) -> PaidBefore:
    """Read the calls of a run that is resumed. `done`: keys of the trials that have a record.

    A damaged line of a call is passed over here: `recorded` refuses a journal with one.
    """
    found = PaidBefore()
    for _, item in entries.read(path, "call_start", "call_end"):
        if isinstance(item, Problem):
            continue
        if item.type == "call_start":
            found.start(_started(item.data))
        else:
            call = _started(item.data)
            found.end(_ended(call, item.data), needed=call.trial not in done)
    found.close()
    return found


def _started(data: Mapping[str, object]) -> "Started":
    from engine.model.calls import Started

    most = data.get("most")
    return Started(
        str(data.get("trial")),
        str(data.get("who")),
        _whole(data.get("nth")) or 1,
        _whole(data.get("attempt")) or 1,
        _whole(most),
    )


def _ended(call: "Started", data: Mapping[str, object]) -> "Ended":
    from engine.model.calls import Ended

    failure, error, model, kept = (data.get(name) for name in ("failure", "error", "model", "kept"))
    usage, cost, latency = data.get("usage"), data.get("cost"), data.get("latency_s")
    spent = (_usage(usage), _cost(cost)) if isinstance(usage, dict) and isinstance(cost, dict) else None
    return Ended(
        call,
        failure if isinstance(failure, str) else None,
        error if isinstance(error, str) else None,
        spent,
        model if isinstance(model, str) else None,
        latency if isinstance(latency, dict) else {},
        kept if isinstance(kept, dict) else None,
    )


def _usage(data: Mapping[str, object]) -> "Usage":
    from engine.model.usage import Usage, UsageSource

    source = next((each for each in UsageSource if each == data.get("source")), UsageSource.MISSING)
    names = ("input", "cached", "cache_write", "output", "reasoning")
    read, cached, written, output, reasoning = (_whole(data.get(name)) for name in names)
    problem = data.get("problem")
    said = problem if isinstance(problem, str) else ""
    return Usage(read, cached, written, output, reasoning, source=source, raw=data.get("raw"), problem=said)


def _cost(data: Mapping[str, object]) -> "Cost":
    from engine.model.usage import Cost, CostBasis, CostStatus

    status = next((each for each in CostStatus if each == data.get("status")), CostStatus.UNKNOWN_USAGE)
    basis = next((each for each in CostBasis if each == data.get("basis")), CostBasis.DECLARED)
    return Cost(_whole(data.get("micro_usd")), status, basis)


def _whole(value: object) -> int | None:
    return value if type(value) is int else None
