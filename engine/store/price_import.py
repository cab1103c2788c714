"""Reads the price list that litellm publishes, and says of every model that it leaves out why."""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Context, Decimal
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from engine.errors import Problem, UsageError
from engine.model.usage import Price
from engine.store import strict_json
from engine.store.price_document import PriceEntry, odd_price
from engine.text import nearest, one_line, safe

__all__ = ["Taken", "read_price_list"]

_MODES = (None, "chat", "completion", "responses")
_INPUT, _OUTPUT, _REASONING = "input_cost_per_token", "output_cost_per_token", "output_cost_per_reasoning_token"
_CACHED, _WRITTEN = "cache_read_input_token_cost", "cache_creation_input_token_cost"
_ABOVE = re.compile(r"(\w+?)_above_(\d+)k_tokens", re.ASCII)
_SEARCHES = ("sonar", "search", "research")
_MILLION = Decimal(1_000_000)
_DIGITS = Context(prec=12)  # 1.5010000000000002e-07 is 1.501e-07: lists are written by programs
_LONGEST = 200


class Taken(NamedTuple):
    """`left_out`: names by the reason why they have no price that can be relied on."""

    entries: tuple[PriceEntry, ...]
    left_out: Mapping[str, tuple[str, ...]]


class _LeftOutError(Exception):
    """A model that has no price to rely on. The text says why."""


def read_price_list(path: Path, patterns: Sequence[str] = ()) -> Taken:
    """The prices of the models that answer in text.

    Args:
        patterns: names, or patterns such as `gpt-*`; none for all.

    Raises:
        UsageError: not such a list, or a pattern that fits no model in it.
    """
    value = _read(path)
    wanted = [name for name in value if name != "sample_spec" and _fits(name, patterns)]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in wanted):
            near = nearest(pattern, value)
            advice = f"did you mean {one_line(near, 60)}?" if near else "names are written as in the file"
            raise UsageError(Problem(f"there is no model “{one_line(pattern, 60)}” in this list", str(path), advice))
    entries, left_out = [], dict[str, list[str]]()
    for name in wanted:
        try:
            entries.append(_entry(name, value[name]))
        except _LeftOutError as why:
            left_out.setdefault(str(why), []).append(name)
    return Taken(tuple(entries), {reason: tuple(names) for reason, names in left_out.items()})


def _read(path: Path) -> Mapping[str, object]:
    try:
        value = strict_json.loads(path.read_bytes(), str(path))
    except OSError as error:
        raise UsageError(Problem(f"the file cannot be read: {error.strerror or error}", str(path))) from error
    if isinstance(value, dict) and any(isinstance(raw, dict) and _INPUT in raw for raw in value.values()):
        return value
    advice = f'it looks like {{"gpt-4o-mini": {{"{_INPUT}": 1.5e-07, "{_OUTPUT}": 6e-07}}}}'
    raise UsageError(Problem("this is not litellm's list of prices (model_prices.json)", str(path), advice))


def _fits(name: str, patterns: Iterable[str]) -> bool:
    return not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)


def _entry(name: str, raw: object) -> PriceEntry:
    if not isinstance(raw, dict) or raw.get("mode") not in _MODES:
        raise _LeftOutError("no model that answers in text")
    if not name.strip() or name != name.strip() or safe(name) != name or len(name) > _LONGEST:
        raise _LeftOutError("a name that cannot be written")
    costs_more = "search_context_cost_per_query" in raw and any(word in name for word in _SEARCHES)
    if costs_more or "citation_cost_per_token" in raw:
        raise _LeftOutError("every answer also pays for searches")
    tiers = _tiers(raw)
    read, output = _dearest(tiers, _INPUT), _dearest(tiers, _OUTPUT, _REASONING)
    if read is None or output is None:
        raise _LeftOutError("no price for what is read, or for what is written")
    if not read or not output:
        raise _LeftOutError("a price of 0, which often means that nobody knows it")
    cached, written = _dearest(tiers, _CACHED), _dearest(tiers, _WRITTEN)
    request = _number(raw.get("input_cost_per_request")) or Decimal(0)
    if odd_price(read) or odd_price(output):
        raise _LeftOutError("a price that cannot be right")
    # 0 stands where there is no own price for the cache; then that costs as much as other input
    return PriceEntry(name, Price(read, output, cached or None, written or None, request), (), _note(tiers, raw))


def _tiers(raw: Mapping[str, object]) -> list[tuple[str, int, Decimal | None]]:
    """Every price for tokens: its name, above how many tokens it counts, and dollars for a million."""
    found = [(name, 0, raw.get(name)) for name in (_INPUT, _OUTPUT, _REASONING, _CACHED, _WRITTEN)]
    for key, value in raw.items():
        if above := _ABOVE.fullmatch(key):
            found.append((above[1], int(above[2]) * 1000, value))
    steps = raw.get("tiered_pricing") or []
    for step in steps if isinstance(steps, list) else []:
        if isinstance(step, dict) and isinstance(step.get("range"), list) and step["range"]:
            above_tokens = _number(step["range"][0])
            found += [(key, int(above_tokens or 0), value) for key, value in step.items() if key != "range"]
    return [(name, above, _per_million(value)) for name, above, value in found if value is not None]


def _dearest(tiers: Iterable[tuple[str, int, Decimal | None]], *names: str) -> Decimal | None:
    return max((price for name, _, price in tiers if name in names and price is not None), default=None)


def _note(tiers: Sequence[tuple[str, int, Decimal | None]], raw: Mapping[str, object]) -> str:
    notes = []
    above = max((above for name, above, _ in tiers if name in (_INPUT, _OUTPUT, _CACHED, _WRITTEN)), default=0)
    if above:
        notes.append(f"the dearest rate, for prompts above {above:,} tokens")
    if "search_context_cost_per_query" in raw:
        notes.append("web searches are not in it")
    return "; ".join(notes)


def _per_million(value: object) -> Decimal | None:
    number = _number(value)
    return None if number is None else _DIGITS.multiply(number, _MILLION)


def _number(value: object) -> Decimal | None:
    """None stays None. Raises when it is something else than an amount."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise _LeftOutError("a price that is no amount")
    return Decimal(repr(value))
